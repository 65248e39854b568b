"""Holds a text to the numbers of its digest: a sentence with a number that cannot be derived from there is taken out, and counted.

A number holds where it equals one of the digest within the rounding it is written with, as the kind of number it claims to
be (a share of the right sign, a count of the right thing, a value of the right metric and side), or where it is the share
of two numbers of its own sentence that hold.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from assay.core import canonical
from assay.core.fusion.answer import Answer, sentences
from assay.core.fusion.known_numbers import GENERAL, Kind, Known, in_seconds, known_numbers
from assay.core.fusion.number_words import Written, mentions, unit_mentions, written_numbers
from assay.core.fusion.reading import Table, comparisons_of, interval_of, own_words, primary_of, table, tables, text
from assay.core.values import dataclass

_WHOLE = 5e-3  # of a number that was rounded to a whole one, so much is rounding at most, unless a unit goes with it
_UNITS_APART = 0.05
_RATIO_APART = 0.1
_COUNTED = {
    "process": ("processes", "n", "warmups"),
    "value": ("n",),
    "sample": ("n", "processes"),
    "measurement": ("n", "processes"),
    "repeat": ("n", "processes"),
    "repetition": ("n", "processes"),
    "seed": ("n",),
    "pair": ("n", "more_pairs"),
    "run": ("runs", "runs_stored", "n", "of", "beats", "runs_considered", "runs_ago"),
    "session": ("runs", "runs_stored", "n", "of"),
    "warm-up": ("warmups",),
    "warmup": ("warmups",),
    "file": ("files", "by_rung", "paths", "binary_files"),
    "path": ("files", "by_rung", "paths"),
    "core": ("cores_available",),
    "line": ("added", "removed", "changed"),
    "line added": ("added",),
    "line removed": ("removed",),
}
_LEVEL = re.compile(r"\b(?:confiden\w*|levels?|alpha|significan\w*|interval|error rate)\b", re.IGNORECASE)
_HEDGED = 0.05
_FRACTION_DIGITS = 3
_QUOTED = re.compile(r"[\"“]([^\"“”]{4,200})[\"”]")
_ONLY_WITH_ITS_NOUN = ("runs_ago", "modes", "more_pairs", "cores_available", "warmups", "added", "removed", "changed", "binary_files")
_SIGNED = (Kind.SIGNED_SHARE,)
_SHARES = (Kind.SIGNED_SHARE, Kind.SHARE, Kind.CHANCE, Kind.LEVEL)


@dataclass(frozen=True, slots=True)
class Checked:
    """A text without what did not hold, and what that was."""

    text: str
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grounds:
    """The numbers and the words of a digest, ready to be asked."""

    known: tuple[Known, ...]
    metrics: tuple[str, ...]
    units: Mapping[str, str]
    words: str
    ordered: frozenset[tuple[float, float]]
    own: tuple[str, ...]
    """Sentences of the decision itself, the longest first: what the digest says in words may be said again."""

    @staticmethod
    def of(digest: Table) -> "Grounds":
        units = {text(one, "metric"): text(one, "unit") for one in comparisons_of(digest)}
        metrics = tuple(units)
        known = (*known_numbers(digest), *_told_in_words(digest, metrics))
        words = canonical.compact(digest).lower()
        return Grounds(known, metrics, units, words, frozenset(_ordered(digest, known)), _own_sentences(digest))

    def check(self, item: str) -> Checked:
        """The item without the sentences whose numbers do not hold."""
        parts = sentences(item)
        held = [part for part in parts if self.holds(part)]
        return Checked(" ".join(held), tuple(part for part in parts if part not in held))

    def check_answer(self, answer: Answer) -> tuple[Answer, tuple[str, ...]]:
        """The answer of which every number holds, and the sentences that were taken out."""
        removed = tuple(part for item in answer.items for part in self.check(item).removed)
        return answer.mapped(lambda item: self.check(item).text), removed

    def holds(self, sentence: str) -> bool:
        """Whether every number of a sentence can be derived."""
        for own in self.own:
            sentence = sentence.replace(own, "")
        sentence = _QUOTED.sub(lambda quoted: "" if quoted[1].lower() in self.words else quoted[0], sentence)
        found = list(written_numbers(sentence, self.metrics))
        return all(self._derivable(one, found, sentence) for one in found) and all(
            self._in_order(one, other, sentence) for one, other in pairwise(found)
        )

    def _derivable(self, one: Written, around: Sequence[Written], sentence: str) -> bool:
        if one.part_of:  # of a name or an id: the digest has it, or it is an invention
            return one.part_of.lower() in self.words
        scope = self._scope(one, sentence)
        if one.chance:
            return any(known.kind is Kind.CHANCE and _rounded(one, known.value) for known in scope)
        if one.counts:
            return any(known.name in _COUNTED[one.counts] and known.value == one.value for known in scope)
        if one.percent:
            whole = (known for known in scope if known.kind is Kind.RATIO and one.share_of)
            shares = any(_same_share(one, known) for known in scope) or any(_rounded(one, known.value * 100) for known in whole)
            return shares or self._share_of_two(one, around, scope)
        if one.times:
            return any(_same_ratio(one, known) for known in scope) or _ratio_of_two(one, around)
        return any(_same(one, known) for known in scope)

    def _scope(self, one: Written, sentence: str) -> list[Known]:
        """The numbers that may be meant: of the metric that was named last before it, and of the side that it is said of."""
        named = mentions(sentence, self.metrics)
        before = [metric for at, metric in named if at < one.start]
        own_unit = [metric for at, metric in unit_mentions(sentence, self.units) if one.start <= at < one.end + 1]
        if own_unit:  # says whose it is better than a name further off
            before = own_unit
        metrics = before[-1:] or [metric for _, metric in named][:1]
        levels = _LEVEL.search(sentence)  # the 5 % of a test are no 5 % of anything else
        scope = [known for known in self.known if not metrics or known.scope in (*metrics, GENERAL)]
        scope = [known for known in scope if levels or known.kind is not Kind.LEVEL]
        return [known for known in scope if not one.side or known.side in (one.side, "")]

    def _share_of_two(self, one: Written, around: Sequence[Written], scope: Sequence[Known]) -> bool:
        """A stated percentage of two numbers of the sentence, each of which holds by itself."""
        plain = [other.value for other in around if not other.percent and not other.part_of and any(_same(other, known) for known in scope)]
        shares = [share for a in plain for b in plain if a != b and b for share in (a / b, a / b - 1.0)]
        return any(abs(abs(share * 100) - abs(one.value)) <= one.unit_in_last_place for share in shares if _signs_agree(one, share))

    def _in_order(self, one: Written, other: Written, sentence: str) -> bool:
        """`from X to Y` and its like say more than two numbers: that the one is the first of a pair and the other its second."""
        if not _joined(one, other, sentence):
            return True
        pairs = [(a, b) for a, b in self.ordered if _close(one, a) and _close(other, b)]
        return bool(pairs)


def _ratio_of_two(one: Written, around: Sequence[Written]) -> bool:
    """A stated multiple of two numbers of the sentence that are of one kind."""
    for percent in (True, False):
        values = [abs(other.value) for other in around if other is not one and other.percent is percent and not other.times and other.value]
        loose = _RATIO_APART * one.value if one.in_words else one.unit_in_last_place
        if any(abs(a / b - one.value) <= loose for a in values for b in values if a != b):
            return True
    return False


def _joined(one: Written, other: Written, sentence: str) -> bool:
    """Whether the two stand as a range or a passage."""
    if one.part_of or other.part_of or one.counts or other.counts:
        return False
    between = sentence[one.end : other.start].strip().lower()
    before = sentence[: one.start].rstrip().lower()
    if between in ("→", "->", "–", "to", "to about", "up to", "down to"):
        return True
    if between == "and":
        return before.endswith("between")
    return between in (",", ";") and before.endswith(("[", "("))


def _ordered(digest: Table, known: tuple[Known, ...]) -> Iterator[tuple[float, float]]:
    """The pairs in which a first and a second are meant: intervals, ranges, and base before head."""
    for one in comparisons_of(digest):
        base, head = table(one, "base"), table(one, "head")
        bounds = interval_of(one)
        if bounds:
            yield bounds
            yield -bounds[1], -bounds[0]  # of a fall the smaller one is told first
        for key in ("centre", "mean", "median", "min", "max", "deviation", "spread", "n"):
            if isinstance(base.get(key), int | float) and isinstance(head.get(key), int | float):
                yield float(base[key]), float(head[key])
        yield from ((side["min"], side["max"]) for side in (base, head) if isinstance(side.get("min"), int | float))
    past = table(digest, "history")
    yield from ((step["before"], step["after"]) for step in tables(table(past, "mainline"), "steps"))
    for part in (past, table(past, "mainline"), table(past, "same_base")):
        ends = part.get("range")
        if isinstance(ends, list):
            yield float(ends[0]), float(ends[1])
    values = [one.value for one in known if one.name == "values" and not one.side and one.scope]
    if primary_of(digest) and values:
        yield values[0], values[-1]


def _told_in_words(digest: Table, metrics: tuple[str, ...]) -> Iterator[Known]:
    """Shares that only the reason of a comparison has, such as the gain that is excluded."""
    for one in comparisons_of(digest):
        for written in written_numbers(text(one, "reason"), metrics):
            if written.percent:
                yield Known(abs(written.value) / 100, Kind.SHARE, text(one, "metric"), "", "reason", "")


def _own_sentences(digest: Table) -> tuple[str, ...]:
    said = [part.strip() for own in own_words(digest) for part in (own, *sentences(own))]
    return tuple(sorted(set(said), key=len, reverse=True))


def _close(one: Written, value: float) -> bool:
    """Equal as written, be it as a share in percent, in another unit of time, or as it is."""
    forms = [value * 100] if one.percent else [value, *(value * factor for factor in (1e3, 1e-3, 1e6, 1e-6) if in_seconds(one.unit))]
    if one.percent and one.signed and (one.value < 0) is not (value < 0) and value:
        return False
    return any(abs(abs(form) - abs(one.value)) <= one.unit_in_last_place and _signs_agree(one, form) for form in forms)


def _rounded(one: Written, value: float) -> bool:
    """Equal as written; a round number that is called one may be a little off."""
    if one.about and abs(abs(value) - abs(one.value)) <= _HEDGED * abs(value) and _signs_agree(one, value):
        return True
    return abs(abs(value) - abs(one.value)) <= one.unit_in_last_place and _signs_agree(one, value)


def _same_share(one: Written, known: Known) -> bool:
    if known.kind not in _SHARES:
        return False
    if one.signed and known.kind not in _SIGNED:
        return False
    return _rounded(one, known.value * 100)


def _signs_agree(one: Written, value: float) -> bool:
    """A sign that is written has to be right; without one the size alone is said."""
    return not one.signed or value == 0 or (one.value < 0) is (value < 0)


def _same_ratio(one: Written, known: Known) -> bool:
    if known.kind is not Kind.RATIO or known.value == 0:
        return False
    loose = _RATIO_APART * one.value if one.in_words else one.unit_in_last_place
    return any(abs(form - one.value) <= loose for form in (known.value, 1.0 / known.value))


def _same(one: Written, known: Known) -> bool:
    """Equal within rounding; a whole number is only then a rounded one where hardly anything was rounded away, or it has a unit."""
    if known.kind is Kind.COUNT:
        return one.value == known.value and not one.unit and known.name not in _ONLY_WITH_ITS_NOUN
    if known.kind in _SHARES and known.kind is not Kind.LEVEL and (one.unit or one.decimals < _FRACTION_DIGITS):
        return False  # a share is written in percent, save for what looks like nothing but a fraction
    for value in _forms(one, known):
        if one.about and _rounded(one, value):
            return True
        apart = abs(abs(value) - abs(one.value))
        size = max(abs(value), abs(one.value))
        allowed = _UNITS_APART if one.unit else _WHOLE
        if apart <= one.unit_in_last_place and (not one.whole or apart <= allowed * size) and _signs_agree(one, value):
            return True
    return False


def _forms(one: Written, known: Known) -> Iterator[float]:
    """The known number in the unit that the text uses, where both are units of time."""
    theirs = 1.0 if known.kind is Kind.SECONDS else in_seconds(known.unit)
    ours = in_seconds(one.unit)
    if ours and theirs and known.kind in (Kind.VALUE, Kind.SECONDS):
        yield known.value * theirs / ours
    elif not ours or not theirs:
        yield known.value

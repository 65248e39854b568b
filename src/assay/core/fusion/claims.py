"""Whether a text says the opposite of what was decided: improved where it regressed, keep where it is to go, up where it went down."""

import re
from collections.abc import Iterator

from assay.core.fusion import claim_words as words
from assay.core.fusion.answer import Answer, sentences
from assay.core.fusion.number_words import mentions, unit_mentions
from assay.core.fusion.reading import Table, comparisons_of, number, own_words, primary_of, table, text
from assay.core.model import Verdict
from assay.core.values import dataclass

_CLAUSE = re.compile(
    r",\s+(?:but|while|whereas|although|though|and|so|yet|however|still|nevertheless)\s+|;\s+|:\s+|\s+(?:but|while|whereas|although)\s+",
    re.IGNORECASE,
)
_DENIAL_REACHES = 6  # words
_DENIES_WITHIN = 1  # words: so near a denial is surely meant of what follows


def contradictions(item: str, digest: Table) -> tuple[str, ...]:
    """The sentences of a text that say the opposite of the digest's verdicts, of its outcome, or of the sign of a change."""
    for own in own_words(digest):
        item = item.replace(own, "")
    return tuple(sentence for sentence in sentences(item) if _contradicts(sentence, digest))


def answer_contradicts(answer: Answer, digest: Table) -> bool:
    """Whether any item does."""
    return any(contradictions(item, digest) for item in answer.items)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a sentence, where it names which comparison, and the one that it speaks of where it names none before."""

    text: str
    named: tuple[tuple[int, Table], ...]
    carried: Table | None

    def about(self, at: int) -> Table | None:
        """The comparison that a word at this place speaks of: the one named last before it, else the first after it."""
        before = [one for where, one in self.named if where <= at]
        after = [one for _, one in self.named]
        return before[-1] if before else after[0] if after else self.carried


def _contradicts(sentence: str, digest: Table) -> bool:
    return any(_contrary(clause, digest) for clause in _clauses(sentence, digest))


def _clauses(sentence: str, digest: Table) -> Iterator[_Clause]:
    """Clause by clause; one that names no metric speaks of the one that was named last, at first of the primary."""
    by_name = {text(one, "metric"): one for one in comparisons_of(digest)}
    units = {name: text(one, "unit") for name, one in by_name.items()}
    carried = primary_of(digest)
    for part in filter(None, _CLAUSE.split(words.NO_DENIAL.sub("", sentence))):
        found = mentions(part, tuple(by_name)) or unit_mentions(part, units)
        named = tuple((at, by_name[name]) for at, name in found)
        yield _Clause(part, named, carried)
        carried = named[-1][1] if named else carried


def _contrary(clause: _Clause, digest: Table) -> bool:
    said = clause.text
    if _against_outcome(said, text(table(digest, "decision"), "outcome")):
        return True
    if _breaks_a_limit(clause):
        return True
    if _asserts(clause):
        return True
    if words.POSSIBLE.search(said) or words.OF_SINGLE_RUNS.search(said) or words.OF_THE_METRIC.search(said):
        return False
    if not any(number(one, "change") is not None for one in comparisons_of(digest)):
        return any(True for _ in _claimed(said))  # where nothing was compared nothing has been found
    return _against_verdict(clause) or _denies_verdict(clause) or _against_sign(clause)


def _asserts(clause: _Clause) -> bool:
    """Whether a metric is said by its name to have done what it did not, whatever else is in the clause: no rule or possibility says
    `loss improved` right after the name."""
    said = clause.text
    if words.CONDITION.search(said):
        return False
    for verdict in (Verdict.IMPROVED, Verdict.REGRESSED):
        for hit in words.CLAIMS[verdict].finditer(said):
            one = clause.about(hit.start())
            if one is None or text(one, "verdict") == verdict or (words.SLIGHTLY.search(said) and _leans(one, verdict)):
                continue
            subject = re.search(rf"(?:{re.escape(text(one, 'metric'))}|\bit)\s+$", said[: hit.start()], re.IGNORECASE)
            if hit[0].lower().endswith("ed") and subject and not words.SUPPOSED.search(said[: subject.start()]):
                return True
    return False


def _breaks_a_limit(clause: _Clause) -> bool:
    """Whether a guard that held is said not to have held."""
    if words.CONDITION.search(clause.text):
        return False
    broken = [clause.about(hit.end()) for hit in words.LIMIT_BROKEN.finditer(clause.text) if not _denied(clause.text, hit.start())]
    return any(text(one, "role") == "guard" and text(one, "verdict") != Verdict.REGRESSED for one in broken if one)


def _denies_verdict(clause: _Clause) -> bool:
    """Whether the very thing that was found is denied: `did not improve` of what improved. That nothing changed may be denied."""
    found = (Verdict.IMPROVED, Verdict.REGRESSED)
    for pattern, denied in ((words.NOT_REAL, found), (words.NOT_IMPROVED, found[:1])):
        about = [clause.about(hit.start()) for hit in pattern.finditer(clause.text) if not _denied(clause.text, hit.start())]
        if any(text(one, "verdict") in denied for one in about if one):
            return True
    if words.OF_MEASURING.search(clause.text):
        return False
    for verdict in (Verdict.IMPROVED, Verdict.REGRESSED):
        for hit in words.CLAIMS[verdict].finditer(clause.text):
            one = clause.about(hit.start())
            if one and text(one, "verdict") == verdict and _denied(clause.text, hit.start(), _DENIES_WITHIN):
                return True
    return False


def _against_verdict(clause: _Clause) -> bool:
    """Whether of any metric only other verdicts than its own are claimed."""
    claimed: dict[str, set[Verdict]] = {}
    real: dict[str, str] = {}
    for at, verdict in _claimed(clause.text):
        one = clause.about(at)
        if one and not (words.SLIGHTLY.search(clause.text) and _leans(one, verdict)):
            claimed.setdefault(text(one, "metric"), set()).add(verdict)
            real[text(one, "metric")] = text(one, "verdict")
    return any(Verdict(real[metric]) not in verdicts for metric, verdicts in claimed.items())


def _leans(one: Table, verdict: Verdict) -> bool:
    """Whether a change that does not count went that way all the same: slightly slower may be said of what is unchanged."""
    change = number(one, "change") or 0.0
    better = (change < 0) is (one.get("better") == "lower")
    return one.get("verdict") == Verdict.UNCHANGED and change != 0 and verdict is (Verdict.IMPROVED if better else Verdict.REGRESSED)


def _claimed(clause: str) -> Iterator[tuple[int, Verdict]]:
    """What a clause asserts, and where; `no regression` and `did not improve` assert nothing of the kind."""
    if words.OF_MEASURING.search(clause) and not re.search(r"\b(?:change|head)\b", clause, re.IGNORECASE):
        return
    for verdict, claim in words.CLAIMS.items():
        yield from ((hit.start(), verdict) for hit in claim.finditer(clause) if not _denied(clause, hit.start()))


def _denied(clause: str, at: int, reach: int = _DENIAL_REACHES) -> bool:
    return re.search(rf"\b{words.NOT}\b(?:\W+[\w-]+){{0,{reach}}}\W*$", clause[:at], re.IGNORECASE) is not None


def _against_sign(clause: _Clause) -> bool:
    """Whether something is said to have gone the other way than it did; only of a change that has a direction at all."""
    if words.OF_MEASURING.search(clause.text):
        return False
    up, down = (list(_spoken(pattern, clause)) for pattern in (words.UP, words.DOWN))
    risen = {text(one, "metric") for one in up}
    fallen = {text(one, "metric") for one in down}
    wrong = [one for one in up if (number(one, "change") or 0) < 0 and text(one, "metric") not in fallen]
    wrong += [one for one in down if (number(one, "change") or 0) > 0 and text(one, "metric") not in risen]
    return bool(wrong)


def _spoken(pattern: re.Pattern[str], clause: _Clause) -> Iterator[Table]:
    """The comparisons of which a word of the pattern is said."""
    for hit in pattern.finditer(clause.text):
        one = clause.about(hit.start())
        if one and not _denied(clause.text, hit.start()):
            yield one


def _against_outcome(clause: str, outcome: str) -> bool:
    if words.CONDITION.search(clause):
        return False
    if outcome == "keep":
        return _stated(words.DROP, clause) or bool(words.DROP_SAID_ALONE.match(clause))
    stays = _stated(words.KEEP, clause) or bool(words.KEEP_SAID_ALONE.match(clause))
    return stays and outcome in ("discard", "checks_failed", "errored", "pending")


def _stated(pattern: re.Pattern[str], clause: str) -> bool:
    return any(not _denied(clause, hit.start()) for hit in pattern.finditer(clause))

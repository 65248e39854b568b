"""Whether a text says the opposite of what was decided: improved where it regressed, keep where it is to go, up where it went down."""

import re
from collections.abc import Iterator, Sequence

from assay.core.fusion import claim_words as words
from assay.core.fusion.answer import Answer, sentences
from assay.core.fusion.number_words import mentions
from assay.core.fusion.reading import Table, comparisons_of, number, own_words, primary_of, table, text
from assay.core.model import Verdict

_CLAUSE = re.compile(r",\s+(?:but|while|whereas|although|though|and|so)\s+|;\s+|:\s+|\s+(?:but|while|whereas|although)\s+", re.IGNORECASE)
_DENIAL_REACHES = 4  # words


def contradictions(item: str, digest: Table) -> tuple[str, ...]:
    """The sentences of a text that say the opposite of the digest's verdicts, of its outcome, or of the sign of a change."""
    for own in own_words(digest):
        item = item.replace(own, "")
    return tuple(sentence for sentence in sentences(item) if _contradicts(sentence, digest))


def answer_contradicts(answer: Answer, digest: Table) -> bool:
    """Whether any item does."""
    return any(contradictions(item, digest) for item in answer.items)


def _contradicts(sentence: str, digest: Table) -> bool:
    """Clause by clause; one that names no metric speaks of those that were named last."""
    metrics = [text(one, "metric") for one in comparisons_of(digest)]
    primary = primary_of(digest)
    about = [primary] if primary else []
    for clause in filter(None, _CLAUSE.split(sentence)):
        named = {name for _, name in mentions(clause, metrics)}
        about = [one for one in comparisons_of(digest) if text(one, "metric") in named] or about
        if _contrary(clause, digest, about):
            return True
    return False


def _contrary(clause: str, digest: Table, about: Sequence[Table]) -> bool:
    if _against_outcome(clause, text(table(digest, "decision"), "outcome")):
        return True
    if words.POSSIBLE.search(clause) or words.OF_SINGLE_RUNS.search(clause) or words.OF_THE_METRIC.search(clause):
        return False
    if not any(number(one, "change") is not None for one in comparisons_of(digest)):
        return any(_claimed(clause))  # where nothing was compared nothing has been found
    return all(_against_verdict(clause, one) or _against_sign(clause, one) for one in about)


def _against_verdict(clause: str, one: Table) -> bool:
    claimed = set(_claimed(clause))
    return bool(claimed) and Verdict(text(one, "verdict")) not in claimed


def _claimed(clause: str) -> Iterator[Verdict]:
    """What a clause asserts; `no regression` and `did not improve` assert nothing of the kind."""
    if words.OF_MEASURING.search(clause) and not re.search(r"\b(?:change|head)\b", clause, re.IGNORECASE):
        return
    for verdict, claim in words.CLAIMS.items():
        if any(not _denied(clause, hit.start()) for hit in claim.finditer(clause)):
            yield verdict


def _denied(clause: str, at: int) -> bool:
    return re.search(rf"\b{words.NOT}\b(?:\W+[\w-]+){{0,{_DENIAL_REACHES}}}\W*$", clause[:at], re.IGNORECASE) is not None


def _against_sign(clause: str, one: Table) -> bool:
    """Whether it is said to have gone the other way; only of a change that has a direction at all."""
    change = number(one, "change")
    if not change or words.OF_MEASURING.search(clause):
        return False
    wrong, right = (words.UP, words.DOWN) if change < 0 else (words.DOWN, words.UP)
    said = any(not _denied(clause, hit.start()) for hit in wrong.finditer(clause))
    return said and not right.search(clause)


def _against_outcome(clause: str, outcome: str) -> bool:
    if words.CONDITION.search(clause):
        return False
    if outcome == "keep":
        return _stated(words.DROP, clause)
    return outcome in ("discard", "checks_failed", "errored", "pending") and _stated(words.KEEP, clause)


def _stated(pattern: re.Pattern[str], clause: str) -> bool:
    return any(not _denied(clause, hit.start()) for hit in pattern.finditer(clause))

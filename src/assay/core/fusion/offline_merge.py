"""The offline merger: one report out of several answers, by the plan of their evaluation, in the order in which people read."""

from collections.abc import Iterable, Iterator, Mapping

from assay.core import numbers
from assay.core.fusion.answer import Answer, Position, read_answer
from assay.core.fusion.claims import contradictions
from assay.core.fusion.evaluation import Evaluation
from assay.core.fusion.grounding import Grounds
from assay.core.fusion.reading import Table, next_steps, number, primary_of, table, text

_WHY, _UNCERTAIN, _TO_DO = 8, 6, 4


def merge(digest: Table, answers: Mapping[str, str], evaluation: Evaluation) -> Answer:
    """The report. What is in the plan comes first; of the rest only what the digest bears out, and nothing twice."""
    grounds = Grounds.of(digest)
    read = _in_order({who: read_answer(markdown) for who, markdown in answers.items()}, digest)
    planned = tuple(what for letter in read for who, what in evaluation.must_include if who == letter)
    uncertain = {item for answer in read.values() for item in answer.uncertain}

    def sound(items: Iterable[str], most: int) -> tuple[str, ...]:
        held = (item for item in dict.fromkeys(items) if not grounds.check(item).removed and not contradictions(item, digest))
        return tuple(held)[:most]

    why = (item for item in (*planned, *_each(read, "why")) if item not in uncertain)
    doubts = (item for item in (*planned, *_each(read, "uncertain"), *_shrugs(read)) if item in uncertain or item not in planned)
    return Answer(
        verdict=(_verdict(digest), *sound(_opinions(read), 3)),
        why=sound(why, _WHY),
        to_do=sound((*next_steps(digest), *_each(read, "to_do")), _TO_DO),
        uncertain=sound((*doubts, *(one.resolution for one in evaluation.conflicts)), _UNCERTAIN),
    )


def _verdict(digest: Table) -> str:
    """The decision in its own words: nobody else's come first."""
    decision, primary = table(digest, "decision"), primary_of(digest)
    outcome = text(decision, "outcome")
    said = f"{_BEGUN.get(outcome, 'Nothing was decided')}: {text(decision, 'title')}."
    return said if primary or outcome else text(decision, "reason")


_BEGUN = {
    "keep": "The change may stay",
    "discard": "The change should not stay",
    "checks_failed": "The change computes something wrong",
    "errored": "The change could not be measured",
    "pending": "The question stays open",
}


def _opinions(read: Mapping[str, Answer]) -> Iterator[str]:
    """The verdicts of those who can tell, doubters first: a reader has to meet the objection before the applause."""
    ordered = sorted(read.values(), key=lambda one: one.position is not Position.DOUBTS)
    for answer in ordered:
        if answer.position is not Position.CANNOT_TELL:
            yield from answer.verdict[:1]


def _shrugs(read: Mapping[str, Answer]) -> Iterator[str]:
    """The verdicts of those who cannot tell are part of what is uncertain."""
    for answer in read.values():
        if answer.position is Position.CANNOT_TELL:
            yield from answer.verdict[:1]


def _in_order(read: Mapping[str, Answer], digest: Table) -> Mapping[str, Answer]:
    """Who speaks of the change itself comes first. Letters are dealt by chance, and the same texts shall make the same report."""
    change = number(primary_of(digest) or {}, "change")
    said = numbers.percent(abs(change)) if change is not None else "\0"

    def rank(who: str) -> tuple[bool, str]:
        verdict = " ".join(read[who].verdict)
        return said not in verdict, verdict

    return {who: read[who] for who in sorted(read, key=rank)}


def _each(read: Mapping[str, Answer], section: str) -> Iterator[str]:
    """The items of one section, the first of each answer before the second of any."""
    columns = [getattr(answer, section) for answer in read.values()]
    for row in range(max(map(len, columns), default=0)):
        yield from (column[row] for column in columns if row < len(column))

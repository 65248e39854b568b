"""The offline evaluator: reads anonymous answers of whatever author, and says by the digest alone what of them holds."""

from collections.abc import Iterator, Mapping, Sequence

from assay.core import numbers
from assay.core.fusion.answer import Answer, Position, read_answer, sentences
from assay.core.fusion.claims import contradictions
from assay.core.fusion.evaluation import Assessment, Conflict, Evaluation
from assay.core.fusion.grounding import Grounds
from assay.core.fusion.reading import Table, table, text
from assay.core.values import dataclass

_MUST_INCLUDE = 4
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Read:
    """One answer, with what of it the digest bears out."""

    who: str
    answer: Answer
    sound: tuple[str, ...]
    unfounded: int
    contrary: tuple[str, ...]


def evaluate(digest: Table, answers: Mapping[str, str]) -> Evaluation:
    """The evaluation of these answers, by candidate id."""
    grounds = Grounds.of(digest)
    read = [_read(who, text, digest, grounds) for who, text in answers.items()]
    conflicts = tuple(_conflicts(read, digest))
    return Evaluation(
        assessments=tuple(map(_assessment, read)),
        agreements=tuple(_agreements(read)),
        conflicts=conflicts,
        must_include=tuple(_contributions(read)),
        must_resolve=tuple(one.topic for one in conflicts),
        must_avoid=tuple(_to_avoid(read)),
    )


def _read(who: str, markdown: str, digest: Table, grounds: Grounds) -> _Read:
    answer = read_answer(markdown)
    contrary = tuple(sentence for item in answer.items for sentence in contradictions(item, digest))
    checked = [(item, grounds.check(item)) for item in (*answer.why, *answer.uncertain)]
    sound = tuple(item for item, found in checked if not found.removed and not contradictions(item, digest))
    return _Read(who, answer, sound, sum(len(grounds.check(item).removed) for item in answer.items), contrary)


def _assessment(one: _Read) -> Assessment:
    verdict = one.answer.verdict[0] if one.answer.verdict else "It gives no verdict."
    risks = [f"{numbers.count(one.unfounded, 'sentence has', 'sentences have')} numbers that the input does not have."] * bool(
        one.unfounded
    )
    risks += ["It contradicts the decision."] * bool(one.contrary)
    return Assessment(
        candidate_id=one.who,
        summary=verdict,
        strengths=(f"{numbers.count(len(one.sound), 'statement')} of it can be checked and hold.",) if one.sound else (),
        limitations=one.answer.uncertain[:_SHOWN],
        useful_contributions=one.sound[:_SHOWN],
        risks=tuple(risks),
    )


def _agreements(read: Sequence[_Read]) -> Iterator[str]:
    positions = [one.answer.position for one in read if one.answer.position]
    if len(positions) > 1 and set(positions) == {Position.SUPPORTS}:
        yield "All who state a position support the decision."
    first = _said_by_several([item for one in read for item in dict.fromkeys(one.answer.to_do)])
    yield from first[:2]


def _said_by_several(items: Sequence[str]) -> list[str]:
    return [item for item in dict.fromkeys(items) if items.count(item) > 1]


def _conflicts(read: Sequence[_Read], digest: Table) -> Iterator[Conflict]:
    """Where one doubts what another supports, and where one says the opposite of the decision."""
    doubting = [one for one in read if one.answer.position is Position.DOUBTS]
    supporting = [one for one in read if one.answer.position is Position.SUPPORTS]
    if doubting and supporting:
        yield Conflict(
            topic="Whether the evidence carries the decision",
            positions=tuple((one.who, _in_short(one)) for one in (*supporting, *doubting)),
            resolution="The decision follows from the rules of the config; the doubt about its evidence stands beside it.",
        )
    contrary = [one for one in read if one.contrary]
    others = [one for one in read if not one.contrary]
    if contrary and others:
        outcome = text(table(digest, "decision"), "title")
        yield Conflict(
            topic="What was found",
            positions=tuple((one.who, one.contrary[0]) for one in contrary) + tuple((one.who, _in_short(one)) for one in others),
            resolution=f"The decision holds: {outcome}.",
        )


def _in_short(one: _Read) -> str:
    said = one.answer.verdict[0] if one.answer.verdict else ""
    return sentences(said)[0] if said else (one.answer.position or Position.CANNOT_TELL).value


def _contributions(read: Sequence[_Read]) -> Iterator[tuple[str, str]]:
    """The sound statements of each in turn, doubts of a doubter first, none of them twice."""
    seen: set[str] = set()
    for one in sorted(read, key=lambda each: each.answer.position is not Position.DOUBTS):
        mine = [item for item in one.sound if item not in seen][:_MUST_INCLUDE]
        seen.update(mine)
        yield from ((one.who, item) for item in mine)


def _to_avoid(read: Sequence[_Read]) -> Iterator[str]:
    if any(one.unfounded for one in read):
        yield "Numbers that the input does not have."
    if any(one.contrary for one in read):
        yield "Anything that contradicts the decision."

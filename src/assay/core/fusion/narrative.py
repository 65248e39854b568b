"""The analysis as a reader gets it: the report that was merged, who dissented from it, what was wrong with it, what it cost."""

from collections.abc import Mapping, Sequence

from assay.core import escape, numbers
from assay.core.fusion.answer import Answer, Position, read_answer, write_answer
from assay.core.fusion.claims import answer_contradicts
from assay.core.fusion.grounding import Grounds
from assay.core.fusion.offline_effect import effect
from assay.core.fusion.offline_evaluate import evaluate
from assay.core.fusion.offline_history import history
from assay.core.fusion.offline_merge import merge
from assay.core.fusion.offline_noise import noise
from assay.core.fusion.reading import Table
from assay.core.fusion.usage import Usage, said
from assay.core.values import dataclass

_PLAIN = 900

OFFLINE = {"effect": effect, "noise": noise, "history": history}
"""The offline analysts, by the second word of their route."""


@dataclass(frozen=True, slots=True)
class Narrative:
    """Plain sentences throughout, none of them escaped yet. `dissent` is by the route of the analyst."""

    analysis_id: str
    report: Answer
    dissent: tuple[tuple[str, str], ...] = ()
    limitations: tuple[str, ...] = ()
    footer: str = ""

    def to_json(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "verdict": list(self.report.verdict),
            "why": list(self.report.why),
            "what_to_do": list(self.report.to_do),
            "uncertain": list(self.report.uncertain),
            "dissent": [{"analyst": who, "text": what} for who, what in self.dissent],
            "limitations": list(self.limitations),
        }


def plain_narrative(told: Narrative) -> str:
    """The analysis for a terminal."""
    lines = [escape.plain(item, _PLAIN) for item in told.report.verdict]
    sections = (
        ("Why", told.report.why),
        ("What to do", told.report.to_do),
        ("What is uncertain", (*told.limitations, *told.report.uncertain)),
        ("Dissent", tuple(f"{who}: {what}" for who, what in told.dissent)),
    )
    for title, items in sections:
        if items:
            lines += ["", f"{title}:", *(f"  - {escape.plain(item, _PLAIN)}" for item in items)]
    return "\n".join([*lines, "", escape.plain(told.footer, _PLAIN)]) + "\n"


@dataclass(frozen=True, slots=True)
class Sound:
    """A report that holds, the sentences that were taken out of it, and why it is not the merger's own, if so."""

    report: Answer
    removed: tuple[str, ...] = ()
    rejected: str = ""


def sound_report(merged: str, digest: Table) -> Sound:
    """What of a merged text may be shown. One that contradicts the decision, or that has nothing left, gives way to the deterministic."""
    answer = read_answer(merged)
    if answer_contradicts(answer, digest):
        return Sound(deterministic(digest), rejected="The merged text contradicted the decision and was replaced.")
    held, removed = Grounds.of(digest).check_answer(answer)
    if not held.verdict:
        return Sound(deterministic(digest), removed, "Of the merged text too little could be derived from the data; it was replaced.")
    return Sound(held, removed)


def deterministic(digest: Table) -> Answer:
    """The report that the offline analysts, evaluator and merger make of a digest: the same for the same digest."""
    answers = {letter: write_answer(analyst(digest)) for letter, analyst in zip("ABC", OFFLINE.values(), strict=True)}
    return merge(digest, answers, evaluate(digest, answers))


def dissent_of(routes: Mapping[int, str], answers: Mapping[int, str], digest: Table) -> tuple[tuple[str, str], ...]:
    """Who doubts that the evidence carries the decision, and why, as far as that holds."""
    return tuple((routes[slot], what) for slot, markdown in sorted(answers.items()) if (what := _dissent(read_answer(markdown), digest)))


def _dissent(answer: Answer, digest: Table) -> str:
    if answer_contradicts(answer, digest):
        return "it contradicts the decision, so its text is not shown."
    if answer.position is not Position.DOUBTS:
        return ""
    held, _ = Grounds.of(digest).check_answer(answer)
    return "".join(held.uncertain[:1] or held.verdict[:1]) or "doubts it, in a text that cannot be derived from the data."


def footer(candidates: int, of: int, removed: Sequence[str], usage: Usage, *, models: bool = False) -> str:
    """How the text came about, in a line. `models` is whether any was asked."""
    took_out = f", {numbers.count(len(removed), 'sentence')} removed whose numbers the data do not have" if removed else ""
    return f"{candidates} of {numbers.count(of, 'analyst')}, blind of each other; {said(usage, models=models)}{took_out}"

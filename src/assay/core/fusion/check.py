"""The check run `assay: analysis`: what the analyses of a job say, and neutral where one failed. No decision hangs on it."""

from collections.abc import Mapping, Sequence

from assay.core import escape, numbers
from assay.core.check_run import CheckRun
from assay.core.fusion.answer import write_answer
from assay.core.fusion.failure import AnalysisError
from assay.core.fusion.narrative import Narrative
from assay.core.model import Conclusion

NAME = "assay: analysis"
_ROOM = 60_000  # bytes, of the 65,535 that a summary may have


def analysis_check(head: str, analyses: Mapping[str, Narrative], failures: Mapping[str, AnalysisError]) -> CheckRun:
    """The check run of all analyses of one head, by benchmark."""
    failed = len(failures)
    every = failed + len(analyses)
    title = f"{failed} of {numbers.count(every, 'analysis', 'analyses')} failed" if failed else numbers.count(every, "analysis", "analyses")
    return CheckRun(
        name=NAME,
        head_sha=head,
        external_id=next((one.analysis_id for one in analyses.values()), ""),
        conclusion=Conclusion.NEUTRAL if failed else Conclusion.SUCCESS,
        title=title,
        summary=analyses_told(analyses, failures),
        text="",
    )


def analyses_told(analyses: Mapping[str, Narrative], failures: Mapping[str, AnalysisError]) -> str:
    """The same as Markdown, within the room of a summary or a comment, and safe in either."""
    return _fitting([_failed(name, error) for name, error in failures.items()] + [_told(name, one) for name, one in analyses.items()])


def _failed(name: str, error: AnalysisError) -> str:
    where = f" ({error.where})" if error.where else ""
    said = escape.inline(f"{error.message} {error.hint}".strip(), 1000)
    return f"### {escape.name(name)}\n\nNo analysis{where}: {said} No decision depends on it."


def _told(name: str, one: Narrative) -> str:
    body = write_answer(one.report, lambda item: escape.inline(item, 1000)).replace("## ", "#### ")
    notes = [f"- {escape.inline(note, 600)}" for note in (*one.limitations, *(f"{who}: {what}" for who, what in one.dissent))]
    return "\n\n".join(
        [f"### {escape.name(name)}", body.strip(), *(["\n".join(notes)] if notes else []), f"<sub>{escape.inline(one.footer)}</sub>"]
    )


def _fitting(parts: Sequence[str]) -> str:
    """As many whole parts as there is room for."""
    kept: list[str] = []
    for part in parts:
        if len("\n\n".join([*kept, part]).encode()) > _ROOM:
            return "\n\n".join([*kept, f"… and {len(parts) - len(kept)} more, in the comment and the job's summary."])
        kept.append(part)
    return "\n\n".join(kept)

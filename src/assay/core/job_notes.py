"""What the page of a job shows beside its log: a note for each benchmark that somebody has to look at."""

from collections.abc import Iterator

from assay.core import escape, wording
from assay.core.model import Conclusion
from assay.core.result import CheckResult
from assay.core.view import worst_first
from assay.core.workflow_commands import Level, annotation

MAX_NOTES = 10
"""The page shows so many of one level and step."""

_QUIET = (Conclusion.SUCCESS, Conclusion.SKIPPED)
_LEVELS = {Conclusion.NEUTRAL: Level.NOTICE, Conclusion.CANCELLED: Level.WARNING}


def notes(result: CheckResult) -> Iterator[str]:
    """Workflow commands, each a line, the worst benchmark first."""
    loud = [one for one in worst_first(result) if one.conclusion not in _QUIET]
    for one in loud[:MAX_NOTES]:
        text = f"{wording.sentence(escape.plain(one.reason, 600))} {wording.next_step(one, wording.PLAIN)}"
        yield annotation(_LEVELS.get(one.conclusion, Level.ERROR), text, title=f"assay / {escape.plain(one.name, 100)}")

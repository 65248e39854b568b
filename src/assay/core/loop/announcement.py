"""What a schedule's job says of the loop on the forge: the check run `assay: status`, and the page of the job."""

from collections.abc import Iterator

from assay.core import escape
from assay.core.check_run import CheckRun
from assay.core.escape import plain
from assay.core.fit import CHECK_BYTES, utf8_bytes
from assay.core.loop.ladder import CONCLUSIONS
from assay.core.loop.status import Status
from assay.core.loop.status_text import status_markdown
from assay.core.loop.tick import Tick, attempt_line
from assay.core.model import Conclusion

STATUS_CHECK = "assay: status"
STATUS_ID = "assay-status"
"""The same for every tick, so that one commit has one such check run, which is edited in place."""

MAX_TITLE = 200


def conclusion_of(status: Status) -> Conclusion:
    """That of the kind of the next action."""
    return CONCLUSIONS[status.action.kind]


def status_check(status: Status, tick: Tick | None, tip: str) -> CheckRun:
    """The check run for the tip of the default branch."""
    summary = _within("\n\n".join(_sections(status, tick)), CHECK_BYTES)
    title = plain(f"{status.action.kind.value}: {status.action.detail}", MAX_TITLE)
    return CheckRun(STATUS_CHECK, tip, STATUS_ID, conclusion_of(status), title, summary, "")


def summary_of(status: Status, tick: Tick | None, problems: tuple[str, ...]) -> str:
    """The page of the job: the same, and what could not be said elsewhere."""
    notes = "\n".join(f"- {escape.inline(one, 500)}" for one in problems)
    said = [*_sections(status, tick), *([f"Not done:\n\n{notes}"] if notes else [])]
    return "\n\n".join(said) + "\n"


def _sections(status: Status, tick: Tick | None) -> Iterator[str]:
    yield status_markdown(status)
    if tick is None:
        return
    lines = [f"- {escape.inline(attempt_line(one), 400)}" for one in tick.rows]
    lines += [f"- {escape.inline(one, 400)}" for one in tick.passed_over]
    yield "\n".join([f"This tick stopped: {escape.inline(tick.stop, 400)}.", *(["", *lines] if lines else [])])


def _within(text: str, limit: int) -> str:
    """The text with as many whole lines as fit."""
    if utf8_bytes(text) <= limit:
        return text
    kept: list[str] = []
    size = utf8_bytes("\n…\n")
    for line in text.split("\n"):
        size += utf8_bytes(line) + 1
        if size > limit:
            break
        kept.append(line)
    return "\n".join([*kept, "…", ""])

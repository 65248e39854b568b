"""The messages of commits that keeping and restoring make. A message is data: whatever it contains, nothing of it is executed."""

from assay.core import escape, numbers
from assay.core.experiment import RunPayload
from assay.core.experiment_errors import OutcomeRefusedError

RUN_TRAILER = "Assay-Run"
MAX_MESSAGE = 65_536


def keep_message(session: str, run: RunPayload, given: str | None) -> str:
    """The message of a kept commit: the one that was given or our own, and trailers that say which run speaks for it."""
    if given is not None and (not given.strip() or "\0" in given or len(given) > MAX_MESSAGE):
        raise OutcomeRefusedError("--message is empty, too long, or holds a NUL character.", hint="Leave it out for a message of our own.")
    text = given if given is not None else f"experiment({session}): keep {run.run}"
    return f"{text.rstrip()}\n\n{_trailers(session, run)}\n"


def restore_message(run: str, baseline: str) -> str:
    """The message of the commit that keeps a discarded change."""
    return f"assay: what {run} left when it was not kept\n\nThe tree went back to {baseline}.\n\n{RUN_TRAILER}: {run}\n"


def bring_back(ref: str) -> str:
    """The command that brings a discarded change back into the tree."""
    return f"git restore --source={ref} -- :/"


def _trailers(session: str, run: RunPayload) -> str:
    lines = [f"{RUN_TRAILER}: {run.run}", f"Assay-Session: {session}"]
    if metric := run.primary_metric:
        unit = f" {escape.plain(metric.unit, 40)}" if metric.unit else ""
        lines.append(f"Assay-Metric: {escape.plain(metric.name, 100)}={numbers.number(metric.value)}{unit}")
    lines.append(f"Assay-Lineage: {run.head or 'unknown'} on {escape.plain(run.machine, 100)}")
    return "\n".join(lines)

"""What is to be done outside, as frozen values: made by the core, applied in one place (`app.apply`).

Three kinds. *Git* effects (keep, restore, and the records that speak of them) are ordered and abort on failure; *reporting*
effects have their failures collected and never change a decision; *lifecycle* effects belong to their stage.
"""

from assay.core.check_run import CheckRun
from assay.core.envelope import Run, StoredDecision
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class RecordRun:
    """Store a run's envelope. A failure is told and the envelope kept elsewhere: nothing measured is ever lost."""

    run: Run


@dataclass(frozen=True, slots=True)
class RecordDecision:
    """Store what was decided on two runs."""

    decision: StoredDecision


@dataclass(frozen=True, slots=True)
class WriteReport:
    """Write one file of the report."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class OpenCheck:
    """Say on the forge that a benchmark is being measured. `external_id` is the run's id, which is made when the plan is."""

    name: str
    commit: str
    external_id: str
    title: str


@dataclass(frozen=True, slots=True)
class CloseCheck:
    """Complete the check run of a benchmark, whether or not one was opened."""

    payload: CheckRun


@dataclass(frozen=True, slots=True)
class PostComment:
    """Write the sticky comment of a pull request."""

    number: int
    body: str
    marker: str


@dataclass(frozen=True, slots=True)
class UpdateComment:
    """Bring the sticky comment up to date where there is one already, so that none is left standing that has become wrong."""

    number: int
    body: str
    marker: str


@dataclass(frozen=True, slots=True)
class WriteSummary:
    """Add a text to the page of the job."""

    text: str


@dataclass(frozen=True, slots=True)
class WriteOutput:
    """Set an output of the step."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class KeepChange:
    """Commit the tree that a run left, on the branch that it ran on, which must still be at `head`."""

    run: str
    head: str
    tree: str
    message: str
    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RestoreBaseline:
    """Bring branch, index and tree back to a baseline, after saving all that this would take away.

    `preserve` are patterns of what keeps its newest bytes, `spared` untracked files that are not the run's.
    """

    run: str
    baseline: str
    preserve: tuple[str, ...]
    spared: frozenset[str]
    message: str


@dataclass(frozen=True, slots=True)
class RestoreCommit:
    """One commit on a branch whose tree is the baseline and what is preserved, made where the branch is still at `head`."""

    branch: str
    head: str
    baseline: str
    preserve: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class BranchWish:
    """A review branch and the kept commits that it is to hold, in that order."""

    name: str
    title: str
    commits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MakeBranches:
    """Review branches from where the work left `integration`, all of them or none, without what is preserved.

    A branch that is at its tip already is as good as made. With a kept commit go those that were made behind it for the same run:
    back to the first one that is among `bounds`; it goes alone where there is none.
    """

    branches: tuple[BranchWish, ...]
    integration: str | None
    preserve: tuple[str, ...]
    bounds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenIssue:
    """Make an issue. It begins with a marker, by which it is found again."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class EditIssue:
    """Bring an issue of ours up to date; closed, where what it tells of is over."""

    number: int
    title: str
    body: str
    closed: bool = False


@dataclass(frozen=True, slots=True)
class ProposeFile:
    """Have one pull request that gives a file of a branch this text: the one that is open, found by its marker, or a new one.

    `branch` is what a new one is made from, at `start`, and goes into. `body` begins with the marker.
    """

    path: str
    text: str
    branch: str
    start: str
    title: str
    body: str
    marker: str


GitEffect = KeepChange | RestoreBaseline | RestoreCommit | MakeBranches
RecordEffect = RecordRun | RecordDecision
LifecycleEffect = OpenCheck | CloseCheck
ForgeEffect = LifecycleEffect | PostComment | UpdateComment
JobEffect = WriteSummary | WriteOutput
NoticeEffect = OpenIssue | EditIssue | ProposeFile
ReportingEffect = WriteReport | PostComment | UpdateComment | JobEffect
Effect = RecordEffect | LifecycleEffect | ReportingEffect

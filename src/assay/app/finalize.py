"""Ending a session: its kept runs become review branches, all of them or none."""

from collections.abc import Sequence

from assay.app.laboratory import Laboratory, find_session
from assay.core.effects import MakeBranches
from assay.core.experiment import Branch, FinalizePayload, Journal, SessionStatus
from assay.core.experiment_errors import GitNotConfiguredError, TreeBusyError
from assay.core.experiment_rules import require_active
from assay.core.experiment_state import SessionState
from assay.core.finalize_plan import GroupWish, Plan, plan_groups
from assay.core.tree_facts import Made
from assay.core.values import dataclass
from assay.experiment_ports import BranchMaker, SessionBook

PATIENCE_S = 1.0


@dataclass(frozen=True, slots=True)
class FinalizeRequest:
    """Which session is to end, into which branch its work is to go, and how its runs are grouped."""

    session: str
    integration: str | None = None
    wishes: Sequence[GroupWish] | None = None
    summary: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Finalized:
    """The groups, and what was made of them; of a dry run nothing was made."""

    state: SessionState
    plan: Plan
    made: Made
    dry_run: bool

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.plan.warnings, *self.made.warnings)


def finalize(lab: Laboratory, asked: FinalizeRequest) -> Finalized:
    """Make the branches and end the session. Whatever fails, no branch is left and the session is active again.

    Raises NoKeptRunsError, PlanError, MergeBaseError, CherryPickConflictError, BranchExistsError.
    """
    branches = lab.branches
    if branches is None:
        raise GitNotConfiguredError(
            "To finalize takes git, and this folder is in no git repository.", hint="cd into the repository of the runs."
        )
    deadline = lab.clock.monotonic() + PATIENCE_S
    with lab.exclusion.held(f"finalize:{asked.session}", lambda: lab.clock.monotonic() > deadline) as held:
        if not held:
            raise TreeBusyError("Another command is finalizing that session.", hint="Wait for its end.")
        state = SessionState(_takeable(lab, asked.session))
        plan = plan_groups(state, asked.wishes)
        effect = MakeBranches(tuple(one.wish for one in plan.groups), asked.integration, lab.git.preserve, state.bounds)
        if asked.dry_run:
            return Finalized(state, plan, branches.preview(effect), dry_run=True)
        return _carried_out(lab, branches, asked, state, plan, effect)


def _takeable(lab: Laboratory, session_id: str) -> Journal:
    """A session that is active, or that a killed command was finalizing: nobody else is at it, for we hold it."""
    journal = find_session(lab.sessions, session_id)
    if journal.header.status is not SessionStatus.FINALIZING:
        require_active(journal)
    if live := lab.handles.live(session_id):
        raise TreeBusyError(f"{live[0].handle} is queued or running.", hint=f"Wait for it, or: assay experiment cancel {live[0].handle}")
    return journal


def _carried_out(
    lab: Laboratory, branches: BranchMaker, asked: FinalizeRequest, state: SessionState, plan: Plan, effect: MakeBranches
) -> Finalized:
    _set_status(lab, asked.session, SessionStatus.FINALIZING)
    made: Made | None = None
    try:
        made = branches.make(effect)
        _record(lab, asked, _payload(state, plan, made, asked.summary))
    except BaseException:
        if made is not None:
            branches.unmake(made)
        _set_status(lab, asked.session, SessionStatus.ACTIVE)
        raise
    return Finalized(state, plan, made, dry_run=False)


def _payload(state: SessionState, plan: Plan, made: Made, summary: str | None) -> FinalizePayload:
    return FinalizePayload(
        kept=tuple(one.run for one in state.kept),
        discarded=tuple(one.run for one in state.discarded),
        branches=tuple(
            Branch(name=one.branch, title=one.title, base_commit=made.base, tip_commit=made.tips[one.branch], runs=one.runs)
            for one in plan.groups
        ),
        summary=summary,
    )


def _record(lab: Laboratory, asked: FinalizeRequest, payload: FinalizePayload) -> None:
    mark = lab.mark()

    def edit(book: SessionBook) -> Journal:
        journal = find_session(book, asked.session)
        if journal.has(mark.record_id):
            return journal
        return journal.plus(payload, mark.record_id, mark.now).with_status(SessionStatus.FINALIZED, mark.now)

    lab.sessions.change(edit)


def _set_status(lab: Laboratory, session_id: str, status: SessionStatus) -> None:
    now = lab.now()
    lab.sessions.change(lambda book: find_session(book, session_id).with_status(status, now))

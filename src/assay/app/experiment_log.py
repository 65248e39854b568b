"""Logging what became of a run: git first, then the final record, so that no record ever says what git has not done."""

from collections.abc import Mapping
from dataclasses import field, replace

from assay.app.apply_git import perform
from assay.app.experiment_hooks import after_log
from assay.app.laboratory import Laboratory, find_session
from assay.core.effects import KeepChange, RestoreBaseline
from assay.core.experiment import AnyRecord, HookPayload, Journal
from assay.core.experiment_edits import Logged, log_run
from assay.core.experiment_errors import GitNotConfiguredError, OutcomeRefusedError, TreeBusyError, TreeMovedError
from assay.core.experiment_messages import bring_back, keep_message, restore_message
from assay.core.experiment_rules import require_active, require_baseline, require_outcome, require_trial
from assay.core.experiment_state import SessionState, Trial
from assay.core.keepable import SPARED, KeepRules
from assay.core.model import Outcome
from assay.core.tree_facts import CheckedOut, Kept, Restored, Spared
from assay.core.values import dataclass
from assay.experiment_ports import ExperimentTree, SessionBook

PATIENCE_S = 10.0
"""How long a log waits for a tree that something else works in."""

_STAYS = "it was there before, holds a secret by its name, is a repository of its own, or you have told git not to look at it"

RESTORING = (Outcome.DISCARD, Outcome.CHECKS_FAILED, Outcome.ERRORED)


@dataclass(frozen=True, slots=True)
class LogRequest:
    """What became of a run. Numbers are not asked for: they are those of the stored run."""

    session: str
    run: str
    outcome: Outcome
    description: str | None = None
    asi: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None
    message: str | None = None
    include: tuple[str, ...] = ()
    as_baseline: bool = False


@dataclass(frozen=True, slots=True)
class LogResult:
    """The final record, what git came to, and what a person should know of it."""

    record: AnyRecord
    kept: Kept | None
    restored: Restored | None
    notes: tuple[str, ...]
    hook: HookPayload | None


def log(lab: Laboratory, asked: LogRequest) -> LogResult:
    """Give a run its outcome. Raises a refusal, with nothing recorded or changed, where it cannot have that one."""
    deadline = lab.clock.monotonic() + PATIENCE_S
    with lab.exclusion.held(lab.place, lambda: lab.clock.monotonic() > deadline) as held:
        if not held:
            raise TreeBusyError("A run is at work in this tree.", hint="Wait for its end, or cancel it: assay experiment status shows it.")
        state, trial = _examined(lab, asked)
        if asked.outcome is Outcome.KEEP:
            return _kept(lab, asked, state, trial)
        if asked.outcome in RESTORING and asked.baseline:
            return _restored(lab, asked, state, trial)
        return _recorded(lab, asked, notes=())


def _examined(lab: Laboratory, asked: LogRequest) -> tuple[SessionState, Trial]:
    journal = find_session(lab.sessions, asked.session)
    require_active(journal)
    state = SessionState(journal)
    trial = require_trial(state, asked.run)
    if any(one.handle == asked.run for one in lab.handles.live(journal.id)):
        raise TreeBusyError(f"{asked.run} is running still.", hint=f"Wait for its end, or: assay experiment cancel {asked.run}")
    require_outcome(state, trial, asked.outcome, asked.baseline)
    if asked.as_baseline:
        require_baseline(trial, asked.outcome)
    return state, trial


def _kept(lab: Laboratory, asked: LogRequest, state: SessionState, trial: Trial) -> LogResult:
    tree, now = _where_it_ran(lab, trial)
    message = keep_message(state.journal.id, trial.stored, asked.message)
    if not lab.commits_here(now.branch):
        return _recorded(lab, asked, notes=(f"Not committed: `git.keep` is {lab.git.keep}, and {_named(now)} is no experiment branch.",))
    if trial.stored.head is None or trial.stored.tree is None:
        raise OutcomeRefusedError(
            f"What {trial.run} left was not recorded, so it cannot be committed.", hint="`run` has said why. Run again."
        )
    kept = perform(KeepChange(trial.run, trial.stored.head, trial.stored.tree, message, asked.include), tree)
    remarks = _remarks(lab, asked, kept)
    if kept.commit is None and (own := state.own_commit(trial)):
        kept = replace(kept, commit=own)
        remarks = (f"Nothing to commit: the record names {own[:12]}, which you have made.", *remarks)
    return _recorded(lab, asked, kept=kept, notes=remarks)


def _remarks(lab: Laboratory, asked: LogRequest, kept: Kept) -> tuple[str, ...]:
    """Why each path that is a change still is not in the commit."""
    rules = KeepRules(lab.git.allow, lab.git.max_file, asked.include)
    after = "it has been changed since the run, is too large, is a submodule, goes through a filter such as Git LFS, or is skip-worktree"
    spared = lab.spared.load(asked.session)
    foreign = spared.foreign if spared else frozenset()
    why = {path: rules.objection(path) or (SPARED if path in foreign else after) for path in kept.remaining}
    said = [f"{path} is not in the commit: {reason}." for path, reason in why.items()]
    return (*said[:20], *([f"{len(said) - 20} further paths are not in the commit either."] if len(said) > 20 else []))


def _restored(lab: Laboratory, asked: LogRequest, state: SessionState, trial: Trial) -> LogResult:
    tree, now = _where_it_ran(lab, trial)
    baseline = asked.baseline or ""
    if not lab.restores_here(now.branch):
        note = f"The tree stays as it is: `git.on_discard` is {lab.git.on_discard}, and {_named(now)} is no experiment branch."
        return _recorded(lab, asked, notes=(note,))
    spared = lab.spared.load(state.journal.id)
    wish = RestoreBaseline(
        trial.run,
        baseline,
        lab.git.preserve,
        tree.untracked() if spared is None else spared.present,  # where nobody has looked before, nothing is a run's to remove
        restore_message(trial.run, baseline),
    )
    restored = perform(wish, tree)
    notes = [f"The discarded change is kept as {restored.discarded}: {bring_back(restored.discarded)}"] if restored.discarded else []
    notes += [f"{path} stays: {_STAYS}." for path in restored.spared[:20]]
    return _recorded(lab, asked, restored=restored, notes=tuple(notes))


def _where_it_ran(lab: Laboratory, trial: Trial) -> tuple[ExperimentTree, CheckedOut]:
    if lab.tree is None:
        what = "To keep or to restore takes git, and this folder is in no git repository."
        raise GitNotConfiguredError(what, hint="cd into the repository of the run, or log it as pending or errored without --baseline.")
    now, then = lab.tree.checked_out(), trial.stored
    if now.branch != then.branch and then.head is not None:
        raise TreeMovedError(
            f"{trial.run} ran on {then.branch or 'a detached HEAD'}, and {_named(now)} is checked out now.",
            hint="Check that out again first.",
        )
    return lab.tree, now


def _named(now: CheckedOut) -> str:
    return f"the branch {now.branch}" if now.branch else "a detached HEAD"


def _recorded(
    lab: Laboratory, asked: LogRequest, *, kept: Kept | None = None, restored: Restored | None = None, notes: tuple[str, ...]
) -> LogResult:
    logged = Logged(
        run=asked.run,
        outcome=asked.outcome,
        description=asked.description,
        asi=dict(asked.asi),
        commit=kept.commit if kept else None,
        reverted_to=restored.baseline if restored else None,
        discarded=restored.discarded if restored else None,
        as_baseline=asked.as_baseline,
    )
    mark = lab.mark()

    def edit(book: SessionBook) -> Journal:
        return log_run(find_session(book, asked.session), logged, asked.baseline, mark)

    journal = lab.sessions.change(edit)
    hook = after_log(lab, journal, asked.run)
    open_still = asked.outcome in (Outcome.PENDING, Outcome.ERRORED) and restored is None
    _spare(lab, asked, settled=not open_still)
    return LogResult(journal.records[-1], kept, restored, notes, hook)


def _spare(lab: Laboratory, asked: LogRequest, *, settled: bool) -> None:
    """Remember which new files are no run's from now on."""
    if lab.tree is None:
        return
    now = lab.tree.untracked()
    before = lab.spared.load(asked.session) or Spared.at_rest(now)
    lab.spared.save(asked.session, before.after(now, settled=settled))

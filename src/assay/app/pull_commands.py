"""What writers say in comments of the runs of a pull request: keep, discard, finalize."""

from collections.abc import Sequence
from dataclasses import replace

from assay.app.commits import Commits
from assay.app.office import Heard, Office
from assay.app.pull_end import Open, end_sessions, settle
from assay.app.pull_session import Back, PullBook, Step, restore
from assay.app.question import question_of_pull
from assay.core import replies
from assay.core.check_run import CheckRun
from assay.core.config import Config
from assay.core.decide import Hold
from assay.core.escape import inline
from assay.core.experiment_edits import Logged
from assay.core.experiment_rules import require_outcome
from assay.core.experiment_state import SessionState
from assay.core.globs import Globs
from assay.core.model import Conclusion, Outcome, Status
from assay.core.numbers import count
from assay.core.policy import mode_of
from assay.core.pull_trial import BY, at_commit, conclusion_of
from assay.core.render import check_name
from assay.core.result import BenchmarkResult
from assay.errors import ForgeError, UsageError

_RUN_FIRST = "Let it be checked first; the command `run` does that."
_SHA = "Look at what is there now, then name the commit in full: sha=SHA."


def keep(heard: Heard, office: Office) -> str:
    """Keep the runs of a commit that nothing was decided on: those that need review, and those that are undecided."""
    return _settled(heard, office, Outcome.KEEP)


def discard(heard: Heard, office: Office) -> str:
    """Discard them, and take an experiment branch back to its baseline."""
    return _settled(heard, office, Outcome.DISCARD)


def finalize(heard: Heard, office: Office) -> str:
    """End the sessions of the pull request."""
    summary = f"Ended by {heard.comment.author} at {heard.pull.head_sha}."
    ended = end_sessions(office.pulls(), heard.comment.number, summary)
    if not ended:
        raise UsageError("The pull request has no session that could end.", hint=_RUN_FIRST)
    return replies.told("\n".join(_line(one) for one in ended))


def _line(state: SessionState) -> str:
    best = f", the best is {state.best.run}" if state.best else ""
    runs = count(len(state.trials), "run")
    return f"{state.journal.header.name}: {runs}, {len(state.kept)} of them kept{best}. {state.journal.id} is finalized."


def _settled(heard: Heard, office: Office, outcome: Outcome) -> str:
    book, config = office.pulls(), office.rules(heard).config
    head = heard.command.sha or _pinned(heard, office)
    opened = _open_runs(book, heard, head)
    base = office.repo.merge_base(heard.pull.base_sha, head)
    for one in opened:
        _require_named(office, heard, one, outcome)
        require_outcome(one.state, one.trial, outcome, base)
    back = _taken_back(book, heard, config, opened, Commits(base, head, heard.pull.head_ref)) if outcome is Outcome.DISCARD else Back()
    stays = outcome is Outcome.KEEP and _on_experiment(config, heard) and config.git.keep != "data"
    settle(book, opened, lambda one: _logged(one, outcome, heard.comment.author, back, head if stays else None), base)
    said = [f"{one.benchmark}: {one.trial.run} at {head[:12]} is {_WORDS[outcome]}." for one in opened]
    said += [note for one in opened if (note := _told(office, config, heard, one, outcome))]
    return replies.told("\n\n".join([*said, *([back.note] if back.note else [])]))


def _logged(one: Open, outcome: Outcome, by: str, back: Back, commit: str | None) -> Logged:
    return Logged(
        run=one.trial.run,
        outcome=outcome,
        description=f"{outcome} by {by}",
        asi={BY: by},
        commit=commit,
        reverted_to=back.baseline if back.commit else None,
        discarded=one.trial.stored.head if back.commit else None,
    )


def _taken_back(book: PullBook, heard: Heard, config: Config, opened: Sequence[Open], commits: Commits) -> Back:
    question = replace(question_of_pull(heard.pull, book.repo, heard.command), head=commits.head)
    step = Step(question, commits, config, tuple(map(_result, opened)), heard.pull.base_ref)
    return restore(book, step, book.of(heard.comment.number))


def _result(one: Open) -> BenchmarkResult:
    """A run that a person has discarded, as a check would have."""
    return BenchmarkResult(one.benchmark, Status.MEASURED, Outcome.DISCARD, Conclusion.NEUTRAL, "discarded by hand", one.trial.run)


def _told(office: Office, config: Config, heard: Heard, one: Open, outcome: Outcome) -> str:
    """Let the check say so, too; why it does not where the forge refuses."""
    benchmark, head = config.benchmarks.get(one.benchmark), one.trial.stored.head or ""
    place = (benchmark.machine if benchmark else None) or ""
    conclusion = conclusion_of(outcome, mode_of(config, None if heard.pull.fork else heard.pull.head_ref))
    title = f"{_WORDS[outcome]} by {heard.comment.author}"
    summary = f"The run {one.trial.run} was {_WORDS[outcome]} by {inline(heard.comment.author, 80)}, who may write here."
    try:
        office.forge.close_check(None, CheckRun(check_name(one.benchmark, place), head, one.trial.run, conclusion, title, summary, ""))
    except ForgeError as error:
        return f"The check could not be brought up to date. {error.message}"
    return ""


_WORDS = {Outcome.KEEP: "kept", Outcome.DISCARD: "discarded"}


def _pinned(heard: Heard, office: Office) -> str:
    """The head, if it was there when the command was written. Raises UsageError where the author may have seen another one."""
    head = heard.pull.head_sha
    if heard.pull.fork:
        raise UsageError("A run of a fork's code is named by its commit in full.", hint=f"Read the change, then add sha={head}.")
    pushed = office.forge.pushed(heard.pull.head_ref, head)
    if pushed is not None and pushed >= heard.comment.created_at:
        raise UsageError(f"Head {head[:10]} was pushed after the command was written.", hint=_SHA)
    return head


def _open_runs(book: PullBook, heard: Heard, head: str) -> tuple[Open, ...]:
    """The runs of a commit without an outcome that stands. Raises UsageError where there are none."""
    found = [Open(state, trial) for state in book.of(heard.comment.number) if (trial := at_commit(state, head))]
    if not found:
        raise UsageError(f"No session of the pull request has a run of {head[:12]}.", hint=_RUN_FIRST)
    opened = tuple(one for one in found if not one.trial.settled)
    if not opened:
        said = ", ".join(f"{one.benchmark} is {one.trial.newest.status}" for one in found)
        raise UsageError(f"The runs of {head[:12]} have their outcome: {said}.", hint="A new commit is a new run.")
    return opened


def _require_named(office: Office, heard: Heard, one: Open, outcome: Outcome) -> None:
    """What judges itself is kept only by somebody who names the commit that was read."""
    decisions = office.store().decisions(one.trial.run)
    if outcome is Outcome.KEEP and heard.command.sha is None and decisions and decisions[0].hold is Hold.NEEDS_REVIEW:
        what = f"{one.benchmark} needs review: the change touches its harness, its checks or the config."
        raise UsageError(what, hint=f"Read the change, then add sha={one.trial.stored.head}.")


def _on_experiment(config: Config, heard: Heard) -> bool:
    return not heard.pull.fork and Globs(config.git.experiment_branches).matches(heard.pull.head_ref)

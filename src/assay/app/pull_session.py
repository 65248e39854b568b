"""What follows from a check for the session of its pull request: the branch first, where it is to go back, then the record."""

from collections.abc import Callable, Sequence

from assay.app.commits import Commits
from assay.app.laboratory import readable
from assay.app.question import Question
from assay.core.branch_rules import write_objection
from assay.core.config import Benchmark, Config
from assay.core.effects import RestoreCommit
from assay.core.envelope import Run
from assay.core.experiment import Journal
from assay.core.experiment_edits import Logged, Mark
from assay.core.experiment_errors import HeadMovedError
from assay.core.experiment_state import SessionState
from assay.core.globs import Globs
from assay.core.keepable import covers
from assay.core.model import Outcome, Status
from assay.core.pull_trial import (
    BY,
    RESTORING,
    Entry,
    Marks,
    added,
    asks_for_restore,
    claimed_baseline,
    kept_heads,
    restored_message,
    row_of,
    sessions_of,
    speaks_against,
    terms_of,
)
from assay.core.result import BenchmarkResult
from assay.core.timestamp import stamp
from assay.core.values import dataclass
from assay.errors import AssayError, InfrastructureError, UsageError
from assay.experiment_ports import BranchWriter, SessionBook, Sessions
from assay.forge_ports import Forge
from assay.ports import Clock, Repo


@dataclass(frozen=True, slots=True)
class PullBook:
    """What a job keeps the sessions of pull requests with. `push_token` is whether branches are written with a token of their own."""

    sessions: Sessions
    writer: BranchWriter
    forge: Forge
    repo: Repo
    clock: Clock
    push_token: bool

    def of(self, number: int) -> tuple[SessionState, ...]:
        """The sessions of a pull request that are not over."""
        return tuple(sessions_of(readable(self.sessions.all()), number))

    def mark(self) -> Mark:
        """The id and the time of a record that is written now."""
        return Mark(self.clock.new_id("rec"), stamp(self.clock.now()))


@dataclass(frozen=True, slots=True)
class Step:
    """A check of a pull request that is decided and stored."""

    question: Question
    commits: Commits
    config: Config
    results: tuple[BenchmarkResult, ...]
    into: str
    """The branch that the pull request goes into."""


@dataclass(frozen=True, slots=True)
class Back:
    """What became of a restore. `commit` is the branch's new tip, None where it stays, and `note` says what people should know."""

    note: str = ""
    baseline: str | None = None
    commit: str | None = None
    superseded: bool = False


def follow(book: PullBook, step: Step, find: Callable[[BenchmarkResult], Run | None], *, stored: bool) -> tuple[str, ...]:
    """Step on once the decisions are `stored`. What goes wrong here changes none of them, and is one more remark."""
    if step.question.number is None:
        return ()
    if not stored:
        return ("The session of the pull request was not written, for the store could not be.",)
    try:
        return step_on(book, step, find)
    except AssayError as error:
        return (f"{error.message} {error.hint or ''}".strip(),)


def step_on(book: PullBook, step: Step, find: Callable[[BenchmarkResult], Run | None]) -> tuple[str, ...]:
    """Restore the branch where that follows from the results, and record each run; what people should know of it.

    Raises AssayError where the store cannot be written, or holds a session that takes no more runs.
    """
    number = step.question.number
    if number is None:
        return ()
    back = restore(book, step, book.of(number))
    benchmarks = {name: one for name, one in step.config.benchmarks.items() if one.metric}
    for result in step.results:
        run = find(result) if result.status in (Status.MEASURED, Status.REUSED) and result.name in benchmarks else None
        if run is not None:
            _record(book, _entry(number, benchmarks[result.name], step, result, run, back))
    return (back.note,) if back.note else ()


def reviewed(book: PullBook, number: int, benchmark: str, head: str) -> bool:
    """Whether a person has kept the run of a benchmark on that commit. A store that cannot be read knows of none."""
    mine = (state for state in book.of(number) if state.journal.header.name == benchmark)
    trials = (one for state in mine for one in state.trials if one.stored.head == head)
    return any(one.newest.status is Outcome.KEEP and BY in one.newest.asi for one in trials)


def restore(book: PullBook, step: Step, states: Sequence[SessionState]) -> Back:
    """Bring the branch of a pull request back to its baseline, where all that was decided on its head speaks for that."""
    wanted, git, branch = asks_for_restore(step.results), step.config.git, step.question.branch
    on_experiment = branch is not None and Globs(git.experiment_branches).matches(branch)
    if wanted is None or wanted.run_id is None or git.on_discard == "report" or (git.on_discard == "auto" and not on_experiment):
        return Back()
    stays = "The branch stays as it is"
    if against := speaks_against(step.results, states, step.commits.head):
        return Back(f"{stays} although {wanted.name} would have it restored: {against}.")
    if branch is None or step.question.pinned != step.commits.head:
        return Back(f"{stays}: what was checked is not the head of a branch of this repository.")
    try:
        facts = book.forge.branch_facts(branch, step.into)
        if objection := write_objection(facts, git.experiment_branches, has_push_token=book.push_token):
            return Back(f"{stays}: {objection}.")
        baseline = _baseline(book.writer, step.commits, states)
        wish = RestoreCommit(branch, step.commits.head, baseline, git.preserve, restored_message(wanted.run_id, baseline))
        return _gone_back(wish, book.writer.restore(wish))
    except HeadMovedError as error:
        return Back(f"superseded: {error.message}", superseded=True)
    except AssayError as error:
        return Back(f"{stays}. {error.message} {error.hint or ''}".strip())


def _gone_back(wish: RestoreCommit, tip: str) -> Back:
    if tip == wish.head:
        return Back(baseline=wish.baseline, commit=tip)
    what = f"The branch {wish.branch} has the files of {wish.baseline[:12]} again, by the commit {tip[:12]}."
    return Back(f"{what} `git revert {tip[:12]}` brings the change back.", wish.baseline, tip)


def _baseline(writer: BranchWriter, commits: Commits, states: Sequence[SessionState]) -> str:
    """What a discarded change goes back to: the newest kept commit that it has grown from, else what it was judged against."""
    return next((one for one in kept_heads(states) if one != commits.head and writer.grown_from(one, commits.head)), commits.base)


def _grown_from(repo: Repo, commit: str, head: str) -> bool:
    try:
        return repo.merge_base(commit, head) == commit
    except (InfrastructureError, UsageError):  # not in this clone, or of another history: not behind head
        return False


def ours(book: PullBook, question: Question, config: Config, commits: Commits) -> str:
    """Why there is nothing to measure where head is a commit by which we took the branch back, empty where it is none.

    That it says so is not believed: its files must be those of the baseline, but for what is preserved, and the baseline the
    one of the check or a commit that was kept. Where the branch was pushed outside of a pull request any commit behind it will do.
    """
    branch, number = question.branch, question.number
    if branch is None or not Globs(config.git.experiment_branches).matches(branch):
        return ""
    baseline = claimed_baseline(book.repo.subject(commits.head))
    if baseline is None or not _grown_from(book.repo, baseline, commits.head):
        return ""
    if number is not None and baseline != commits.base and baseline not in kept_heads(book.of(number)):
        return ""
    preserve = Globs(config.git.preserve)
    try:
        foreign = [one.path for one in book.repo.changes(baseline, commits.head) if not covers(preserve, one.path)]
    except (InfrastructureError, UsageError):
        return ""
    return (
        "" if foreign else f"Head is the commit by which Assay brought the branch back to {baseline[:12]}, so there is nothing to measure."
    )


def _entry(number: int, benchmark: Benchmark, step: Step, result: BenchmarkResult, run: Run, back: Back) -> Entry:
    head, git, branch = step.commits.head, step.config.git, step.question.branch
    outcome = result.outcome or Outcome.PENDING
    undone = back.commit is not None and outcome in RESTORING
    superseded = back.superseded and outcome in RESTORING
    on_branch = git.keep != "data" and branch is not None and Globs(git.experiment_branches).matches(branch)
    logged = Logged(
        run=run.run_id,
        outcome=Outcome.PENDING if superseded else outcome,
        description=back.note[:500] if superseded else result.reason[:500],
        commit=head if outcome is Outcome.KEEP and on_branch else None,  # it is there already: to keep is to let it stay
        reverted_to=back.baseline if undone else None,
        discarded=head if undone else None,
    )
    return Entry(benchmark.name, number, terms_of(benchmark), row_of(result, run, head, branch), logged, step.commits.base)


def _record(book: PullBook, entry: Entry) -> None:
    marks = Marks(book.clock.new_id("exp"), book.mark(), book.mark(), book.mark())

    def edit(sessions: SessionBook) -> Journal:
        return added(readable(sessions.all()), entry, marks)

    book.sessions.change(edit)

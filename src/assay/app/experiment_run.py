"""One run of an experiment: wait for the tree, leave evidence, run, check, store the result."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import PurePosixPath

from assay.app.experiment_hooks import TIMEOUT_S, record_hook, told_to
from assay.app.laboratory import Laboratory, find_session
from assay.core.asi import asi_of_output
from assay.core.events import Remark
from assay.core.experiment import ChecksState, ConfigPayload, HookName, HookPayload, Journal, RunPayload
from assay.core.experiment_edits import Place, begin_run, end_run, result_of
from assay.core.experiment_rules import require_active, require_room, require_trial
from assay.core.experiment_state import SessionState
from assay.core.metric_lines import select_primary
from assay.core.model import Cause, Completed, MetricReading
from assay.core.process import DEFAULT_TIMEOUT_S, Argv, ProcessRequest, Shell
from assay.core.tree_facts import Spared
from assay.core.values import dataclass
from assay.errors import AssayError, CancelledError
from assay.experiment_ports import ExperimentTree, Registration, SessionBook


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be run. `env` is added to the environment that every benchmark gets."""

    session: str
    command: tuple[str, ...]
    timeout_s: float = DEFAULT_TIMEOUT_S
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that has ended. `row` is None for one that was cancelled before it started: of that nothing is recorded."""

    session: str
    run: str
    row: RunPayload | None
    done: Completed
    checks: Completed | None
    hook: HookPayload | None = None

    @property
    def good(self) -> bool:
        """Whether it has a number that may be kept."""
        return self.row is not None and self.row.cause is None and self.row.checks.state is not ChecksState.FAILED


def run(lab: Laboratory, asked: RunRequest) -> Ran:
    """Run a command for a session. Raises SessionNotActiveError and MaxIterationsError before anything starts.

    The limit is counted when the run's turn has come, with all runs that have begun until then.
    """
    journal = find_session(lab.sessions, asked.session)
    require_active(journal)
    require_room(SessionState(journal))
    name = lab.clock.new_id("run")
    with lab.handles.register(name, journal.id) as registered, lab.exclusion.held(lab.place, registered.cancelled) as held:
        if not held:
            return Ran(journal.id, name, None, _never_started(lab), None)
        return _Trial(lab, asked, name, SessionState(journal).config, registered).carry_out()


class _Trial:
    """The work on one run while the tree is ours."""

    def __init__(self, lab: Laboratory, asked: RunRequest, name: str, config: ConfigPayload, registered: Registration) -> None:
        self.lab = lab
        self.asked = asked
        self.name = name
        self.config = config
        self.registered = registered
        self.begun: RunPayload | None = None
        self.known: Journal | None = None
        self.interrupted: CancelledError | None = None
        self.logs = ""
        self.hook: HookPayload | None = None

    def carry_out(self) -> Ran:
        self._spare_what_is_there()
        self.logs = self.lab.logs(self.name)
        with self.lab.environment(self.asked.env) as env:
            done = self._hooked(env) or self._process(Argv(self.asked.command), env, "run.log", self.asked.timeout_s)
            checks = self._checks(done, env, "checks.log")
        ran = Ran(self.asked.session, self.name, self._store(done, checks), done, checks, self.hook)
        if self.interrupted is not None:
            raise self.interrupted
        return ran

    def _hooked(self, env: Mapping[str, str]) -> Completed | None:
        """Run the hook before the run; its end where somebody has ended the run meanwhile, else None."""
        script = self.lab.hooks(HookName.BEFORE)
        if script is None:
            return None
        told = told_to(HookName.BEFORE, SessionState(find_session(self.lab.sessions, self.asked.session)), self.name)
        done = self._process(Argv((script,)), {**env, **told}, "before.log", TIMEOUT_S)
        if self.begun is not None:
            self.hook = record_hook(self.lab, self.asked.session, HookName.BEFORE, done)
        return done if self.begun is None or self.interrupted or self.registered.cancelled() else None

    def _spare_what_is_there(self) -> None:
        """Where nobody has looked at this tree before, what is new in it is no run's."""
        tree, session = self.lab.tree, self.asked.session
        if tree is not None and self.lab.spared.load(session) is None:
            self.lab.spared.save(session, Spared.at_rest(tree.untracked()))

    def _begin(self) -> None:
        """Leave evidence before the process starts, so that a host that is killed has left it."""
        tree = self.lab.tree.checked_out() if self.lab.tree else None
        place = Place(tree.head if tree else None, tree.branch if tree else None, self.lab.machine())
        mark = self.lab.mark()

        def edit(book: SessionBook) -> Journal:
            return begin_run(find_session(book, self.asked.session), self.name, self.asked.command, place, mark)

        journal = self.lab.sessions.change(edit)
        self.known, self.config = journal, SessionState(journal).config
        self.begun = require_trial(SessionState(journal), self.name).stored
        self.registered.activate()

    def _process(self, command: Argv | Shell, env: Mapping[str, str], log_file: str, timeout_s: float) -> Completed:
        request = ProcessRequest(
            command=command,
            cwd=self.asked.cwd or self._folder(),
            env=env,
            log_file=f"{self.logs}/{log_file}",
            timeout_s=timeout_s,
            metrics=(self.config.metric,),
        )
        handle = self.lab.runner.submit(request, before_start=None if self.begun else self._begin)
        with self.registered.watch(handle.cancel):
            try:
                return handle.wait()
            except CancelledError as signal:  # it is for us, and the run has an end all the same
                self.interrupted = signal
                handle.cancel()
                return handle.wait()

    def _folder(self) -> str:
        base = self.lab.tree.root if self.lab.tree and self.config.working_dir else self.lab.folder
        return str(PurePosixPath(base, self.config.working_dir or "."))

    def _checks(self, done: Completed, env: Mapping[str, str], log_file: str) -> Completed | None:
        """Checks are run only for a number that could be kept, and their time is not the benchmark's."""
        if self.interrupted or not self.config.checks or not done.clean or select_primary(done.reading, self.config.metric) is None:
            return None
        return self._process(Shell(self.config.checks), env, log_file, DEFAULT_TIMEOUT_S)

    def _store(self, done: Completed, checks: Completed | None) -> RunPayload | None:
        begun, tree = self.begun, self.lab.tree
        if begun is None:
            return None
        row = result_of(begun, done, self.config.metric, checks, asi_of_output(done.stdout))
        row = row.model_copy(update={"tree": self._left(tree) if tree and row.clean else None})
        now = self.lab.now()
        self.lab.sessions.change(lambda book: end_run(self._session(book), row, now))
        return row

    def _session(self, book: SessionBook) -> Journal:
        """The session as it is stored; as it was when the run began where the command has removed it: what it measured is not lost."""
        if self.known is None or book.get(self.asked.session) is not None:
            return find_session(book, self.asked.session)
        self.lab.observer.note(Remark(f"The session was gone from the store after {self.name}, and was put back. Others may be missing."))
        return self.known

    def _left(self, tree: ExperimentTree) -> str | None:
        """The tree that the run left, None where it cannot be recorded: its numbers are stored all the same."""
        spared = self.lab.spared.load(self.asked.session)
        try:
            left = tree.snapshot(self.lab.keep_rules, spared.foreign if spared else frozenset())
        except AssayError as error:
            self.lab.observer.note(Remark(f"What {self.name} left cannot be committed later. {error.message} {error.hint or ''}".strip()))
            return None
        return left.tree if left else None


def _never_started(lab: Laboratory) -> Completed:
    return Completed(
        exit_code=None,
        signal=None,
        cause=Cause.CANCELLED,
        started_at=lab.now(),
        duration_s=0.0,
        stdout="",
        stderr="",
        truncated=False,
        log_file="",
        reading=MetricReading(),
        detail="was cancelled before it started",
    )

"""A house of fakes: the whole order of work without git, processes or a disk."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.clock import FakeClock
from tests.fakes.machine import FakeMachine
from tests.fakes.observer import RecordingObserver
from tests.fakes.repo import FakeRepo
from tests.fakes.reports import FakeReports
from tests.fakes.runner import FakeRunner, completed
from tests.fakes.store import FakeStore
from tests.fakes.worktrees import FakeWorktrees

from assay.app.apply import apply
from assay.app.check import Checked, CheckRequest, check
from assay.app.house import House
from assay.app.selftest import SelftestRequest, selftest
from assay.core.config import Config
from assay.core.config_text import parse_config
from assay.core.effects import Effect
from assay.core.model import Completed, Side
from assay.core.process import ProcessRequest, Shell
from assay.core.result import BenchmarkResult
from assay.core.selftest_report import Selftest

BASE, HEAD = "b" * 40, "a" * 40

Printed = Mapping[str, Sequence[float]]
"""What a side prints: for each metric the values of its processes in turn, the last one for ever; the warm-up prints the first."""


def config(*lines: str, top: Iterable[str] = ()) -> Config:
    """One benchmark, `bench`, whose metric `loss` is better lower; `lines` are further lines of it, `top` of the file."""
    own = ["run: ./bench", "metric: {name: loss, better: lower}", *lines]
    named = {line.split(":")[0]: line for line in own}
    return parse_config("\n".join(["version: 1", "benchmarks:", "  bench:", *(f"    {line}" for line in named.values()), *top]) + "\n")


@dataclass
class Script:
    """Answers requests by the side they run on. `ends` gives other ends by a piece of the command and the side."""

    base: Printed
    head: Printed
    ends: Mapping[tuple[str, Side], Callable[[int], Completed | None]] = field(default_factory=dict)
    duration_s: float = 1.0
    warmups: int = 1
    clock: FakeClock | None = None
    counts: dict[tuple[str, Side], int] = field(default_factory=dict)

    def __call__(self, request: ProcessRequest) -> Completed:
        side = Side.BASE if request.cwd.endswith("/base") else Side.HEAD
        assert isinstance(request.command, Shell)
        command = request.command.text
        count = self.counts[command, side] = self.counts.get((command, side), -1) + 1
        if self.clock:
            self.clock.advance(self.duration_s)
        for (piece, where), end in self.ends.items():
            if piece in command and where is side and (found := end(count)) is not None:
                return found
        printed = self.base if side is Side.BASE else self.head
        turn = max(0, sum(n + 1 for (_, at), n in self.counts.items() if at is side) - 1 - self.warmups)
        lines = (f"METRIC {name}={values[min(turn, len(values) - 1)]}" for name, values in printed.items())
        return completed("".join(line + "\n" for line in lines), duration_s=self.duration_s)


def two_commits() -> FakeRepo:
    """A repository whose HEAD changes one file of main."""
    return FakeRepo(refs={"HEAD": HEAD, "main": BASE}, parents={BASE: None, HEAD: BASE}, base=BASE, paths=("src/x.py",))


@dataclass
class Lab:
    """A house and what it has seen."""

    repo: FakeRepo = field(default_factory=two_commits)
    worktrees: FakeWorktrees = field(default_factory=FakeWorktrees)
    store: FakeStore = field(default_factory=FakeStore)
    machine: FakeMachine = field(default_factory=FakeMachine)
    clock: FakeClock = field(default_factory=FakeClock)
    observer: RecordingObserver = field(default_factory=RecordingObserver)
    runner: FakeRunner = field(default_factory=lambda: FakeRunner(()))
    variables: dict[str, str] = field(default_factory=dict)
    reports: FakeReports = field(default_factory=FakeReports)

    def check(self, script: Script, given: Config | None = None, **request: Any) -> Checked:
        """Check HEAD against main with these processes."""
        asked = CheckRequest(config=given or config(), base="main", head="HEAD")
        return check(replace(asked, **request), self.house(script), self.record)

    def selftest(self, script: Script, given: Config | None = None, sessions: int = 2) -> Selftest:
        """The one benchmark tested on itself with these processes."""
        (found,) = selftest(SelftestRequest(given or config(), sessions), self.house(script), self.record)[1]
        return found

    def house(self, script: Script) -> House:
        """The house in which processes answer by this script."""
        self.runner = FakeRunner(script)
        return House(
            repo=self.repo,
            worktrees=lambda: self.worktrees,
            runner=self.runner,
            store=self.store,
            machine=self.machine,
            clock=self.clock,
            observer=self.observer,
            logs=lambda name: f"{self.repo.root}/.assay/logs/{name}",
            supervision="subreaper",
            variables=self.variables,
        )

    def record(self, effects: Iterable[Effect]) -> tuple[str, ...]:
        """Apply effects at once, and answer with what went wrong."""
        return tuple(apply(effects, self.store, self.reports).failures)

    def bench(self, script: Script, given: Config | None = None, **request: Any) -> BenchmarkResult:
        """The one benchmark of such a check."""
        return self.check(script, given, **request).result.benchmarks[0]

    @property
    def commands(self) -> list[tuple[str, str]]:
        """What ran, in order: the side and the command."""
        found = []
        for request in self.runner.requests:
            assert isinstance(request.command, Shell)
            found.append((request.cwd.rpartition("/")[2], request.command.text))
        return found

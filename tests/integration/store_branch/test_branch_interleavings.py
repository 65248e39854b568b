"""Whatever writers do in whatever order, through whatever outages: what one of them called stored is there in the end."""

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.strategies import integers, sampled_from
from tests.fakes.runs import NOW, a_decision, a_run
from tests.integration.store_branch.places import bare, git, open_store, waiting

from assay.adapters.store_branch import BranchStore
from assay.adapters.store_branch.delivery import Patience

IMPATIENT = Patience(races=8, race_s=0.0, silences=1, shortest_s=0.0, longest_s=0.0, silence_s=0.0)
CLONES = ("one", "two", "three")


class Writers(RuleBasedStateMachine):
    """Three clones of one remote that comes and goes."""

    @initialize()
    def begin(self) -> None:
        self.place = Path(mkdtemp(prefix="assay-interleavings-"))
        self.remote = bare(self.place / "remote.git")
        self.runs: set[str] = set()
        self.decisions: set[str] = set()

    @rule(clone=sampled_from(CLONES), number=integers(0, 30))
    def add(self, clone: str, number: int) -> None:
        run = a_run(number)
        self.store(clone).add_run(run)
        self.runs.add(run.run_id)

    @rule(clone=sampled_from(CLONES), first=integers(0, 20))
    def add_several(self, clone: str, first: int) -> None:
        store = self.store(clone)
        with store.batch():
            for number in range(first, first + 3):
                store.add_run(a_run(number))
                self.runs.add(a_run(number).run_id)
            store.add_decision(a_decision(first))
            self.decisions.add(a_decision(first).decision_id)

    @rule(clone=sampled_from(CLONES))
    def flush(self, clone: str) -> None:
        self.store(clone).flush()

    @rule(clone=sampled_from(CLONES))
    def pack(self, clone: str) -> None:
        if self.remote.exists():
            self.store(clone).compact(NOW.replace(year=2026))

    @rule()
    def go_away_or_come_back(self) -> None:
        here, away = self.remote, self.place / "away.git"
        (away.rename(here) if away.exists() else here.rename(away))

    @rule(clone=sampled_from(CLONES))
    def lose_the_copy(self, clone: str) -> None:
        copy = self.place / clone / "assay" / "store.git"
        if copy.exists():
            copy.rename(self.place / f"lost-{len(list(self.place.iterdir()))}")

    @invariant()
    def everything_is_somewhere(self) -> None:
        remote = self.remote if self.remote.exists() else self.place / "away.git"
        text = git(remote, "archive", "--format=tar", "assay-data") if git(remote, "for-each-ref") else ""
        kept = text + " ".join(name for clone in CLONES for name in waiting(self.place / clone))
        assert all(one in kept for one in self.runs | self.decisions)

    def teardown(self) -> None:
        try:
            self.look_at_the_end()
        finally:
            rmtree(self.place)

    def look_at_the_end(self) -> None:
        if (self.place / "away.git").exists():
            self.go_away_or_come_back()
        for clone in CLONES:
            flushed = self.store(clone).flush()
            assert flushed.clean, flushed
        reader = self.store("reader")
        catalog = reader.runs("bench")
        assert {run.run_id for run in catalog.runs} == self.runs
        assert catalog.unreadable == ()
        found = {decision.decision_id for decision in reader.decisions(a_decision().head_run or "")}
        assert found == self.decisions

    def store(self, clone: str) -> BranchStore:
        return open_store(self.remote, self.place / clone, patience=IMPATIENT)


TestWriters = Writers.TestCase
TestWriters.settings = settings(
    max_examples=8, stateful_step_count=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)

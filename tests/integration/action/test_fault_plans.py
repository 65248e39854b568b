"""A hundred random plans of faults: whatever GitHub does, no record is lost, nothing stands there twice, no conclusion changes.

The order of work and the real client, over HTTP, against the stateful fake. A first job meets the faults; a second one, on another
pull request, meets none and ties up what the first could not post. No wait takes real time.
"""

import random
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes.clock import FakeClock
from tests.fakes.ends import FakeEnds
from tests.fakes.github import faults
from tests.fakes.github.faults import DROPPED, DROPPED_AFTER_COMMIT, PASS, Fault, Plan
from tests.fakes.github.hub import Hub
from tests.fakes.github.repository import Repository
from tests.fakes.job_files import FakeJobFiles
from tests.fakes.repo import FakeRepo
from tests.houses import Lab, Script
from tests.repositories import Sandbox
from tests.templates import templates

from assay.adapters.github.client import BRISK, HASTY, Patience, Time
from assay.adapters.github.forge import GitHubForge
from assay.app.action import Acted, Bureau, act
from assay.app.loose_ends import Keeper
from assay.app.order import Order
from assay.app.question import Question, ask
from assay.app.rules import rules_of
from assay.core.decide import exit_code
from assay.core.event import PullRequest
from assay.core.inputs import Inputs
from assay.core.loose_ends import JobMark
from assay.core.model import Conclusion

FILE = ".github/assay.yml"
CONFIG = """\
version: 1
benchmarks:
  bench:
    run: ./bench
    metric: {name: loss, better: lower}
    repeats: {min: 4, max: 4}
    watch: {code: [src/**], harness: [bench]}
"""
PATHS = ("*", "*", "*/check-runs", "*/check-runs/*", "*/comments", "*/issues/comments/*", "*/pulls/*", "*/commits/*")
METHODS = ("*", "*", "GET", "POST", "PATCH")
TIMEOUT_S = 0.15
PLANS, PARTS = 100, 4


def a_fault(chance: random.Random) -> Fault:
    """One of all that GitHub is known to do."""
    now = int(time.time())
    outage = faults.status(chance.choice((500, 502, 503, 504)), headers=chance.choice(({}, {}, {"Retry-After": "3"})))
    code = chance.choice((403, 429))
    kinds = (
        (outage, 5),
        (outage.committed(), 4),
        (DROPPED, 4),
        (DROPPED_AFTER_COMMIT, 5),
        (faults.secondary_limit(chance.choice((None, 1, 30, 4000)), code), 3),
        (faults.primary_limit(now + chance.choice((-5, 20, 4000)), code), 3),
        (faults.status(404, "Not Found"), 3),
        (faults.slow(TIMEOUT_S * 2), 1),
        (PASS, 6),
    )
    return chance.choices([one for one, _ in kinds], [weight for _, weight in kinds])[0]


def a_plan(chance: random.Random) -> Plan:
    """Some faults here and there, or a storm."""
    plan = Plan()
    if chance.random() < 0.2:
        storm = a_fault(chance)
        plan.add(chance.choice(METHODS), chance.choice(PATHS), *[PASS] * chance.randrange(4), *[replace(storm, delay=0.0)] * 60)
    for _ in range(chance.randrange(1, 5)):
        plan.add(chance.choice(METHODS), chance.choice(PATHS), *(a_fault(chance) for _ in range(chance.randrange(1, 6))))
    return plan


@dataclass
class Bench:
    """A repository on the fake with two pull requests, and the jobs on them."""

    hub: Hub
    remote: Repository
    base: str
    heads: tuple[str, str]
    lab: Lab = field(default_factory=Lab)
    ends: FakeEnds = field(default_factory=FakeEnds)
    slept: float = 0.0

    def job(self, number: int) -> Acted:
        """A job on a pull request; nothing that it waits for takes time."""
        head = self.heads[number - 1]
        self.lab.repo = FakeRepo(
            refs={"HEAD": head, "main": self.base}, parents={self.base: None, head: self.base}, base=self.base, paths=("src/x.py",)
        )
        for commit in (self.base, head):
            self.lab.repo.contents[commit, FILE] = CONFIG.encode()
        event = PullRequest(number, head, self.base, f"faster-{number}", "main", fork=False, action="synchronize", sender="ada")
        asked = Inputs(token="t0ken", no_reuse=True)
        question = ask(event, asked, self.lab.repo)
        assert isinstance(question, Question)
        order = Order(question, rules_of(question, self.lab.repo, asked.config), asked)
        house = self.lab.house(Script({"loss": [120]}, {"loss": [90]}))
        acted = act(order, house, self._bureau(number), "the test")
        assert isinstance(acted, Acted)
        return acted

    def _bureau(self, number: int) -> Bureau:
        keeper = Keeper(self.ends, JobMark(run=number, attempt=1, hosted=True), self.lab.clock)
        return Bureau(
            forge=self._forge(Patience(timeout_s=TIMEOUT_S)),
            hasty=self._forge(HASTY),
            job=FakeJobFiles(),
            reports=self.lab.reports,
            templates=templates(),
            hosted=True,
            result_file="result.json",
            brisk=self._forge(BRISK),
            keeper=keeper,
        )

    def _forge(self, patience: Patience) -> GitHubForge:
        clock = Time(now=lambda: time.time() + self.slept, sleep=self._sleep, chance=lambda: 0.5)
        return GitHubForge(
            self.hub.job_token(self.remote),
            "ada/lab",
            api_url=self.hub.url,
            bot_login="github-actions[bot]",
            patience=patience,
            clock=clock,
        )

    def _sleep(self, seconds: float) -> None:
        self.slept += seconds

    def forget(self) -> None:
        """As before the first job."""
        self.lab, self.ends, self.slept = Lab(clock=FakeClock(datetime.now(UTC))), FakeEnds(), 0.0
        self.remote.checks.clear()
        self.remote.comments.clear()


@pytest.fixture
def bench(hub: Hub, tmp_path: Path) -> Bench:
    author = Sandbox(tmp_path / "author")
    base = author.commit({FILE: CONFIG}, "first")
    heads = []
    for number in (1, 2):
        author.git("checkout", "-q", "-B", f"faster-{number}", "main")
        heads.append(author.commit({"x": str(number)}, "change"))
    remote = hub.create_repository("ada/lab", author.root)
    for number in (1, 2):
        remote.open_pull(f"faster-{number}")
    return Bench(hub, remote, base, (heads[0], heads[1]))


@pytest.mark.parametrize("part", range(PARTS))
def test_no_plan_of_faults_loses_doubles_or_changes_anything(bench: Bench, part: int) -> None:
    for seed in range(part, PLANS, PARTS):
        bench.forget()
        bench.hub.faults = a_plan(random.Random(seed))
        hit = bench.job(1)
        unspent, bench.hub.faults = bench.hub.faults, Plan()
        calm = bench.job(2)
        said = f"in plan {seed}: {unspent.pending()}, {[(one.method, one.path, one.status) for one in bench.hub.log]}"
        bench.hub.log.clear()
        for acted in (hit, calm):
            assert acted.published.conclusion is Conclusion.SUCCESS, said
            assert exit_code(acted.checked.decisions, acted.checked.policy) == 0, said
        assert len(bench.lab.store.stored) == 4, said
        assert len(bench.lab.store.decided) == 2, said
        stands = sorted((one.head_sha, one.status, one.conclusion) for one in bench.remote.checks.values())
        assert stands == sorted((head, "completed", "success") for head in bench.heads), said
        assert sorted(one.number for one in bench.remote.comments.values()) == [1, 2], said
        assert all("Improved" in one.body for one in bench.remote.comments.values()), said
        assert bench.ends.kept == {}, said

"""From a comment to what it orders, over fakes: who is heard, what is answered, and which commit is pinned."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.fakes.clock import FakeClock
from tests.fakes.forge import FakeForge, denied, outage
from tests.fakes.repo import FakeRepo
from tests.fakes.store import FakeStore
from tests.houses import config
from tests.offices import office_of

from assay.app.office import Office
from assay.app.order import Order, order_of
from assay.app.purse import Purse, gpu_minutes
from assay.app.question import Nothing
from assay.core.comment_lines import TRIGGER, commands_in
from assay.core.event import Comment
from assay.core.forge_facts import Permission, PullFacts, Reaction
from assay.core.inputs import ForkRule, Inputs
from assay.core.model import Conclusion, Outcome, Status, Trust
from assay.core.result import BenchmarkResult, CheckResult
from assay.errors import ForgeError, InfrastructureError

FILE = ".github/assay.yml"
CONFIG = """\
version: 1
benchmarks:
  bench:
    run: ./bench --seed {seed}
    seeds: [1, 2, 3]
    metric: {name: loss, better: lower}
  plain:
    run: ./plain
    metric: {name: loss, better: lower}
"""
HEAD, BASE, OTHER = "a" * 40, "b" * 40, "c" * 40
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PULL = PullFacts(7, HEAD, "faster", BASE, "main", fork=False, open=True)
SAID = Comment(7, 99, f"{TRIGGER} run", "ada", bot=False, created_at=NOON, on_pull=True, fresh=True)


@dataclass
class Hall:
    """A pull request, the people around it, and what was answered to them."""

    forge: FakeForge = field(
        default_factory=lambda: FakeForge(
            pulls={7: PULL},
            permissions={"ada": Permission.WRITE, "eve": Permission.READ},
            pushes={("faster", HEAD): NOON - timedelta(hours=1)},
        )
    )
    repo: FakeRepo = field(default_factory=lambda: FakeRepo(refs={sha: sha for sha in (HEAD, BASE)}))
    brought: list[PullFacts] = field(default_factory=list)
    store: FakeStore = field(default_factory=FakeStore)
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.repo.contents[BASE, FILE] = CONFIG.encode()

    def say(self, words: str = "run", comment: Comment = SAID, **inputs: Any) -> Order | Nothing:
        said = replace(comment, body=f"{TRIGGER} {words}")
        return order_of(said, self.office(**inputs))

    def office(self, **inputs: Any) -> Office:
        asked = Inputs(token="t0ken", **inputs)
        return office_of(self.forge, self.repo, self.store, self.clock, inputs=asked, bring=self.brought.append)

    def ordered(self, words: str = "run", **inputs: Any) -> Order:
        order = self.say(words, **inputs)
        assert isinstance(order, Order), (order, self.forge.comments)
        return order

    def refused(self, words: str = "run", comment: Comment = SAID, **inputs: Any) -> str:
        """The reply to a command that is not obeyed; empty where there is none."""
        assert isinstance(self.say(words, comment, **inputs), Nothing)
        return self.forge.comments.get(7, "")

    @property
    def reactions(self) -> list[Reaction]:
        return [reaction for _, reaction in self.forge.reactions]


def test_a_member_s_command_pins_the_head_as_it_was_read_once() -> None:
    hall = Hall()
    order = hall.ordered()
    question = order.question
    assert (question.head, question.base, question.rules, question.pinned, question.number) == (HEAD, BASE, BASE, HEAD, 7)
    assert (question.trust, question.branch, question.vouched) == (Trust.MEMBER, "faster", False)
    assert hall.reactions == [Reaction.EYES, Reaction.ROCKET]
    assert hall.brought == [PULL]
    assert hall.forge.comments == {}
    assert hall.forge.calls.count("pull") == 1


def test_the_words_of_a_command_change_one_run_and_no_rule() -> None:
    hall = Hall()
    hall.repo.refs["refs/remotes/origin/dev"] = OTHER
    order = hall.ordered("run bench vs=dev seeds=4,5 repeats=3 model=m precision=bf16 --no-reuse")
    bench = order.rules.config.benchmarks["bench"]
    assert (bench.seeds, bench.repeats.min, bench.repeats.max, bench.model, bench.precision) == ((4, 5), 3, 3, "m", "bf16")
    assert order.rules.config.benchmarks["plain"].model == "none"
    assert (order.question.base, order.question.base_name) == (OTHER, "dev")
    assert order.inputs.benchmarks == ("bench",)
    assert order.forced_by == "ada by a comment"


@pytest.mark.parametrize("person", ["eve", "mallory"])
@pytest.mark.parametrize("words", ["run", "help", "nonsense", "run vs=--x"])
def test_somebody_without_rights_gets_a_reaction_and_nothing_else(person: str, words: str) -> None:
    hall = Hall()
    assert hall.refused(words, replace(SAID, author=person)) == ""
    assert hall.reactions == [Reaction.CONFUSED]
    assert "pull" not in hall.forge.calls


@pytest.mark.parametrize("error", [denied(), outage()])
def test_rights_that_cannot_be_read_are_none(error: ForgeError) -> None:
    hall = Hall()
    hall.forge.fails["permission_of"] = error
    assert hall.refused() == ""
    assert hall.reactions == [Reaction.CONFUSED]


@pytest.mark.parametrize(
    "comment",
    [
        replace(SAID, bot=True),
        replace(SAID, author="github-actions[bot]"),
        replace(SAID, author="GitHub-Actions[Bot]"),
        replace(SAID, fresh=False),
        replace(SAID, on_pull=False),
    ],
)
def test_programs_old_comments_and_issues_are_not_even_asked_about(comment: Comment) -> None:
    hall = Hall()
    assert hall.refused(comment=comment) == ""
    assert hall.forge.calls == []


def test_a_comment_without_a_command_costs_no_request() -> None:
    hall = Hall()
    assert isinstance(order_of(replace(SAID, body="Nice."), hall.office()), Nothing)
    assert hall.forge.calls == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("rnu", "Did you mean “run”"),
        ("run seed=1", "Did you mean “seeds”"),
        ("run nosuch", "no benchmark"),
        ("run plain seeds=1,2", "takes no seeds"),
        ("run vs=gone", "Git knows no commit"),
        (f"run sha={OTHER}", "not the commit that the command names"),
        ("run repeats=1", "repeats"),
        ("review", "not built yet"),
    ],
)
def test_a_command_that_cannot_be_obeyed_gets_one_reply(words: str, says: str) -> None:
    hall = Hall()
    reply = hall.refused(words)
    assert says in reply
    assert reply.startswith("<!-- assay:reply to=99 -->\n")
    assert commands_in(reply) == ()
    assert TRIGGER not in reply
    assert hall.reactions[-1] is Reaction.CONFUSED
    assert Reaction.ROCKET not in hall.reactions


def test_help_lists_the_commands_without_the_trigger() -> None:
    reply = Hall().refused("help")
    assert "run [BENCHMARK" in reply
    assert TRIGGER not in reply


def test_a_head_that_was_pushed_after_the_comment_is_not_run() -> None:
    hall = Hall()
    hall.forge.pushes["faster", HEAD] = NOON
    assert "pushed after" in hall.refused()


def test_a_member_s_command_runs_where_the_forge_cannot_tell_when_head_was_pushed() -> None:
    for hall in (Hall(), Hall()):
        hall.forge.pushes.clear()
        assert hall.ordered().question.pinned == HEAD
    hall = Hall()
    hall.forge.fails["pushed"] = outage()
    assert hall.ordered().question.pinned == HEAD


def test_a_closed_pull_request_is_not_run() -> None:
    hall = Hall()
    hall.forge.pulls[7] = replace(PULL, open=False)
    assert "closed" in hall.refused()


def fork_hall(rule: str) -> Hall:
    hall = Hall()
    hall.forge.pulls[7] = replace(PULL, fork=True)
    hall.repo.contents[BASE, FILE] = f"{CONFIG}permissions: {{forks: {rule}}}\n".encode()
    return hall


@pytest.mark.parametrize(("rule", "input_rule"), [("deny", ForkRule.ALLOW), ("allow", ForkRule.DENY), ("deny", ForkRule.DENY)])
def test_a_fork_s_head_is_not_run_where_config_or_input_deny_it(rule: str, input_rule: ForkRule) -> None:
    assert "fork is not run" in fork_hall(rule).refused(f"run sha={HEAD}", allow_forks=input_rule)


@pytest.mark.parametrize("rule", ["sha", "allow"])
def test_a_fork_s_head_is_run_at_the_commit_that_the_command_names_alone(rule: str) -> None:
    assert f"sha={HEAD}" in fork_hall(rule).refused(allow_forks=ForkRule.ALLOW)
    question = fork_hall(rule).ordered(f"run sha={HEAD}", allow_forks=ForkRule.SHA).question
    assert (question.trust, question.branch, question.extras, question.vouched) == (Trust.FORK, None, None, True)


def test_admin_rights_are_needed_where_the_base_branch_says_so() -> None:
    hall = Hall()
    hall.repo.contents[BASE, FILE] = f"{CONFIG}permissions: {{run: admin}}\n".encode()
    assert "admin" in hall.refused()
    hall.forge.permissions["ada"] = Permission.ADMIN
    assert hall.ordered().question.head == HEAD


def test_a_reply_or_a_reaction_that_fails_changes_nothing() -> None:
    hall = Hall()
    hall.forge.fails |= {"react": denied(), "upsert_comment": outage()}
    assert hall.ordered().question.head == HEAD
    left = hall.say("nonsense")
    assert isinstance(left, Nothing)
    assert "The forge did not answer." in left.reason


def tight(hall: Hall, **limits: int) -> None:
    words = ", ".join(f"{name}: {value}" for name, value in limits.items())
    hall.repo.contents[BASE, FILE] = f"{CONFIG}budget: {{{words}}}\n".encode()


def test_a_pull_request_has_so_many_runs_until_an_admin_grants_more() -> None:
    hall = Hall()
    tight(hall, per_pr_runs=3)
    assert hall.ordered("run bench").question.head == HEAD
    assert "used 1 of its 3 runs" not in hall.forge.comments.get(7, "")
    assert hall.ordered().question.head == HEAD
    assert "used 3 of its 3 runs" in hall.refused("run bench")
    assert "admin rights" in hall.refused("grant 2")
    hall.forge.permissions["ada"] = Permission.ADMIN
    assert "2 more runs" in hall.refused("grant 2")
    assert hall.ordered().question.head == HEAD
    assert "used 5 of its 5 runs" in hall.refused("run bench")


def test_a_person_has_so_many_runs_a_day() -> None:
    hall = Hall()
    tight(hall, per_person_day_runs=2)
    assert hall.ordered().question.head == HEAD
    assert "within a day" in hall.refused("run bench")
    hall.forge.permissions["bob"] = Permission.WRITE
    assert isinstance(hall.say("run bench", replace(SAID, author="bob")), Order)
    hall.clock.advance(86_401)
    assert hall.ordered("run bench").question.head == HEAD


def test_a_day_has_so_many_gpu_minutes() -> None:
    hall = Hall()
    tight(hall, per_day_gpu_minutes=10)
    hall.repo.contents[BASE, FILE] = hall.repo.contents[BASE, FILE].replace(b"run: ./plain", b"gpus: 1\n    run: ./plain")
    Purse(hall.store, hall.clock).gpu_used(3, "bob", 10.0)
    assert "GPU minutes" in hall.refused("run plain")
    assert hall.ordered("run bench").question.head == HEAD


def test_a_cell_that_never_came_has_cost_what_it_may_have_taken() -> None:
    given = config("gpus: 2", "max_time: 10m")
    lost = BenchmarkResult("bench", Status.FAILED, Outcome.PENDING, Conclusion.FAILURE, "its cell is missing")
    for since_s, one, minutes in (
        (240.0, lost, 8.0),
        (86_400.0, lost, 20.0),
        (240.0, replace(lost, duration_s=60.0), 2.0),
        (240.0, replace(lost, status=Status.SKIPPED), 0.0),
    ):
        assert gpu_minutes(given, CheckResult(BASE, HEAD, Conclusion.FAILURE, (one,)), since_s) == minutes


def test_what_a_run_of_a_workflow_began_is_found_by_its_number() -> None:
    hall = Hall()
    assert isinstance(order_of(SAID, replace(hall.office(), job=5)), Order)
    purse = Purse(hall.store, hall.clock)
    assert (found := purse.begun(5)) is not None
    assert (found.head, found.pull) == (HEAD, 7)
    assert (purse.begun(6), purse.begun(None)) == (None, None)


def test_what_was_refused_has_cost_nothing() -> None:
    hall = Hall()
    for words in ("run nosuch", f"run sha={OTHER}", "rnu"):
        hall.refused(words)
    assert hall.store.spends == []


def test_a_store_that_cannot_be_written_runs_nothing() -> None:
    hall = Hall()
    hall.store.refuses = "The disk is full."
    with pytest.raises(InfrastructureError):
        hall.say()
    assert Reaction.ROCKET not in hall.reactions

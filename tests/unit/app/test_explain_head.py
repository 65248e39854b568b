"""`analyse` on a pull request: which decision is explained, and what is answered where none can be."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.fakes.analysts import FakePanel, fails
from tests.fakes.forge import FakeForge
from tests.fakes.runner import completed
from tests.houses import HEAD, Lab, Script
from tests.offices import office_of
from tests.unit.app.test_explain import FASTER, OFFLINE, Scene
from tests.unit.app.test_order import PULL, SAID

from assay.app.decided import decided_at
from assay.app.explain_head import analyse
from assay.app.office import Heard
from assay.core.comment_command import Command, Verb
from assay.core.config_text import parse_config
from assay.core.forge_facts import Permission
from assay.core.model import Completed, Outcome, Side, Status
from assay.errors import UsageError

FILE = ".github/assay.yml"
TEXT = "version: 1\nbenchmarks:\n  bench:\n    run: ./bench\n    metric: {name: loss, better: lower}\n"
HEARD = Heard(SAID, Command(Verb.ANALYSE), PULL, Permission.WRITE)


def faster() -> Script:
    """The script of a better head, from its beginning."""
    return replace(FASTER, counts={})


@dataclass
class Desk:
    """A pull request whose head may have been checked, and an office that can explain it."""

    scene: Scene = field(default_factory=Scene)

    def __post_init__(self) -> None:
        self.scene.given = parse_config(TEXT)
        self.lab.repo.contents[PULL.base_sha, FILE] = TEXT.encode()

    @property
    def lab(self) -> Lab:
        return self.scene.lab

    def say(self, analyst: Any = None, *, off: bool = False) -> str:
        explainer = None if off else self.scene.explainer(*([analyst] if analyst else []))
        parts = {"house": lambda _: self.lab.house(faster()), "bureau": lambda *_: SimpleNamespace(explainer=explainer)}
        return analyse(HEARD, office_of(FakeForge(), self.lab.repo, self.lab.store, self.lab.clock, **parts))


def test_the_numbers_of_the_decision_are_explained_and_kept() -> None:
    desk = Desk()
    desk.lab.check(faster())
    told = desk.say()
    assert "### `bench`" in told
    assert "fell by 20 %" in told
    assert len(desk.lab.store.analyses) == 3
    assert desk.lab.runner.requests == []


def test_without_a_decision_there_is_nothing_to_explain() -> None:
    with pytest.raises(UsageError, match=f"No decision on the head {HEAD[:12]} is stored"):
        Desk().say()


def test_where_analyses_are_switched_off_that_is_the_answer() -> None:
    desk = Desk()
    desk.lab.check(faster())
    with pytest.raises(UsageError, match="switched off"):
        desk.say(off=True)


def test_an_analysis_that_fails_is_told_and_nothing_is_kept() -> None:
    desk = Desk()
    desk.lab.check(faster())
    told = desk.say(FakePanel({route.text: (fails(),) for route in OFFLINE.candidates}))
    assert "No analysis" in told
    assert "No decision depends on it" in told
    assert desk.lab.store.analyses == {}


def test_a_store_that_refuses_is_told_to_the_log_and_the_answer_stands() -> None:
    desk = Desk()
    desk.lab.check(faster())
    desk.lab.store.refuses = "The disk is full."
    assert "fell by 20 %" in desk.say()
    assert any("could not be stored" in str(event) for event in desk.lab.observer.events)


def test_a_head_that_crashed_is_explained_too() -> None:
    def crash(_: int) -> Completed:
        return completed(exit_code=3)

    desk = Desk()
    desk.lab.check(replace(faster(), ends={("./bench", Side.HEAD): crash}))
    decision, run = decided_at("bench", HEAD, desk.lab.store) or (None, None)
    assert (decision and decision.outcome, run and run.clean) == (Outcome.ERRORED, False)
    assert "nothing is known" in desk.say()


def test_of_several_decisions_the_newest_on_this_head_counts() -> None:
    desk = Desk()
    for _ in range(2):
        desk.lab.check(faster(), forced_by="--no-reuse")
    found = decided_at("bench", HEAD, desk.lab.store)
    assert found
    assert found[0].decision_id == max(desk.lab.store.decided)


def test_a_decision_that_reused_a_run_of_another_commit_is_found_by_the_head_it_was_made_for() -> None:
    desk, later = Desk(), "e" * 40
    desk.lab.check(faster())
    repo = desk.lab.repo
    repo.refs["HEAD"], repo.parents[later] = later, HEAD
    repo.windows[HEAD, later] = ("docs/page.md",)
    repo.listings[later] = {"src/x.py": HEAD}
    repo.listings[HEAD] = {"src/x.py": HEAD}
    again = desk.lab.check(faster())
    assert again.result.benchmarks[0].status is Status.REUSED
    found = decided_at("bench", later, desk.lab.store)
    assert found
    assert (found[0].head, found[1].commit, found[0].status) == (later, HEAD, Status.REUSED)

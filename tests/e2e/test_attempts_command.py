"""`assay attempts` as a user calls it, and the queue that stops by it."""

from typing import Any

import pytest
from tests.e2e.conftest import World

CONFIG = """\
version: 1
benchmarks:
  bench: {run: sh bench.sh, metric: {name: loss, better: lower}, warmup: 0, repeats: {min: 2, max: 2}}
attempts: {invariants: {paths: [core.sh]}, strikes: 2}
"""


@pytest.fixture
def lab(world: World) -> World:
    world.repo.commit({".github/assay.yml": CONFIG, "bench.sh": ". ./core.sh\n", "core.sh": "echo METRIC loss=1\n"})
    return world


def answer(world: World, group: str, *words: str, code: int = 0, **env: str) -> dict[str, Any]:
    done = world.assay(group, words[0], "--json", *words[1:], env=env)
    assert done.code == code, done.text
    return done.result


def test_attempts_are_logged_counted_and_granted(lab: World) -> None:
    fresh = answer(lab, "attempts", "status")
    assert (fresh["recommended"], fresh["complexity"], fresh["left"], fresh["conclusion"]) == (8, "light", 8, None)
    assert fresh["reason"]
    for number in range(5):
        done = answer(
            lab, "attempts", "log", "--change", f"try {number}", "--result", "no_progress", "--diagnosis", "direction", "--next", "think"
        )
    assert (done["used"], done["next_action"]) == (5, "go back to the last version that worked, and try another way")
    assert done["attempt"]["touched"] == []
    for number in range(3):
        answer(lab, "attempts", "log", "--change", f"more {number}", "--result", "failed")
    assert answer(lab, "attempts", "status")["conclusion"] == "action_required"
    assert "maintainer" in lab.assay("attempts", "grant", "2", env={"GITHUB_ACTIONS": "true"}).err
    assert answer(lab, "attempts", "grant", "2")["left"] == 2
    assert [one["change"] for one in answer(lab, "attempts", "list")["attempts"]][:2] == ["try 0", "try 1"]
    assert lab.assay("attempts", "log", "--change", "x", "--result", "better").code == 2


def test_the_last_strike_at_an_invariant_stops_the_queue_until_a_person_grants_more(lab: World) -> None:
    for number in range(2):
        lab.repo.commit({"core.sh": f"exit {number + 3}\n"}, f"break it {number}")
        answer(lab, "queue", "add", "--baseline", "HEAD")
        answer(lab, "queue", "work", code=1)
    standing = answer(lab, "attempts", "status")
    assert (standing["strikes"], standing["broken"], standing["used"]) == (2, True, 2)
    report = (lab.repo.root / ".assay/report/stopped-bench.md").read_text()
    assert "Three ways are left" in report
    lab.repo.commit({"core.sh": "echo METRIC loss=2\n"}, "mend it")
    answer(lab, "queue", "add")
    assert answer(lab, "queue", "work", code=3) == {"attempts": [], "last": "waiting"}
    answer(lab, "attempts", "grant", "1")
    assert [one["status"] for one in answer(lab, "queue", "work")["attempts"]] == ["done"]
    assert answer(lab, "attempts", "status")["strikes"] == 0

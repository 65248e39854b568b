"""The example for a schedule, run by act on each of its events: what it hands to Assay."""

import json
import re
from typing import Any

import pytest
from tests.e2e.test_composite_action import ROOT, Act
from tests.e2e.test_composite_action import act as act
from tests.fakes.github import payloads
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.hub import JOB_PERMISSIONS
from tests.fakes.github.repository import Repository
from tests.harness.checkout import Checkout, checkout

EXAMPLE = (ROOT / "examples" / "schedule.yml").read_text(encoding="utf-8")
STAND_IN = """\
#!/bin/sh
[ "$1" != action ] || printf 'heard {"mode": "%s", "minutes": "%s", "benchmark": "%s"}\\n' "$INPUT_MODE" "$INPUT_MINUTES" "$INPUT_BENCHMARK"
"""


def heard(act: Act, event: str, payload: dict[str, Any]) -> dict[str, str]:
    """The inputs that a command in Assay's place is given, on the default branch."""
    repo, token = act.proposal.repo, act.proposal.hub.job_token(act.proposal.repo)
    main = repo.git.branch("main")
    assert main is not None
    place = act.folder / event
    checkout(Checkout(repo.clone_url, token, "refs/heads/main", main, depth=0), place, act.folder)
    command = act.folder / "stand-in"
    command.write_text(STAND_IN, encoding="utf-8")
    command.chmod(0o755)
    workflow = EXAMPLE.replace("          mode: schedule\n", f"          mode: schedule\n          assay-path: {command}\n")
    assert workflow != EXAMPLE
    done = act.start(place, event, {**payloads.schedule(repo), **payload}, workflow, token)
    assert done.code == 0, done.text
    (said,) = re.findall(r"heard (\{.*\})", done.text)
    found: dict[str, str] = json.loads(said)
    return found


@pytest.mark.parametrize(
    ("event", "payload", "minutes", "benchmark"),
    [
        ("schedule", {}, "60", ""),
        ("workflow_dispatch", {"inputs": {"minutes": "15", "benchmark": "bench"}}, "15", "bench"),
        ("repository_dispatch", {"action": "assay", "client_payload": {"minutes": 30}}, "30", ""),
    ],
)
def test_the_loop_is_told_its_minutes_and_perhaps_a_benchmark(
    act: Act, event: str, payload: dict[str, Any], minutes: str, benchmark: str
) -> None:
    assert heard(act, event, payload) == {"mode": "schedule", "minutes": minutes, "benchmark": benchmark}


def test_the_example_measures_what_is_due_and_says_so(act: Act) -> None:
    repo, token = act.proposal.repo, act.proposal.hub.job_token(act.proposal.repo, JOB_PERMISSIONS)
    main = repo.git.branch("main")
    assert main is not None
    place = act.folder / "work"
    checkout(Checkout(repo.clone_url, token, "refs/heads/main", main, depth=0), place, act.folder)
    done = act.start(place, "schedule", payloads.schedule(repo), act.with_command(EXAMPLE), token)
    assert done.code == 0, done.text
    (check,) = repo.checks.values()
    assert (check.name, check.head_sha, check.conclusion) == ("assay: status", main, "skipped")
    (row,) = (json.loads(line) for line in ledger(repo).splitlines())
    assert (row["task"], row["result"], row["commit"]) == ("bench", "collected", main)


def ledger(repo: Repository) -> str:
    """All rows on the data branch."""
    names = repo.git.run("ls-tree", "-r", "--name-only", "assay-data", "ledger/").splitlines()
    return "".join(repo.git.run("show", f"assay-data:{name}") for name in names if name.endswith(".jsonl"))

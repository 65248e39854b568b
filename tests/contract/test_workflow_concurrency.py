"""Who waits for whom: a command is heard at once whatever else runs, and only an older head's measurement is pushed aside."""

from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / "templates" / "workflows").glob("*.yml"))


def concurrency(path: Path) -> dict[str, object]:
    found: dict[str, object] = yaml.safe_load(path.read_text(encoding="utf-8"))["concurrency"]
    return found


def events(path: Path) -> set[str]:
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    return set(read[True])  # YAML takes `on` for a yes


@pytest.mark.parametrize("path", [path for path in WORKFLOWS if "issue_comment" in events(path)], ids=lambda path: path.stem)
def test_each_command_has_a_group_of_its_own_so_that_none_is_dropped_unheard(path: Path) -> None:
    rule = concurrency(path)
    assert "github.event.comment.id" in str(rule["group"])
    assert not rule.get("cancel-in-progress")


@pytest.mark.parametrize("path", [path for path in WORKFLOWS if "workflow_run" in events(path)], ids=lambda path: path.stem)
def test_a_report_waits_for_no_other_head(path: Path) -> None:
    rule = concurrency(path)
    assert "head_sha" in str(rule["group"])
    assert not rule.get("cancel-in-progress")


@pytest.mark.parametrize("path", [path for path in WORKFLOWS if "pull_request" in events(path)], ids=lambda path: path.stem)
def test_a_newer_head_ends_the_measurement_of_an_older_one_of_its_pull_request_alone(path: Path) -> None:
    rule = concurrency(path)
    assert "github.event.pull_request.number" in str(rule["group"])
    assert rule["cancel-in-progress"] in (True, "${{ github.event_name == 'pull_request' }}")


def test_every_kind_is_there() -> None:
    assert set().union(*map(events, WORKFLOWS)) >= {"pull_request", "issue_comment", "workflow_run", "schedule"}

"""`assay status`, `next`, `walk` and `loop` as a person uses them, on real repositories."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import CONFIG, World

LATER = "2099-01-01"


def test_a_loop_from_nothing_to_idle(world: World) -> None:
    world.project()
    world.change()
    first = world.assay("status")
    assert first.code == 0, first.text
    assert "next action: populate_catalog" in first.out
    dry = world.assay("loop")
    assert (dry.code, "would run bench" in dry.out) == (0, True), dry.text
    assert not (world.repo.root / ".assay" / "store" / "ledger").exists()
    done = world.assay("loop", "--apply", "--json")
    assert done.code == 0, done.text
    assert [(one["task"], one["result"]) for one in done.result["attempts"]] == [("bench", "collected")]
    assert done.result["healthy"] is True
    idle = world.assay("loop", "--apply", "--json")
    assert (idle.code, idle.result["attempts"], idle.result["healthy"]) == (0, [], False)
    report = world.assay("status", "--json").result
    assert (report["ledger"]["rows"], report["ledger"]["collected"], report["local"]["saturated"]) == (1, 1, 1)
    assert report["next_action"]["kind"] == "review_status"
    (line,) = (world.repo.root / ".assay" / "store" / "ledger").glob("*.jsonl")
    assert json.loads(line.read_text())["number"] == 90


def test_what_check_has_measured_is_fresh_for_the_loop(world: World) -> None:
    base = world.project()
    world.change()
    assert world.assay("check", "--base", base).code == 0
    assert world.assay("status", "--json").result["local"]["saturated"] == 1


def test_a_failing_benchmark_is_1_and_then_3_while_it_waits(world: World) -> None:
    world.project()
    world.change(extra="exit 7\n")
    assert world.assay("loop", "--apply").code == 1
    waiting = world.assay("loop", "--apply", "--json")
    assert (waiting.code, waiting.result["attempts"]) == (3, [])


def test_the_moment_the_overlay_and_the_ledger_can_be_named(world: World, tmp_path: Path) -> None:
    base = world.project()
    world.change()
    world.assay("check", "--base", base)
    overlay = tmp_path / "tasks.json"
    overlay.write_text('[{"id": "lab", "run": "open <door>", "value": "frontier", "acceptance": "open"}]')
    found = world.assay("status", "--now", LATER, "--overlay", str(overlay), "--json").result
    assert found["generated_at"] == "2099-01-01T00:00:00.000Z"
    assert (found["local"]["tasks"], found["local"]["next"]["id"]) == (2, "bench")
    assert found["reuse"]["reuse"] is False
    done = world.assay("loop", "--apply", "--ledger", str(tmp_path / "other"), "--now", LATER)
    assert done.code == 0, done.text
    assert (tmp_path / "other" / "ledger" / "2099-01.jsonl").exists()
    assert world.assay("status", "--json").result["ledger"]["rows"] == 0
    next_ = world.assay("next", "--json", "--overlay", str(overlay)).result
    assert (next_["next_action"]["kind"], next_["next_action"]["command"]) == ("manual_collect", "open <door>")


@pytest.mark.parametrize(
    "words",
    [
        ("status", "--now", "soon"),
        ("loop", "--max", "0"),
        ("loop", "--apply", "--benchmark", "nobody"),
        ("status", "--ledger", "/dev/null"),
        ("status", "--store", "somewhere"),
    ],
)
def test_usage_errors_exit_with_2(world: World, words: tuple[str, ...]) -> None:
    world.project()
    done = world.assay(*words)
    assert (done.code, done.out) == (2, ""), done.text


def test_a_wrong_overlay_is_said_by_the_report_and_refused_by_the_loop(world: World, tmp_path: Path) -> None:
    base = world.project()
    world.change()
    world.assay("check", "--base", base)
    (tmp_path / "tasks.json").write_text("{}")
    report = world.assay("status", "--overlay", str(tmp_path / "tasks.json"), "--json")
    assert (report.code, report.result["next_action"]["kind"]) == (0, "fix_backlog")
    assert "tasks.json" in report.result["local"]["error"]
    assert world.assay("loop", "--apply", "--overlay", str(tmp_path / "tasks.json")).code == 2
    assert world.assay("status", "--overlay", str(tmp_path / "none.json"), "--json").result["next_action"]["kind"] == "fix_backlog"


def test_a_repository_without_a_commit_has_a_status(world: World) -> None:
    (world.repo.root / ".github").mkdir()
    (world.repo.root / ".github" / "assay.yml").write_text(CONFIG)
    done = world.assay("status", "--json")
    assert (done.code, done.result["next_action"]["kind"]) == (0, "populate_catalog"), done.text


def test_the_walk_is_printed_and_is_json(world: World) -> None:
    names = [one["name"] for one in world.assay("walk", "--json").result["walk"]]
    assert names == ["status", "next", "check", "reuse", "experiment", "loop", "queue", "store", "publish"]
    text = world.assay("walk").out
    assert all(name in text for name in names)


def test_the_status_of_the_demo_fills_every_section_with_real_data(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    assert world.assay("demo", "--dir", str(folder)).code == 0
    found: dict[str, Any] = world.assay("status", "--json", "--now", LATER, cwd=folder).result
    assert found["registry"]["benchmarks"] == 1
    assert found["catalog"]["runs"] >= 2
    assert found["catalog"]["latest"]["benchmark"] == "suggest"
    assert found["local"]["capabilities"]["machine"] != "unknown"
    assert found["local"]["next"]["id"] == "suggest"
    assert found["reuse"]["key"]["commit"]
    assert "missing" in found["authority"]["problem"]
    assert found["next_action"]["kind"] == "collect_local"
    text = world.assay("status", "--now", LATER, cwd=folder).out
    assert all(f"{name}:" in text for name in ("registry", "catalog", "ledger", "local", "authority", "reuse"))


def test_publish_writes_the_table_between_its_markers_and_then_has_nothing_to_do(world: World) -> None:
    world.project(_dot_github__assay_dot_yml=CONFIG + "publish: {file: docs/results.md}\n")
    world.change()
    assert world.assay("loop", "--apply").code == 0
    behind = world.assay("status", "--json").result
    assert (behind["next_action"]["kind"], behind["authority"]["newer"]) == ("publish_authority", 1)
    done = world.assay("publish", "--json").result
    assert (done["changed"], done["newer"]) == (True, 1)
    file = world.repo.root / "docs" / "results.md"
    assert "| bench | loss | 90 |" in file.read_text()
    again = world.assay("publish", "--json").result
    assert (again["changed"], again["written"]) == (False, None)
    assert world.assay("status", "--json").result["next_action"]["kind"] == "review_status"
    file.write_text("# Mine\n")
    refused = world.assay("publish")
    assert (refused.code, file.read_text()) == (2, "# Mine\n")
    assert "assay:results" in refused.err


def test_publish_follows_no_link_out_of_the_tree(world: World, tmp_path: Path) -> None:
    world.project(_dot_github__assay_dot_yml=CONFIG + "publish: {file: docs/results.md}\n")
    (tmp_path / "outside").mkdir()
    (world.repo.root / "docs").symlink_to(tmp_path / "outside")
    assert world.assay("publish").code == 2
    assert list((tmp_path / "outside").iterdir()) == []


def test_publish_without_a_document_in_the_config_says_what_to_add(world: World) -> None:
    world.project()
    done = world.assay("publish")
    assert done.code == 2
    assert "publish: {file:" in done.err


def test_what_is_due_goes_into_the_queue_once_and_is_fresh_when_a_worker_has_measured_it(world: World) -> None:
    world.project()
    tip = world.change()
    first = world.assay("loop", "--queue", "--json")
    assert first.code == 0, first.text
    assert [(one["benchmark"], one["commit"], one["by"]) for one in first.result["jobs"]] == [("bench", tip, "the control loop")]
    again = world.assay("loop", "--queue", "--json")
    assert (again.code, again.result["jobs"]) == (0, [])
    assert again.result["left_out"] == ["bench: a job for this commit is in the queue already"]
    assert world.assay("queue", "work").code == 0
    assert world.assay("status", "--json").result["local"]["saturated"] == 1
    idle = world.assay("loop", "--queue")
    assert (idle.code, "Nothing is due" in idle.out) == (0, True), idle.text
    both = world.assay("loop", "--queue", "--apply")
    assert (both.code, "exclude each other" in both.err) == (2, True), both.text

"""`assay experiment` as a user calls it: documents on stdout, errors with codes, refusals that change nothing."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import World
from tests.harness.waiting import until

BENCH = ("sh", "-c", "sed 's/^/METRIC /' metrics.txt")


@pytest.fixture
def session(world: World) -> str:
    world.repo.commit({"metrics.txt": "loss=100\n", "src/a.py": "A = 1\n"})
    world.repo.git("checkout", "-q", "-b", "experiment/try")
    return str(answer(world, "init", "--name", "try", "--metric", "loss", "--better", "lower")["session"])


def answer(world: World, *words: str, code: int = 0) -> dict[str, Any]:
    """The one document on stdout."""
    verb, *rest = words
    done = world.assay("experiment", verb, "--json", *rest)
    assert done.code == code, done.text
    return done.result


def run(world: World, session: str, loss: float, *command: str) -> str:
    world.repo.write({"metrics.txt": f"loss={loss}\n"})
    return str(answer(world, "run", "--session", session, "--", *(command or BENCH))["handle"])


def test_a_loop_from_init_to_finalize(world: World, session: str) -> None:
    base = world.repo.git("rev-parse", "HEAD")
    kept = run(world, session, 90)
    logged = answer(world, "log", "--session", session, "--run", kept, "--outcome", "keep", "--asi", "group=tiles")
    assert logged["commit"] == world.repo.git("rev-parse", "HEAD")
    assert logged["record"]["payload"]["asi"] == {"group": "tiles"}
    dropped = run(world, session, 500)
    logged = answer(world, "log", "--session", session, "--run", dropped, "--outcome", "discard", "--baseline", base)
    assert logged["reverted_to"] == base
    world.repo.git(*str(logged["bring_back"]).split()[1:])
    assert (world.repo.root / "metrics.txt").read_text() == "loss=500\n"
    status = answer(world, "status", "--session", session)
    assert (status["best_run"], status["kept"], status["runs_in_segment"], status["active"]) == (kept, [kept], 2, [])
    preview = answer(world, "finalize", "--session", session, "--dry-run")
    final = answer(world, "finalize", "--session", session)
    assert [one["branch"] for one in final["groups"]] == [one["branch"] for one in preview["groups"]]
    assert (final["kept"], final["discarded"]) == ([kept], [dropped])
    assert [one["status"] for one in answer(world, "list")["sessions"]] == ["finalized"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("run", "--session", "exp-nobody", "--", "true"), "unknown_session"),
        (("log", "--session", "SESSION", "--run", "run-nobody", "--outcome", "keep"), "unknown_run"),
        (("log", "--session", "SESSION", "--run", "RUN", "--outcome", "discard"), "outcome_refused"),
        (("log", "--session", "SESSION", "--run", "RUN", "--outcome", "great"), "usage"),
        (("cancel", "run-nobody"), "unknown_run"),
        (("finalize", "--session", "SESSION"), "no_kept_runs"),
        (("init", "--name", "x", "--metric", "a b", "--better", "lower"), "usage"),
        (("init", "--name", "x", "--metric", "a", "--better", "up"), "usage"),
        (("run", "--session", "SESSION", "--env", "novalue", "--", "true"), "usage"),
        (("run", "--session", "SESSION", "--timeout", "soon", "--", "true"), "usage"),
        (("list", "--status", "odd"), "usage"),
        (("import", "metrics.txt"), "import_error"),
        (("import", "nowhere.jsonl"), "usage"),
    ],
)
def test_a_refusal_is_a_document_with_a_code_and_changes_nothing(world: World, session: str, words: tuple[str, ...], code: str) -> None:
    handle = run(world, session, 90) if "RUN" in words else ""
    before = world.repo.git("status", "--porcelain"), answer(world, "status", "--session", session)
    told = answer(world, *(word.replace("SESSION", session).replace("RUN", handle) for word in words), code=2)["error"]
    assert told["code"] == code
    assert told["message"]
    assert told["hint"]
    assert (world.repo.git("status", "--porcelain"), answer(world, "status", "--session", session)) == before


def test_a_command_that_fails_gives_one_and_its_result(world: World, session: str) -> None:
    result = answer(world, "run", "--session", session, "--", "sh", "-c", "echo METRIC loss=1; echo why >&2; exit 3", code=1)
    assert (result["status"], result["exit_code"], result["cause"], result["timed_out"]) == ("errored", 3, "exit", False)
    assert result["stderr_tail"] == "why\n"
    result = answer(world, "run", "--session", session, "--timeout", "300ms", "--", "sleep", "60", code=1)
    assert (result["status"], result["cause"], result["timed_out"]) == ("errored", "timeout", True)


def test_people_get_sentences(world: World, session: str) -> None:
    world.repo.write({"metrics.txt": "loss=90\n"})
    shown = world.assay("experiment", "run", "--session", session, "--", *BENCH)
    assert "loss 90" in shown.out
    assert session in world.assay("experiment", "list").out
    assert "not logged" in world.assay("experiment", "status", "--session", session).out


def test_a_killed_run_leaves_its_pending_record_and_nothing_running(world: World, session: str) -> None:
    process = world.start("experiment", "run", "--session", session, "--", "sh", "-c", f"touch '{world.folder}/begun'; sleep 1000")
    until((world.folder / "begun").exists)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    status = answer(world, "status", "--session", session)
    assert (status["runs_in_segment"], status["active"], len(status["unlogged"])) == (1, [], 1)
    (handle,) = status["unlogged"]
    answer(world, "log", "--session", session, "--run", handle, "--outcome", "keep", code=2)
    answer(world, "log", "--session", session, "--run", handle, "--outcome", "errored")
    run(world, session, 90)


def test_ctrl_c_ends_a_run_and_its_record_says_so(world: World, session: str) -> None:
    process = world.start("experiment", "run", "--session", session, "--", "sh", "-c", f"touch '{world.folder}/begun'; sleep 1000")
    until((world.folder / "begun").exists)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    (row,) = answer(world, "status", "--session", session)["runs"]
    assert (row["ended"], row["cause"]) == (True, "cancelled")


def test_a_run_of_another_process_is_seen_and_cancelled(world: World, session: str) -> None:
    process = world.start(
        "experiment", "run", "--json", "--session", session, "--", "sh", "-c", f"touch '{world.folder}/begun'; sleep 1000"
    )
    until((world.folder / "begun").exists)
    (handle,) = answer(world, "status", "--session", session)["active"]
    assert answer(world, "cancel", handle)["cancelled"]
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, json.loads(out)["cause"]) == (1, "cancelled")


def test_on_a_branch_that_is_no_experiment_git_is_left_alone(world: World, session: str) -> None:
    world.repo.git("checkout", "-q", "main")
    head = world.repo.git("rev-parse", "HEAD")
    logged = answer(world, "log", "--session", session, "--run", run(world, session, 90), "--outcome", "keep")
    assert (logged["commit"], world.repo.git("rev-parse", "HEAD")) == (None, head)
    assert "git.keep" in " ".join(logged["notes"])
    logged = answer(world, "log", "--session", session, "--run", run(world, session, 500), "--outcome", "discard", "--baseline", head)
    assert (logged["reverted_to"], (world.repo.root / "metrics.txt").read_text()) == (None, "loss=500\n")


def test_the_config_says_what_is_committed_and_what_is_checked(world: World, session: str) -> None:
    lines = ["version: 1", "benchmarks:", "  b:", "    run: x", "    metric: {name: ms, better: lower}", "    checks: test -e ok"]
    world.repo.commit({".github/assay.yml": "\n".join([*lines, "git: {allow: ['src/**']}"]) + "\n"})
    other = str(answer(world, "init", "--name", "ms", "--metric", "ms", "--better", "lower")["session"])
    world.repo.write({"src/a.py": "A = 2\n", "lib.py": "L = 1\n"})
    failed = answer(world, "run", "--session", other, "--", "echo", "METRIC ms=1", code=1)
    assert failed["checks"]["state"] == "failed"
    answer(world, "log", "--session", other, "--run", failed["handle"], "--outcome", "keep", code=2)
    world.repo.write({"ok": ""})
    good = answer(world, "run", "--session", other, "--", "echo", "METRIC ms=1")
    logged = answer(world, "log", "--session", other, "--run", good["handle"], "--outcome", "keep")
    assert world.repo.git("show", "--format=", "--name-only", "HEAD") == "src/a.py"
    assert any("lib.py" in note and "git.allow" in note for note in logged["notes"])


def test_secrets_and_large_files_are_committed_only_when_they_are_named(world: World, session: str) -> None:
    world.repo.write({".env": "KEY=1\n", "big.bin": b"x" * 11_000_000})
    logged = answer(world, "log", "--session", session, "--run", run(world, session, 90), "--outcome", "keep")
    assert world.repo.git("show", "--format=", "--name-only", "HEAD") == "metrics.txt"
    assert {word for word in (".env", "big.bin") if word in " ".join(logged["notes"])} == {".env", "big.bin"}
    handle = run(world, session, 80)
    answer(world, "log", "--session", session, "--run", handle, "--outcome", "keep", "--include", ".env")
    assert world.repo.git("show", "--format=", "--name-only", "HEAD").split() == [".env", "metrics.txt"]


def test_what_was_changed_after_the_run_is_not_in_its_commit(world: World, session: str) -> None:
    handle = run(world, session, 90)
    world.repo.write({"src/a.py": "A = 2\n"})
    logged = answer(world, "log", "--session", session, "--run", handle, "--outcome", "keep")
    assert world.repo.git("show", "--format=", "--name-only", "HEAD") == "metrics.txt"
    assert (world.repo.root / "src/a.py").read_text() == "A = 2\n"
    assert any("src/a.py" in note for note in logged["notes"])


def test_a_ledger_goes_in_and_out(world: World, session: str) -> None:
    lines = ['{"type":"config","name":"old","metricName":"ms","metricUnit":"","bestDirection":"lower"}']
    lines += [
        '{"run":1,"commit":"abc1234","metric":5,"metrics":{},"status":"keep","description":"x","timestamp":1740830400000,"segment":0}'
    ]
    (world.repo.root / "log.jsonl").write_text("\n".join(lines) + "\n")
    imported = answer(world, "import", "log.jsonl")
    assert (imported["mode"], imported["runs"]) == ("created", 1)
    answer(world, "import", "log.jsonl", code=2)
    out = world.assay("experiment", "export", "--session", imported["session"]).out
    assert [json.loads(line).get("status") for line in out.splitlines()] == [None, "keep"]
    answer(world, "archive", "--session", imported["session"])
    assert session != imported["session"]


def test_outside_of_git_runs_are_recorded_and_nothing_is_kept(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    begun = world.assay(
        "experiment", "init", "--json", "--name", "x", "--metric", "m", "--better", "lower", cwd=folder, env=ceiling(tmp_path)
    )
    name = begun.result["session"]
    ran = world.assay("experiment", "run", "--json", "--session", name, "--", "echo", "METRIC m=1", cwd=folder, env=ceiling(tmp_path))
    words = ("experiment", "log", "--json", "--session", name, "--run", ran.result["handle"], "--outcome")
    refused = world.assay(*words, "keep", cwd=folder, env=ceiling(tmp_path))
    assert (refused.code, refused.result["error"]["code"]) == (2, "git_not_configured")
    assert world.assay(*words, "pending", cwd=folder, env=ceiling(tmp_path)).code == 0


def ceiling(folder: Path) -> dict[str, str]:
    return {"GIT_CEILING_DIRECTORIES": str(folder)}

"""`assay queue` as a user calls it: the queue by hand and by command, workers that are killed, and all of it at once."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import World
from tests.harness.waiting import until

CONFIG = """\
version: 1
benchmarks:
  train:
    run: sh train.sh {seed} {batch}
    metric: {name: loss, better: lower}
    seeds: [1, 2, 3]
    warmup: 0
    batch: {size: 64, min: 8}
    timeout: 60s
"""
TRAIN = '. ./kind.sh\necho "METRIC loss=$1.$2"\n'
OOM = '[ "$2" -gt 16 ] && { echo "torch.OutOfMemoryError: CUDA out of memory." >&2; exit 1; }\n'
CRASH = '[ "$1" = 2 ] && { echo "no such file" >&2; exit 3; }\n'
HANG = '[ "$1" = 3 ] && sleep 1000\n'


@pytest.fixture
def lab(world: World) -> World:
    world.repo.commit({".github/assay.yml": CONFIG, "train.sh": TRAIN, "kind.sh": "true\n"})
    return world


def answer(world: World, *words: str, code: int = 0) -> dict[str, Any]:
    """The one document on stdout."""
    verb, *rest = words
    done = world.assay("queue", verb, "--json", *rest)
    assert done.code == code, done.text
    return done.result


def file_of(world: World) -> Path:
    return world.repo.root / ".assay/store/queue.json"


def by_hand(world: World, change: Any) -> None:
    """Change the file as an editor does."""
    text = json.loads(file_of(world).read_text())
    change(text)
    scratch = file_of(world).with_name("queue.json~")
    scratch.write_text(json.dumps(text, indent=1))
    scratch.replace(file_of(world))


def runs(world: World) -> dict[str, dict[str, Any]]:
    found = [json.loads(path.read_text()) for path in (world.repo.root / ".assay/store/runs").rglob("*.json")]
    return {str(one["run_id"]): one for one in found}


def test_the_queue_by_hand_from_add_to_done(lab: World) -> None:
    jobs = answer(lab, "add", "--seeds", "5,6")["jobs"]
    assert [(one["seed"], one["batch_size"], one["commit"]) for one in jobs] == [
        (5, 64, lab.repo.git("rev-parse", "HEAD")),
        (6, 64, lab.repo.git("rev-parse", "HEAD")),
    ]
    taken = answer(lab, "take")
    assert (taken["status"], taken["job"]["job_id"]) == ("taken", jobs[0]["job_id"])
    assert answer(lab, "take")["status"] == "at_capacity"
    first = str(jobs[0]["job_id"])
    assert answer(lab, "oom", first)["job"]["batch_size"] == 32
    again = answer(lab, "take")
    assert again["job"]["job_id"] == jobs[1]["job_id"]
    answer(lab, "progress", str(jobs[1]["job_id"]), "--pid", str(os.getpid()))
    assert answer(lab, "done", str(jobs[1]["job_id"]), "--claim", str(again["claim"]))["job"]["status"] == "done"
    answer(lab, "take")
    assert answer(lab, "fail", first, "--error", "no disk")["job"]["last_error"] == "no disk"
    assert answer(lab, "take")["status"] == "no_jobs"
    assert answer(lab, "list")["counts"] == {"queued": 0, "running": 0, "done": 1, "failed": 1}
    assert answer(lab, "drop", first)["left"] == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("done", "job-nobody"), "unknown_job"),
        (("add", "--param", "lr=1"), "fan_out"),
        (("add", "--seeds", "1,1"), "error"),
        (("add", "--benchmark", "nobody"), "error"),
        (("add", "--baseline", "no-such-ref"), "error"),
        (("list", "--status", "lost"), "error"),
        (("progress", "job-nobody", "--pid", "4194304"), "error"),
    ],
)
def test_a_refusal_is_a_document_with_a_code_and_exit_two(lab: World, words: tuple[str, ...], code: str) -> None:
    told = answer(lab, *words, code=2)["error"]
    assert told["message"]
    assert told["hint"]
    assert told["code"] == code


def test_a_wrong_hand_edit_is_told_with_its_line_and_no_command_writes_over_it(lab: World) -> None:
    answer(lab, "add")
    file_of(lab).write_text(
        '{\n  "schema": "assay.queue/1",\n  "jobs": [\n    {"job_id": "x", "benchmark": "train", "seed": "one"}\n  ]\n}\n'
    )
    before = file_of(lab).read_bytes()
    for words in (("add",), ("take",)):
        assert "queue.json:4: jobs.0.seed" in answer(lab, *words, code=2)["error"]["message"]
    worker = lab.assay("queue", "work")
    assert (worker.code, "queue.json:4" in worker.err) == (2, True)
    assert file_of(lab).read_bytes() == before


def test_what_workers_measured_answers_a_check_of_all_seeds(lab: World) -> None:
    answer(lab, "add")
    worked = answer(lab, "work")
    assert [one["status"] for one in worked["attempts"]] == ["done"] * 3
    asked = lab.assay("reuse", "--benchmark", "train", "--json").result
    assert (asked["reuse"], asked["via"]) == (True, "commit")
    assert answer(lab, "work")["last"] == "no_jobs"
    assert lab.assay("queue", "work").out == "Nothing was measured: no job is queued.\n"


def test_a_killed_worker_leaves_a_job_that_the_next_one_takes_at_once(lab: World) -> None:
    gate = '[ -e "$GO" ] || [ $(wc -l < "$GO.count") -lt 3 ] || { echo started; sleep 1000; }'
    lab.repo.commit({"kind.sh": f'echo x >> "$GO.count"; {gate}\n'})
    config = CONFIG + f"    env: {{set: {{GO: {lab.folder}/go}}}}\n"
    lab.repo.commit({".github/assay.yml": config})
    job = str(answer(lab, "add", "--together")["jobs"][0]["job_id"])
    worker = lab.start("queue", "work")
    logs = lab.repo.root / ".assay/logs"
    until(lambda: any("started" in path.read_text() for path in logs.rglob("*-head.log")))
    worker.send_signal(signal.SIGKILL)
    worker.communicate(timeout=60)
    assert answer(lab, "list")["jobs"][0]["status"] == "running"
    (lab.folder / "go").touch()
    worked = answer(lab, "work")
    assert [(one["job_id"], one["status"]) for one in worked["attempts"]] == [(job, "done")]
    final = answer(lab, "list")["jobs"][0]
    assert (final["stale_count"], final["last_error"]) == (1, None)
    assert sorted((run["status"], len(run["samples"])) for run in runs(lab).values()) == [("complete", 3), ("partial", 2)]


def test_a_worker_that_is_told_to_end_puts_its_job_back(lab: World) -> None:
    lab.repo.commit({"kind.sh": "echo started; sleep 1000\n"})
    answer(lab, "add", "--seeds", "1")
    worker = lab.start("queue", "work")
    until(lambda: any("started" in path.read_text() for path in (lab.repo.root / ".assay/logs").rglob("*-head.log")))
    worker.send_signal(signal.SIGTERM)
    worker.communicate(timeout=60)
    assert worker.returncode == 130
    job = answer(lab, "list")["jobs"][0]
    assert (job["status"], job["retry_count"], job["pid"]) == ("queued", 0, None)
    assert [one["status"] for one in runs(lab).values()] == ["cancelled"]


def test_two_workers_bring_three_seeds_of_four_baselines_to_the_right_end(lab: World) -> None:
    """One baseline runs out of memory, one crashes for a seed, one hangs for a seed, and a person edits meanwhile."""
    commits = {
        kind: lab.repo.commit({"kind.sh": text + "true\n"}, kind)
        for kind, text in (("plain", ""), ("oom", OOM), ("crash", CRASH), ("hang", HANG))
    }
    names = {commit: kind for kind, commit in commits.items()}
    jobs = answer(lab, "add", *(word for commit in commits.values() for word in ("--baseline", commit)))["jobs"]
    assert len({one["job_id"] for one in jobs}) == 12

    def prepare(text: dict[str, Any]) -> None:
        text["config"] |= {"max_concurrent": 2, "stale_timeout_seconds": 2, "max_stale_retries": 1}

    by_hand(lab, prepare)
    workers = [lab.start("queue", "work", "--json") for _ in range(2)]
    until(lambda: answer(lab, "list")["counts"]["done"] >= 1)

    def edit(text: dict[str, Any]) -> None:
        text["jobs"].append({"job_id": "mine", "benchmark": "train", "seed": 9, "commit": commits["plain"], "batch_size": 2, "priority": 5})

    by_hand(lab, edit)
    done = [worker.communicate(timeout=180) for worker in workers]
    assert sorted({worker.returncode for worker in workers}) in ([0, 1], [1]), done
    final = answer(lab, "list")
    assert final["counts"] == {"queued": 0, "running": 0, "done": 11, "failed": 2}
    ends = {(names[one["commit"]], one["seed"]): one for one in final["jobs"]}
    assert len(final["jobs"]) == len(ends) == 13
    assert {key for key, one in ends.items() if one["status"] == "failed"} == {("crash", 2), ("hang", 3)}
    assert [(ends["oom", seed]["batch_size"], ends["oom", seed]["oom_count"]) for seed in (1, 2, 3)] == [(16, 2)] * 3
    assert (ends["hang", 3]["stale_count"], ends["crash", 2]["stale_count"], ends["plain", 9]["batch_size"]) == (2, 0, 2)
    stored = runs(lab)
    for (kind, seed), one in ends.items():
        if one["status"] == "done":
            run = stored[one["run_id"]]
            assert (run["commit"], run["seeds"], run["samples"][0]["value"]) == (
                commits[kind],
                [seed],
                float(f"{seed}.{one['batch_size']}"),
            )
            assert run["status"] == ("degraded" if kind == "oom" else "complete")
    # a run for each attempt: 11 good, 6 out of memory, a crash, two silences; and the whole of the one baseline that is clean
    assert len(stored) == 11 + 6 + 1 + 2 + 1
    attempts = [one for out, _ in done for one in json.loads(out)["attempts"]]
    assert len(attempts) == 11 + 6 + 1 + 2


def test_on_a_data_branch_jobs_and_runs_are_there_for_every_clone(lab: World) -> None:
    remote = lab.folder / "remote.git"
    lab.repo.git("init", "-q", "--bare", "-b", "main", str(remote))
    lab.repo.git("remote", "add", "origin", str(remote))
    lab.repo.git("push", "-q", "origin", "main")
    answer(lab, "add", "--seeds", "1", "--store", "branch")
    lab.repo.git("clone", "-q", str(remote), str(lab.folder / "other"))
    worked = lab.assay("queue", "work", "--store", "branch", "--json", cwd=lab.folder / "other")
    assert worked.code == 0, worked.text
    (job,) = answer(lab, "list", "--store", "branch")["jobs"]
    assert (job["status"], job["run_id"]) == ("done", worked.result["attempts"][0]["run_id"])
    stored = lab.repo.git("-C", str(remote), "ls-tree", "-r", "--name-only", "assay-data").splitlines()
    assert [name.rpartition("/")[2] for name in stored if name.startswith("runs/")] == [f"{job['run_id']}.json"]

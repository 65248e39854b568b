"""The queue on a real Slurm: two workers in two allocations bring it to the end that it has on one machine.

Run by `make cluster`; the name keeps it out of `make test`.
"""

import json
from pathlib import Path
from typing import Any

from tests.cluster.conftest import Lab
from tests.harness.waiting import until

CONFIG = """\
version: 1
machines:
  cluster: {runner: slurm, slurm: {exclusive: false, time: 10m}}
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
KINDS = {
    "plain": "",
    "oom": '[ "$2" -gt 16 ] && { echo "torch.OutOfMemoryError: CUDA out of memory." >&2; exit 1; }\n',
    "crash": '[ "$1" = 2 ] && { echo "no such file" >&2; exit 3; }\n',
    "hang": '[ "$1" = 3 ] && sleep 1000\n',
}


def answer(lab: Lab, *words: str) -> dict[str, Any]:
    code, out, err = lab.assay("queue", *words, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def by_hand(lab: Lab, change: Any) -> None:
    """Change the file as an editor does."""
    file = Path(lab.repo.root, ".assay/store/queue.json")
    text = json.loads(file.read_text())
    change(text)
    scratch = file.with_name("queue.json~")
    scratch.write_text(json.dumps(text, indent=1))
    scratch.replace(file)


def test_two_workers_on_slurm_bring_three_seeds_of_four_baselines_to_the_right_end(cluster: Lab) -> None:
    cluster.repo.commit({".github/assay.yml": CONFIG, "train.sh": TRAIN, "kind.sh": "true\n"})
    commits = {kind: cluster.repo.commit({"kind.sh": text + "true\n"}, kind) for kind, text in KINDS.items()}
    names = {commit: kind for kind, commit in commits.items()}
    answer(cluster, "add", *(word for commit in commits.values() for word in ("--baseline", commit)))

    def prepare(text: dict[str, Any]) -> None:
        text["config"] |= {"max_concurrent": 2, "stale_timeout_seconds": 2, "max_stale_retries": 1}

    by_hand(cluster, prepare)
    workers = cluster.start("queue", "work", "--machine", "cluster", "--workers", "2", "--json")
    until(lambda: answer(cluster, "list")["counts"]["done"] >= 1)

    def edit(text: dict[str, Any]) -> None:
        text["jobs"].append({"job_id": "mine", "benchmark": "train", "seed": 9, "commit": commits["plain"], "batch_size": 2, "priority": 5})

    by_hand(cluster, edit)
    out, err = workers.communicate(timeout=240)
    assert workers.returncode == 1, err
    final = answer(cluster, "list")
    assert final["counts"] == {"queued": 0, "running": 0, "done": 11, "failed": 2}
    ends = {(names[one["commit"]], one["seed"]): one for one in final["jobs"]}
    assert {key for key, one in ends.items() if one["status"] == "failed"} == {("crash", 2), ("hang", 3)}
    assert [(ends["oom", seed]["batch_size"], ends["oom", seed]["oom_count"]) for seed in (1, 2, 3)] == [(16, 2)] * 3
    assert len(json.loads(out)["attempts"]) == 11 + 6 + 1 + 2
    assert set(json.loads(out)["workers"]) == {"worker-1", "worker-2"}


def test_a_machine_that_is_no_cluster_is_refused(cluster: Lab) -> None:
    cluster.repo.commit({".github/assay.yml": CONFIG, "train.sh": TRAIN, "kind.sh": "true\n"})
    code, _, err = cluster.assay("queue", "work", "--machine", "box")
    assert code == 2
    assert "The config has: cluster." in err

"""`runner: slurm` on a real one-node Slurm: jobs sent, followed, cancelled; what dies takes no sample with it.

Run by `make cluster`, which installs Slurm; the name keeps it out of `make test`.
"""

import json
import os
import signal
import subprocess
from pathlib import Path

from tests.cluster.conftest import Lab
from tests.cluster.slurm_server import SlurmServer
from tests.harness.waiting import until

CONFIG = """\
version: 1
machines:
  cluster: {runner: slurm, slurm: {partition: PARTITION, gres: "gpu:1", exclusive: false, time: 10m, memory: 100MiB}}
benchmarks:
  loss:
    run: cat out.txt
    metric: {name: loss, better: lower}
    machine: cluster
    warmup: 0
    repeats: {min: 4, max: 4}
  device:
    run: 'echo "METRIC device=$CUDA_VISIBLE_DEVICES.5"'
    metric: {name: device, better: lower}
    machine: cluster
    warmup: 0
    repeats: {min: 4, max: 4}
"""
LONG = """\
version: 1
machines:
  cluster: {runner: slurm, slurm: {exclusive: false, time: 10m}}
benchmarks:
  loss:
    run: sh bench.sh
    metric: {name: loss, better: lower}
    machine: cluster
    env: {pass: [GATE]}
    warmup: 0
    repeats: {min: 4, max: 4}
"""
BENCH = 'cat out.txt; echo x >> "$GATE/count"; while [ $(wc -l < "$GATE/count") -gt 5 ] && [ ! -e "$GATE/open" ]; do sleep 0.05; done\n'
"""Five processes run through; each further one stops at the gate, after it has printed, until that is opened."""


SEEDS = """\
version: 1
machines:
  cluster: {runner: slurm, slurm: {exclusive: false, time: 10m, spread: true}}
benchmarks:
  loss:
    run: 'echo "METRIC loss=$(( $(cat out.txt) + {seed} ))"'
    metric: {name: loss, better: lower}
    machine: cluster
    warmup: 0
    seeds: [13, 42, 123]
"""


def gated(lab: Lab, tmp_path: Path) -> Path:
    """A project whose session stops in its sixth process."""
    gate = tmp_path / "gate"
    gate.mkdir(mode=0o777)
    (gate / "count").touch()
    for path in (gate, gate / "count"):
        path.chmod(0o777)
    lab.variables["GATE"] = str(gate)
    lab.repo.commit({".github/assay.yml": LONG, "bench.sh": BENCH, "out.txt": "METRIC loss=120\n"})
    lab.repo.commit({"out.txt": "METRIC loss=100\n"})
    return gate


def at_the_gate(gate: Path) -> None:
    until(lambda: len((gate / "count").read_text().splitlines()) > 5)


def planned(lab: Lab) -> subprocess.Popen[str]:
    """A plan, and the command that has its cell measured."""
    code, _, err = lab.assay("plan", "--base", "HEAD~1", "--artifact", "hand")
    assert code == 0, err
    return lab.start("run", "--artifact", "hand", "--json")


def test_a_check_has_its_benchmarks_measured_as_one_array(cluster: Lab, slurm: SlurmServer) -> None:
    cluster.repo.commit({".github/assay.yml": CONFIG.replace("PARTITION", "gpu"), "out.txt": "METRIC loss=120\n"})
    cluster.repo.commit({"out.txt": "METRIC loss=150\n"})
    code, out, err = cluster.assay("check", "--base", "HEAD~1", "--json")
    assert code == 1, err
    loss, device = json.loads(out)["benchmarks"]
    assert (loss["status"], loss["comparisons"][0]["verdict"]) == ("measured", "regressed")
    assert device["comparisons"][0]["head"] in ([0.5] * 4, [1.5] * 4)  # the one GPU of the two that Slurm gave it
    runs = [run for run in cluster.stored() if run["benchmark"] == "loss"]
    assert len({run["session_id"] for run in runs}) == 1
    assert sorted(one["order"] for run in runs for one in run["processes"]) == list(range(8))
    assert all(f"of Slurm on {slurm.host}" in " ".join(run["notes"]) and "_" in " ".join(run["notes"]) for run in runs)
    again, out, err = cluster.assay("check", "--base", "HEAD~1", "--json")
    assert again == 1, err
    assert [one["status"] for one in json.loads(out)["benchmarks"]] == ["reused", "reused"]
    assert cluster.repo.git("status", "--porcelain") == ""


def test_each_seed_may_be_a_job_of_its_own_and_all_of_them_are_one_run(cluster: Lab, slurm: SlurmServer) -> None:
    cluster.repo.commit({".github/assay.yml": SEEDS, "out.txt": "1000\n"})
    cluster.repo.commit({"out.txt": "500\n"})
    code, out, err = cluster.assay("check", "--base", "HEAD~1", "--json")
    assert code == 0, err
    assert all(f"loss@{seed} on cluster (Slurm): job" in err for seed in (13, 42, 123))
    (loss,) = json.loads(out)["benchmarks"]
    assert (loss["comparisons"][0]["verdict"], loss["comparisons"][0]["head"]) == ("improved", [513.0, 542.0, 623.0])
    runs = cluster.stored()
    assert [run["seeds"] for run in runs] == [[13, 42, 123]] * 2
    assert len({run["session_id"] for run in runs}) == 1
    assert {run["status"] for run in runs} == {"complete"}
    assert all("Its seeds were measured in 3 allocations on 1 box." in run["notes"] for run in runs)
    code, out, err = cluster.assay("check", "--base", "HEAD~1", "--json")
    assert (code, json.loads(out)["benchmarks"][0]["status"]) == (0, "reused"), err


def test_a_cluster_that_takes_no_job_is_told_in_its_own_words(cluster: Lab) -> None:
    cluster.repo.commit({".github/assay.yml": CONFIG.replace("PARTITION", "nowhere"), "out.txt": "METRIC loss=120\n"})
    cluster.repo.commit({"out.txt": "METRIC loss=150\n"})
    code, out, err = cluster.assay("check", "--base", "HEAD~1")
    assert code == 4
    assert "nvalid partition" in err
    assert "no job" in err
    assert out == ""


def test_a_cancelled_check_cancels_its_jobs_and_keeps_what_was_measured(cluster: Lab, slurm: SlurmServer, tmp_path: Path) -> None:
    gate = gated(cluster, tmp_path)
    waiting = planned(cluster)
    at_the_gate(gate)
    os.kill(waiting.pid, signal.SIGTERM)
    _, err = waiting.communicate(timeout=120)
    assert waiting.returncode == 130, err
    until(lambda: not slurm.jobs())
    assert cluster.assay("report", "--artifact", "hand")[0] == 4
    runs = cluster.stored()
    assert {run["status"] for run in runs} <= {"cancelled", "partial"}
    assert sum(len(run["samples"]) for run in runs) == 5


def test_a_killed_daemon_loses_no_sample(cluster: Lab, slurm: SlurmServer, tmp_path: Path) -> None:
    gate = gated(cluster, tmp_path)
    waiting = planned(cluster)
    at_the_gate(gate)
    slurm.kill_daemon()
    (gate / "open").touch()
    out, err = waiting.communicate(timeout=120)
    slurm.start_node()
    assert waiting.returncode == 0, err
    assert json.loads(out)["cells"][0]["state"] == "measured"
    assert cluster.assay("report", "--artifact", "hand")[0] == 0
    assert [len(run["samples"]) for run in cluster.stored()] == [4, 4]


def test_a_node_that_dies_loses_no_sample_and_its_cell_is_measured_anew(cluster: Lab, slurm: SlurmServer, tmp_path: Path) -> None:
    gate = gated(cluster, tmp_path)
    waiting = planned(cluster)
    at_the_gate(gate)
    slurm.kill_node()
    (gate / "open").touch()
    slurm.start_node()
    slurm.hasten()
    out, err = waiting.communicate(timeout=120)
    assert waiting.returncode == 0, err + out
    code, out, err = cluster.assay("report", "--artifact", "hand")
    assert code == 0, err
    assert "ended early" in out + err
    samples = [(run["status"], len(run["samples"])) for run in cluster.stored()]
    assert [count for status, count in samples if status == "complete"] == [4, 4]
    assert sum(count for status, count in samples if status == "partial") == 5


def test_who_waits_may_be_killed_and_another_one_goes_on_with_the_same_job(cluster: Lab, slurm: SlurmServer, tmp_path: Path) -> None:
    gate = gated(cluster, tmp_path)
    waiting = planned(cluster)
    at_the_gate(gate)
    os.kill(waiting.pid, signal.SIGKILL)
    waiting.communicate(timeout=60)
    (before,) = slurm.jobs()
    second = cluster.start("run", "--artifact", "hand", "--json")
    assert second.stderr is not None
    while f"job {before.split()[0]} runs" not in (line := second.stderr.readline()):
        assert line, "it ended without a word on the job"
    (gate / "open").touch()
    out, err = second.communicate(timeout=120)
    assert second.returncode == 0, err
    assert json.loads(out)["cells"][0]["state"] == "measured"
    assert cluster.assay("report", "--artifact", "hand")[0] == 0
    assert [len(run["samples"]) for run in cluster.stored()] == [4, 4]

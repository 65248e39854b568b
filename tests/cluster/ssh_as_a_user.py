"""`runner: ssh` on a real sshd: cells sent, followed, fetched; what is unplugged loses nothing.

Run by `make cluster`; the name keeps it out of `make test`.
"""

import json
import os
import signal
import sys
from pathlib import Path

from tests.cluster.conftest import Lab
from tests.cluster.ssh_server import SshServer
from tests.harness.waiting import until

CONFIG = """\
version: 1
machines:
  box: {{runner: ssh, ssh: {{host: box, folder: {there}, python: {python}}}}}
benchmarks:
  loss:
    run: {run}
    metric: {{name: loss, better: lower}}
    machine: box
    inputs: [data]
    warmup: 0
    repeats: {{min: 4, max: 4}}
"""
PLAIN = "cat out.txt; cat data/more.txt"
GATED = "cat out.txt; echo x >> {gate}/count; while [ $(wc -l < {gate}/count) -gt 5 ] && [ ! -e {gate}/open ]; do sleep 0.05; done"
"""Five processes run through; each further one stops at the gate until that is opened."""


def project(lab: Lab, tmp_path: Path, run: str, python: str = sys.executable) -> Path:
    """A base and a head whose benchmark belongs on the box; the folder that Assay may use there."""
    there = tmp_path / "there"
    config = CONFIG.format(there=there, python=python, run=json.dumps(run))
    lab.repo.commit({".github/assay.yml": config, "out.txt": "METRIC loss=120\n", ".gitignore": "data/\nhand/\n"})
    lab.repo.write({"data/more.txt": "METRIC more=1\n"})
    lab.repo.commit({"out.txt": "METRIC loss=100\n"})
    return there


def gated(lab: Lab, tmp_path: Path) -> Path:
    gate = tmp_path / "gate"
    gate.mkdir()
    (gate / "count").touch()
    for path in (gate, gate / "count"):
        path.chmod(0o777)
    project(lab, tmp_path, GATED.format(gate=gate))
    return gate


def at_the_gate(gate: Path) -> None:
    until(lambda: len((gate / "count").read_text().splitlines()) > 5)


def test_a_check_measures_on_the_box_and_says_so_in_the_envelope(remote: Lab, tmp_path: Path) -> None:
    there = project(remote, tmp_path, PLAIN)
    code, out, err = remote.assay("check", "--base", "HEAD~1", "--json")
    assert code == 0, err
    (loss,) = json.loads(out)["benchmarks"]
    assert (loss["status"], loss["comparisons"][0]["verdict"]) == ("measured", "improved")
    assert "loss: 8 of at most 8" in err
    for run in remote.stored():
        assert "Measured over ssh on box." in run["notes"]
        assert run["machine"]["machine_class"] != "unknown"
        assert run["inputs"].keys() == {"data"}
        assert {one["metric"] for one in run["samples"]} == {"loss", "more"}
    (job,) = there.iterdir()
    assert (job / "repo" / "out.txt").read_text() == "METRIC loss=100\n"
    assert remote.repo.git("status", "--porcelain") == ""


def test_an_unplugged_box_loses_nothing(remote: Lab, box: SshServer, tmp_path: Path) -> None:
    gate = gated(remote, tmp_path)
    waiting = remote.start("check", "--base", "HEAD~1", "--json")
    at_the_gate(gate)
    box.unplug()
    assert waiting.stderr is not None
    while "cannot be reached" not in (line := waiting.stderr.readline()):
        assert line, "it ended without a word on the box"
    (gate / "open").touch()
    box.plug()
    out, err = waiting.communicate(timeout=120)
    assert waiting.returncode == 0, err
    assert "answers again" in err
    assert json.loads(out)["benchmarks"][0]["comparisons"][0]["verdict"] == "improved"
    assert [len(run["samples"]) for run in remote.stored()] == [4, 4]


def test_who_waits_may_be_killed_and_another_one_fetches_what_was_measured(remote: Lab, tmp_path: Path) -> None:
    gate = gated(remote, tmp_path)
    assert remote.assay("plan", "--base", "HEAD~1", "--artifact", "hand")[0] == 0
    waiting = remote.start("run", "--artifact", "hand")
    at_the_gate(gate)
    os.kill(waiting.pid, signal.SIGKILL)
    waiting.communicate(timeout=60)
    (gate / "open").touch()
    code, out, err = remote.assay("run", "--artifact", "hand", "--json")
    assert code == 0, err
    assert json.loads(out)["cells"][0]["state"] == "measured"
    assert len((gate / "count").read_text().splitlines()) == 8
    assert remote.assay("report", "--artifact", "hand")[0] == 0


def test_a_cell_that_is_killed_is_told_and_its_samples_are_stored(remote: Lab, tmp_path: Path) -> None:
    gate = gated(remote, tmp_path)
    assert remote.assay("plan", "--base", "HEAD~1", "--artifact", "hand")[0] == 0
    waiting = remote.start("run", "--artifact", "hand")
    at_the_gate(gate)
    (job,) = (tmp_path / "there").iterdir()
    os.kill(int((job / "child").read_text()), signal.SIGKILL)
    _, err = waiting.communicate(timeout=120)
    assert waiting.returncode == 4
    assert "killed, perhaps for want of memory" in err
    (gate / "open").touch()
    code, _, err = remote.assay("report", "--artifact", "hand")
    assert code == 4
    assert "is stored" in err
    assert sum(len(run["samples"]) for run in remote.stored()) == 5
    assert {run["status"] for run in remote.stored()} == {"partial"}


def test_a_cancelled_check_ends_what_runs_there_and_keeps_what_was_measured(remote: Lab, tmp_path: Path) -> None:
    gate = gated(remote, tmp_path)
    assert remote.assay("plan", "--base", "HEAD~1", "--artifact", "hand")[0] == 0
    waiting = remote.start("run", "--artifact", "hand")
    at_the_gate(gate)
    (job,) = (tmp_path / "there").iterdir()
    driver = Path("/proc", (job / "pid").read_text().strip())
    os.kill(waiting.pid, signal.SIGTERM)
    _, err = waiting.communicate(timeout=120)
    assert waiting.returncode == 130, err
    until(lambda: not driver.exists())
    assert remote.assay("report", "--artifact", "hand")[0] == 4
    assert sum(len(run["samples"]) for run in remote.stored()) == 5


def test_a_box_without_a_fitting_python_says_what_to_do_there(remote: Lab, tmp_path: Path) -> None:
    project(remote, tmp_path, PLAIN, python="/bin/false")
    code, out, err = remote.assay("check", "--base", "HEAD~1")
    assert code == 4
    assert "/bin/false is no Python 3.11 or newer" in err
    assert out == ""

"""A real Slurm of one node, with munge, in a folder of the test's own: nothing of the machine's own Slurm is touched."""

import os
import re
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.harness.waiting import until

DEAD_S = 20

_CONF = """\
ClusterName=assaytest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={daemon}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmUser=root
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
KillWait=5
SlurmdTimeout={dead}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000 Gres=gpu:2 State=UNKNOWN
PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:4 State=UP
"""


class SlurmServer:
    """Starts munged, slurmctld and slurmd, and ends them by their pid files. `conf` is what SLURM_CONF has to name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.conf = folder / "slurm.conf"
        self.host = socket.gethostname().partition(".")[0]

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "SLURM_CONF": str(self.conf)}

    def start(self) -> None:
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        controller, daemon = _free_ports()
        self.conf.write_text(_CONF.format(host=self.host, folder=self.folder, controller=controller, daemon=daemon, dead=DEAD_S))
        (self.folder / "gres.conf").write_text(f"NodeName={self.host} Name=gpu File=/dev/null,/dev/zero\n")
        if self._version() >= 23:  # which would else ask systemd for a place of its own
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        (self.folder / "munge.key").write_bytes(os.urandom(1024))
        (self.folder / "munge.key").chmod(0o400)
        names = ("key-file", "key"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"), ("socket", "sock")
        self._run("munged", "--force", *(f"--{option}={self.folder}/munge.{ending}" for option, ending in names))
        until((self.folder / "munge.sock").exists)
        self._run("slurmctld")
        self.start_node()

    def _version(self) -> int:
        found = re.search(r"([0-9]+)\.", self.ask("slurmd", "-V"))
        return int(found[1]) if found else 0

    def start_node(self) -> None:
        """The node's daemon, and no more than that: what still runs from before is found by it."""
        self._run("slurmd")
        until(self._ready, lambda: self.ask("sinfo") + self._log("slurmctld") + self._log("slurmd"))

    def _ready(self) -> bool:
        state = self.ask("sinfo", "--noheader", "--format=%T").strip()
        return state.startswith(("idle", "mixed", "allocated")) and "*" not in state

    def ask(self, *words: str) -> str:
        """What one of Slurm's commands prints."""
        return subprocess.run(words, check=False, env=self.env, capture_output=True, text=True, timeout=60).stdout

    def jobs(self) -> list[str]:
        """The jobs that wait or run, as `12_0 RUNNING`."""
        return self.ask("squeue", "--noheader", "--array", "--format=%i %T").split("\n")[:-1]

    def hasten(self) -> None:
        """Start what was queued again, once nothing is on its way any more to end the first: Slurm waits for two minutes instead."""
        until(lambda: re.search(r"Agent queue size: *0\s", self.ask("sdiag")) and re.search(r"Agent count: *0\s", self.ask("sdiag")))
        until(lambda: [one for one in self.jobs() if one.endswith("PENDING")], lambda: str(self.jobs()))
        for job in self.jobs():
            self.ask("scontrol", "update", f"JobId={job.split()[0]}", "StartTime=now")

    def kill_daemon(self) -> None:
        """As the out-of-memory killer would: slurmd is gone, the job's own processes are not."""
        self._kill("slurmd", signal.SIGKILL)

    def kill_node(self) -> None:
        """As a power failure would: slurmd and all that it ever started on this node; and the controller has noticed."""
        self.kill_daemon()
        until(lambda: not self._kill_steps())
        self.ask("scontrol", "update", f"NodeName={self.host}", "State=DOWN", "Reason=power")

    def _kill_steps(self) -> bool:
        """Kill the stewards of our jobs and everything below them; whether there were any."""
        found = [pid for pid, words in _processes() if words.startswith("slurmstepd: [") and self._is_ours(pid)]
        for steward in found:
            for pid in (steward, *_below(steward)):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        return bool(found)

    def _is_ours(self, pid: int) -> bool:
        with suppress(OSError):
            return str(self.folder) in "".join(str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir())
        return False

    def close(self) -> None:
        self.ask("scancel", "--user=root")
        with suppress(AssertionError):
            until(lambda: not self.jobs())
        for name in ("slurmd", "slurmctld", "munge"):
            self._kill(name, signal.SIGTERM)
        self._kill_steps()

    def _kill(self, name: str, number: signal.Signals) -> None:
        path = self.folder / f"{name}.pid"
        with suppress(OSError, ValueError):
            pid = int(path.read_text())
            os.kill(pid, number)
            until(lambda: not Path(f"/proc/{pid}").exists())
            path.unlink(missing_ok=True)

    def _run(self, *words: str) -> None:
        done = subprocess.run(words, check=False, env=self.env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{words[0]}: {done.stdout}{done.stderr}"

    def _log(self, name: str) -> str:
        path = self.folder / f"{name}.log"
        return "\n".join(path.read_text(errors="replace").splitlines()[-20:]) if path.exists() else ""


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def _processes() -> list[tuple[int, str]]:
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit():
                found.append((int(entry.name), (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")))
    return found


def _below(parent: int) -> list[int]:
    """The descendants of a process."""
    children: dict[int, list[int]] = {}
    for pid, _ in _processes():
        with suppress(OSError, ValueError):
            above = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(above, []).append(pid)
    found = list(children.get(parent, ()))
    for one in found:
        found += children.get(one, ())
    return found

"""A real sshd on loopback, with keys of its own: a machine that can be unplugged."""

import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.harness.waiting import until

_SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
"""
_SSH = """\
Host box
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
"""


class SshServer:
    """`box` in the ssh configuration `config` leads to it. The account is the one that the tests run as."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "ssh_config"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def prepare(self) -> None:
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / name)], check=True, timeout=60)
        (self.folder / "sshd_config").write_text(_SSHD.format(port=self.port, folder=self.folder))
        self.config.write_text(_SSH.format(port=self.port, folder=self.folder))
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)

    def plug(self) -> None:
        """Let it listen. sshd insists on being called by its whole path."""
        program = shutil.which("sshd") or "/usr/sbin/sshd"
        done = subprocess.run([program, "-f", str(self.folder / "sshd_config")], check=False, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        until(self._listens)

    def unplug(self) -> None:
        """Nobody listens any more, and every connection that was open is dead."""
        with suppress(OSError, ValueError):
            os.kill(int((self.folder / "sshd.pid").read_text()), signal.SIGKILL)
        for pid in self._connections():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until(lambda: not self._listens())

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def _connections(self) -> list[int]:
        """The processes of sshd that have a socket of our port open."""
        wanted, found = f":{self.port:04X}", []
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
        inodes = {f"socket:[{line.split()[9]}]" for line in lines if line.split()[1].endswith(wanted)}
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and any(str(path.readlink()) in inodes for path in (entry / "fd").iterdir()):
                    found.append(int(entry.name))
        return found

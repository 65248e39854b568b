"""One machine that is reached by ssh: commands there, files there and back. Lists of words here, plain words there."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from assay.adapters.process.ask import Answer, ask
from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import InfrastructureError

COMMAND_S = 120.0
COPY_S = 3600.0
LOST = 255
"""How ssh ends when the connection, not the command, has failed."""

_OPTIONS = ("BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=3", "ForwardAgent=no", "ForwardX11=no")


@dataclass(frozen=True, slots=True)
class Transport:
    """How to reach `host`. `config` is an ssh configuration to use instead of the user's own, empty for that one."""

    host: str
    config: str = ""

    def run(self, *words: str) -> Answer:
        """Run a command there. Raises InfrastructureError where the machine cannot be reached."""
        answer = ask([*self._ssh(), "--", self.host, shlex.join(words)], COMMAND_S)
        if answer.code in (LOST, -1):
            raise self._unreachable(answer)
        return answer

    def push(self, sources: Sequence[str], folder: str, *options: str) -> None:
        """Copy files into a folder there, which is made. Raises InfrastructureError where that fails."""
        self._copy([*options, "--", *sources, f"{self.host}:{folder}/"], "be copied to")

    def pull(self, folder: str, target: Path, *options: str) -> None:
        """Copy a folder's files from there: plain files alone, of bounded size. Raises InfrastructureError where that fails."""
        safe = ("--no-links", "--no-devices", "--no-specials", "--no-perms", "--chmod=F644,D755", "--max-size=64m")
        self._copy([*safe, *options, "--", f"{self.host}:{folder}/", f"{target}/"], "be copied from")

    def _copy(self, words: list[str], what: str) -> None:
        answer = ask(["rsync", "--recursive", "--times", "--protect-args", f"--rsh={shlex.join(self._ssh())}", *words], COPY_S)
        if not answer.ok:
            raise InfrastructureError(
                f"Files cannot {what} {self.host}: {plain(answer.last_words)}.",
                hint=f"See that rsync is on both sides, and say: ssh {self.host}",
            )

    def _ssh(self) -> list[str]:
        options = [word for option in _OPTIONS for word in ("-o", option)]
        return ["ssh", *(("-F", self.config) if self.config else ()), *options]

    def _unreachable(self, answer: Answer) -> InfrastructureError:
        return InfrastructureError(f"{self.host} cannot be reached: {plain(answer.last_words)}.", hint=f"Say: ssh {self.host}")

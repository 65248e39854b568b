"""Another machine as a place for cells: satisfies `cell_ports.Place`.

What is sent goes into a folder there; the cells run apart from any connection, one after the other; what they leave is fetched. A
connection that is lost costs nothing but time.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from assay.adapters.ssh.transport import Transport
from assay.cell_ports import CellNews, Phase
from assay.core.escape import plain
from assay.core.remote_state import RemoteState, anomalies, ending, read_state
from assay.core.values import dataclass
from assay.errors import InfrastructureError

SCRIPTS = Path(__file__).parent / "scripts"
MOST_LINES = 40
_LOOK = 'if [ -e "$1/look.sh" ]; then exec sh "$1/look.sh" "$2"; else echo none; fi'


@dataclass(frozen=True, slots=True)
class Job:
    """What is sent: into which folder there, run by which Python; the hand-over folder here; the source of Assay.

    `pack` writes the commits to a file; `inputs` are paths of the repository at `root` that git ignores and a benchmark needs.
    """

    folder: str
    python: str
    hand: Path
    tool: Path
    root: str
    inputs: tuple[str, ...]
    pack: Callable[[str], None]


class SshPlace:
    """`has` says whether the file of a cell is here."""

    def __init__(self, title: str, transport: Transport, job: Job, has: Callable[[str], bool]) -> None:
        self.title = title
        self._transport = transport
        self._job = job
        self._has = has
        self._cells: tuple[str, ...] = ()
        self._offset = 0
        self._told: set[str] = set()

    def send(self, cells: tuple[str, ...]) -> None:
        self._cells = cells
        state = self._state()
        if state.alive:
            return  # those of an earlier command, which broke off
        if state.there:
            self._fetch()  # what was measured while nobody waited
        missing = tuple(cell for cell in cells if not self._has(cell))
        if missing:
            self._offset = state.size
            self._push()
            self._start(missing)

    def look(self) -> Mapping[str, CellNews]:
        state = self._state()
        lines = self._lines(state)
        ended = [cell for cell in self._cells if cell in state.exits and not self._has(cell)]
        if ended or not state.alive:
            self._fetch()
        return {cell: self._news(cell, state, lines) for cell in self._cells}

    def cancel(self) -> None:
        self._transport.run("sh", f"{self._job.folder}/stop.sh")

    def _news(self, cell: str, state: RemoteState, lines: tuple[str, ...]) -> CellNews:
        if self._has(cell):
            return CellNews(Phase.DONE, "measured", self._once(cell, lines, state))
        if state.alive and cell not in state.exits:
            at = state.at == cell
            wrong = "".join(f"; {what}" for what in anomalies(lines)) if at else ""
            return CellNews(Phase.RUNNING if at else Phase.WAITING, ("runs" if at else "waits for its turn") + wrong, lines if at else ())
        if cell in state.exits:
            return CellNews(Phase.LOST, f"left no result: it {ending(state.exits[cell])}{self._why(lines)}", lines)
        return CellNews(Phase.LOST, f"its process is gone: it was killed, or the machine was started anew{self._why(lines)}", lines)

    def _once(self, cell: str, lines: tuple[str, ...], state: RemoteState) -> tuple[str, ...]:
        """The last output of a cell, which may come with the news of its end."""
        if cell in self._told or state.at not in ("", cell):
            return ()
        self._told.add(cell)
        return lines

    @staticmethod
    def _why(lines: tuple[str, ...]) -> str:
        found = tuple(anomalies(lines))
        return f" ({', '.join(found)})" if found else ""

    def _lines(self, state: RemoteState) -> tuple[str, ...]:
        """What was printed since the last look, as whole lines."""
        text = state.text if not state.alive else state.text[: state.text.rfind("\n") + 1]
        self._offset = min(self._offset + len(text.encode()), state.size)
        return tuple(plain(line, 200) for line in text.splitlines()[-MOST_LINES:])

    def _state(self) -> RemoteState:
        answer = self._transport.run("sh", "-c", _LOOK, "sh", self._job.folder, str(self._offset))
        state = read_state(answer.out)
        if state is None:
            raise InfrastructureError(
                f"{self._transport.host} gave an answer that cannot be read: {plain(answer.last_words)}.",
                hint=f"See that its login prints nothing: ssh {self._transport.host} true",
            )
        return state

    def _push(self) -> None:
        job, to = self._job, self._transport
        self._transport.run("mkdir", "-p", "-m", "700", "--", job.folder, f"{job.folder}/repo", f"{job.folder}/hand", f"{job.folder}/tool")
        bundle = job.hand / "commits.bundle"
        job.pack(str(bundle))
        try:
            to.push([str(bundle), *(str(path) for path in sorted(SCRIPTS.glob("*.sh")))], job.folder)
        finally:
            bundle.unlink(missing_ok=True)
        to.push([str(job.tool)], f"{job.folder}/tool", "--exclude=__pycache__", "--delete")
        to.push([f"{job.hand}/"], f"{job.folder}/hand", "--exclude=/cell-*", "--exclude=/measured", "--exclude=/slurm-*")
        if job.inputs:
            to.push([f"{job.root}/./{path}" for path in job.inputs], f"{job.folder}/repo", "--relative", "--copy-unsafe-links", "--links")

    def _start(self, cells: tuple[str, ...]) -> None:
        answer = self._transport.run("sh", f"{self._job.folder}/start.sh", self._job.python, self._transport.host, *cells)
        if not answer.ok:
            what = f"{self._transport.host} cannot measure: {plain(answer.last_words)}."
            raise InfrastructureError(what, hint="Mend that there, or name another `python` under `ssh` in the config.")

    def _fetch(self) -> None:
        wanted = ("--include=/cell-*.json", "--include=/measured/", "--include=/measured/run-*", "--exclude=*")
        self._transport.pull(f"{self._job.folder}/hand", self._job.hand, *wanted)

"""The command route: a program that reads the prompt on standard input and prints the answer, such as `claude -p` or `llm`."""

import asyncio
import errno
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.core.fusion.budget import STDERR_BYTES, STDOUT_BYTES
from assay.core.fusion.exchange import Ask, Reply
from assay.core.fusion.failure import AnalysisError, Code, Spent, cancelled
from assay.core.fusion.routes import Route
from assay.core.model import Cause, Completed
from assay.core.process import Argv, ProcessRequest
from assay.errors import InfrastructureError
from assay.ports import Handle, Runner

SEEN = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}
)
FAMILIES = ("LC_", "XDG_")
PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"})
"""What of the job's environment every such program may see; keys only where the config names them."""

_PASSING = (errno.EAGAIN, errno.EMFILE, errno.ENFILE)
_EVIDENCE = 64 * 1024

_CODES = {
    Cause.TIMEOUT: Code.CHILD_TIMEOUT,
    Cause.OUTPUT_LIMIT: Code.CHILD_OUTPUT_CAP,
    Cause.CANCELLED: Code.CHILD_CANCELLED,
    Cause.NOT_STARTED: Code.CHILD_SPAWN_FAILED,
}


class CommandAnalyst:
    """Satisfies `analysis_ports.Analyst`. The program runs without a shell, in an empty folder, with the environment given."""

    def __init__(self, route: Route, runner: Runner, env: Mapping[str, str]) -> None:
        self._words = route.words
        self._runner = runner
        self._env = env

    async def answer(self, ask: Ask) -> Reply:
        """What it prints, if it ends well. When this is cancelled so is the program, and with it all that it has started."""
        with TemporaryDirectory(prefix="assay-analyst-", ignore_cleanup_errors=True) as folder:
            handle = self._runner.submit(self._request(Path(folder), ask))
            completed = await _ended(handle)
        if completed.cause is None and not completed.truncated:
            return Reply(completed.stdout)
        raise self._failure(completed)

    def _request(self, folder: Path, ask: Ask) -> ProcessRequest:
        prompt, work = folder / "prompt.txt", folder / "work"
        descriptor = os.open(prompt, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(ask.prompt)
        work.mkdir()
        return ProcessRequest(
            command=Argv(self._words),
            cwd=str(work),
            env=self._env,
            log_file=str(folder / "output.log"),
            timeout_s=ask.seconds,
            max_output=STDOUT_BYTES + STDERR_BYTES,
            max_stderr=STDERR_BYTES,
            stdin_file=str(prompt),
        )

    def _failure(self, completed: Completed) -> AnalysisError:
        """Its last words are evidence for the folder of the analysis; a public report is told no more than how it ended."""
        cause = Cause.OUTPUT_LIMIT if completed.cause is None else completed.cause
        ends = f" It {completed.detail}." if completed.detail else ""
        return AnalysisError(
            _CODES.get(cause, Code.CHILD_EXIT_FAILED),
            f"The command {Path(self._words[0]).name} gave no answer.{ends}",
            hint="Try it by hand: it gets the prompt on standard input and has to print the answer.",
            child_created=cause is not Cause.NOT_STARTED,
            spent=Spent(partial=_evidence(completed)),
        )


def environment(parent: Mapping[str, str], named: tuple[str, ...]) -> dict[str, str]:
    """What such a program sees of the job's environment: what every program needs, and the variables that the config names."""
    return {
        name: value
        for name, value in parent.items()
        if name in SEEN or name.upper() in PROXIES or name.startswith(FAMILIES) or name in named
    }


async def _ended(handle: Handle) -> Completed:
    """Wait for the end without holding the loop up. Raises AnalysisError where it was cancelled or could not be run at all."""
    waiting = asyncio.get_running_loop().run_in_executor(None, handle.wait)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        handle.cancel()
        await asyncio.wait({waiting})
        partial = "" if waiting.exception() else _evidence(waiting.result())
        raise cancelled("The command was cancelled.", Spent(partial=partial)) from None
    except InfrastructureError as error:
        cause = error.__cause__
        passing = isinstance(cause, OSError) and cause.errno in _PASSING
        raise AnalysisError(Code.CHILD_SPAWN_FAILED, error.message, hint=error.hint, transient=passing, child_created=False) from error


def _evidence(completed: Completed) -> str:
    said = completed.stdout[-_EVIDENCE:]
    return f"{said}\n--- standard error ---\n{completed.stderr[-_EVIDENCE:]}" if completed.stderr else said

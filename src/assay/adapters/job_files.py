"""What a step of a GitHub job leaves behind for the runner: its summary and its outputs, in files that a benchmark might reach too."""

import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from assay.core.job_outputs import NAMES
from assay.errors import InfrastructureError

SUMMARY_BYTES = 2**20
COMMAND_FILES = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
"""Whoever writes into these gives the runner orders: variables and programs for every later step."""

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_DROPPED = dict.fromkeys((0, 13))


class StepFiles:
    """Satisfies `ports.JobFiles`. What the files hold when it is made is all that they may hold when it first writes."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._paths = {name: Path(environ[name]) for name in COMMAND_FILES if environ.get(name)}
        self._before = {name: _content(path) for name, path in self._paths.items()}
        self._settled = False
        self.tampered: tuple[str, ...] = ()

    def settle(self) -> None:
        """Take out what others have written since, and name those files in `tampered`. Only the first call does anything."""
        if self._settled:
            return
        self._settled = True
        self.tampered = tuple(name for name, path in self._paths.items() if _content(path) != self._before[name])
        for name in self.tampered:
            _restore(self._paths[name], self._before[name] or b"")

    def summary(self, text: str) -> None:
        """Add to the summary. Raises InfrastructureError where it would be over 1 MiB, at which the runner drops all of it."""
        data = text.encode("utf-8", "replace").translate(None, b"\0\r")
        self._append("GITHUB_STEP_SUMMARY", data if data.endswith(b"\n") else data + b"\n", SUMMARY_BYTES)

    def output(self, name: str, value: str) -> None:
        """Set one output. Raises ValueError for a name that is none of the action's."""
        if name not in NAMES:
            raise ValueError(f"{name!r} is no output of the action")
        text = value.translate(_DROPPED)
        mark = secrets.token_hex(16)
        while mark in text:
            mark = secrets.token_hex(16)
        self._append("GITHUB_OUTPUT", f"{name}<<{mark}\n{text}\n{mark}\n".encode("utf-8", "replace"))

    def _append(self, name: str, data: bytes, limit: int | None = None) -> None:
        """Without such a file, as outside of a runner, there is nobody to tell."""
        self.settle()
        path = self._paths.get(name)
        if path is None:
            return
        try:
            descriptor = _open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            with os.fdopen(descriptor, "ab") as file:
                size = os.fstat(descriptor).st_size
                if limit is not None and size + len(data) > limit:
                    raise InfrastructureError(f"The summary of the step has no room for {len(data)} bytes.", hint="It ends at 1 MiB.")
                file.write(data)
        except OSError as error:
            reason = error.strerror or error
            raise InfrastructureError(
                f"The file of {name} could not be written: {reason}.", hint="The runner makes it anew for each step."
            ) from error


def _open_regular(path: Path, flags: int) -> int:
    """Open a file that is one and has no other name. Raises OSError for a link, a pipe, a folder."""
    descriptor = os.open(path, flags | _FLAGS, 0o644)
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
        os.close(descriptor)
        raise OSError("it is no plain file, or has another name too")
    return descriptor


def _content(path: Path) -> bytes | None:
    """All of it; None where there is no such file or none that may be read."""
    try:
        with os.fdopen(_open_regular(path, os.O_RDONLY), "rb") as file:
            return file.read()
    except OSError:
        return None


def _restore(path: Path, content: bytes) -> None:
    """Put a new file with that content in the place of whatever is there now."""
    with suppress(FileNotFoundError):
        path.unlink()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o644)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        raise InfrastructureError(f"{path.name}, which a benchmark has changed, could not be put back: {error.strerror}.") from error

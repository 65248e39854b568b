"""A Python environment for one side: first on PATH, the job's packages visible underneath, nothing written to the job's own."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from assay.adapters.worktrees.interpreter import JobPython
from assay.adapters.worktrees.path_files import Checkout, inherited
from assay.core.escape import plain
from assay.core.isolation import calls_pip
from assay.core.values import dataclass
from assay.errors import InfrastructureError

JOB_PACKAGES = "zzzz-assay-job.pth"
"""Files of paths are read in the order of their names; the job's come after all that a side installs for itself."""

_KERNEL_LINE = 127
_SCRIPT_LIMIT = 256 * 1024
_DIRECT = re.compile(rb"#!([^ \n]+/(?:python|pypy)[^ /\n]*)([^\n]*)\n")
_BY_SHELL = re.compile(rb"#!/bin/sh\n'''exec' \"?([^\"\n]+/(?:python|pypy)[^/\" \n]*)\"?( [^\"\n]*)?\"\$0\" \"\$@\"\n' '''\n")
_PIP = b"import runpy\n\nrunpy.run_module('pip', run_name='__main__', alter_sys=True)\n"


@dataclass(frozen=True, slots=True)
class Script:
    """A console script of the job without its first line; `arguments` stood there for the interpreter."""

    name: str
    arguments: bytes
    body: bytes


@dataclass(frozen=True, slots=True)
class PythonEnvironment:
    """A side's environment: its folder, and where its packages are."""

    folder: Path
    site: Path
    notes: tuple[str, ...] = ()

    @property
    def bin(self) -> Path:
        return self.folder / "bin"


class EnvironmentMaker:
    """Makes the environments of both sides from one look at the job's."""

    def __init__(self, job: JobPython, checkout: Checkout, environ: Mapping[str, str]) -> None:
        self._job = job
        self._environ = environ
        self._inherited = inherited(job.sites, checkout)
        self._scripts = tuple(console_scripts(job.bins))

    def make(self, folder: Path, setup: str) -> PythonEnvironment:
        """Raises InfrastructureError where the job's Python cannot make one."""
        self._run([self._job.executable, "-I", "-m", "venv", "--without-pip", "--symlinks", str(folder)])
        site = next(folder.glob("lib/*/site-packages"))
        python = folder / "bin" / "python"
        notes = self._bring_pip(python, setup)
        (site / JOB_PACKAGES).write_bytes(b"".join(os.fsencode(line) + b"\n" for line in self._inherited))
        for script in self._scripts:
            _write_script(python, script)
        return PythonEnvironment(folder, site, notes)

    def _bring_pip(self, python: Path, setup: str) -> tuple[str, ...]:
        if self._job.has_pip:
            for name in ("pip", "pip3"):
                _write_script(python, Script(name, b"", _PIP))
        elif calls_pip(setup):
            try:
                self._run([str(python), "-I", "-m", "ensurepip", "--default-pip"])
            except InfrastructureError:
                return ("The job's Python has no pip and cannot bring one, so `pip` in `setup` may be that of another Python.",)
        return ()

    def _run(self, words: list[str]) -> None:
        try:
            subprocess.run(words, env=dict(self._environ), cwd="/", stdin=subprocess.DEVNULL, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            said = error.stderr.decode(errors="replace") if isinstance(error, subprocess.CalledProcessError) else str(error)
            what = f"{plain(self._job.executable)} could not make an environment of its own for a worktree: {plain(said[-300:])}"
            raise InfrastructureError(what, hint="See that `python -m venv --without-pip x` works, or set `isolate: none`.") from error


def console_scripts(bins: Iterable[Path]) -> Iterator[Script]:
    """The scripts in these folders that run under a Python of the same folders. Of equal names the first counts."""
    folders = tuple(bins)
    ours = {os.fsencode(folder) for folder in folders}
    seen: set[str] = set()
    for folder in folders:
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            script = None if entry.name in seen else _read_script(entry, ours)
            if script is not None:
                seen.add(script.name)
                yield script


def _read_script(entry: "os.DirEntry[str]", ours: set[bytes]) -> Script | None:
    try:
        if not entry.is_file() or entry.stat().st_size > _SCRIPT_LIMIT or not os.access(entry.path, os.X_OK):
            return None
        with open(entry.path, "rb") as file:  # noqa: PTH123 - a Path for each of thousands of files costs more than reading it
            start = file.read(2)
            text = start + file.read() if start == b"#!" else b""
    except OSError:  # a file that we may not read is no script of the job's for us
        return None
    found = _DIRECT.match(text) or _BY_SHELL.match(text)
    if found is None or os.path.dirname(found[1]) not in ours:  # noqa: PTH120 - bytes
        return None
    return Script(entry.name, (found[2] or b"").strip(), text[found.end() :])


def _write_script(python: Path, script: Script) -> None:
    file = python.parent / script.name
    if file.is_symlink():  # python itself
        return
    file.write_bytes(_first_line(os.fsencode(python), script.arguments) + script.body)
    file.chmod(0o755)


def _first_line(python: bytes, arguments: bytes) -> bytes:
    line = b" ".join(filter(None, (b"#!" + python, arguments)))
    if len(line) <= _KERNEL_LINE and b" " not in python:
        return line + b"\n"
    # too long for the kernel: a text that the shell reads as a command and Python as a string
    return b"#!/bin/sh\n'''exec' \"" + python + b'" ' + (arguments + b" " if arguments else b"") + b"\"$0\" \"$@\"\n' '''\n"

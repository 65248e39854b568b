"""The job's own Python: the one that a benchmark's `python` would be if nobody interfered."""

import hashlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from shutil import which

from assay.core.model import NONE, UNKNOWN
from assay.core.values import dataclass

_QUESTION = """\
import json, site, sys
sites = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
if sys.prefix == sys.base_prefix:
    sites.insert(0, site.getusersitepackages())
print(json.dumps({
    "executable": sys.executable, "prefix": sys.prefix, "base_prefix": sys.base_prefix, "sites": sites,
    "version": "%s %s%s" % (sys.implementation.name, sys.version.split()[0], getattr(sys, "abiflags", "")),
}))
"""
PATIENCE_S = 60.0
"""What a Python gets, from when it was asked: on the network disk of a laboratory a first start is slow."""

_MOST = 1_000_000
_DISTRIBUTIONS = (".dist-info", ".egg-info", ".egg-link", ".json")


@dataclass(frozen=True, slots=True)
class JobPython:
    """What the interpreter says of itself. `sites` are its folders of installed packages, in the order of its path."""

    executable: str
    prefix: str
    base_prefix: str
    sites: tuple[Path, ...]
    version: str

    @property
    def bins(self) -> tuple[Path, ...]:
        """The folders that hold its console scripts: its own, and that beside each `lib/python…/site-packages`."""
        beside = [parent.parent / "bin" for site in self.sites for parent in site.parents if parent.name in ("lib", "lib64")]
        found = dict.fromkeys([Path(self.executable).parent, Path(self.prefix, "bin"), *beside])
        return tuple(folder for folder in found if folder.is_dir())

    @property
    def has_pip(self) -> bool:
        return any((site / "pip").is_dir() for site in self.sites)

    def packages(self) -> str:
        """A digest of the distributions in all its folders, by the names that carry their versions; `none` without any.

        An environment of conda holds more than Python packages; they count as well. `unknown` where a folder cannot be read.
        """
        try:
            found = [_distributions(folder) for folder in (*self.sites, Path(self.prefix, "conda-meta")) if folder.is_dir()]
        except OSError:
            return UNKNOWN
        return f"sha256:{hashlib.sha256(json.dumps(found).encode()).hexdigest()}" if any(found) else NONE


class JobQuestion:
    """Asks for the job's Python while other work goes on, for starting one behind a version manager takes long.

    It is `python` on the job's PATH, else `python3`, else the interpreter that runs us.
    """

    def __init__(self, environment: Mapping[str, str], cwd: str) -> None:
        path = environment.get("PATH")
        on_path = [found for name in ("python", "python3") if (found := which(name, path=path))]
        self._environment, self._cwd = dict(environment), cwd
        self._has_python = bool(on_path)
        self._candidates = list(dict.fromkeys([*on_path, sys.executable]))
        self._asked: _Asked | None = None
        self._answer: JobPython | None = None
        self._silent: list[str] = []

    def start(self) -> None:
        """Ask the first candidate, without waiting for it."""
        while self._asked is None and self._answer is None and self._candidates:
            self._asked = self._ask(self._candidates.pop(0))

    def answer(self) -> JobPython | None:
        """What the first candidate that can tell says; None where none can. It is asked once."""
        self.start()
        while self._asked is not None:
            asked, self._asked = self._asked, None
            self._answer = _read(asked)
            if self._answer is None:
                self._silent.append(asked.python)
            self.start()
        return self._answer

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: that another Python than the first on the PATH had to be taken for the job's."""
        taken = f"{self._answer.executable} was taken" if self._answer else "none was taken"
        return tuple(f"{python} gave no answer when it was asked what it is: {taken} for the job's Python." for python in self._silent)

    def installed(self) -> tuple[str, str]:
        """The job's own Python with its version, and a digest of its packages; `none` where no Python is on its PATH."""
        job = self.answer()
        if not self._has_python:
            return NONE, NONE
        return (job.version, job.packages()) if job else (UNKNOWN, UNKNOWN)

    def drop(self) -> None:
        """End a question that nobody waits for any more."""
        if self._asked is not None:
            self._asked.end(within_s=0.0)
            self._asked = None

    def _ask(self, python: str) -> "_Asked | None":
        try:
            return _Asked(python, self._environment, self._cwd)
        except OSError:  # not a program: the next one is asked
            return None


class _Asked:
    """A program called Python that was asked what it is. It may be anything: one that never ends, or that others outlive."""

    def __init__(self, python: str, environment: Mapping[str, str], cwd: str) -> None:
        self.python = python
        self._by = time.monotonic() + PATIENCE_S
        self._process = subprocess.Popen(
            [python, "-I", "-c", _QUESTION],
            env=environment,
            cwd=cwd,  # version managers choose the interpreter by folder, hence the user's own
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._stdout = self._process.stdout

    def answer(self) -> bytes:
        """All that it printed; nothing where that took too long or was too much."""
        said = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            while len(said) <= _MOST and selector.select(max(0.0, self._by - time.monotonic())):
                more = os.read(self._stdout.fileno(), 65536)
                if not more:
                    self.end(within_s=1.0)
                    return said
                said += more
        self.end(within_s=0.0)
        return b""

    def end(self, *, within_s: float) -> None:
        """See that it is gone, with its whole session where it does not end by itself."""
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        finally:
            self._stdout.close()


def _distributions(folder: Path) -> list[str]:
    """What is installed there. Of two folders the first counts, so their order does; within one it does not."""
    return sorted(os.fsencode(name).hex() for name in os.listdir(folder) if name.endswith(_DISTRIBUTIONS))  # noqa: PTH208 - names alone


def _read(asked: _Asked) -> JobPython | None:
    try:
        facts = json.loads(asked.answer())
        sites = tuple(folder for folder in map(Path, facts["sites"]) if folder.is_dir())
        said = [facts[name] for name in ("executable", "prefix", "base_prefix", "version")]
        if not all(isinstance(one, str) for one in said):
            return None
        executable, prefix, base_prefix, version = said
        return JobPython(executable, prefix, base_prefix, sites, version)
    except (ValueError, KeyError, TypeError, RecursionError):  # it ended without an answer: too old, or no Python at all
        return None

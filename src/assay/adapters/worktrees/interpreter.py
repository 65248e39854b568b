"""The job's own Python: the one that a benchmark's `python` would be if nobody interfered."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from assay.core.model import NONE, UNKNOWN

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
_PATIENCE_S = 60.0
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
        self._asked: subprocess.Popen[bytes] | None = None
        self._answer: JobPython | None = None

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
            self.start()
        return self._answer

    def installed(self) -> tuple[str, str]:
        """The job's own Python with its version, and a digest of its packages; `none` where no Python is on its PATH."""
        job = self.answer()
        if not self._has_python:
            return NONE, NONE
        return (job.version, job.packages()) if job else (UNKNOWN, UNKNOWN)

    def drop(self) -> None:
        """End a question that nobody waits for any more."""
        if self._asked is not None:
            self._asked.kill()
            self._asked.communicate()
            self._asked = None

    def _ask(self, python: str) -> "subprocess.Popen[bytes] | None":
        words = [python, "-I", "-c", _QUESTION]
        try:
            return subprocess.Popen(
                words,
                env=self._environment,
                cwd=self._cwd,  # version managers choose the interpreter by folder, hence the user's own
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError:  # not a program: the next one is asked
            return None


def _distributions(folder: Path) -> list[str]:
    """What is installed there. Of two folders the first counts, so their order does; within one it does not."""
    return sorted(os.fsencode(name).hex() for name in os.listdir(folder) if name.endswith(_DISTRIBUTIONS))  # noqa: PTH208 - names alone


def _read(asked: "subprocess.Popen[bytes]") -> JobPython | None:
    try:
        out, _ = asked.communicate(timeout=_PATIENCE_S)
        facts = json.loads(out)
        sites = tuple(folder for folder in map(Path, facts["sites"]) if folder.is_dir())
        return JobPython(facts["executable"], facts["prefix"], facts["base_prefix"], sites, facts["version"])
    except subprocess.TimeoutExpired:
        asked.kill()
        asked.communicate()
    except (ValueError, KeyError, TypeError):  # it ended without an answer: too old, or no Python at all
        pass
    return None

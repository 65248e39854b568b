"""Real Python environments for tests, and a package with a build backend of its own, so that pip needs no network."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.core.config import Benchmark
from assay.worktree_ports import Worktree

BACKEND = """\
import pathlib
import zipfile

METADATA = "Metadata-Version: 2.1\\nName: lab\\nVersion: 1\\n"
WHEEL = "Wheel-Version: 1.0\\nGenerator: lab\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
ENTRY_POINTS = "[console_scripts]\\nlab = lab_core:main\\n"


def wheel(folder, files):
    files |= {"lab-1.dist-info/METADATA": METADATA, "lab-1.dist-info/WHEEL": WHEEL, "lab-1.dist-info/entry_points.txt": ENTRY_POINTS}
    files["lab-1.dist-info/RECORD"] = "".join(f"{name},,\\n" for name in files)
    with zipfile.ZipFile(pathlib.Path(folder, "lab-1-py3-none-any.whl"), "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return "lab-1-py3-none-any.whl"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return wheel(wheel_directory, {"lab_core.py": pathlib.Path("lib/lab_core.py").read_text()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return wheel(wheel_directory, {"lab.pth": str(pathlib.Path("lib").resolve())})
"""
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["build_tools"]
[project]
name = "lab"
version = "1"
scripts = {lab = "lab_core:main"}
"""
INSTALL = "pip install -q --no-deps --disable-pip-version-check -e ."


def package(loss: int) -> dict[str, str]:
    """The files of a package `lab` whose module and command tell this number."""
    module = f"LOSS = {loss}\n\n\ndef main():\n    print('lab', LOSS)\n"
    return {"pyproject.toml": PYPROJECT, "build_tools/backend.py": BACKEND, "lib/lab_core.py": module}


@dataclass(frozen=True, slots=True)
class JobEnvironment:
    """A virtual environment as a CI job would have one activated."""

    folder: Path

    @property
    def site(self) -> Path:
        return next(self.folder.glob("lib/python*/site-packages"))

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def variables(self) -> dict[str, str]:
        return {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.folder.parent), "VIRTUAL_ENV": str(self.folder)}

    def entries(self) -> list[str]:
        """What is installed, and the programs."""
        return sorted(str(path) for folder in (self.site, self.bin) for path in folder.iterdir())


def make_job(folder: Path, *options: str) -> JobEnvironment:
    """An environment of the interpreter that runs the tests; `--without-pip` makes it in no time."""
    subprocess.run([sys.executable, "-m", "venv", *options, str(folder)], check=True, capture_output=True)
    return JobEnvironment(folder)


def run(worktree: Worktree, command: str) -> str:
    """What a command prints in a worktree and its environment."""
    done = subprocess.run(["sh", "-c", command], check=False, cwd=worktree.cwd, env=worktree.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def benchmark(name: str = "bench", **keys: object) -> Benchmark:
    """A benchmark with these keys of the config."""
    values: Mapping[str, object] = {"name": name, "run": "true", **keys}
    return Benchmark.model_validate(values)

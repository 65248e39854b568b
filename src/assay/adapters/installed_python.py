"""The interpreter and the distributions that a benchmark would find, told from files alone: nothing of theirs is run."""

import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.core.facts import PythonFacts
from assay.core.model import NONE, UNKNOWN

_NAMES = ("python", "python3")
_HEADER = re.compile(r"^(Name|Version):[ \t]*(\S+)", re.MULTILINE)
_HEADER_BYTES = 4096
_SETTING = re.compile(r"^[ \t]*([\w-]+)[ \t]*=[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_MINOR = re.compile(r"python(\d+\.\d+)t?")
_PATCH_LEVEL = re.compile(r'^#define[ \t]+PY_VERSION[ \t]+"([^"]+)"', re.MULTILINE)
_MAX_FOLDERS = 50


def python_on_path(env: Mapping[str, str]) -> PythonFacts:
    """Facts of the first `python` or `python3` on the PATH of an environment."""
    program = _first_program(env.get("PATH", ""))
    if program is None:
        return PythonFacts(implementation=NONE, version=NONE, dependencies=NONE)
    settings = _settings(program.parent.parent / "pyvenv.cfg")
    implementation = _implementation(program, settings)
    if implementation == UNKNOWN:  # a script that chooses an interpreter when it is run
        return PythonFacts(implementation=UNKNOWN, version=UNKNOWN, dependencies=UNKNOWN)
    folders = _site_packages(program, settings, env.get("PYTHONPATH", ""))
    version = _version(program, settings)
    if not folders:
        return PythonFacts(implementation=implementation, version=version, dependencies=UNKNOWN)
    return PythonFacts(implementation=implementation, version=version, dependencies=dependency_versions(folders))


def dependency_versions(site_packages: Sequence[str]) -> dict[str, str]:
    """Normalised name → version of every distribution in these folders; of one found twice the first is imported, so it counts."""
    found: dict[str, str] = {}
    for folder in site_packages:
        for name, version in _distributions(Path(folder)):
            found.setdefault(name, version)
    return dict(sorted(found.items()))


def _distributions(folder: Path) -> Iterator[tuple[str, str]]:
    for pattern, file in (("*.dist-info", "METADATA"), ("*.egg-info", "PKG-INFO")):
        for info in sorted(folder.glob(pattern)):
            header = dict(_HEADER.findall(_head(info / file)))
            name = header.get("Name") or info.stem.partition("-")[0]
            yield re.sub(r"[-_.]+", "-", name).lower(), header.get("Version", UNKNOWN)


def _head(path: Path) -> str:
    """The start of a metadata file, where name and version stand; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_HEADER_BYTES).partition(b"\n\n")[0].decode(errors="replace")
    except OSError:
        return ""


def _first_program(path: str) -> Path | None:
    places = (Path(folder) / name for folder in path.split(":") if folder for name in _NAMES)
    return next((place for place in places if place.is_file()), None)


def _settings(path: Path) -> dict[str, str]:
    return dict(_SETTING.findall(_head(path)))


def _implementation(program: Path, settings: Mapping[str, str]) -> str:
    if named := settings.get("implementation"):
        return named
    real = program.resolve().name
    return "PyPy" if real.startswith("pypy") else "CPython" if _MINOR.fullmatch(real) else UNKNOWN


def _version(program: Path, settings: Mapping[str, str]) -> str:
    """As exact as files tell: of a virtual environment its own record, else the headers', else the program's name."""
    if named := settings.get("version_info") or settings.get("version"):
        return named
    real = program.resolve()
    if real == Path(sys.executable).resolve():
        return platform.python_version()
    minor = _MINOR.fullmatch(real.name)
    header = _head(real.parent.parent / "include" / real.name / "patchlevel.h")
    exact = _PATCH_LEVEL.search(header)
    return exact[1] if exact else minor[1] if minor else UNKNOWN


def _site_packages(program: Path, settings: Mapping[str, str], python_path: str) -> list[str]:
    """The folders that the interpreter would search, those named in `.pth` files included, in its order."""
    roots = [program.parent.parent]
    if not settings or settings.get("include-system-site-packages", "").lower() == "true":
        roots.append(program.resolve().parent.parent)
    folders = [folder for folder in python_path.split(":") if folder]
    folders += [
        str(folder)
        for root in roots
        for name in ("site-packages", "dist-packages")
        for folder in sorted(root.glob(f"lib*/python3*/{name}"))
    ]
    folders += [str(folder) for root in roots if (folder := root / "lib/python3/dist-packages").is_dir()]
    return _with_linked(list(dict.fromkeys(folders)))


def _with_linked(folders: list[str]) -> list[str]:
    for folder in folders[:_MAX_FOLDERS]:
        for link in sorted(Path(folder).glob("*.pth")):
            lines = (line.strip() for line in _head(link).splitlines())
            folders += [line for line in lines if line.startswith("/") and Path(line).is_dir() and line not in folders]
    return folders

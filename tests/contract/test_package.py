"""What a user installs: the wheel carries every template, and the package inside it finds them."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = {
    path.relative_to(ROOT).as_posix() for path in (ROOT / "templates").rglob("*") if path.is_file() and "__pycache__" not in path.parts
}

LOAD = """
import pathlib, sys
import assay
from assay.adapters.templates import PackageTemplates

assert pathlib.Path(assay.__file__).is_relative_to(sys.argv[1]), assay.__file__
sys.stdout.buffer.write(PackageTemplates().load(sys.argv[2]).encode())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as pip lays it out, away from the checkout."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def python(installed: Path, *words: str) -> bytes:
    env = {**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *words], cwd=installed, env=env, check=True, capture_output=True).stdout


def test_the_wheel_carries_exactly_the_templates(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.removeprefix("assay/") for name in archive.namelist() if name.startswith("assay/templates/")}
    assert names == TEMPLATES


def test_files_whose_name_starts_with_a_dot_are_among_them(installed: Path) -> None:
    base = installed / "assay" / "templates" / "demo" / "base"
    assert {".github", ".gitignore"} <= {path.name for path in base.iterdir()}


@pytest.mark.parametrize("name", sorted(name.removeprefix("templates/") for name in TEMPLATES if name.endswith(".j2")))
def test_each_template_loads_from_the_installed_package(installed: Path, name: str) -> None:
    assert python(installed, "-c", LOAD, str(installed), name) == (ROOT / "templates" / name).read_bytes()


def test_the_installed_package_starts(installed: Path) -> None:
    assert python(installed, "-m", "assay", "--version").startswith(b"assay ")


def test_the_wheel_installs_the_command_and_nothing_of_the_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (entry_points,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        assert "assay = assay.__main__:main" in archive.read(entry_points).decode()
        assert {name.split("/")[0].split("-")[0] for name in archive.namelist()} == {"assay"}

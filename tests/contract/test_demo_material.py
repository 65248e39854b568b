"""The demo's repository is a real one: both versions pass their checks, and print what its config asks for."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.core.config import Benchmark
from assay.core.config_text import parse_config
from assay.core.metric_lines import MetricReader
from assay.core.model import MetricReading

DEMO = Path(__file__).parents[2] / "templates" / "demo"
CONFIG = ".github/assay.yml"
VERSIONS = ("base", "head")


@pytest.fixture
def version(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The files of one version, laid out as the demo does it."""
    shutil.copytree(DEMO / "base", tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    if request.param == "head":
        shutil.copytree(DEMO / "head", tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def benchmark() -> Benchmark:
    (only,) = parse_config((DEMO / "base" / CONFIG).read_text(encoding="utf-8"), CONFIG).benchmarks.values()
    return only


def run(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """A command of the config, by the Python that runs the tests."""
    name, *rest = shlex.split(command)
    assert name == "python3"
    return subprocess.run([sys.executable, "-B", *rest], cwd=folder, capture_output=True, check=False)


def read(folder: Path) -> MetricReading:
    done = run(benchmark().run, folder)
    assert done.returncode == 0, done.stderr.decode()
    reader = MetricReader()
    reader.feed(done.stdout)
    return reader.finish()


def checks(folder: Path) -> subprocess.CompletedProcess[bytes]:
    command = benchmark().checks
    assert command
    return run(command, folder)


def sources(version: str) -> dict[str, bytes]:
    root = DEMO / version
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("version", VERSIONS, indirect=True)
def test_a_version_passes_its_own_checks(version: Path) -> None:
    done = checks(version)
    assert done.returncode == 0, done.stdout.decode()


@pytest.mark.parametrize("version", VERSIONS, indirect=True)
def test_the_checks_find_a_wrong_distance(version: Path) -> None:
    path = version / "src" / "spelling" / "distance.py"
    right = path.read_text()
    wrong = right.replace("return table[-1][-1]", "return table[-1][0]").replace("return above[-1]", "return above[0]")
    assert wrong != right
    path.write_text(wrong)
    assert checks(version).returncode == 1


@pytest.mark.parametrize("version", VERSIONS, indirect=True)
def test_a_version_prints_every_metric_of_the_config_and_no_other(version: Path) -> None:
    declared, reading = benchmark(), read(version)
    assert declared.metric
    units = {declared.metric.name: declared.metric.unit}
    units |= {name: guard.unit for name, guard in declared.guards.items()}
    units |= {name: secondary.unit for name, secondary in declared.secondary.items()}
    assert {metric.name: metric.unit for metric in reading.metrics} == units
    assert reading.metrics[0].name == declared.metric.name
    assert not reading.warnings


@pytest.mark.parametrize("version", VERSIONS, indirect=True)
def test_a_version_recognises_most_words(version: Path) -> None:
    accuracy = read(version).get("accuracy")
    assert accuracy
    assert accuracy.value == 95


def test_head_only_changes_files_that_base_has() -> None:
    base, head = sources("base"), sources("head")
    assert head
    assert all(base[path] != text for path, text in head.items())


def test_a_change_of_the_demo_is_a_change_of_watched_code() -> None:
    watch = benchmark().watch
    assert watch
    assert watch.code == ("src/**",)
    assert all(path.startswith("src/") for path in sources("head"))

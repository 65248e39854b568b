"""The interpreter and the distributions that a benchmark would find, read from files without running anything of theirs."""

import sys
import venv
from pathlib import Path

import pytest

from assay.adapters.installed_python import dependency_versions, python_on_path


def install(site: Path, name: str, version: str, folder: str = "", metadata: str = "METADATA") -> None:
    info = site / (folder or f"{name}-{version}.dist-info")
    info.mkdir(parents=True)
    (info / metadata).write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: not-this\nVersion: 0\n")


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A virtual environment without pip."""
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    return tmp_path / "env"


def site_of(environment: Path) -> Path:
    return next(environment.glob("lib*/python3*/site-packages"))


def test_a_virtual_environment_tells_its_version_and_distributions(environment: Path) -> None:
    install(site_of(environment), "My_Package.Name", "1.2.3")
    facts = python_on_path({"PATH": f"/nonexistent:{environment / 'bin'}"})
    assert (facts.implementation, facts.version) == ("CPython", ".".join(map(str, sys.version_info[:3])))
    assert facts.dependencies == {"my-package-name": "1.2.3"}


def test_the_first_program_on_the_path_is_the_one_that_counts(environment: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "other", with_pip=False, symlinks=True)
    install(site_of(tmp_path / "other"), "other", "2")
    path = f"{tmp_path / 'other/bin'}:{environment / 'bin'}"
    assert python_on_path({"PATH": path}).dependencies == {"other": "2"}


def test_what_pythonpath_and_pth_files_add_counts_and_the_first_wins(environment: Path, tmp_path: Path) -> None:
    install(site_of(environment), "both", "2")
    install(tmp_path / "front", "both", "1")
    install(tmp_path / "linked", "linked", "3")
    (site_of(environment) / "more.pth").write_text(f"import os\n{tmp_path / 'linked'}\n/nonexistent\n")
    facts = python_on_path({"PATH": str(environment / "bin"), "PYTHONPATH": str(tmp_path / "front")})
    assert facts.dependencies == {"both": "1", "linked": "3"}


def test_folders_that_name_each_other_are_read_once(environment: Path) -> None:
    (site_of(environment) / "loop.pth").write_text(f"{site_of(environment)}\n")
    assert python_on_path({"PATH": str(environment / "bin")}).dependencies == {}


def test_a_script_that_chooses_an_interpreter_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("#!/bin/sh\nexec python3.11\n")
    facts = python_on_path({"PATH": str(tmp_path), "PYTHONPATH": str(tmp_path)})
    assert (facts.implementation, facts.version, facts.dependencies) == ("unknown", "unknown", "unknown")


def test_no_interpreter_on_the_path_is_none(tmp_path: Path) -> None:
    for env in ({"PATH": str(tmp_path)}, {}):
        facts = python_on_path(env)
        assert (facts.implementation, facts.version, facts.dependencies) == ("none", "none", "none")


def test_an_interpreter_without_a_record_tells_what_its_name_and_headers_do(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3.12").write_text("")
    (tmp_path / "bin/python3").symlink_to("python3.12")
    assert python_on_path({"PATH": str(tmp_path / "bin")}).version == "3.12"
    assert python_on_path({"PATH": str(tmp_path / "bin")}).dependencies == "unknown"
    (tmp_path / "include/python3.12").mkdir(parents=True)
    (tmp_path / "include/python3.12/patchlevel.h").write_text('#define PY_MAJOR_VERSION 3\n#define PY_VERSION      "3.12.4"\n')
    assert python_on_path({"PATH": str(tmp_path / "bin")}).version == "3.12.4"


def test_old_and_damaged_metadata_still_count(tmp_path: Path) -> None:
    install(tmp_path, "old", "0.1", "old-0.1-py3.11.egg-info", "PKG-INFO")
    (tmp_path / "broken-1.0.dist-info").mkdir()
    (tmp_path / "odd-1.0.dist-info").mkdir()
    (tmp_path / "odd-1.0.dist-info/METADATA").write_bytes(b"\xff\xfe\x00Name")
    assert dependency_versions([str(tmp_path)]) == {"broken": "unknown", "odd": "unknown", "old": "0.1"}


def test_folders_that_are_not_there_hold_nothing(tmp_path: Path) -> None:
    assert dependency_versions([str(tmp_path / "absent")]) == {}

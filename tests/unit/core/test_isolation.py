"""Which setups install Python packages."""

import pytest

from assay.core.isolation import calls_pip, installs_python


@pytest.mark.parametrize(
    "setup",
    [
        "pip install -e .",
        "pip3 install -r requirements.txt",
        "python -m pip install .",
        "python3.12 setup.py develop",
        "cd sub && uv sync",
        "make data; poetry install",
        "(conda env update)",
        ".venv/bin/pip install x",
        "PIP_NO_INDEX=1 pip install x",
        "make\nhatch env create",
        "test -d x||pdm install",
    ],
)
def test_a_setup_that_calls_an_installer_needs_an_environment(setup: str) -> None:
    assert installs_python(setup)


@pytest.mark.parametrize(
    "setup", [None, "", "make", "npm ci", "cargo build --release", "./pipeline.sh", "cat pip.conf", "echo pythonic", "uvicorn x"]
)
def test_other_setups_do_not(setup: str | None) -> None:
    assert not installs_python(setup)


@pytest.mark.parametrize(
    ("setup", "expected"),
    [("pip install x", True), ("python -m pip install x", True), ("uv pip install x", False), ("uv pip sync && pip3 list", True)],
)
def test_pip_itself_is_told_from_a_subcommand_of_that_name(setup: str, expected: object) -> None:
    assert calls_pip(setup) is expected

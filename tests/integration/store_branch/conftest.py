"""A remote and a clone's folder for each test, and an environment without the developer's git configuration."""

import os
from pathlib import Path

import pytest
from tests.integration.store_branch.places import bare
from tests.repositories import ISOLATED


@pytest.fixture(autouse=True)
def _isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in ISOLATED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare(tmp_path / "remote.git")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return tmp_path / "clone"

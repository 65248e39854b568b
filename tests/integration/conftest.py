"""What integration tests share: a repository, and a process environment without the developer's git configuration."""

import os
from pathlib import Path

import pytest
from tests.repositories import ISOLATED, Sandbox


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A repository without any commit. Adapters under test inherit an environment that knows no other configuration."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in ISOLATED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "tmp").mkdir()
    return Sandbox(tmp_path / "user's repo")

"""A scene for each test."""

from pathlib import Path

import pytest
from tests.integration.reuse.lineages import Scene
from tests.repositories import Sandbox


@pytest.fixture
def scene(sandbox: Sandbox, tmp_path: Path) -> Scene:
    return Scene.of(sandbox, tmp_path)

"""The fake as a pytest fixture. A conftest takes it by `from tests.fakes.github.fixtures import hub as hub`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.github.hub import Hub
from tests.fakes.github.openapi import MissingDescriptionError
from tests.fakes.github.server import serve


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A fake GitHub of the test's own. The test fails at its end if a request was not what GitHub's description allows."""
    try:
        with serve(tmp_path / "github") as running:
            yield running
            problems = running.take_violations()
    except MissingDescriptionError as error:
        pytest.fail(str(error), pytrace=False)
    assert problems == [], "requests that GitHub would not take:\n" + "\n".join(problems)

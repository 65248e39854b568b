"""One bench a test."""

from collections.abc import Iterator

import pytest
from tests.integration.experiment.lab import Bench
from tests.integration.experiment.lab import bench as a_bench
from tests.repositories import Sandbox


@pytest.fixture
def bench(sandbox: Sandbox) -> Iterator[Bench]:
    with a_bench(sandbox) as one:
        yield one

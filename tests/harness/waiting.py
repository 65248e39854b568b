"""The one way in which a test waits for another process: by looking for what it waits for, never by guessing how long that takes."""

import time
from collections.abc import Callable

DEADLINE_S = 60.0
_PAUSE_S = 0.005  # between two looks, so that the other process has the processor


def until(holds: Callable[[], object], said: Callable[[], str] = lambda: "") -> None:
    """Look until it holds. The test fails where it does not come to hold, with what is `said` then."""
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline, f"what was waited for did not come {said()}".rstrip()
        time.sleep(_PAUSE_S)

"""A test run may have been started by nohup; what it starts in its turn shall hear a hangup all the same."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heard() -> Iterator[None]:
    """Whatever is started meanwhile does not inherit that a hangup is passed over."""
    here = threading.current_thread() is threading.main_thread()  # no other one may change how signals are taken
    if not here or signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

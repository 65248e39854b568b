"""A process is no orphan of a run that began after it."""

import os
import subprocess

from assay.adapters.process.orphans import began, collected


def test_who_is_started_later_began_later() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as later:
        assert 0 < began(os.getpid()) <= began(later.pid)


def test_when_one_began_that_is_not_there_is_not_known() -> None:
    assert began(0) == 0


def test_nobody_has_to_wait_for_who_is_no_child_of_ours() -> None:
    assert collected(os.getpid())
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as living:
        assert not collected(living.pid)

"""What comes to us when both a supervisor and the server behind it are killed: the processes that they stood over."""

import os
from collections.abc import Collection
from contextlib import suppress

from assay.adapters.process.child import PR_SET_CHILD_SUBREAPER, prctl
from assay.adapters.process.supervisor import descendants, state_and_parent


def adopt() -> None:
    """Become the parent of processes below us whose own one has ended. Without effect where the system knows no such thing."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def adopt_no_more() -> None:
    prctl(PR_SET_CHILD_SUBREAPER, 0)


def began(pid: int) -> int:
    """When a process was started, in ticks since the machine was; 0 where it cannot be read."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - a scan reads hundreds
            text = file.read()
    except OSError:
        return 0
    return int(text[text.rfind(b")") + 2 :].split()[19])


def orphans(known: Collection[int], since: int) -> set[int]:
    """Children of ours that no code of ours has started, with all below them. Those that have ended are collected.

    What we start belongs to our session, save for those in `known`. Nothing from before `since`, or from its very tick, is taken
    for one: a helper that git leaves behind, such as one that keeps a credential, must live.
    """
    us, session = os.getpid(), os.getsid(0)
    found: set[int] = set()
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):  # noqa: PTH208 - names alone
        state, parent = state_and_parent(pid)
        if parent != us or pid in known or began(pid) <= since:
            continue
        with suppress(ProcessLookupError):
            if os.getsid(pid) == session:
                continue
            if state in b"ZX":
                collected(pid)
            else:
                found |= {pid, *descendants(pid)}
    return found


def collected(pid: int) -> bool:
    """Whether a process has ended and nobody has to wait for it any more, as for those that are no children of ours."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True

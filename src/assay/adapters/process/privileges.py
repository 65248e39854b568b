"""Who a child runs as, and what of ourselves it may look into."""

import os
import pwd
import stat
import sys
from collections.abc import Iterator, Sequence

from assay.adapters.process.child import PR_SET_DUMPABLE, prctl
from assay.core.process import Account

PREFERRED = ("assay", "nobody")
"""Accounts that a child may be given, best first: one made for it, as our image has, or the one that owns nothing."""

AS_ROOT = "Benchmarks run as root and can read whatever root can, credentials of this machine and of its jobs among it"

MAX_LINKS = 40
"""Symbolic links on one path; the kernel's own limit."""


def capabilities() -> str:
    """How far this system lets us find what escapes from a run: `subreaper` (all of it) or `process group only`."""
    if sys.platform != "linux":
        return "process group only"
    try:
        import _ctypes  # noqa: F401 # what the supervisor makes its system call with
    except ImportError:
        return "process group only"
    return "subreaper"


def harden_self() -> bool:
    """Close our memory and environment to other processes of our own user, which a child may be; whether that worked.

    It does not hold against root or CAP_SYS_PTRACE: there only another account does (see `child_account`).
    """
    return prctl(PR_SET_DUMPABLE, 0)


def child_account(paths: Sequence[str]) -> tuple[Account | None, str]:
    """The account that children shall run as when we are root, if it can use all these paths, else why not in one sentence.

    Folders must be listable, files readable, and executable where anybody may execute them; what does not exist is passed
    over. Without root there is nothing to give up: no account and no reason.
    """
    if os.geteuid() != 0:
        return None, ""
    found = _unprivileged()
    if found is None:
        return None, f"{AS_ROOT}: this system has no account `nobody`."
    name, account = found
    for path in paths:
        if closed := barrier(path, account):
            return None, f"{AS_ROOT}: the account `{name}` cannot use {closed}."
    return account, ""


def _unprivileged() -> tuple[str, Account] | None:
    for name in PREFERRED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0 and entry.pw_gid != 0:
            return name, Account(entry.pw_uid, entry.pw_gid)
    return None


def barrier(path: str, account: Account) -> str:
    """The path and what on the way to it this account may not use; empty where it may use all, or nothing is there."""
    if not os.path.exists(path):  # noqa: PTH110 # a path of any kind, links followed
        return ""
    passed = list(_walk(os.path.abspath(path)))  # noqa: PTH100 # `resolve` would hide the folders that links lead through
    for folder, facts in passed[:-1]:
        if not _may(facts, account, stat.S_IXOTH):
            return _named(path, folder)
    target, facts = passed[-1]
    return "" if _may(facts, account, _needed(facts)) else _named(path, target)


def _named(path: str, closed: str) -> str:
    return path if closed == path else f"{path}: {closed} is closed to it"


def _needed(facts: os.stat_result) -> int:
    """The permission bits, in their place for others, that using this takes."""
    executable = stat.S_ISDIR(facts.st_mode) or facts.st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return stat.S_IROTH | (stat.S_IXOTH if executable else 0)


def _may(facts: os.stat_result, account: Account, bits: int) -> bool:
    """Whether the account has these permissions (given in their place for others); the first class that fits decides, as in the kernel."""
    if facts.st_uid == account.uid:
        bits <<= 6
    elif facts.st_gid == account.gid:
        bits <<= 3
    return facts.st_mode & bits == bits


def _walk(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Every folder that the kernel passes through on the way to an absolute path, links followed, and last the target itself."""
    place, ahead, links = "/", _parts(path), 0
    yield place, os.stat(place)  # noqa: PTH116
    while ahead:
        name = ahead.pop()
        if name == "..":
            place = os.path.dirname(place)  # noqa: PTH120
            continue
        here = os.path.join(place, name)  # noqa: PTH118
        if os.path.islink(here):  # noqa: PTH114
            links += 1
            if links > MAX_LINKS:
                raise OSError(f"too many symbolic links on the way to {path}")
            target = os.readlink(here)  # noqa: PTH115
            place = "/" if target.startswith("/") else place
            ahead.extend(_parts(target))
            continue
        place = here
        yield place, os.stat(place)  # noqa: PTH116


def _parts(path: str) -> list[str]:
    """The names of a path in reverse, ready to be popped."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]

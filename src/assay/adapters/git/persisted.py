"""Credentials that an earlier step left in a checkout's configuration, where a benchmark could read them."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from assay.adapters.git.command import in_folder

_KEYS = r"^(http\..*extraheader|remote\..*\.(push)?url|url\..*\.insteadof|credential\..*)$"
_WITH_PASSWORD = re.compile(r"[a-z+]+://[^/@\s]*:[^/@\s]+@|https?://[^/@\s:]{20,}@", re.IGNORECASE)
"""A password behind the name, or a name that is too long to be one: a token, as hosts take it."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def credential_files(root: str, trusted: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """The files, `.git/config` or one that it includes, in which this checkout's own configuration holds a credential."""
    words = ("config", "--includes", "--show-scope", "--show-origin", "-z", "--get-regexp", _KEYS)
    parts = os.fsdecode(in_folder(root, trusted).ask(*words).out).split("\0")
    found = (
        Path(root, origin.removeprefix("file:")) for scope, origin, entry in zip(*[iter(parts)] * 3, strict=False) if _secret(scope, entry)
    )
    return tuple(dict.fromkeys(found))


def _secret(scope: str, entry: str) -> bool:
    key, _, value = entry.partition("\n")
    if scope not in ("local", "worktree"):
        return False
    return key.lower().endswith("extraheader") or bool(_WITH_PASSWORD.search(f"{key} {value}"))


@contextmanager
def out_of_reach(files: tuple[Path, ...]) -> Iterator[None]:
    """Close files to everybody but their owner for a while. Against a child of the same account that is of no use."""
    with ExitStack() as stack:
        for path in files:
            stack.enter_context(_closed(path))
        yield


@contextmanager
def _closed(path: Path) -> Iterator[None]:
    """What is a link or somebody else's stays as it is: it is warned of all the same."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield
        return
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    try:
        with suppress(PermissionError):
            os.fchmod(descriptor, mode & ~_OTHERS)
        yield
    finally:
        with suppress(PermissionError):
            os.fchmod(descriptor, mode)
        os.close(descriptor)

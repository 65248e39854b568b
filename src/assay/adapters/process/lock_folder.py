"""Where the processes of one user of a box meet to lock what only one of them may use."""

import fcntl
import os
import platform
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from assay.errors import InfrastructureError

SHARED = Path("/tmp")  # noqa: S108 # `own_folder` refuses whatever somebody else put there


def shared_folder() -> Path:
    """A folder of this user that others cannot write to. Lock files that killed processes left in it are removed.

    It is the first of three that can be used. The one in /tmp comes first, as every process of a user sees it, in a login
    session or not; should somebody else have taken its name, they all see that as well and go on to the next. A TMPDIR of
    one process is not where another one looks.
    """
    for folder in _candidates():
        with suppress(InfrastructureError):
            own_folder(folder)
            _sweep(folder)
            return folder
    raise InfrastructureError(
        f"There is no folder for locks: neither {SHARED} nor XDG_RUNTIME_DIR nor the home of this account can be used.",
        hint=f"See who owns {SHARED / _name()}, or give this account a home that it can write to.",
    )


def _candidates() -> Iterator[Path]:
    yield SHARED / _name()
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/nonexistent")
    if runtime.is_absolute() and _is_ours_alone(runtime):
        yield runtime / "assay-locks"
    with suppress(RuntimeError):  # an account without a home
        yield Path.home() / ".cache" / "assay" / f"locks-{platform.node()}"  # a home may be that of many boxes


def _name() -> str:
    return f"assay-locks-{os.geteuid()}"


def own_folder(folder: Path) -> None:
    """Make sure of a folder that is ours alone. Raises InfrastructureError where somebody else could have put a lock there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InfrastructureError(f"the lock folder {folder} cannot be made: {error.strerror}", hint="free that name") from error
    if not _is_ours_alone(folder):
        raise InfrastructureError(
            f"the lock folder {folder} is not a folder of our own", hint="remove it, or its write permission for others"
        )


def _is_ours_alone(folder: Path) -> bool:
    """A folder, no link to one, that is ours and that nobody else may write to."""
    try:
        facts = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022


def _sweep(folder: Path) -> None:
    for path in folder.glob("*.lock"):
        with suppress(OSError):  # somebody holds it, or was faster
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(lock)

"""Files that are whole or absent, whatever is killed when: written aside, synced, then given their name in one step."""

import errno
import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SCRATCH_PREFIX = ".assay-tmp-"
"""What a file is called before it is whole. Readers pass over every name that begins with a dot."""

STALE_S = 3600.0
"""A scratch file this old belongs to a writer that was killed."""

_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_NO_EXCHANGE = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_HERE, _SWAP = -100, 2
"""The folder that relative names are seen from, and the flag that makes two names change places, as Linux numbers them."""

_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES}


def create(path: Path, data: bytes) -> None:
    """Write a file that must not exist yet. Raises FileExistsError where it does, OSError where it cannot be written."""
    scratch = _write_aside(path.parent, data)
    try:
        _give_name(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
    sync_folder(path.parent)


def replace(path: Path, data: bytes, *, durable: bool = True, mode: int = 0o644) -> None:
    """Write a file in the place of whatever has that name. Raises OSError where it cannot be written.

    What is not to be `durable` can be made again: a crash of the machine may leave it empty, and nobody waits for the disk.
    """
    scratch = _write_aside(path.parent, data, durable=durable, mode=mode)
    try:
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
    if durable:
        sync_folder(path.parent)


def swap(path: Path, data: bytes, expected: bytes | None) -> bytes | None:
    """Write a file in the place of one that is believed to hold `expected`, None for none; what was really there.

    Where that is something else, somebody who takes no lock has written there in the last moment, and it is for the caller
    to write again what both want. Raises OSError where it cannot be written.
    """
    scratch = _write_aside(path.parent, data)
    try:
        found = _put(scratch, path, new=expected is None)
    finally:
        scratch.unlink(missing_ok=True)
    sync_folder(path.parent)
    return found


def make_folders(root: Path, *names: str) -> Path:
    """The folder of these names below a root, made where it is missing, so that it outlives a crash.

    Raises OSError where it cannot be made, or where a symbolic link stands in its way: it may lead anywhere.
    """
    _make_folder(root, parents=True)
    folder = root
    for name in names:
        folder = folder / name
        if folder.is_symlink():
            raise OSError(errno.ELOOP, "a symbolic link stands where a folder belongs", str(folder))
        _make_folder(folder)
    return folder


def _make_folder(folder: Path, *, parents: bool = False) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=parents, exist_ok=True)
        sync_folder(folder.parent)


def sweep(folder: Path, *, older_than_s: float = STALE_S) -> None:
    """Remove the scratch files that killed writers left in a folder."""
    limit = time.time() - older_than_s
    for scratch in folder.glob(f"{SCRATCH_PREFIX}*"):
        with suppress(FileNotFoundError):  # another sweep was faster
            if scratch.lstat().st_mtime < limit:
                scratch.unlink()


def sync_folder(folder: Path) -> None:
    """Make a change of names durable, on file systems that know such a thing."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


def _write_aside(folder: Path, data: bytes, *, mode: int = 0o644, durable: bool = True) -> Path:
    scratch = folder / f"{SCRATCH_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    return scratch


def _put(scratch: Path, path: Path, *, new: bool) -> bytes | None:
    if new:
        try:
            _give_name(scratch, path)
        except FileExistsError:
            return _put(scratch, path, new=False)
        return None
    try:
        _exchange(scratch, path)
    except FileNotFoundError:
        return _put(scratch, path, new=True)
    return scratch.read_bytes()


def _exchange(one: Path, other: Path) -> None:
    """Let two names change places in one step; where the system cannot, in two, between which an edit could be lost."""
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _SWAP) == 0:
        return
    if rename is not None and ctypes.get_errno() not in _NO_EXCHANGE:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(other))
    before = other.read_bytes()
    one.replace(other)
    one.write_bytes(before)


def _give_name(scratch: Path, path: Path) -> None:
    try:
        path.hardlink_to(scratch)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # without hard links the name is taken in two steps; ids are random, so only a repeated write could come between
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "already there", str(path)) from error
        scratch.replace(path)


def keep_out_of_git(inside: Path) -> None:
    """Put a `.gitignore` that ignores everything into the `.assay` folder that a path lies in, if it lies in one."""
    home = next((one for one in (inside, *inside.parents) if one.name == ".assay"), None)
    if home is not None and not (home / ".gitignore").exists():
        with suppress(FileExistsError):
            create(home / ".gitignore", b"*\n")


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One process at a time, by the lock of a file, which is made and stays. It goes with whoever holds it. Raises OSError."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

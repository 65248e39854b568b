"""Reading a store's folders as if a stranger had filled them: regular files only, of bounded size, never through a link."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from assay.ports import Unreadable

MAX_BYTES = 64 * 2**20
"""Of one file, or of one line of a packed month; more is no evidence of ours."""

BY_MONTH = 2
"""Folders between a kind of record and its files: year, month."""

_MAX_REASON = 300


def unreadable(path: str, reason: str) -> Unreadable:
    """The same with names that are no text made visible, and with a reason that fits a report."""
    shown = path.encode(errors="backslashreplace").decode()
    return Unreadable(shown, reason if len(reason) <= _MAX_REASON else f"{reason[:_MAX_REASON]}…")


def read_file(root: Path, path: str) -> bytes | Unreadable:
    """The bytes of one file, named from the root."""
    try:
        data = _content(os.path.join(root, path))  # noqa: PTH118 - many small files are read, and a Path takes longer than the rest
    except OSError as error:
        return unreadable(path, _reason(error))
    return data if len(data) <= MAX_BYTES else unreadable(path, f"larger than {MAX_BYTES} bytes")


def read_lines(root: Path, path: str) -> Iterator[tuple[str, bytes | Unreadable]]:
    """The lines of one file, each with the name that it goes by in a report; a bad file or line ends it."""
    try:
        with _regular(root / path) as file:
            number = 0
            while line := file.readline(MAX_BYTES + 1):
                number += 1
                name = f"{path}:{number}"
                if len(line) > MAX_BYTES:
                    yield name, unreadable(name, f"a line longer than {MAX_BYTES} bytes")
                    return
                yield name, line
    except OSError as error:
        yield path, unreadable(path, _reason(error))


def walk(root: Path, folder: str, depth: int) -> Iterator[str | Unreadable]:
    """The paths of all entries `depth` folders below one and of the files on the way there, newest name first.

    Names that begin with a dot are passed over: they are files not yet whole. A missing folder is empty; a link, or
    a folder that cannot be listed, is unreadable evidence.
    """
    for entry in walk_folder(root, folder):
        if isinstance(entry, Unreadable):
            yield entry
            return
        path = f"{folder}/{entry.name}"
        if entry.is_symlink():
            yield unreadable(path, "a symbolic link")
        elif depth and entry.is_dir(follow_symlinks=False):
            yield from walk(root, path, depth - 1)
        else:
            yield path


def walk_folder(root: Path, folder: str) -> Iterator[os.DirEntry[str] | Unreadable]:
    """What stands right in one folder, newest name first, with the same rules."""
    try:
        entries = sorted(_entries(root / folder), key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        yield unreadable(folder, _reason(error))
        return
    yield from entries


def read_piece(root: Path, path: str, start: int, size: int) -> bytes | Unreadable:
    """A piece of one file; a shorter one where the file ends before."""
    try:
        with _regular(root / path) as file:
            file.seek(start)
            return file.read(size)
    except OSError as error:
        return unreadable(path, _reason(error))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    if folder.is_symlink():
        raise OSError("a symbolic link")
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if not entry.name.startswith(".")]
    except FileNotFoundError:
        return []


@contextmanager
def _regular(path: Path) -> Iterator[BinaryIO]:
    descriptor, _ = _opened(path)
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _content(path: str) -> bytes:
    """All of a regular file, or a byte more than is taken of one."""
    descriptor, size = _opened(path)
    try:
        data = os.read(descriptor, min(size, MAX_BYTES) + 1)
        while len(data) != size and len(data) <= MAX_BYTES and (more := os.read(descriptor, MAX_BYTES + 1 - len(data))):
            data += more  # it has grown since, or was read in pieces
    finally:
        os.close(descriptor)
    return data


def _opened(path: str | Path) -> tuple[int, int]:
    """A descriptor of a regular file, and its size. Neither follows a link nor waits for the other end of a pipe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise OSError("not a regular file")
    return descriptor, status.st_size


def _reason(error: OSError) -> str:
    return error.strerror or str(error)

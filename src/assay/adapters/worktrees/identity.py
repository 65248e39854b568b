"""What an input is: a digest of its contents, or of the facts that change with them where there is too much to read."""

import hashlib
import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from assay.core.model import UNKNOWN

READ_LIMIT = 256 * 1024 * 1024
"""Bytes of one input that are read: about half a second. Beyond it the file system's own word has to do."""

ENTRY_LIMIT = 2_000_000
"""Files that one input may hold, those behind links included. Of more nothing is known, and nothing is reused for them."""

_MISSING = "missing"


@dataclass(slots=True)
class Identities:
    """Tells identities, and remembers for as long as it lives what it has read of a file that has not been touched since."""

    _digests: dict[tuple[int, ...], bytes] = field(default_factory=dict)

    def of(self, origin: Path) -> str:
        """`sha256:…` of names and contents; `stat:…`, of names and facts, where it is large; `missing` or `unknown`.

        Links are followed, for what is behind them is read as well. The facts include the time of the last change and the
        inode, which no program sets at will, so that a large input that was written anew counts as another one.
        """
        if not origin.exists():
            return _MISSING
        found = sorted(islice(_found(origin), ENTRY_LIMIT + 1))
        if len(found) > ENTRY_LIMIT:
            return UNKNOWN
        contents = sum(one.facts.st_size for one in found if stat.S_ISREG(one.facts.st_mode)) <= READ_LIMIT
        digest = hashlib.sha256()
        for one in found:
            text = self._content(one) if contents else _shape(one)
            digest.update(os.fsencode(one.name) + b"\0" + one.link + b"\0" + text + b"\0")
        return f"{'sha256' if contents else 'stat'}:{digest.hexdigest()}"

    def _content(self, one: "_Found") -> bytes:
        if not stat.S_ISREG(one.facts.st_mode):
            return b"special %d" % stat.S_IFMT(one.facts.st_mode)
        key = (one.facts.st_dev, *_facts(one))
        if key not in self._digests:
            try:
                with open(one.path, "rb") as file:  # noqa: PTH123 - a text, as all others here
                    self._digests[key] = hashlib.file_digest(file, "sha256").digest()
            except PermissionError:
                return _shape(one)
        return self._digests[key]


def identity(origin: Path) -> str:
    """The identity of one input."""
    return Identities().of(origin)


def _shape(one: "_Found") -> bytes:
    return " ".join(map(str, _facts(one))).encode()


def _facts(one: "_Found") -> tuple[int, ...]:
    facts = one.facts
    return facts.st_mode, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


@dataclass(frozen=True, slots=True, order=True)
class _Found:
    """Something that is no folder, or a link, by its path inside the input; `link` is the text of the link, if it is one."""

    name: str
    link: bytes
    path: str = field(compare=False)
    facts: os.stat_result = field(compare=False)


def _found(origin: Path) -> Iterator[_Found]:
    """All of an input. A folder is entered once, by whatever names it can be reached, so that links cannot lead in circles."""
    top = origin.stat()
    if not stat.S_ISDIR(top.st_mode):
        yield _Found("", b"", str(origin), top)
        return
    entered = {(top.st_dev, top.st_ino)}
    ahead = deque([("", str(origin))])
    while ahead:
        inside, folder = ahead.popleft()
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
        for entry in ordered:
            one = _of_entry(f"{inside}/{entry.name}", entry)
            key = (one.facts.st_dev, one.facts.st_ino)
            if stat.S_ISDIR(one.facts.st_mode) and key not in entered:
                entered.add(key)
                ahead.append((one.name, one.path))
            if one.link or not stat.S_ISDIR(one.facts.st_mode):
                yield one


def _of_entry(name: str, entry: "os.DirEntry[str]") -> _Found:
    if not entry.is_symlink():
        return _Found(name, b"", entry.path, entry.stat(follow_symlinks=False))
    link = b"link " + os.fsencode(os.readlink(entry.path))  # noqa: PTH115 - a text, as all others here
    try:
        return _Found(name, link, entry.path, entry.stat())
    except OSError:  # it leads nowhere, or in a circle
        return _Found(name, link, entry.path, entry.stat(follow_symlinks=False))

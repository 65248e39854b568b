"""The data branch as one commit shows it: asked for names and contents, never checked out."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import BinaryIO

from assay.adapters.store_branch.private_repository import DamagedError, PrivateRepository
from assay.core.values import dataclass

MAX_BLOB = 128 * 2**20
"""Bytes of one file; more is no evidence of ours."""

_AT_ONCE = 2**20
_REGULAR = "100644"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a commit. `mode` is git's; an empty blob id says that the file is gone."""

    path: str
    mode: str
    blob: str

    @property
    def problem(self) -> str | None:
        """Why its content is not to be read, by its mode."""
        kinds = {"120000": "a symbolic link", "160000": "a submodule", "100755": "an executable file"}
        return None if self.mode == _REGULAR else kinds.get(self.mode, f"a file of mode {self.mode}")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A commit of the data branch in our copy, None for a branch that does not exist yet."""

    repository: PrivateRepository
    tip: str | None

    def names(self) -> tuple[str, ...]:
        """What stands at the top."""
        if self.tip is None:
            return ()
        listed = self.repository.ask("ls-tree", "--name-only", "-z", "--full-tree", self.tip)
        return tuple(_text(raw) for raw in listed.out.split(b"\0")[:-1])

    def files(self, *folders: str) -> Iterator[Entry]:
        """All files below these folders, or below the top."""
        if self.tip is None:
            return
        listed = self.repository.ask("ls-tree", "-r", "-z", "--full-tree", self.tip, "--", *folders)
        for row in listed.out.split(b"\0")[:-1]:
            facts, _, path = row.partition(b"\t")
            mode, _, blob = facts.decode("ascii").split(" ")
            yield Entry(_text(path), mode, blob)

    def changes(self, since: str) -> Iterator[Entry]:
        """The files that differ from an earlier commit, as they are now. Raises DamagedError where that commit is gone."""
        if self.tip is None:
            return
        options = ("-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
        listed = self.repository.ask("diff-tree", *options, since, self.tip).out.split(b"\0")[:-1]
        for facts, path in zip(listed[::2], listed[1::2], strict=True):
            _, mode, _, blob, _ = facts.decode("ascii").split(" ")
            yield Entry(_text(path), mode, blob if mode != "000000" else "")

    def blobs(self, paths: Iterable[str]) -> Mapping[str, str]:
        """The blob ids of those paths that the commit has. The paths are of our own making."""
        asked = tuple(paths)
        if self.tip is None or not asked:
            return {}
        rows = self._check(f"{self.tip}:{path}" for path in asked)
        return {path: row.split(" ")[0] for path, row in zip(asked, rows, strict=True) if not row.endswith(" missing")}

    def contents(self, blobs: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """The content of each blob as git reads it, None for one that is larger than MAX_BLOB.

        Raises DamagedError for one that is not there.
        """
        asked = tuple(blobs)
        if not asked:
            return
        with self._poured(asked) as stream:
            for blob in asked:
                size = self._size(stream, blob)
                if size > MAX_BLOB:
                    self._pass_over(stream, size)
                    yield blob, None
                else:
                    yield blob, self._taken(stream, size)
                self._taken(stream, 1)

    def cuts(self, blob: str, ranges: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        """Pieces of one blob, each a start and a size, in the order in which they stand there; git stops after the last."""
        with self._poured((blob,)) as stream:
            self._size(stream, blob)
            at = 0
            for start, size in ranges:
                self._pass_over(stream, start - at)
                yield self._taken(stream, size)
                at = start + size

    def blob_id(self, content: bytes) -> str:
        """The id that git gives to a content."""
        maker = hashlib.sha256 if self.repository.object_format == "sha256" else hashlib.sha1
        return maker(b"blob %d\0" % len(content) + content).hexdigest()

    def _check(self, names: Iterable[str]) -> list[str]:
        feed = "".join(f"{name}\n" for name in names).encode()
        return self.repository.ask("cat-file", "--batch-check", "--buffer", feed=feed).out.decode("utf-8", "replace").splitlines()

    def _poured(self, blobs: tuple[str, ...]) -> AbstractContextManager[BinaryIO]:
        return self.repository.pour("cat-file", "--batch", "--buffer", feed="".join(f"{blob}\n" for blob in blobs).encode())

    def _size(self, stream: BinaryIO, blob: str) -> int:
        """What git says of the blob that comes next."""
        found, kind, size = (*stream.readline().decode("ascii", "replace").split(), "", "", "")[:3]
        if found != blob or kind != "blob" or not size.isdigit():
            raise self._lacking()
        return int(size)

    def _taken(self, stream: BinaryIO, size: int) -> bytes:
        data = stream.read(size)
        if len(data) < size:
            raise self._lacking()
        return data

    def _pass_over(self, stream: BinaryIO, size: int) -> None:
        while size > 0:
            size -= len(self._taken(stream, min(size, _AT_ONCE)))

    def _lacking(self) -> DamagedError:
        return DamagedError(f"The copy of the data branch in {self.repository.folder} lacks an object.", hint="It is fetched again.")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")

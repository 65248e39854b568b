"""What git prints of its objects, as values."""

from collections.abc import Iterator
from typing import Self

from assay.core.tree import Change, Lines, TreeFile
from assay.core.values import dataclass

_GITLINK = b"160000"
_LINK = b"120000"
_ATTRIBUTES = b".gitattributes"
_REGULAR = (b"100644", b"100755", b"100664")


def path_text(raw: bytes) -> str:
    """A path as text that any JSON can carry: bytes that are no UTF-8 show as `\\xff`."""
    return raw.decode("utf-8", "backslashreplace")


def changes_in(raw: bytes) -> Iterator[Change]:
    """Read the output of `git diff-tree -r -z --raw`: `:mode mode id id status NUL path NUL`. Raises ValueError where it is cut short."""
    *parts, rest = raw.split(b"\0")
    if rest or len(parts) % 2:
        raise ValueError("cut short")
    for facts, path in zip(parts[::2], parts[1::2], strict=True):
        if not facts.startswith(b":"):
            raise ValueError("no list of changes")
        yield Change(path_text(path), facts[1:7].decode("ascii"), facts[8:14].decode("ascii"))


def lines_in(raw: bytes) -> Iterator[tuple[str, Lines | None]]:
    """Read the output of `git diff-tree -r -z --no-renames --numstat`: `added TAB removed TAB path NUL`, with `-` for what is no text.

    Raises ValueError where it is cut short.
    """
    *entries, rest = raw.split(b"\0")
    if rest:
        raise ValueError("cut short")
    for entry in entries:
        added, removed, path = entry.split(b"\t", 2)
        yield path_text(path), None if added == b"-" else Lines(int(added), int(removed))


def files_in(raw: bytes) -> Iterator[TreeFile]:
    """Read the output of `git ls-tree -r -z`: `mode type id TAB path NUL`. Raises ValueError where it is cut short."""
    *entries, rest = raw.split(b"\0")
    if rest:
        raise ValueError("cut short")
    for entry in entries:
        yield TreeFile(path_text(entry.partition(b"\t")[2]), entry)


def links_in(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """The links in the output of `git ls-tree -r -z`, each with the id of the blob that holds its text. Raises ValueError like files_in."""
    *entries, rest = raw.split(b"\0")
    if rest:
        raise ValueError("cut short")
    for facts, _, path in (entry.partition(b"\t") for entry in entries if entry.startswith(_LINK)):
        yield path_text(path), facts.rpartition(b" ")[2]


def contents_in(raw: bytes) -> Iterator[bytes]:
    """Read the output of `git cat-file --batch`. Raises ValueError where an object is missing or it is cut short."""
    at = 0
    while at < len(raw):
        end = raw.find(b"\n", at)
        words = raw[at:end].split(b" ") if end >= 0 else []
        if len(words) != 3 or not words[2].isdigit():
            raise ValueError("no list of contents")
        content = raw[end + 1 : end + 1 + int(words[2])]
        if len(content) != int(words[2]):
            raise ValueError("cut short")
        yield content
        at = end + 2 + int(words[2])


@dataclass(frozen=True, slots=True)
class CommitObject:
    """A commit as it was written: real parents, whatever a shallow clone hides."""

    tree: str
    parents: tuple[str, ...]
    subject: str

    @classmethod
    def parse(cls, raw: bytes) -> Self:
        """Read the output of `git cat-file commit`."""
        head, _, message = raw.partition(b"\n\n")
        fields = [line.partition(b" ")[::2] for line in head.split(b"\n")]
        named = dict(reversed(fields))
        parents = tuple(value.decode("ascii") for name, value in fields if name == b"parent")
        text = _decoded(message, named.get(b"encoding", b"utf-8"))
        return cls(named[b"tree"].decode("ascii"), parents, next(iter(text.strip().splitlines()), "").strip())


def _decoded(message: bytes, encoding: bytes) -> str:
    try:
        return message.decode(encoding.decode("ascii"), "replace")
    except (LookupError, UnicodeDecodeError):  # an encoding that nobody knows is as good as none
        return message.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Listing:
    """Of all files in a commit the few that are asked for: those at the top with their blob ids, submodules, attribute files."""

    top: dict[str, str]
    submodules: tuple[str, ...]
    has_attributes: bool
    raw: bytes

    def files(self) -> dict[str, str]:
        """The blob ids of all files and links, by path."""
        entries = (entry.partition(b"\t") for entry in self.raw.split(b"\0")[:-1] if not entry.startswith(_GITLINK))
        return {path_text(path): facts.rpartition(b" ")[2].decode("ascii") for facts, _, path in entries}

    @classmethod
    def parse(cls, raw: bytes) -> Self:
        """Read the output of `git ls-tree -r -z`: `mode type id TAB path NUL`."""
        top: dict[str, str] = {}
        submodules: list[str] = []
        has_attributes = False
        for entry in raw.split(b"\0")[:-1]:
            facts, _, path = entry.partition(b"\t")
            if facts.startswith(_GITLINK):
                submodules.append(path_text(path))
            elif b"/" not in path:
                top[path_text(path)] = facts.rpartition(b" ")[2].decode("ascii")
            has_attributes = has_attributes or path.endswith(_ATTRIBUTES)
        return cls(top, tuple(submodules), has_attributes, raw)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree; `size` is 0 for what is no file."""

    mode: bytes
    id: str
    size: int
    path: str

    @classmethod
    def parse(cls, raw: bytes) -> Self:
        """Read one entry of `git ls-tree -z --long`: `mode type id size TAB path`."""
        facts, _, path = raw.partition(b"\t")
        mode, _, name, size = facts.split()
        return cls(mode, name.decode("ascii"), int(size) if size.isdigit() else 0, path_text(path))

    @property
    def regular(self) -> bool:
        return self.mode in _REGULAR

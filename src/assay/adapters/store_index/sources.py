"""What an index is made from: the files of a store, wherever they stand, told apart by what identifies their content."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One file. `blob` names its content: another content has another name. An empty one says that the file is gone.

    `problem` is why it is not to be read, by its kind or its place.
    """

    path: str
    blob: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class News:
    """What differs from what an index knows. `state` is what it has to remember; with `anew` the entries are all there are."""

    state: Mapping[str, str]
    entries: Iterable[Entry]
    anew: bool = False


class Source(Protocol):
    """The files of a store as they stand now."""

    def news(self, known: Mapping[str, str], files: Callable[[str], Mapping[str, str]]) -> News | None:
        """What differs from the state that is remembered, None where nothing does.

        `files` tells what the index knows of a folder: the blobs of the files right in it, by path.
        """
        ...

    def contents(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | str]]:
        """The content of each file, in the order given, or why it cannot be read."""
        ...

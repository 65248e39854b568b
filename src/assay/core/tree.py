"""What git says of files, as values: one that differs between two commits, and one that a commit has."""

from collections.abc import Mapping
from typing import NamedTuple

ABSENT = "000000"
_SUBMODULE = "160000"
_LINK = "120000"
OPAQUE = frozenset((_SUBMODULE, _LINK))
"""Modes of what stands for files that git does not list."""


class Change(NamedTuple):
    """A path that differs between two commits, with its mode before and after; a move is two of them."""

    path: str
    before: str = "100644"
    after: str = "100644"

    @property
    def is_opaque(self) -> bool:
        """Whether the path stands for files that git does not list: a submodule, or a link to wherever."""
        return self.before in OPAQUE or self.after in OPAQUE

    @property
    def kind(self) -> str:
        """What kind of change it is, where that is not only one of content."""
        modes = {self.before, self.after}
        if _SUBMODULE in modes:
            return "submodule"
        if ABSENT in modes:
            return "removed" if self.after == ABSENT else "added"
        if self.before == self.after:
            return ""
        return "link" if _LINK in modes else f"mode {self.before[-3:]} → {self.after[-3:]}"


class Lines(NamedTuple):
    """Lines that a change added and removed in one text file."""

    added: int
    removed: int


LineCounts = Mapping[str, Lines | None]
"""By path; None stands for what is no text."""


class TreeFile(NamedTuple):
    """A file of a commit. `identity` is all that git lists of it: mode, id and the bytes of its path."""

    path: str
    identity: bytes

    @property
    def is_opaque(self) -> bool:
        """Whether it stands for files that git does not list."""
        return self.identity.startswith((b"160000", b"120000"))

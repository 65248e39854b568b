"""What a commit holds of each group of paths, as one hash each: proof of equal content without any history.

A window needs both commits and says which paths differ. Fingerprints need neither: they stand in the envelope, and equal ones
say that every file that matters is the same, whatever became of the branch.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import model_validator

from assay.core.canonical import digest
from assay.core.model import Rung
from assay.core.record import Fact, Record
from assay.core.tree import TreeFile
from assay.core.window import GROUPS, IGNORED, Classifier

FINGERPRINTED = (*GROUPS, Rung.UNCLASSIFIED)
"""Every group, and the rest: what no group watches and nothing ignores."""


class Fingerprints(Record):
    """One SHA-256 a group, over mode, id and path of its files.

    `rules` is the hash of the patterns that made the groups, `content` all of the others in one, to find equal ones by.
    """

    rules: Fact
    content: Fact
    code: Fact
    harness: Fact
    model: Fact
    config: Fact
    environment: Fact
    unclassified: Fact

    @model_validator(mode="after")
    def _content_belongs(self) -> Self:
        if content_of(self.rules, {rung: getattr(self, rung.value) for rung in FINGERPRINTED}) != self.content:
            raise ValueError("the content is not that of the groups")
        return self

    def differing(self, other: "Fingerprints") -> tuple[Rung, ...] | None:
        """The groups in which two commits differ; None where other patterns made them, so that they cannot be held together."""
        if self.rules != other.rules:
            return None
        return tuple(rung for rung in FINGERPRINTED if getattr(self, rung.value) != getattr(other, rung.value))


def content_of(rules: str, groups: Mapping[Rung, str]) -> str:
    """The fingerprints of all groups in one."""
    return digest([rules, *(groups[rung] for rung in FINGERPRINTED)])


def fingerprints_of(files: Iterable[TreeFile], classifier: Classifier) -> Fingerprints:
    """The fingerprints of a commit, whose files come in git's own order."""
    held: dict[Rung, list[bytes]] = {rung: [] for rung in FINGERPRINTED}
    for file in files:
        standing = classifier.standing(file)
        if standing is not IGNORED:
            held[Rung(standing)].append(file.identity)
    groups = {rung: hashlib.sha256(b"\0".join(identities)).hexdigest() for rung, identities in held.items()}
    content = content_of(classifier.rules, groups)
    return Fingerprints(rules=classifier.rules, content=content, **{rung.value: found for rung, found in groups.items()})

"""What started a job on GitHub: the payload of its event as one of a few frozen values. Nothing in it is believed to be safe text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import UsageError


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request was opened or updated. `fork` is true also where the head repository is gone."""

    number: int
    head_sha: str
    base_sha: str
    head_ref: str
    base_ref: str
    fork: bool
    action: str
    sender: str


@dataclass(frozen=True, slots=True)
class Push:
    """A branch was pushed. `after` is its new tip, all zeros where it was deleted."""

    ref: str
    after: str
    default_branch: str
    sender: str

    @property
    def to_default(self) -> bool:
        return self.ref == f"refs/heads/{self.default_branch}"


@dataclass(frozen=True, slots=True)
class MergeGroup:
    """The merge queue asks for a verdict on a group."""

    head_sha: str
    base_sha: str
    head_ref: str
    base_ref: str
    action: str


Event = PullRequest | Push | MergeGroup


def parse_event(name: str, payload: Mapping[str, Any]) -> Event:
    """The event of a job. Raises UsageError for an event that is not handled and for a field that is missing or of a wrong type."""
    raise UsageError("not yet")

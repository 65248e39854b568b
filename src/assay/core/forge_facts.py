"""What a forge knows of people and pull requests, as far as a decision needs it."""

from enum import StrEnum

from assay.core.values import dataclass


class Permission(StrEnum):
    """What somebody may do in the repository, the least first. `maintain` counts as write and `triage` as read, as GitHub has it."""

    NONE = "none"
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, needed: "Permission") -> bool:
        order = tuple(Permission)
        return order.index(self) >= order.index(needed)


class Reaction(StrEnum):
    """Our silent answers to a comment: seen, started, refused."""

    EYES = "eyes"
    ROCKET = "rocket"
    CONFUSED = "confused"


class RunState(StrEnum):
    """Whether a workflow run still goes on."""

    ON = "on"
    OVER = "over"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PullFacts:
    """A pull request as the forge has it at one moment. `fork` is true also where the head repository is gone."""

    number: int
    head_sha: str
    head_ref: str
    base_sha: str
    base_ref: str
    fork: bool
    open: bool


@dataclass(frozen=True, slots=True)
class Notice:
    """An issue of ours on the forge. Its body is ours, save for what people with rights have changed of it."""

    number: int
    url: str
    title: str
    body: str
    open: bool

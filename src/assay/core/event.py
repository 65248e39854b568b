"""What started a job on GitHub: the payload of its event as one of a few frozen values. Nothing in it is believed to be safe text."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from assay.core.escape import plain
from assay.core.timestamp import moment
from assay.core.values import dataclass
from assay.errors import UsageError

_SHA = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_BRANCH = "refs/heads/"
_NEVER = {
    "pull_request_target": "Let the workflow start on pull_request.",
    "workflow_run": "Give the input mode: report, or let the workflow start on pull_request.",
}
"""Events whose jobs have a token that can write, and may have a stranger's commit at hand; what to do instead."""
_PAYLOAD_HINT = "GITHUB_EVENT_PATH has to name the file that GitHub wrote for this very job."


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
    merged: bool = False

    @property
    def ended(self) -> bool:
        """Whether its change has gone in."""
        return self.action == "closed" and self.merged


@dataclass(frozen=True, slots=True)
class Push:
    """A branch was pushed. `after` is its new tip, all zeros where it was deleted."""

    ref: str
    after: str
    default_branch: str
    sender: str

    @property
    def to_default(self) -> bool:
        return self.ref == f"{_BRANCH}{self.default_branch}"

    @property
    def deleted(self) -> bool:
        return not self.after.strip("0")

    @property
    def branch(self) -> str | None:
        """The short name of the branch, None where a tag was pushed."""
        return self.ref.removeprefix(_BRANCH) if self.ref.startswith(_BRANCH) else None


@dataclass(frozen=True, slots=True)
class MergeGroup:
    """The merge queue asks for a verdict on a group."""

    head_sha: str
    base_sha: str
    head_ref: str
    base_ref: str
    action: str


@dataclass(frozen=True, slots=True)
class Comment:
    """Somebody commented on an issue or a pull request. `body` is whatever a stranger likes it to be.

    `bot` is whether a program wrote it, `fresh` whether it is new rather than edited or deleted.
    """

    number: int
    comment_id: int
    body: str
    author: str
    bot: bool
    created_at: datetime
    on_pull: bool
    fresh: bool


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """Another workflow has ended. Its head may be anybody's, and all that it left is a claim."""

    run_id: int
    head_sha: str
    head_branch: str
    head_owner: str
    event: str


@dataclass(frozen=True, slots=True)
class Timer:
    """The clock, or somebody by hand or by the API, asks for a tick of the control loop.

    `default_branch` is empty where the payload does not name it, as that of a schedule may not.
    """

    name: str
    default_branch: str
    sender: str


Event = PullRequest | Push | MergeGroup
Started = Event | Comment | WorkflowRun | Timer


def is_public(payload: Mapping[str, Any]) -> bool:
    """Whether everybody can see the repository of an event, and so send it code; a payload that does not say so counts as one that does."""
    return _Fields("", payload).maybe("repository.private") is not True


def parse_event(name: str, payload: Mapping[str, Any]) -> Started:
    """The event of a job. Raises UsageError for an event that is not handled and for a field that is missing or of a wrong type."""
    fields = _Fields(name, payload)
    match name:
        case "pull_request":
            return _pull_request(fields)
        case "push":
            return Push(fields.text("ref"), fields.sha("after"), fields.text("repository.default_branch"), fields.login("sender"))
        case "merge_group":
            return _merge_group(fields)
        case "issue_comment":
            return _comment(fields)
        case "workflow_run":
            return _workflow_run(fields)
        case "schedule" | "workflow_dispatch" | "repository_dispatch":
            return Timer(name, fields.name("repository.default_branch"), fields.login("sender"))
        case _:
            refuse_to_run(name)
            raise _unhandled(name)


def _pull_request(fields: "_Fields") -> PullRequest:
    head = fields.at("pull_request.head.repo")
    base = fields.text("pull_request.base.repo.full_name")
    return PullRequest(
        number=fields.number("number"),
        head_sha=fields.sha("pull_request.head.sha"),
        base_sha=fields.sha("pull_request.base.sha"),
        head_ref=fields.text("pull_request.head.ref"),
        base_ref=fields.text("pull_request.base.ref"),
        fork=head is None or fields.text("pull_request.head.repo.full_name") != base,
        action=fields.text("action"),
        sender=fields.login("sender"),
        merged=fields.maybe("pull_request.merged") is True,
    )


def _merge_group(fields: "_Fields") -> MergeGroup:
    return MergeGroup(
        head_sha=fields.sha("merge_group.head_sha"),
        base_sha=fields.sha("merge_group.base_sha"),
        head_ref=fields.text("merge_group.head_ref"),
        base_ref=fields.text("merge_group.base_ref"),
        action=fields.text("action"),
    )


def _comment(fields: "_Fields") -> Comment:
    body = fields.at("comment.body")
    return Comment(
        number=fields.number("issue.number"),
        comment_id=fields.number("comment.id"),
        body=body if isinstance(body, str) else "",
        author=fields.text("comment.user.login"),
        bot=fields.text("comment.user.type") != "User",
        created_at=fields.moment("comment.created_at"),
        on_pull=isinstance(fields.maybe("issue.pull_request"), Mapping),
        fresh=fields.text("action") == "created",
    )


def _workflow_run(fields: "_Fields") -> WorkflowRun:
    owner = fields.maybe("workflow_run.head_repository.owner.login")
    return WorkflowRun(
        run_id=fields.number("workflow_run.id"),
        head_sha=fields.sha("workflow_run.head_sha"),
        head_branch=fields.text("workflow_run.head_branch"),
        head_owner=owner if isinstance(owner, str) else "",
        event=fields.text("workflow_run.event"),
    )


def never_runs(name: str) -> UsageError:
    """The error for an event under which nothing is run."""
    what = f"Under {name} nothing is run: the code of a stranger would stand beside a token that can write."
    return UsageError(what, hint=_NEVER[name])


def refuse_to_run(name: str) -> None:
    """Raises UsageError for an event under which nothing is run, whatever a step of its job is told to do."""
    if name in _NEVER:
        raise never_runs(name)


def _unhandled(name: str) -> UsageError:
    hint = "Let the workflow start on pull_request, push, merge_group, issue_comment or schedule."
    shown = plain(name, 60) or "(empty)"
    return UsageError(f"The event {shown} is none that Assay acts upon.", hint=hint)


@dataclass(frozen=True, slots=True)
class _Fields:
    """Asks a payload for its fields by their paths, and names the path of one that will not do."""

    event: str
    payload: object

    def at(self, path: str) -> object:
        """The value there, which may be null. Raises UsageError where a key of the path is missing."""
        found, steps = self.payload, path.split(".")
        for number, step in enumerate(steps):
            if not isinstance(found, Mapping):
                raise self._wrong(".".join(steps[:number]), "an object")
            if step not in found:
                raise UsageError(f"The payload of the event {self.event} has no field `{path}`.", hint=_PAYLOAD_HINT)
            found = found[step]
        return found

    def maybe(self, path: str) -> object:
        """The value there, None where there is none."""
        found = self.payload
        for step in path.split("."):
            found = found.get(step) if isinstance(found, Mapping) else None
        return found

    def text(self, path: str) -> str:
        found = self.at(path)
        if not isinstance(found, str) or not found:
            raise self._wrong(path, "a text")
        return found

    def sha(self, path: str) -> str:
        found = self.at(path)
        if not isinstance(found, str) or not _SHA.fullmatch(found):
            raise self._wrong(path, "a full commit id")
        return found

    def moment(self, path: str) -> datetime:
        try:
            return moment(self.text(path))
        except ValueError as error:
            raise self._wrong(path, "a time in UTC") from error

    def number(self, path: str) -> int:
        found = self.at(path)
        if not isinstance(found, int) or isinstance(found, bool) or found < 1:
            raise self._wrong(path, "a number from 1")
        return found

    def login(self, path: str) -> str:
        """Who it was; empty where the payload does not say, for nothing is decided by it."""
        person = self.payload.get(path) if isinstance(self.payload, Mapping) else None
        login = person.get("login") if isinstance(person, Mapping) else None
        return login if isinstance(login, str) else ""

    def name(self, path: str) -> str:
        """The text there, empty where there is none."""
        found = self.maybe(path)
        return found if isinstance(found, str) else ""

    def _wrong(self, path: str, wanted: str) -> UsageError:
        where = f"`{path}` in the payload" if path else "The payload"
        return UsageError(f"{where} of the event {self.event} is not {wanted}.", hint=_PAYLOAD_HINT)

"""A forge in memory: it keeps what was posted, and can refuse, fail or move a head on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from assay.core.branch_rules import BranchFacts
from assay.core.check_run import CheckRun
from assay.core.forge_facts import Permission, PullFacts, Reaction, RunState
from assay.errors import ForgeError
from assay.forge_ports import Posted

URL = "https://forge.example"


@dataclass(slots=True)
class Opened:
    """A check run as the forge has it; `closed` is None while it is in progress."""

    name: str
    commit: str
    external_id: str
    closed: CheckRun | None = None


@dataclass(slots=True)
class FakeForge:
    """Satisfies `ports.Forge`. `fails` maps a method to the error that it raises; `heads` are those of pull requests.

    `going` are runs of workflows, `checking` those of them that a check of a commit is.
    """

    comments: dict[int, str] = field(default_factory=dict)
    checks: list[Opened] = field(default_factory=list)
    heads: dict[int, str] = field(default_factory=dict)
    fails: dict[str, ForgeError] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    pulls: dict[int, PullFacts] = field(default_factory=dict)
    permissions: dict[str, Permission] = field(default_factory=dict)
    pushes: dict[tuple[str, str], datetime] = field(default_factory=dict)
    uploads: dict[int, dict[str, bytes]] = field(default_factory=dict)
    runs: dict[int, RunState] = field(default_factory=dict)
    withdrawn: list[int] = field(default_factory=list)
    reactions: list[tuple[int, Reaction]] = field(default_factory=list)
    labels: dict[int, list[str]] = field(default_factory=dict)
    branches: dict[str, BranchFacts] = field(default_factory=dict)
    going: set[int] = field(default_factory=set)
    checking: dict[str, set[int]] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)

    def upsert_comment(self, number: int, body: str, marker: str, known: int | None = None, since: datetime | None = None) -> Posted:
        self._called("upsert_comment")
        assert body.startswith(marker)
        self.comments[number] = body
        return Posted(number, f"{URL}/comment/{number}")

    def update_comment(self, number: int, body: str, marker: str, known: int | None = None, since: datetime | None = None) -> Posted | None:
        self._called("update_comment")
        return self.upsert_comment(number, body, marker) if number in self.comments else None

    def withdraw_comment(self, comment: int) -> None:
        self._called("withdraw_comment")
        self.withdrawn.append(comment)

    def open_check(self, name: str, commit: str, external_id: str, title: str, *, new: bool = False) -> Posted:
        self._called("open_check")
        return self._posted(name, commit, external_id)

    def close_check(self, check: Posted | None, payload: CheckRun) -> Posted:
        self._called("close_check")
        posted = check or self._posted(payload.name, payload.head_sha, payload.external_id)
        self.checks[posted.id].closed = payload
        return posted

    def end_check(self, payload: CheckRun, *, make: bool) -> Posted | None:
        self._called("end_check")
        facts = (payload.name, payload.head_sha, payload.external_id)
        if not make and facts not in [(one.name, one.commit, one.external_id) for one in self.checks]:
            return None
        posted = self._posted(*facts)
        self.checks[posted.id].closed = self.checks[posted.id].closed or payload
        return posted

    def run_state(self, run: int) -> RunState:
        self._called("run_state")
        return self.runs.get(run, RunState.UNKNOWN)

    def head_of(self, number: int) -> str:
        self._called("head_of")
        return self.heads[number]

    def pull(self, number: int) -> PullFacts:
        self._called("pull")
        return replace(self.pulls[number], head_sha=self.heads.get(number, self.pulls[number].head_sha))

    def pull_of_branch(self, owner: str, branch: str, commit: str) -> PullFacts | None:
        self._called("pull_of_branch")
        found = [one for one in self.pulls.values() if (one.head_ref, one.head_sha) == (branch, commit)]
        return found[0] if len(found) == 1 else None

    def artifacts(self, run: int, prefix: str) -> Mapping[str, bytes]:
        self._called("artifacts")
        return {name: content for name, content in self.uploads.get(run, {}).items() if name.startswith(prefix)}

    def permission_of(self, login: str) -> Permission:
        self._called("permission_of")
        return self.permissions.get(login, Permission.READ)

    def pushed(self, branch: str, commit: str) -> datetime | None:
        self._called("pushed")
        return self.pushes.get((branch, commit))

    def label(self, number: int, name: str) -> None:
        self._called("label")
        self.labels.setdefault(number, []).append(name)

    def branch_facts(self, branch: str, into: str) -> BranchFacts:
        self._called("branch_facts")
        return self.branches.get(branch, BranchFacts(branch, True, branch == into, False, False))

    def react(self, comment: int, reaction: Reaction) -> None:
        self._called("react")
        self.reactions.append((comment, reaction))

    def unfinished(self) -> frozenset[int]:
        self._called("unfinished")
        return frozenset(self.going)

    def unfinished_on(self, commit: str) -> frozenset[int]:
        self._called("unfinished_on")
        return frozenset(self.checking.get(commit, set()) & self.going)

    def end(self, run: int) -> bool:
        self._called("end")
        self.ended.append(run)
        there = run in self.going
        self.going.discard(run)
        return there

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self.fails:
            raise self.fails[name]

    def _posted(self, name: str, commit: str, external_id: str) -> Posted:
        facts = (name, commit, external_id)
        known = (index for index, one in enumerate(self.checks) if (one.name, one.commit, one.external_id) == facts)
        index = next(known, len(self.checks))
        if index == len(self.checks):
            self.checks.append(Opened(*facts))
        return Posted(index, f"{URL}/check/{index}")


def denied(what: str = "write") -> ForgeError:
    """What a token without the permission meets."""
    return ForgeError(f"The token may not {what}.", hint="See the permissions.", denied=True)


def outage() -> ForgeError:
    """What everybody meets when the forge is down."""
    return ForgeError("The forge did not answer.", hint="Try again.")

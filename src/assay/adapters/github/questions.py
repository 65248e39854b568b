"""What is asked of GitHub before a comment is obeyed: who may what, where a pull request is, and when that was pushed."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import requests
from github import UnknownObjectException

from assay.adapters.github.refusals import UncertainError, told
from assay.core.branch_rules import BranchFacts
from assay.core.forge_facts import Permission, PullFacts, Reaction, RunState
from assay.errors import ForgeError

if TYPE_CHECKING:
    from github.PullRequest import PullRequest
    from github.Repository import Repository

    from assay.adapters.github.client import Sender

MAX_ARTIFACTS = 200
MAX_ARTIFACT_BYTES = 64 * 2**20
MAX_TOTAL_BYTES = 256 * 2**20
"""Of all artifacts of a run together, which are held in memory."""

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
RULES = 100
CHECKING = frozenset({"required_status_checks", "workflows", "merge_queue"})
"""Rules by which something has to have run on a head."""
HARMLESS = CHECKING | {"deletion", "non_fast_forward", "creation"}
"""Rules that one more commit does not break, once the checks have run. Any other one protects the branch."""
PUSHES = 100
"""So many of the latest pushes to a branch are looked through: a commit older than all of them was there before any comment of today."""


class Questions:
    """The asking half of `ports.Forge`, of one repository seen by one token."""

    _repo: "Repository"
    _sender: "Sender"
    _token: str
    _timeout_s: float

    def head_of(self, number: int) -> str:
        with told(f"read pull request {number}"):
            return self._repo.get_pull(number).head.sha

    def pull(self, number: int) -> PullFacts:
        """As the port says."""
        with told(f"read pull request {number}"):
            return _facts(self._repo.get_pull(number))

    def permission_of(self, login: str) -> Permission:
        """As the port says: by the four-valued `permission`, for the names of roles may be anything."""
        with told("learn what the author of a comment may do"):
            said = self._repo.get_collaborator_permission(login)
            return Permission(said)

    def pushed(self, branch: str, commit: str) -> datetime | None:
        """As the port says, from the activity of the repository."""
        with told(f"learn when {commit[:10]} was pushed"):
            query = {"ref": f"refs/heads/{branch}", "per_page": PUSHES, "direction": "desc"}
            _, listed = self._repo.requester.requestJsonAndCheck("GET", f"{self._repo.url}/activity", parameters=query)
            return _moment(listed, commit)

    def branch_facts(self, branch: str, into: str) -> BranchFacts:
        """As the port says. A check that the branch which it goes into requires is required of this one's head, too."""
        with told(f"learn the rules of the branch {branch}"):
            protection, rules = self._protection(branch), self._rules(branch)
            needed = rules | self._rules(into)
            classic = protection["enabled"] is True
            return BranchFacts(
                name=branch,
                same_repository=True,
                is_default=branch == self._repo.default_branch,
                is_protected=classic or bool(rules - HARMLESS),
                requires_checks=bool(needed & CHECKING) or _checks_of(protection) or _checks_of(self._protection(into)),
            )

    def _protection(self, branch: str) -> Mapping[str, Any]:
        """The classic protection of a branch; what rulesets say is not in it."""
        _, found = self._repo.requester.requestJsonAndCheck("GET", f"{self._repo.url}/branches/{quote(branch, safe='')}")
        protection: Mapping[str, Any] = found["protection"]
        return protection

    def _rules(self, branch: str) -> frozenset[str]:
        """The types of the rules that rulesets have for a branch."""
        query = {"per_page": RULES}
        url = f"{self._repo.url}/rules/branches/{quote(branch, safe='')}"
        _, listed = self._repo.requester.requestJsonAndCheck("GET", url, parameters=query)
        return frozenset(str(one["type"]) for one in listed)

    def pull_of_branch(self, owner: str, branch: str, commit: str) -> PullFacts | None:
        """As the port says."""
        with told("find the pull request of a workflow run"):
            found = [one for one in self._repo.get_pulls(state="open", head=f"{owner}:{branch}") if one.head.sha == commit]
            return _facts(found[0]) if len(found) == 1 else None

    def artifacts(self, run: int, prefix: str) -> Mapping[str, bytes]:
        """As the port says; each in whole, as the zip that GitHub stores. Of several of one name the newest counts, the last attempt's."""
        with told(f"read the artifacts of run {run}"):
            listed = sorted(self._repo.get_workflow_run(run).get_artifacts(), key=lambda one: one.id)
            wanted = {one.name: one.archive_download_url for one in listed if one.name.startswith(prefix) and not one.expired}
            if len(wanted) > MAX_ARTIFACTS:
                raise ValueError("too many artifacts")
            found: dict[str, bytes] = {}
            for name, url in wanted.items():
                found[name] = self._sender.send("GET", partial(self._download, url))
                if sum(map(len, found.values())) > MAX_TOTAL_BYTES:
                    raise ValueError("more than is taken in all")
            return found

    def run_state(self, run: int) -> RunState:
        """As the port says."""
        try:
            with told("learn whether a job goes on"):
                status = self._repo.requester.requestJsonAndCheck("GET", f"{self._repo.url}/actions/runs/{run}")[1]["status"]
        except ForgeError as error:
            if error.denied or isinstance(error.__cause__, UnknownObjectException):
                return RunState.UNKNOWN
            raise
        return RunState.OVER if status == "completed" else RunState.ON

    def _download(self, url: str) -> bytes:
        """In two steps: where the bytes lie is another host, and the token is nothing for that."""
        auth = {"Authorization": f"Bearer {self._token}", "Accept": "application/vnd.github+json"}
        first = requests.get(url, headers=auth, timeout=self._timeout_s, allow_redirects=False)
        first.raise_for_status()
        if first.is_redirect:
            place = first.headers["Location"]
            with requests.get(place, timeout=self._timeout_s, allow_redirects=False, stream=True) as second:
                second.raise_for_status()
                return _bounded(second)
        return first.content[: MAX_ARTIFACT_BYTES + 1]

    def label(self, number: int, name: str) -> None:
        """As the port says. A label that the repository does not have yet is made by GitHub itself."""
        with told("label a pull request"):
            self._repo.requester.requestJsonAndCheck("POST", f"{self._repo.url}/issues/{number}/labels", input={"labels": [name]})

    def react(self, comment: int, reaction: Reaction) -> None:
        """As the port says. GitHub itself makes one reaction of several equal ones, so that a lost answer does no harm."""
        with told("react to a comment"):
            url = f"{self._repo.url}/issues/comments/{comment}/reactions"
            self._repo.requester.requestJsonAndCheck("POST", url, input={"content": reaction.value})


def _bounded(response: requests.Response) -> bytes:
    """What comes, up to a byte more than is taken: whoever unpacks it says the rest."""
    content = bytearray()
    for block in response.iter_content(2**16):
        content += block
        if len(content) > MAX_ARTIFACT_BYTES:
            break
    return bytes(content)


def _facts(pull: "PullRequest") -> PullFacts:
    head, base = pull.head, pull.base
    for sha in (head.sha, base.sha):
        if not _SHA.fullmatch(sha):
            raise UncertainError("GitHub gave a commit id that is none.", hint="Run the job again.")
    return PullFacts(
        number=pull.number,
        head_sha=head.sha,
        head_ref=head.ref,
        base_sha=base.sha,
        base_ref=base.ref,
        fork=head.repo is None or head.repo.full_name != base.repo.full_name,
        open=pull.state == "open",
    )


def _checks_of(protection: Mapping[str, Any]) -> bool:
    """Whether it requires checks; what it does not say so clearly counts as required."""
    checks: Mapping[str, Any] = (protection.get("required_status_checks") or {}) if protection["enabled"] else {}
    return bool(checks) and not (checks.get("contexts") == [] and not checks.get("checks"))


def _moment(listed: Any, commit: str) -> datetime | None:
    """When the newest activity that led to this commit was; None where none of them did."""
    for one in listed if isinstance(listed, list) else ():
        if one["after"] == commit:
            return datetime.fromisoformat(one["timestamp"]).astimezone(UTC)
    return None

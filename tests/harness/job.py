"""What the runner knows of a job before a step starts: the event, and the variables that follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.github.hub import Hub
from tests.fakes.github.payloads import Payload
from tests.fakes.github.repository import Repository

ON_PULLS = ("pull_request", "pull_request_target")


@dataclass(frozen=True, slots=True)
class Job:
    """A job on the fake. `permissions` says nothing here: they are in the token."""

    hub: Hub
    repo: Repository
    event_name: str
    event: Payload
    token: str
    run_id: int = 4711
    run_attempt: int = 1
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """GITHUB_REF: what a default checkout would take."""
        if self.event_name == "pull_request":
            return f"refs/pull/{self.event['number']}/merge"
        if self.event_name == "push":
            return str(self.event["ref"])
        if self.event_name == "merge_group":
            return str(self.event["merge_group"]["head_ref"])
        if self.event_name == "workflow_dispatch":
            return str(self.event["ref"])
        return f"refs/heads/{self.repo.default_branch}"

    @property
    def sha(self) -> str:
        """GITHUB_SHA: the merge commit for a pull request, not its head."""
        known = self.repo.git.refs().get(self.ref)
        if known is None:
            raise LookupError(f"{self.repo.full_name} has no {self.ref}, so no job would start")
        return known

    @property
    def actor(self) -> str:
        sender: Mapping[str, Any] = self.event.get("sender", {"login": self.repo.owner.login})
        return str(sender["login"])

    def environment(self) -> dict[str, str]:
        """The GITHUB_ variables that are the same for every step of the job."""
        short = self.ref.removeprefix("refs/heads/").removeprefix("refs/tags/").removeprefix("refs/pull/")
        workflow = f"{self.repo.full_name}/.github/workflows/assay.yml"
        on_pull = self.event["pull_request"] if self.event_name in ON_PULLS else None
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION": "__self",
            "GITHUB_ACTION_REF": "",
            "GITHUB_ACTION_REPOSITORY": "",
            "GITHUB_ACTOR": self.actor,
            "GITHUB_ACTOR_ID": "1",
            "GITHUB_TRIGGERING_ACTOR": self.actor,
            "GITHUB_API_URL": self.hub.url,
            "GITHUB_GRAPHQL_URL": f"{self.hub.url}/graphql",
            "GITHUB_SERVER_URL": self.hub.server_url,
            "GITHUB_BASE_REF": on_pull["base"]["ref"] if on_pull else "",
            "GITHUB_HEAD_REF": on_pull["head"]["ref"] if on_pull else "",
            "GITHUB_EVENT_NAME": self.event_name,
            "GITHUB_JOB": "assay",
            "GITHUB_REF": self.ref,
            "GITHUB_REF_NAME": short,
            "GITHUB_REF_PROTECTED": "false",
            "GITHUB_REF_TYPE": "tag" if self.ref.startswith("refs/tags/") else "branch",
            "GITHUB_REPOSITORY": self.repo.full_name,
            "GITHUB_REPOSITORY_ID": str(self.repo.id),
            "GITHUB_REPOSITORY_OWNER": self.repo.owner.login,
            "GITHUB_REPOSITORY_OWNER_ID": str(self.repo.owner.id),
            "GITHUB_RETENTION_DAYS": "90",
            "GITHUB_RUN_ATTEMPT": str(self.run_attempt),
            "GITHUB_RUN_ID": str(self.run_id),
            "GITHUB_RUN_NUMBER": "7",
            "GITHUB_SHA": self.sha,
            "GITHUB_WORKFLOW": "Assay",
            "GITHUB_WORKFLOW_REF": f"{workflow}@{self.ref}",
            "GITHUB_WORKFLOW_SHA": self.sha,
            **self.variables,
        }

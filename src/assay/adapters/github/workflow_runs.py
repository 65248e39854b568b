"""Which runs of workflows go on, which of them are ours, and their end."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from github import GithubException

from assay.adapters.github.refusals import told

if TYPE_CHECKING:
    from github.Repository import Repository

UNFINISHED = ("in_progress", "queued", "waiting", "pending", "requested")
MARK = "assay"
"""How the names of our check runs and artifacts begin."""

_RUN = re.compile(r"/actions/runs/([1-9][0-9]{0,18})(?:/|$)")
_GONE = frozenset({404, 409})


class WorkflowRuns:
    """The half of `ports.Forge` that is `Jobs`, of one repository seen by one token."""

    _repo: "Repository"

    def unfinished(self) -> frozenset[int]:
        """As the port says; of each kind the newest hundred."""
        with told("list the runs of workflows"):
            return frozenset(one["id"] for status in UNFINISHED for one in self._runs({"status": status}))

    def unfinished_on(self, commit: str) -> frozenset[int]:
        """As the port says."""
        with told(f"list the runs of workflows on {commit[:10]}"):
            listed = self._runs({"event": "pull_request", "head_sha": commit})
            going = frozenset(one["id"] for one in listed if one["status"] in UNFINISHED)
            ours = self._checking(commit) if going else frozenset()
            return frozenset(run for run in going if run in ours or self._left_something(run))

    def end(self, run: int) -> bool:
        """As the port says. A run that is gone, or ended by itself meanwhile, has ended."""
        with told(f"end the run {run} of a workflow"):
            try:
                self._repo.requester.requestJsonAndCheck("POST", f"{self._repo.url}/actions/runs/{run}/cancel")
            except GithubException as error:
                if error.status in _GONE:
                    return False
                raise
            return True

    def _runs(self, query: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        _, listed = self._repo.requester.requestJsonAndCheck("GET", f"{self._repo.url}/actions/runs", parameters={**query, "per_page": 100})
        return iter(listed["workflow_runs"])

    def _checking(self, commit: str) -> frozenset[int]:
        """The runs that our check runs on a commit say they come from."""
        runs = self._repo.get_commit(commit).get_check_runs(filter="all")
        pages = (_RUN.search(run.details_url or "") for run in runs if run.name.startswith(f"{MARK} / "))
        return frozenset(int(found[1]) for found in pages if found)

    def _left_something(self, run: int) -> bool:
        _, listed = self._repo.requester.requestJsonAndCheck("GET", f"{self._repo.url}/actions/runs/{run}/artifacts")
        return any(one["name"].startswith(f"{MARK}-") for one in listed["artifacts"])

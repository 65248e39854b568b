"""Satisfies `forge_ports.Notices`: issues with a label and a marker, and one pull request for a file, made without any checkout."""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from github import GithubException, UnknownObjectException

from assay.adapters.github.client import PER_PAGE
from assay.adapters.github.forge import GitHubForge, Json
from assay.adapters.github.refusals import told
from assay.core.effects import EditIssue, OpenIssue, ProposeFile
from assay.core.forge_facts import Notice
from assay.errors import ForgeError
from assay.forge_ports import Posted

LABEL = "assay"
"""All our issues have it, so that one request lists them. The author decides whether one is ours."""

MAX_PAGES = 20

BRANCH = "assay/results-"
"""How branches begin that are made for a pull request."""


class GitHubNotices(GitHubForge):
    """The same repository and token as the forge has."""

    def issues(self) -> tuple[Notice, ...]:
        """As the port says."""
        with told("list the issues of Assay"):
            return tuple(_notice(one) for one in self._labelled() if "pull_request" not in one and self._is_mine(one))

    def _labelled(self) -> Iterator[Json]:
        """All with our label. People may give it to theirs, so one page could hold none of ours, and each would be opened anew."""
        for page in range(1, MAX_PAGES + 1):
            query = {"labels": LABEL, "state": "all", "sort": "created", "direction": "desc", "per_page": PER_PAGE, "page": page}
            listed = self._get("/issues", query)
            yield from listed
            if len(listed) < PER_PAGE:
                return
        raise ForgeError(
            f"There are over {MAX_PAGES * PER_PAGE} issues with the label {LABEL}.", hint="Take it off those that are not Assay's."
        )

    def open_issue(self, effect: OpenIssue, marker: str) -> Posted:
        """As the port says. A lost answer makes us look before it is made again."""
        what = "open an issue"

        def find() -> Posted | None:
            mine = (one for one in self.issues() if one.open and one.body.startswith(marker))
            return next((Posted(one.number, one.url) for one in mine), None)

        def make() -> Posted:
            made = self._ask("POST", "/issues", {"title": effect.title, "body": effect.body, "labels": [LABEL]})
            return Posted(made["number"], made["html_url"])

        return self._once(what, make, find)

    def edit_issue(self, effect: EditIssue) -> None:
        """As the port says."""
        with told(f"edit issue {effect.number}"):
            change: Json = {"title": effect.title, "body": effect.body}
            if effect.closed:
                change |= {"state": "closed", "state_reason": "completed"}
            self._ask("PATCH", f"/issues/{effect.number}", change)

    def propose(self, effect: ProposeFile) -> Posted:
        """As the port says. A new branch is named after what it brings, so that a try that was cut off is found again."""
        there = self._proposal(effect)
        digest = hashlib.sha256(f"{effect.path}\0{effect.text}".encode()).hexdigest()[:12]
        branch = there["head"]["ref"] if there else f"{BRANCH}{digest}"
        if there is None:
            self._begin(branch, effect.start)
        self._put(effect, branch)
        if there is None:
            return self._once(f"open a pull request for {effect.path}", lambda: self._opened(effect, branch), lambda: self._found(effect))
        if (there["title"], there["body"]) != (effect.title, effect.body):
            with told(f"edit pull request {there['number']}"):
                self._ask("PATCH", f"/pulls/{there['number']}", {"title": effect.title, "body": effect.body})
        return Posted(there["number"], there["html_url"])

    def _proposal(self, effect: ProposeFile) -> Json | None:
        """Our open pull request for that file, from a branch of this very repository."""
        with told("list pull requests"):
            listed = self._get("/pulls", {"state": "open", "base": effect.branch, "per_page": PER_PAGE})
            mine = (one for one in listed if self._is_mine(one) and (one["body"] or "").startswith(effect.marker))
            return next((one for one in mine if (one["head"]["repo"] or {}).get("full_name") == one["base"]["repo"]["full_name"]), None)

    def _found(self, effect: ProposeFile) -> Posted | None:
        one = self._proposal(effect)
        return Posted(one["number"], one["html_url"]) if one else None

    def _opened(self, effect: ProposeFile, branch: str) -> Posted:
        asked = {"title": effect.title, "body": effect.body, "head": branch, "base": effect.branch}
        made = self._ask("POST", "/pulls", asked)
        return Posted(made["number"], made["html_url"])

    def _begin(self, branch: str, start: str) -> None:
        """Make the branch. One of that name has the same purpose, and stays where it is."""
        with told(f"make the branch {branch}"):
            try:
                self._ask("POST", "/git/refs", {"ref": f"refs/heads/{branch}", "sha": start})
            except GithubException as error:
                if error.status != 422 or "exists" not in str(error.data):
                    raise

    def _put(self, effect: ProposeFile, branch: str) -> None:
        """Bring the file on that branch up to date by one commit, if it is not."""
        with told(f"write {effect.path} on {branch}"):
            before = self._content(effect.path, branch)
            wanted = effect.text.encode()
            if before and base64.b64decode(before["content"]) == wanted:
                return
            asked: Json = {"message": effect.title, "branch": branch, "content": base64.b64encode(wanted).decode()}
            self._ask("PUT", f"/contents/{quote(effect.path)}", {**asked, "sha": before["sha"]} if before else asked)

    def _content(self, path: str, branch: str) -> Json | None:
        try:
            found = self._get(f"/contents/{quote(path)}", {"ref": branch})
        except UnknownObjectException:
            return None
        return dict(found) if isinstance(found, dict) and found.get("type") == "file" else None

    def _get(self, path: str, query: Json) -> Any:
        return self._repo.requester.requestJsonAndCheck("GET", self._repo.url + path, parameters=query)[1]

    def _is_mine(self, one: Json) -> bool:
        user = one["user"] or {}
        return (user.get("login"), user.get("type")) == (self._login, "Bot")


def _notice(one: Json) -> Notice:
    return Notice(one["number"], one["html_url"], one["title"], one["body"] or "", one["state"] == "open")

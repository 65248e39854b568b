"""Satisfies `ports.Forge`: one comment, one check run a benchmark, however often and however badly a request is answered."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from github import UnknownObjectException
from github.GithubObject import NotSet

from assay.adapters.github.client import PER_PAGE, Patience, Time, connect
from assay.adapters.github.questions import Questions
from assay.adapters.github.refusals import UncertainError, told
from assay.adapters.github.workflow_runs import WorkflowRuns
from assay.core.check_run import Annotation, CheckRun
from assay.forge_ports import Posted

if TYPE_CHECKING:
    from github.CheckRun import CheckRun as GitHubCheckRun

MAX_ANNOTATIONS = 50
"""Of one request. Each further request with annotations adds to those that are there."""

POSTS = 3
"""So often a thing is made at most, each time after a look whether the try before had made it."""

LOOKS_S = (1.0, 4.0)
"""So long after a try without an answer, and after the look before, it is looked for: a list may not have it at once."""

T = TypeVar("T")
Json = dict[str, Any]
_LAST_PAGE = re.compile(r"[?&]page=([0-9]+)[^>]*>; rel=\"last\"")


class GitHubForge(Questions, WorkflowRuns):
    """The forge of one repository, seen by one token. `details_url` is where the reader of a check run finds the job."""

    def __init__(
        self,
        token: str,
        repository: str,
        *,
        api_url: str,
        bot_login: str,
        details_url: str = "",
        patience: Patience | None = None,
        clock: Time | None = None,
    ) -> None:
        patience, clock = patience or Patience(), clock or Time()
        self._repo, self._sender = connect(token, repository, api_url, patience, clock)
        self._token = token
        self._timeout_s = patience.timeout_s
        self._login = bot_login
        self._details_url = details_url
        self._posts = min(patience.limits.tries, POSTS)
        self._sleep = clock.sleep

    def upsert_comment(self, number: int, body: str, marker: str, known: int | None = None, since: datetime | None = None) -> Posted:
        """As the port says; the oldest of ours where there are several."""
        there = self.update_comment(number, body, marker, known, since)
        if there is not None:
            return there
        return self._once(
            f"write a comment on pull request {number}",
            lambda: _named(self._repo.get_issue(number).create_comment(body)),
            lambda: self.update_comment(number, body, marker),
        )

    def update_comment(self, number: int, body: str, marker: str, known: int | None = None, since: datetime | None = None) -> Posted | None:
        """As the port says. Nothing is sent where the comment says so already."""
        with told(f"write a comment on pull request {number}"):
            mine = self._known_comment(number, marker, known) or self._find_comment(number, marker)
            newer = mine is not None and since is not None and datetime.fromisoformat(mine["updated_at"]) > since
            if mine is not None and not newer and mine["body"] != body:
                self._ask("PATCH", f"/issues/comments/{mine['id']}", {"body": body})
            return Posted(mine["id"], mine["html_url"]) if mine is not None else None

    def withdraw_comment(self, comment: int) -> None:
        """As the port says."""
        with told("remove a comment"), suppress(UnknownObjectException):
            self._ask("DELETE", f"/issues/comments/{comment}")

    def open_check(self, name: str, commit: str, external_id: str, title: str, *, new: bool = False) -> Posted:
        """As the port says."""
        what = f"make the check run “{name}”"

        def find() -> Posted | None:
            with told(what):
                return self._find_check(name, commit, external_id)

        output: dict[str, Any] = {"title": title, "summary": "This benchmark is being measured."}
        url = self._details_url or NotSet
        return (None if new else find()) or self._once(
            what,
            lambda: _named(self._repo.create_check_run(name, commit, url, external_id, "in_progress", output=output)),
            find,
        )

    def close_check(self, check: Posted | None, payload: CheckRun) -> Posted:
        """As the port says. One that an earlier try of the job made for the same run is completed anew."""
        posted = check or self.open_check(payload.name, payload.head_sha, payload.external_id, payload.title)
        what, place = f"complete the check run “{payload.name}”", f"/check-runs/{posted.id}"
        closing = {
            "status": "completed",
            "conclusion": payload.conclusion.value,
            "external_id": payload.external_id,
            "details_url": payload.details_url or self._details_url,
        }
        body: Json = {name: value for name, value in closing.items() if value}
        sent = 0
        for portion in _portions(payload.annotations):
            sent += len(portion)
            posted = self._annotated(what, place, body | {"output": _output(payload, portion)}, sent)
            body = {}
        return posted

    def end_check(self, payload: CheckRun, *, make: bool) -> Posted | None:
        """As the port says."""
        with told(f"complete the check run “{payload.name}”"):
            there = self._checks(payload.name, payload.head_sha, payload.external_id)
        if unfinished := [run for run in there if run.status != "completed"]:
            return self.close_check(_named(unfinished[0]), payload)
        if there:
            return _named(there[0])
        return self.close_check(None, payload) if make else None

    def _annotated(self, what: str, place: str, body: Json, count: int) -> Posted:
        """Change a check run. Where no answer tells whether its annotations were added, their `count` there does."""

        def find() -> Posted | None:
            with told(what):
                run = self._ask("GET", place)
                there = run["output"]["annotations_count"] >= count and run["conclusion"] == body.get("conclusion", run["conclusion"])
                return _posted(run) if there else None

        def send() -> Posted:
            return _posted(self._ask("PATCH", place, body))

        if count:
            return self._once(what, send, find)
        with told(what):
            return send()

    def _find_comment(self, number: int, marker: str) -> Json | None:
        """Ours among the first hundred comments and the last: so many requests are worth it, however many there are between."""
        first, last = self._page_of_comments(number, 1)
        found = self._ours(first, marker)
        return self._ours(self._page_of_comments(number, last)[0], marker) if found is None and last > 1 else found

    def _page_of_comments(self, number: int, page: int) -> tuple[list[Json], int]:
        """One page, the oldest comment first, and the number of the last page."""
        query = {"per_page": PER_PAGE, "page": page}
        headers, listed = self._repo.requester.requestJsonAndCheck("GET", f"{self._repo.url}/issues/{number}/comments", parameters=query)
        last = _LAST_PAGE.search(str(headers.get("link", "")))
        return list(listed), int(last[1]) if last else page

    def _known_comment(self, number: int, marker: str, known: int | None) -> Json | None:
        """The comment of that id, if it is still there, on this pull request and ours."""
        if known is None:
            return None
        try:
            one = self._ask("GET", f"/issues/comments/{known}")
        except UnknownObjectException:
            return None
        return self._ours([one], marker) if one["issue_url"].endswith(f"/issues/{number}") else None

    def _ours(self, comments: list[Json], marker: str) -> Json | None:
        """The oldest of ours. Anybody can write the marker, and anybody's name can end in [bot]: all three have to be right."""
        for one in comments:
            user = one["user"] or {}
            if (one["body"] or "").startswith(marker) and (user.get("login"), user.get("type")) == (self._login, "Bot"):
                return one
        return None

    def _ask(self, method: str, path: str, content: Json | None = None) -> Any:
        return self._repo.requester.requestJsonAndCheck(method, self._repo.url + path, input=content)[1]

    def _find_check(self, name: str, commit: str, external_id: str) -> Posted | None:
        return next(map(_named, self._checks(name, commit, external_id)), None)

    def _checks(self, name: str, commit: str, external_id: str) -> "list[GitHubCheckRun]":
        runs = self._repo.get_commit(commit).get_check_runs(check_name=name, filter="all")
        return [run for run in runs if run.name == name and run.external_id == external_id]

    def _once(self, what: str, make: Callable[[], Posted], find: Callable[[], Posted | None]) -> Posted:
        """Make a thing, and where no answer says that it was made, look for it before it is made again."""
        for attempt in range(1, self._posts + 1):
            try:
                with told(what):
                    return make()
            except UncertainError:
                if self._posts == 1:
                    raise
                for pause in LOOKS_S:
                    self._sleep(pause)
                    if (found := find()) is not None:
                        return found
                if attempt == self._posts:
                    raise
        raise ValueError("a thing is to be made at least once")


def _named(thing: Any) -> Posted:
    """PyGithub has no id where the answer had none."""
    if not isinstance(thing.id, int):
        raise UncertainError("GitHub did not say what it has made.", hint="Run the job again.")
    return Posted(thing.id, thing.html_url)


def _posted(found: Json) -> Posted:
    return Posted(int(found["id"]), str(found["html_url"]))


def _portions(annotations: tuple[Annotation, ...]) -> list[tuple[Annotation, ...]]:
    """So many at a time as one request takes; one empty portion where there are none."""
    return [annotations[start : start + MAX_ANNOTATIONS] for start in range(0, max(len(annotations), 1), MAX_ANNOTATIONS)]


def _output(payload: CheckRun, annotations: tuple[Annotation, ...]) -> dict[str, Any]:
    output: dict[str, Any] = {"title": payload.title, "summary": payload.summary}
    if payload.text:
        output["text"] = payload.text
    if annotations:
        output["annotations"] = [_annotation(one) for one in annotations]
    return output


def _annotation(one: Annotation) -> dict[str, Any]:
    return {
        "path": one.path,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "annotation_level": one.level,
        "message": one.message,
        **({"title": one.title} if one.title else {}),
    }

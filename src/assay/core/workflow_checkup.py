"""Looks through a workflow file for what keeps Assay from working, or from being safe, on GitHub."""

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

import yaml

from assay.core.checkup import DEPTH, Finding, State
from assay.core.values import dataclass

MAX_BYTES = 2**18
_OURS = re.compile(r"(?:\./run|\./?|[\w.-]+/assay(?:/run)?@\S+)$")
_PINNED = re.compile(r"@[0-9a-f]{40}$")
_CHECKOUT = "actions/checkout@"
_NEEDED = {"checks": "a check run for each benchmark", "pull-requests": "the comment", "contents": "the data branch"}
_NEEDED_BY_LOOP = {"checks": "the check run of the status", "issues": "the status and regressions", "contents": "the data branch"}
_LOOP = frozenset({"schedule", "repository_dispatch"})
_HEARD = frozenset({"pull_request", "push", "merge_group", "issue_comment", "workflow_run", "workflow_dispatch", *_LOOP})
_OWN_RUN = re.compile(r"github\.(?:event\.comment\.id|run_id)\b")


def of_workflow(name: str, text: str) -> Iterator[Finding]:
    """Findings of one file; none where it does not use Assay."""
    if len(text) > MAX_BYTES:
        yield Finding("workflow", State.UNKNOWN, f"{name} is too large to be looked at.")
        return
    try:
        loaded = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        yield Finding("workflow", State.FAIL, f"{name} is no YAML.", "GitHub ignores it; run actionlint on it.")
        return
    if not isinstance(loaded, dict) or not isinstance(loaded.get("jobs"), dict):
        return
    page = _Page(name, loaded)
    used = [_Job(page, str(key), job) for key, job in loaded["jobs"].items() if isinstance(job, dict)]
    ours = [job for job in used if job.assay]
    if ours:
        yield from page.findings()
    for job in ours:
        yield from job.findings()


@dataclass(frozen=True, slots=True)
class _Page:
    name: str
    loaded: Mapping[Any, Any]

    @property
    def triggers(self) -> Mapping[str, Any]:
        found = self.loaded.get("on", self.loaded.get(True))  # YAML 1.1 takes `on` for a truth value
        if isinstance(found, str):
            return {found: None}
        if isinstance(found, list):
            return {str(one): None for one in found}
        return {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}

    @property
    def group(self) -> str:
        """The concurrency group, empty where there is none."""
        found = self.loaded.get("concurrency")
        return str(found.get("group", "")) if isinstance(found, dict) else str(found or "")

    @property
    def breaks_off(self) -> bool:
        found = self.loaded.get("concurrency")
        return isinstance(found, dict) and found.get("cancel-in-progress") is True

    @property
    def only_ends(self) -> bool:
        """Whether it starts on closed pull requests alone, and so only ends their sessions."""
        said = self.triggers.get("pull_request")
        return len(self.triggers) == 1 and isinstance(said, dict) and said.get("types") in (["closed"], "closed")

    def findings(self) -> Iterator[Finding]:
        yield from self._events()
        yield from self._concurrency()

    def _concurrency(self) -> Iterator[Finding]:
        if "issue_comment" in self.triggers and self.group and not _OWN_RUN.search(self.group):
            what = f"{self.name} has one queue for several commands, in which GitHub drops all but the newest that waits."
            yield Finding("concurrency", State.WARN, what, "Write `group: experiment-${{ github.event.comment.id }}`.")
        if "schedule" in self.triggers and (not self.group or self.breaks_off):
            how = "breaks a tick off for the next" if self.group else "lets two ticks run at once"
            mend = "Write `concurrency: {group: benchmark-loop, cancel-in-progress: false}`."
            yield Finding("concurrency", State.WARN, f"{self.name} {how}: both measure the same.", mend)

    def _events(self) -> Iterator[Finding]:
        if self.triggers and not {*self.triggers} & {*_HEARD, "pull_request_target", "workflow_call"}:
            what = f"{self.name} starts on {', '.join(self.triggers)[:80]}, at which Assay does nothing."
            yield Finding("trigger", State.FAIL, what, "Start it on pull_request, issue_comment or schedule: see `assay init --help`.")
        if "pull_request_target" in self.triggers:
            what = f"{self.name} starts on pull_request_target, under which Assay runs nothing, for strangers' code would hold a token."
            yield Finding("trigger", State.FAIL, what, "Start it on pull_request.")
        if "issue_comment" in self.triggers:
            said = self.triggers["issue_comment"]
            if not isinstance(said, dict) or said.get("types") not in (["created"], "created"):
                what = f"{self.name} starts on edited and deleted comments too, which order nothing."
                yield Finding("trigger", State.WARN, what, "Write `issue_comment: {types: [created]}`.")


@dataclass(frozen=True, slots=True)
class _Job:
    page: _Page
    key: str
    job: Mapping[Any, Any]

    @property
    def steps(self) -> list[Mapping[Any, Any]]:
        found = self.job.get("steps")
        return [step for step in found if isinstance(step, dict)] if isinstance(found, list) else []

    @property
    def assay(self) -> Mapping[Any, Any] | None:
        return next((step for step in self.steps if _OURS.match(str(step.get("uses", "")))), None)

    @property
    def where(self) -> str:
        return f"{self.page.name}, job {self.key}"

    @property
    def mode(self) -> str:
        given = (self.assay or {}).get("with")
        return str(given.get("mode", "auto")) if isinstance(given, dict) else "auto"

    @property
    def _loops(self) -> bool:
        return self.mode == "schedule" or (self.mode == "auto" and bool(self.page.triggers) and {*self.page.triggers} <= _LOOP)

    def findings(self) -> Iterator[Finding]:
        yield from self._pin()
        yield from self._checkout()
        yield from self._permissions()
        labels = self.job.get("runs-on")
        if "pull_request" in self.page.triggers and "self-hosted" in str(labels):
            what = f"{self.where}, joins pull_request with a runner of your own: whoever opens a pull request chooses what runs there."
            mend = "Start it by comments: `assay init --workflow gpu-comments`; on a public repository in any case."
            yield Finding("runner", State.WARN, what, mend)

    def _pin(self) -> Iterator[Finding]:
        uses = str((self.assay or {}).get("uses", ""))
        if "OWNER/" in uses or uses.endswith("@" + "0" * 40):
            what = f"{self.where}, still names the placeholder {uses}."
            yield Finding("pin", State.FAIL, what, "Put the Assay that you trust there, with the full id of the commit that you read.")
        elif not uses.startswith(".") and not _PINNED.search(uses):
            what = f"{self.where}, uses {uses}, which its owner can move."
            yield Finding("pin", State.WARN, what, "Pin it by a full commit id.")

    def _checkout(self) -> Iterator[Finding]:
        before = takewhile(lambda one: one is not self.assay, self.steps)
        step = next((one for one in before if str(one.get("uses", "")).startswith(_CHECKOUT)), None)
        if step is None:
            yield Finding(
                "checkout", State.FAIL, f"{self.where}, has no actions/checkout before Assay.", "Put one there, with `fetch-depth: 0`."
            )
            return
        given = step.get("with")
        options = given if isinstance(given, dict) else {}
        if str(options.get("fetch-depth", 1)) != "0":
            yield Finding("history", State.FAIL, f"{self.where}, checks out one commit, so that base is not there.", DEPTH)
        if str(options.get("persist-credentials", "true")).lower() != "false":
            what = f"{self.where}, leaves the token in the clone, where a benchmark may find it."
            yield Finding("credentials", State.FAIL, what, "Set `persist-credentials: false` at actions/checkout.")

    def _permissions(self) -> Iterator[Finding]:
        given = self.job.get("permissions", self.page.loaded.get("permissions"))
        if self.mode == "run":
            if given != {"contents": "read"}:
                what = f"{self.where}, runs code with more than `contents: read`."
                yield Finding("permissions", State.WARN, what, 'Give it `permissions: {contents: read}` and `github-token: ""`.')
            return
        needed = _NEEDED_BY_LOOP if self._loops else _NEEDED
        if self.page.only_ends:
            needed = {"contents": _NEEDED["contents"]}
        if given is None:
            what = f"{self.where}, says nothing of permissions, so that the repository's settings decide."
            yield Finding("permissions", State.UNKNOWN, what, f"Write `permissions: {{{', '.join(f'{name}: write' for name in needed)}}}`.")
        elif given == "write-all":
            what = f"{self.where}, gives the token every right there is, beside code of a pull request."
            yield Finding("permissions", State.WARN, what, f"Write `permissions: {{{', '.join(f'{name}: write' for name in needed)}}}`.")
        elif self.mode != "plan":
            granted = given if isinstance(given, dict) else {}  # such as read-all
            for name, use in needed.items():
                if granted.get(name) != "write":
                    what = f"{self.where}, may not write `{name}`: {use}."
                    yield Finding("permissions", State.WARN, what, f"Add `{name}: write` to its permissions.")

"""Payloads of events, as a job finds them in its event file: GitHub's own examples, brought over to what the fake has.

An example gives the fields and their kinds; the fake's state gives every name, number, sha and address. Those that no
example exists for (a comment on a pull request, a fork, a fork that is gone, a schedule) are derived in the same way.
"""

import copy
import json
from collections.abc import Mapping
from typing import Any

from tests.fakes.github import openapi
from tests.fakes.github.git import Commit
from tests.fakes.github.model import Comment, User, WorkflowRun
from tests.fakes.github.repository import Pull, Repository
from tests.fakes.github.shapes import checks, people, pulls

Payload = dict[str, Any]
ZERO = "0" * 40
_EXAMPLE_OWNERS = ("Codertocat/Hello-World", "octo-org/octo-repo")
_WORKFLOW = ".github/workflows/assay.yml"


def pull_request(repo: Repository, pull: Pull, action: str = "opened", *, before: str = "", sender: User | None = None) -> Payload:
    """A pull request was opened, updated (`synchronize`, its head was at `before`), closed, …"""
    repo.sync()
    found = _payload("pull_request", repo, sender or pull.issue.user)
    shown = _overlay(found["pull_request"], {**pulls.whole_pull(repo, pull), "auto_merge": None, "active_lock_reason": None})
    shown["head"]["repo"] = _repository_of(pull.head) if pull.head else None
    shown["base"]["repo"] = _repository_of(repo)
    found |= {"action": action, "number": pull.number, "pull_request": shown}
    return found | {"before": before, "after": pull.head_sha} if action == "synchronize" else found


def push(repo: Repository, branch: str, before: str = ZERO, *, sender: User | None = None) -> Payload:
    """A branch was pushed to where it is now; `before` is all zeros for a new one. A branch that is gone was deleted."""
    after = repo.git.branch(branch)
    span = (after or before) if ZERO in (before, after or ZERO) else f"{before}..{after}"
    commits = [_commit(repo, one) for one in repo.git.log("--reverse", "-20", span)] if after else []
    who = sender or repo.owner
    facts = {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": after or ZERO,
        "created": before == ZERO,
        "deleted": after is None,
        "forced": bool(after) and before != ZERO and not repo.git.is_ancestor(before, after or ZERO),
        "base_ref": None,
        "compare": f"{repo.hub.server_url}/{repo.full_name}/compare/{before[:12]}...{(after or ZERO)[:12]}",
        "commits": commits,
        "head_commit": commits[-1] if commits else None,
        "pusher": {"name": who.login, "email": f"{who.login}@example.com"},
    }
    return _payload("push", repo, who) | facts


def merge_group(repo: Repository, pull: Pull) -> Payload:
    """The merge queue has put the pull request on top of its base, on a branch of the queue's own."""
    repo.sync()
    assert pull.merge_sha, "a conflict never reaches the queue"
    ref = f"refs/heads/gh-readonly-queue/{pull.base_ref}/pr-{pull.number}-{pull.base_sha}"
    repo.git.set_ref(ref, pull.merge_sha)
    group = {
        "head_sha": pull.merge_sha,
        "head_ref": ref,
        "base_sha": pull.base_sha,
        "base_ref": f"refs/heads/{pull.base_ref}",
        "head_commit": _brief_commit(repo.git.commit(pull.merge_sha)),
    }
    return _payload("merge_group", repo, repo.owner) | {"action": "checks_requested", "merge_group": group}


def issue_comment(repo: Repository, comment: Comment, action: str = "created") -> Payload:
    """Somebody commented. On a pull request the issue has a `pull_request`, and neither its head nor its base."""
    found = _payload("issue_comment", repo, comment.user)
    issue = _overlay(found["issue"], pulls.issue(repo, repo.issues[comment.number]))
    found["issue"] = issue | {"active_lock_reason": None}
    found["comment"] = _overlay(found["comment"], pulls.comment(repo, comment))
    return found | {"action": action}


def workflow_run(repo: Repository, run: WorkflowRun, action: str = "completed") -> Payload:
    """A workflow has been run; for a head in a fork its pull requests are empty."""
    found = _payload("workflow_run", repo, run.actor)
    head = repo.hub.repositories[run.head_repository]
    shown = _overlay(found["workflow_run"], checks.workflow_run(repo, run))
    shown["head_commit"] = _brief_commit(head.git.commit(run.head_sha))
    shown["previous_attempt_url"] = None
    found["workflow"] |= {"name": run.name, "path": run.path}
    return found | {"action": action, "workflow_run": shown}


def workflow_dispatch(repo: Repository, inputs: Mapping[str, str], *, ref: str = "", sender: User | None = None) -> Payload:
    """Somebody started the workflow by hand, on the default branch unless a `ref` is given."""
    facts = {"inputs": dict(inputs), "ref": ref or f"refs/heads/{repo.default_branch}", "workflow": _WORKFLOW}
    return _payload("workflow_dispatch", repo, sender or repo.owner) | facts


def schedule(repo: Repository, cron: str = "17 3 * * *") -> Payload:
    """The clock started the workflow. GitHub publishes neither an example nor a schema of it."""
    return {"schedule": cron, "repository": _repository_of(repo), "workflow": _WORKFLOW}


def _payload(event: str, repo: Repository, sender: User) -> Payload:
    """The first example of an event, with the repository and the sender in place."""
    found = _moved(_example(event), repo)
    for name in ("installation", "organization", "enterprise"):
        found.pop(name, None)
    return found | {"repository": _repository_of(repo), "sender": people.user(repo.hub, sender)}


def _example(event: str) -> Payload:
    listed: list[Payload] = openapi.load("webhooks-examples.json")
    found: Payload = next(one for one in listed if one["name"] == event)["examples"][0]
    return found


def _repository_of(repo: Repository) -> Payload:
    example = _moved(_example("pull_request")["repository"], repo)
    return _overlay(example, people.repository(repo.hub, repo) | {"topics": [], "custom_properties": {}})


def _moved(example: Payload, repo: Repository) -> Payload:
    """A copy of an example whose addresses and names are those of a repository of the fake."""
    text = json.dumps(example)
    for name in _EXAMPLE_OWNERS:
        text = text.replace(name, repo.full_name).replace(name.partition("/")[0], repo.owner.login)
    text = text.replace("https://api.github.com", repo.hub.url).replace("https://github.com", repo.hub.server_url)
    moved: Payload = json.loads(text)
    return moved


def _overlay(under: Payload, over: Mapping[str, Any]) -> Payload:
    """The fields of both; where both have one, that of `over`."""
    result = copy.deepcopy(under)
    for name, value in over.items():
        nested = isinstance(value, Mapping) and isinstance(result.get(name), dict)
        result[name] = _overlay(result[name], value) if nested else copy.deepcopy(value)
    return result


def _brief_commit(one: Commit) -> Payload:
    people_of = {name: {"name": who.name, "email": who.email} for name, who in (("author", one.author), ("committer", one.committer))}
    return {"id": one.sha, "tree_id": one.tree, "message": one.message, "timestamp": one.committer.date, **people_of}


def _commit(repo: Repository, one: Commit) -> Payload:
    changes = repo.git.changes(one.parents[0], one.sha) if one.parents else []
    paths = {
        group: [change.path for change in changes if change.status in statuses]
        for group, statuses in (("added", ("added", "copied", "renamed")), ("removed", ("removed",)), ("modified", ("modified",)))
    }
    return {**_brief_commit(one), "distinct": True, "url": f"{repo.hub.server_url}/{repo.full_name}/commit/{one.sha}", **paths}

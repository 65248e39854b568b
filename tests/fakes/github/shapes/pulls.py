"""Pull requests, issues, comments and reactions as GitHub's API gives them."""

from urllib.parse import quote

from tests.fakes.github.model import Comment, Issue, Reaction, User, UserType, stamp
from tests.fakes.github.repository import Pull, Repository
from tests.fakes.github.shapes.commits import api, page
from tests.fakes.github.shapes.people import Json, app, repository, user

_REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket")


def association(repo: Repository, who: User) -> str:
    """What GitHub says of an author; a bot is nobody to the repository."""
    if who.type is UserType.BOT:
        return "NONE"
    return "OWNER" if who == repo.owner else "COLLABORATOR" if who.login in repo.collaborators else "NONE"


def pull(repo: Repository, one: Pull) -> Json:
    """A pull request as in a list."""
    url, issue = api(repo, f"pulls/{one.number}"), api(repo, f"issues/{one.number}")
    links = {
        "self": url,
        "html": page(repo, f"pull/{one.number}"),
        "issue": issue,
        "comments": f"{issue}/comments",
        "commits": f"{url}/commits",
    }
    moment = stamp(one.issue.created_at)
    closed = None if one.open else moment
    return {
        "url": url,
        "id": 100_000 + one.number,
        "node_id": f"PR_{one.number}",
        "html_url": page(repo, f"pull/{one.number}"),
        "issue_url": issue,
        "comments_url": f"{issue}/comments",
        "commits_url": f"{url}/commits",
        "statuses_url": api(repo, f"statuses/{one.head_sha}"),
        "number": one.number,
        "state": one.issue.state,
        "locked": False,
        "draft": False,
        "title": one.issue.title,
        "body": one.issue.body,
        "user": user(repo.hub, one.issue.user),
        "author_association": association(repo, one.issue.user),
        "labels": [],
        "created_at": moment,
        "updated_at": moment,
        "closed_at": closed,
        "merged_at": moment if one.merged else None,
        "merge_commit_sha": one.merge_sha,
        "head": _head(repo, one),
        "base": _side(repo, repo, one.base_ref, one.base_sha),
        "_links": {name: {"href": href} for name, href in links.items()},
    }


def whole_pull(repo: Repository, one: Pull) -> Json:
    """A pull request as when asked for by its number."""
    base = repo.git.merge_base(one.base_sha, one.head_sha)
    changes = repo.git.changes(base, one.head_sha) if base else []
    return {
        **pull(repo, one),
        "merged": one.merged,
        "mergeable": one.mergeable,
        "mergeable_state": {True: "clean", False: "dirty", None: "unknown"}[one.mergeable],
        "merged_by": user(repo.hub, one.merged_by) if one.merged_by else None,
        "comments": sum(1 for comment in repo.comments.values() if comment.number == one.number),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": repo.git.count(f"{one.base_sha}..{one.head_sha}"),
        "additions": sum(change.added for change in changes),
        "deletions": sum(change.removed for change in changes),
        "changed_files": len(changes),
    }


def _head(repo: Repository, one: Pull) -> Json:
    if one.head is not None:
        return _side(repo, one.head, one.head_ref, one.head_sha)
    owner = repo.hub.user(one.head_owner)
    label = f"{one.head_owner}:{one.head_ref}"
    return {"label": label, "ref": one.head_ref, "sha": one.head_sha, "user": user(repo.hub, owner), "repo": None}


def _side(repo: Repository, where: Repository, ref: str, sha: str) -> Json:
    label = f"{where.owner.login}:{ref}"
    return {"label": label, "ref": ref, "sha": sha, "user": user(repo.hub, where.owner), "repo": repository(repo.hub, where)}


def label(repo: Repository, name: str) -> Json:
    """A label, of which all have one colour."""
    return {
        "id": 300_000 + len(name),
        "node_id": f"LA_{len(name)}",
        "url": api(repo, f"labels/{quote(name)}"),
        "name": name,
        "description": None,
        "color": "ededed",
        "default": False,
    }


def issue(repo: Repository, one: Issue) -> Json:
    """An issue; a pull request is one with a `pull_request` in it."""
    url, number = api(repo, f"issues/{one.number}"), one.number
    kind, moment = ("pull" if number in repo.pulls else "issues"), stamp(one.created_at)
    found: Json = {
        "url": url,
        "repository_url": api(repo, "").rstrip("/"),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": page(repo, f"{kind}/{number}"),
        "id": 200_000 + number,
        "node_id": f"I_{number}",
        "number": number,
        "title": one.title,
        "body": one.body,
        "user": user(repo.hub, one.user),
        "author_association": association(repo, one.user),
        "labels": [_label(repo, name) for name in one.labels],
        "state": one.state,
        "state_reason": one.state_reason,
        "locked": False,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": sum(1 for comment in repo.comments.values() if comment.number == number),
        "reactions": _counted(f"{url}/reactions", []),
        "created_at": moment,
        "updated_at": moment,
        "closed_at": None if one.state == "open" else moment,
    }
    return found if kind == "issues" else {**found, "pull_request": _pull_links(repo, repo.pulls[number])}


def _label(repo: Repository, name: str) -> Json:
    return {
        "id": 1,
        "node_id": f"LA_{name}",
        "url": api(repo, f"labels/{name}"),
        "name": name,
        "description": None,
        "color": "ededed",
        "default": False,
    }


def _pull_links(repo: Repository, one: Pull) -> Json:
    html = page(repo, f"pull/{one.number}")
    merged = stamp(one.issue.created_at) if one.merged else None
    return {
        "url": api(repo, f"pulls/{one.number}"),
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "merged_at": merged,
    }


def comment(repo: Repository, one: Comment) -> Json:
    """A comment on an issue or a pull request."""
    kind, url = ("pull" if one.number in repo.pulls else "issues"), api(repo, f"issues/comments/{one.id}")
    return {
        "id": one.id,
        "node_id": f"IC_{one.id}",
        "url": url,
        "html_url": page(repo, f"{kind}/{one.number}#issuecomment-{one.id}"),
        "issue_url": api(repo, f"issues/{one.number}"),
        "body": one.body,
        "user": user(repo.hub, one.user),
        "author_association": association(repo, one.user),
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.updated_at),
        "reactions": _counted(f"{url}/reactions", [reaction.content for reaction in repo.reactions if reaction.comment == one.id]),
        "performed_via_github_app": app(repo.hub, one.app) if one.app else None,
    }


def _counted(url: str, contents: list[str]) -> Json:
    return {"url": url, "total_count": len(contents), **{content: contents.count(content) for content in _REACTIONS}}


def reaction(repo: Repository, one: Reaction) -> Json:
    moment = stamp(one.created_at)
    return {"id": one.id, "node_id": f"RE_{one.id}", "user": user(repo.hub, one.user), "content": one.content, "created_at": moment}

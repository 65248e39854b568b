"""Commits, the pull requests that hold them, and comparisons."""

from tests.fakes.github.git import Commit
from tests.fakes.github.messages import Answer, Call, not_found
from tests.fakes.github.paging import link, page_of, paged
from tests.fakes.github.permissions import read
from tests.fakes.github.repository import Repository
from tests.fakes.github.routes.repos import commit_of
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import commits, pulls

_MOST_FILES = 300


@route("GET", "/repos/{owner}/{repo}/commits", read("contents"))
def listing(call: Call) -> Answer:
    start = call.repo.git.resolve(call.query.get("sha", call.repo.default_branch))
    if start is None:
        raise not_found()
    path = ["--", call.query["path"]] if "path" in call.query else []
    return paged(call, call.repo.git.log(start, *path), lambda one: commits.commit(call.repo, one))


@route("GET", "/repos/{owner}/{repo}/commits/{ref}", read("contents"))
def get(call: Call) -> Answer:
    return Answer(200, commits.whole_commit(call.repo, commit_of(call, "ref")))


@route("GET", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", read("pull-requests"))
def pulls_of(call: Call) -> Answer:
    """The open pull requests that a commit belongs to; for one on the default branch, those that brought it there."""
    sha = commit_of(call, "commit_sha").sha
    git = call.repo.git
    tip = git.branch(call.repo.default_branch)
    landed = tip is not None and git.is_ancestor(sha, tip)
    found = [
        one
        for one in call.repo.pulls.values()
        if (one.merged if landed else one.open) and git.is_ancestor(sha, one.head_sha) and not git.is_ancestor(sha, one.base_sha)
    ]
    return paged(call, found, lambda one: pulls.pull(call.repo, one))


@route("GET", "/repos/{owner}/{repo}/compare/{basehead}", read("contents"))
def compare(call: Call) -> Answer:
    base, _, head = call.params["basehead"].partition("...")
    old, new = _end(call.repo, base), _end(call.repo, head)
    common = call.repo.git.merge_base(old.sha, new.sha)
    if common is None:
        raise not_found()
    page, size = page_of(call)
    size = size if call.query else 250
    ahead = call.repo.git.log("--reverse", f"{common}..{new.sha}")
    behind = call.repo.git.count(f"{new.sha}..{old.sha}")
    files = call.repo.git.changes(common, new.sha)[:_MOST_FILES] if page == 1 else []
    url = commits.api(call.repo, f"compare/{call.params['basehead']}")
    shape = {
        "url": url,
        "html_url": commits.page(call.repo, f"compare/{call.params['basehead']}"),
        "permalink_url": commits.page(call.repo, f"compare/{old.sha}...{new.sha}"),
        "diff_url": commits.page(call.repo, f"compare/{call.params['basehead']}.diff"),
        "patch_url": commits.page(call.repo, f"compare/{call.params['basehead']}.patch"),
        "base_commit": commits.commit(call.repo, old),
        "merge_base_commit": commits.commit(call.repo, call.repo.git.commit(common)),
        "status": _status(len(ahead), behind),
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
        "commits": [commits.commit(call.repo, one) for one in ahead[(page - 1) * size : page * size]],
        "files": [commits.changed_file(call.repo, new.sha, one) for one in files],
    }
    return Answer(200, shape, link(call, page, max(1, -(-len(ahead) // size))))


def _status(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    return "ahead" if ahead else "behind" if behind else "identical"


def _end(repo: Repository, name: str) -> Commit:
    """One end of a comparison: a ref or a sha, or `owner:branch` of a fork."""
    try:
        source, branch = repo.head_source(name)
    except LookupError:
        raise not_found() from None
    sha = source.git.resolve(branch)
    if sha is None:
        raise not_found()
    repo.git.take(source.git, sha)
    return repo.git.commit(sha)

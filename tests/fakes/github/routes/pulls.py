"""Pull requests: found, opened, edited, and what is in them."""

from tests.fakes.github.messages import Answer, ApiError, Call, not_found
from tests.fakes.github.paging import paged
from tests.fakes.github.permissions import read, write
from tests.fakes.github.repository import Pull
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import commits, pulls

_READ = read("pull-requests")


@route("GET", "/repos/{owner}/{repo}/pulls", _READ)
def listing(call: Call) -> Answer:
    """Newest first, unless asked otherwise."""
    state, head, base = call.query.get("state", "open"), call.query.get("head"), call.query.get("base")
    found = [
        one
        for one in call.repo.pulls.values()
        if state in ("all", one.issue.state) and head in (None, f"{one.head_owner}:{one.head_ref}") and base in (None, one.base_ref)
    ]
    found.sort(key=lambda one: one.number, reverse=call.query.get("direction", "desc") == "desc")
    return paged(call, found, lambda one: pulls.pull(call.repo, one))


@route("POST", "/repos/{owner}/{repo}/pulls", write("pull-requests", role="read"))
def create(call: Call) -> Answer:
    head, base = call.body["head"], call.body["base"]
    if any(
        one.open and head in (one.head_ref, f"{one.head_owner}:{one.head_ref}") and one.base_ref == base for one in call.repo.pulls.values()
    ):
        raise _invalid("custom", message=f"A pull request already exists for {head}.")
    try:
        made = call.repo.open_pull(head, base, title=call.body.get("title", head), author=call.caller)
    except LookupError:
        raise _invalid("invalid", field="base" if call.repo.git.branch(base) is None else "head") from None
    made.issue.body = call.body.get("body")
    return Answer(201, pulls.whole_pull(call.repo, made))


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}", _READ)
def get(call: Call) -> Answer:
    return Answer(200, pulls.whole_pull(call.repo, pull_of(call)))


@route("PATCH", "/repos/{owner}/{repo}/pulls/{pull_number}", write("pull-requests"))
def update(call: Call) -> Answer:
    issue = pull_of(call).issue
    issue.title, issue.body = call.body.get("title", issue.title), call.body.get("body", issue.body)
    issue.state = call.body.get("state", issue.state)
    return get(call)


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files", _READ)
def files(call: Call) -> Answer:
    one = pull_of(call)
    base = call.repo.git.merge_base(one.base_sha, one.head_sha)
    changes = call.repo.git.changes(base, one.head_sha) if base else []
    return paged(call, changes, lambda change: commits.changed_file(call.repo, one.head_sha, change))


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/commits", _READ)
def commits_of(call: Call) -> Answer:
    one = pull_of(call)
    found = call.repo.git.log("--reverse", f"{one.base_sha}..{one.head_sha}")
    return paged(call, found, lambda commit: commits.commit(call.repo, commit))


def pull_of(call: Call) -> Pull:
    found = call.repo.pulls.get(call.number("pull_number"))
    if found is None:
        raise not_found()
    return found


def _invalid(code: str, **facts: str) -> ApiError:
    return ApiError(422, "Validation Failed", errors=[{"resource": "PullRequest", "code": code, **facts}])

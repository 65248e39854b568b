"""Git refs: read, made, moved without losing history unless forced, and removed."""

from tests.fakes.github.messages import Answer, ApiError, Call, not_found, unprocessable
from tests.fakes.github.permissions import read, write
from tests.fakes.github.protection import Style
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import commits


@route("GET", "/repos/{owner}/{repo}/git/ref/{ref}", read("contents"))
def get(call: Call) -> Answer:
    name = f"refs/{call.params['ref']}"
    found = call.repo.git.refs(name).get(name)
    if found is None:
        raise not_found()
    return Answer(200, commits.ref(call.repo, name, found))


@route("GET", "/repos/{owner}/{repo}/git/matching-refs/{ref}", read("contents"))
def matching(call: Call) -> Answer:
    start = f"refs/{call.params['ref']}"
    return Answer(200, [commits.ref(call.repo, *one) for one in call.repo.git.refs().items() if one[0].startswith(start)])


@route("POST", "/repos/{owner}/{repo}/git/refs", write("contents"))
def create(call: Call) -> Answer:
    name, sha = call.body["ref"], call.body["sha"]
    if not name.startswith("refs/") or name.count("/") < 2:
        raise unprocessable(f"{name} is not a valid ref name.")
    if name in call.repo.git.refs():
        raise unprocessable("Reference already exists")
    _must_exist(call, sha)
    _must_be_free(call, name)
    call.repo.git.set_ref(name, sha)
    return Answer(201, commits.ref(call.repo, name, sha))


@route("PATCH", "/repos/{owner}/{repo}/git/refs/{ref}", write("contents"))
def update(call: Call) -> Answer:
    name, sha = f"refs/{call.params['ref']}", call.body["sha"]
    old = _present(call, name)
    _must_exist(call, sha)
    _must_be_free(call, name)
    if not call.body.get("force", False) and not call.repo.git.is_ancestor(old, sha):
        raise unprocessable("Update is not a fast forward")
    call.repo.git.set_ref(name, sha)
    return Answer(200, commits.ref(call.repo, name, sha))


@route("DELETE", "/repos/{owner}/{repo}/git/refs/{ref}", write("contents"))
def delete(call: Call) -> Answer:
    name = f"refs/{call.params['ref']}"
    _present(call, name)
    _must_be_free(call, name)
    call.repo.git.delete_ref(name)
    return Answer(204)


def _present(call: Call, name: str) -> str:
    found = call.repo.git.refs(name).get(name)
    if found is None:
        raise unprocessable("Reference does not exist")
    return found


def _must_exist(call: Call, sha: str) -> None:
    if len(sha) != len(call.repo.git.resolve(sha) or ""):
        raise unprocessable("Object does not exist")


def _must_be_free(call: Call, name: str) -> None:
    """Protection holds for the API as it does for a push."""
    rule = call.repo.protections.get(name)
    if rule is None or call.caller.login in rule.bypass:
        return
    if rule.style is Style.RULESET:
        raise unprocessable("Repository rule violations found\n\n" + "\n".join(rule.rules))
    raise ApiError(422, rule.rules[0])

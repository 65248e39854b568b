"""Who the caller is, who somebody is, and what they may do in a repository."""

from tests.fakes.github.messages import Answer, ApiError, Call, not_found
from tests.fakes.github.permissions import A_PERSON, ANYBODY, MEMBERS, permission_of
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import people


@route("GET", "/user", A_PERSON)
def me(call: Call) -> Answer:
    return Answer(200, people.user(call.hub, call.caller))


@route("GET", "/users/{username}", ANYBODY)
def user(call: Call) -> Answer:
    found = call.hub.users.get(call.params["username"])
    if found is None:
        raise not_found()
    return Answer(200, people.user(call.hub, found))


@route("GET", "/rate_limit", ANYBODY)
def rate_limit(call: Call) -> Answer:
    facts = call.hub.quota.facts(call.token)
    search = {"limit": 30, "used": 0, "remaining": 30, "reset": facts["reset"]}
    return Answer(200, {"resources": {"core": facts, "search": search}, "rate": facts})


@route("GET", "/repos/{owner}/{repo}/collaborators/{username}", MEMBERS)
def is_collaborator(call: Call) -> Answer:
    if call.params["username"] not in {call.repo.owner.login, *call.repo.collaborators}:
        raise not_found()
    return Answer(204)


@route("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission", MEMBERS)
def permission(call: Call) -> Answer:
    """A stranger reads a public repository; only somebody who does not exist is unknown."""
    found = call.hub.users.get(call.params["username"])
    if found is None:
        raise ApiError(404, f"{call.params['username']} is not a user")
    role = call.repo.role(found.login)
    shape = {**people.user(call.hub, found), "role_name": role}
    return Answer(200, {"permission": permission_of(role), "role_name": role, "user": shape})

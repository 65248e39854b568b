"""The payload of an event becomes one of a few values, or an error that names the field."""

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.event import Comment, MergeGroup, PullRequest, Push, Timer, parse_event
from assay.errors import UsageError

HEAD, BASE, ZERO = "a" * 40, "b" * 40, "0" * 40
PULL: dict[str, Any] = {
    "action": "synchronize",
    "number": 7,
    "pull_request": {
        "head": {"sha": HEAD, "ref": "faster", "repo": {"full_name": "ada/lab"}},
        "base": {"sha": BASE, "ref": "main", "repo": {"full_name": "ada/lab"}},
    },
    "sender": {"login": "ada"},
}
PUSH: dict[str, Any] = {"ref": "refs/heads/main", "after": HEAD, "repository": {"default_branch": "main"}, "sender": {"login": "ada"}}
GROUP: dict[str, Any] = {
    "action": "checks_requested",
    "merge_group": {
        "head_sha": HEAD,
        "base_sha": BASE,
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-7",
        "base_ref": "refs/heads/main",
    },
}
EVENTS = {"pull_request": PULL, "push": PUSH, "merge_group": GROUP}


def paths_of(value: dict[str, Any], above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The path of every key in a payload."""
    found = []
    for key, one in value.items():
        found.append((*above, key))
        if isinstance(one, dict):
            found += paths_of(one, (*above, key))
    return found


FIELDS = [(name, path) for name, payload in EVENTS.items() for path in paths_of(payload) if path[0] != "sender"]


def changed(name: str, path: tuple[str, ...], value: object) -> dict[str, Any]:
    payload = deepcopy(EVENTS[name])
    holder = payload
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return payload


def without(name: str, path: tuple[str, ...]) -> dict[str, Any]:
    payload = changed(name, path, None)
    holder = payload
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    return payload


def test_a_pull_request_of_the_same_repository() -> None:
    assert parse_event("pull_request", PULL) == PullRequest(7, HEAD, BASE, "faster", "main", False, "synchronize", "ada")


@pytest.mark.parametrize("head", [{"full_name": "eve/lab"}, None])
def test_another_head_repository_or_one_that_is_gone_is_a_fork(head: object) -> None:
    event = parse_event("pull_request", changed("pull_request", ("pull_request", "head", "repo"), head))
    assert isinstance(event, PullRequest)
    assert event.fork


@pytest.mark.parametrize(
    ("ref", "branch", "to_default"),
    [("refs/heads/main", "main", True), ("refs/heads/x/main", "x/main", False), ("refs/tags/main", None, False)],
)
def test_a_push_says_which_branch_it_is_to(ref: str, branch: str | None, to_default: bool) -> None:
    event = parse_event("push", {**PUSH, "ref": ref})
    assert isinstance(event, Push)
    assert (event.branch, event.to_default, event.deleted) == (branch, to_default, False)


def test_a_push_of_zeros_deleted_the_branch() -> None:
    event = parse_event("push", {**PUSH, "after": ZERO})
    assert isinstance(event, Push)
    assert event.deleted


def test_a_merge_group() -> None:
    assert parse_event("merge_group", GROUP) == MergeGroup(
        HEAD, BASE, "refs/heads/gh-readonly-queue/main/pr-7", "refs/heads/main", "checks_requested"
    )


@pytest.mark.parametrize(("name", "path"), FIELDS, ids=lambda one: one if isinstance(one, str) else ".".join(one))
def test_each_missing_field_is_named_by_its_path(name: str, path: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=rf"no field `{'.'.join(path)}") as caught:
        parse_event(name, without(name, path))
    assert "GITHUB_EVENT_PATH" in caught.value.hint


@pytest.mark.parametrize("value", [3.5, True, [], ""], ids=repr)
@pytest.mark.parametrize(("name", "path"), FIELDS, ids=lambda one: one if isinstance(one, str) else ".".join(one))
def test_each_field_of_a_wrong_type_is_named_by_its_path(name: str, path: tuple[str, ...], value: object) -> None:
    with pytest.raises(UsageError, match=f"`{'.'.join(path)}"):
        parse_event(name, changed(name, path, value))


@pytest.mark.parametrize("sha", ["main", HEAD[:39], HEAD.upper(), f"{HEAD}\n", "--upload-pack=x", "g" * 40])
def test_what_is_no_full_commit_id_is_none(sha: str) -> None:
    with pytest.raises(UsageError, match=r"`pull_request.head.sha` .* is not a full commit id"):
        parse_event("pull_request", changed("pull_request", ("pull_request", "head", "sha"), sha))


@pytest.mark.parametrize("sender", [None, {}, {"login": 3}, "ada"])
def test_who_sent_it_decides_nothing_and_may_be_unknown(sender: object) -> None:
    assert parse_event("push", {**PUSH, "sender": sender}).sender == ""  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["schedule", "workflow_dispatch", "repository_dispatch"])
def test_what_starts_the_control_loop_may_say_little_of_itself(name: str) -> None:
    assert parse_event(name, {}) == Timer(name, "", "")
    said = {"repository": {"default_branch": "trunk"}, "sender": {"login": "ada"}}
    assert parse_event(name, said) == Timer(name, "trunk", "ada")


SAID: dict[str, Any] = {
    "action": "created",
    "issue": {"number": 7, "pull_request": {"url": "…"}},
    "comment": {"id": 99, "body": "Hm.", "created_at": "2026-05-01T12:00:00Z", "user": {"login": "ada", "type": "User"}},
}


def test_a_comment_is_read_with_its_author() -> None:
    got = parse_event("issue_comment", SAID)
    assert got == Comment(7, 99, "Hm.", "ada", bot=False, created_at=datetime(2026, 5, 1, 12, tzinfo=UTC), on_pull=True, fresh=True)


@pytest.mark.parametrize("kind", ["Bot", "Organization", "Mannequin", "user"])
def test_who_is_not_surely_a_person_is_a_program(kind: str) -> None:
    payload = deepcopy(SAID)
    payload["comment"]["user"]["type"] = kind
    got = parse_event("issue_comment", payload)
    assert isinstance(got, Comment)
    assert got.bot


@pytest.mark.parametrize(("path", "value"), [("pull_request", None), ("pull_request", "yes")])
def test_a_comment_on_an_issue_is_none_on_a_pull_request(path: str, value: object) -> None:
    payload = deepcopy(SAID)
    payload["issue"][path] = value
    got = parse_event("issue_comment", payload)
    assert isinstance(got, Comment)
    assert not got.on_pull


def test_a_comment_without_a_time_names_the_field() -> None:
    payload = deepcopy(SAID)
    payload["comment"]["created_at"] = "yesterday"
    with pytest.raises(UsageError, match=r"comment\.created_at"):
        parse_event("issue_comment", payload)


def test_under_pull_request_target_nothing_is_run() -> None:
    with pytest.raises(UsageError, match="nothing is run"):
        parse_event("pull_request_target", PULL)


@pytest.mark.parametrize("name", ["", "gollum", "PUSH", "push\n::error::x"])
def test_another_event_is_refused_with_those_that_are_handled(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_event(name, PUSH)
    assert "\n" not in caught.value.message
    assert "pull_request, push, merge_group, issue_comment or schedule" in caught.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(st.sampled_from(sorted(EVENTS)), JSON)
def test_any_json_is_an_event_or_a_usage_error(name: str, payload: Any) -> None:
    with pytest.raises(UsageError):
        parse_event(name, payload)


@given(st.sampled_from(FIELDS), JSON)
def test_any_json_in_any_field_is_an_event_or_a_usage_error(field: tuple[str, tuple[str, ...]], value: object) -> None:
    name, path = field
    assert isinstance(event_or_error(name, changed(name, path, value)), PullRequest | Push | MergeGroup | UsageError)


def event_or_error(name: str, payload: Any) -> object:
    try:
        return parse_event(name, payload)
    except UsageError as error:
        return error

"""What the GitHub adapter asks and sends, and what it makes of bad answers. `responses` stands where the network would."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import requests
import responses
from responses import matchers

from assay.adapters.github.client import HASTY, Patience, Time
from assay.adapters.github.forge import GitHubForge
from assay.adapters.github.rights import rights_of
from assay.core.check_run import Annotation, CheckRun
from assay.core.http_waits import Limits
from assay.core.model import Conclusion
from assay.errors import ForgeError, UsageError
from assay.forge_ports import Posted

API = "https://api.github.test:443"
REPO = f"{API}/repos/ada/lab"
COMMENTS = f"{REPO}/issues/7/comments"
MARKER = "<!-- assay:report -->"
BODY = f"{MARKER}\nBetter."
BOT = {"login": "github-actions[bot]", "type": "Bot", "id": 1}
HEAD = "a" * 40
CHECK = CheckRun("assay / bench", HEAD, "run-1", Conclusion.SUCCESS, "loss improved", "A summary", "A text")


def comment(number: int, body: str | None, user: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "id": number,
        "body": body,
        "user": user,
        "url": f"{REPO}/issues/comments/{number}",
        "html_url": f"https://github.test/ada/lab/pull/7#issuecomment-{number}",
    }


def check(number: int, external_id: str = "run-1", name: str = "assay / bench") -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "external_id": external_id,
        "url": f"{REPO}/check-runs/{number}",
        "html_url": f"https://github.test/ada/lab/runs/{number}",
    }


@dataclass
class Wire:
    """The mocked network and the pauses that were taken."""

    mock: responses.RequestsMock
    pauses: list[float] = field(default_factory=list)
    passed: float = 0.0

    def forge(self, patience: Patience | None = None, login: str = "github-actions[bot]") -> GitHubForge:
        given = patience or Patience(limits=Limits(tries=3), between_writes_s=0)
        clock = Time(now=lambda: 1000.0 + self.passed + sum(self.pauses), sleep=self.pauses.append, chance=lambda: 0.0)
        return GitHubForge("t0ken", "ada/lab", api_url=API, bot_login=login, details_url="https://job", patience=given, clock=clock)

    def comments(self, *found: dict[str, Any], page: int = 1, more: bool = False) -> None:
        """One page of the list of comments; the server names the last one where there is more."""
        following = f"<{COMMENTS}?per_page=100&page={page + 1}>"
        link = {"Link": f'{following}; rel="next", {following}; rel="last"'} if more else {}
        query = {"per_page": "100", "page": str(page)}
        self.mock.get(COMMENTS, json=list(found), headers=link, match=[matchers.query_param_matcher(query)])

    def checks(self, *found: dict[str, Any]) -> None:
        query = {"per_page": "100", "check_name": "assay / bench", "filter": "all"}
        listed = {"total_count": len(found), "check_runs": list(found)}
        self.mock.get(f"{REPO}/commits/{HEAD}/check-runs", json=listed, match=[matchers.query_param_matcher(query)])

    def sent(self, method: str) -> list[dict[str, Any]]:
        """The bodies of the requests of one method, in order."""
        bodies = [call.request.body or "null" for call in self.mock.calls if call.request.method == method]
        return [json.loads(body) for body in bodies if isinstance(body, str | bytes)]


@pytest.fixture
def wire() -> Iterator[Wire]:
    with responses.RequestsMock(assert_all_requests_are_fired=True, registry=responses.registries.OrderedRegistry) as mock:
        yield Wire(mock)


def test_without_one_of_ours_a_comment_is_made(wire: Wire) -> None:
    wire.comments(comment(1, "Nice!", {"login": "ada", "type": "User"}))
    wire.mock.post(COMMENTS, json=comment(2, BODY, BOT), status=201)
    assert wire.forge().upsert_comment(7, BODY, MARKER) == Posted(2, "https://github.test/ada/lab/pull/7#issuecomment-2")
    assert wire.sent("POST") == [{"body": BODY}]


def test_the_token_goes_with_each_request_and_nowhere_else(wire: Wire) -> None:
    wire.comments(comment(1, BODY, BOT))
    wire.forge().upsert_comment(7, BODY, MARKER)
    assert [call.request.headers["Authorization"] for call in wire.mock.calls] == ["token t0ken"]


def test_ours_is_updated_wherever_it_stands_in_the_pages(wire: Wire) -> None:
    wire.comments(*(comment(n, "Hm", {"login": "ada", "type": "User"}) for n in range(1, 101)), more=True)
    wire.comments(comment(101, f"{MARKER}\nWorse.", BOT), page=2)
    wire.mock.patch(f"{REPO}/issues/comments/101", json=comment(101, BODY, BOT))
    assert wire.forge().upsert_comment(7, BODY, MARKER).id == 101
    assert wire.sent("PATCH") == [{"body": BODY}]


def test_a_comment_that_is_known_is_not_looked_for(wire: Wire) -> None:
    there = comment(3, f"{MARKER}\nWorse.", BOT) | {"issue_url": f"{REPO}/issues/7"}
    wire.mock.get(f"{REPO}/issues/comments/3", json=there)
    wire.mock.patch(f"{REPO}/issues/comments/3", json=there)
    assert wire.forge().upsert_comment(7, BODY, MARKER, known=3).id == 3


@pytest.mark.parametrize(
    "there",
    [
        comment(3, BODY, BOT) | {"issue_url": f"{REPO}/issues/8"},
        comment(3, BODY, {"login": "eve", "type": "User"}) | {"issue_url": f"{REPO}/issues/7"},
        None,
    ],
)
def test_a_known_comment_that_is_gone_or_not_ours_is_looked_for(wire: Wire, there: dict[str, Any] | None) -> None:
    wire.mock.get(f"{REPO}/issues/comments/3", json=there or {"message": "Not Found"}, status=200 if there else 404)
    wire.comments(comment(4, BODY, BOT))
    assert wire.forge().upsert_comment(7, BODY, MARKER, known=3).id == 4


def test_what_it_says_already_is_not_sent_again(wire: Wire) -> None:
    wire.comments(comment(3, BODY, BOT))
    assert wire.forge().upsert_comment(7, BODY, MARKER).id == 3


FORGED = {
    "a user with the marker": comment(1, BODY, {"login": "eve", "type": "User"}),
    "a user named like the bot": comment(1, BODY, {"login": "github-actions[bot]", "type": "User"}),
    "another bot": comment(1, BODY, {"login": "dependabot[bot]", "type": "Bot"}),
    "the marker further on": comment(1, f"> {BODY}", BOT),
    "the marker of another workflow": comment(1, "<!-- assay:report key=gpu -->\nBetter.", BOT),
    "an account that is gone": comment(1, BODY, None),
    "an empty body": comment(1, None, BOT),
}


@pytest.mark.parametrize("found", FORGED.values(), ids=FORGED)
def test_what_only_looks_like_ours_is_never_touched(wire: Wire, found: dict[str, Any]) -> None:
    wire.comments(found)
    wire.mock.post(COMMENTS, json=comment(2, BODY, BOT), status=201)
    assert wire.forge().upsert_comment(7, BODY, MARKER).id == 2


def test_the_login_of_another_app_can_be_ours(wire: Wire) -> None:
    wire.comments(comment(1, f"{MARKER}\nOld", BOT), comment(2, BODY, {"login": "lab[bot]", "type": "Bot"}))
    assert wire.forge(login="lab[bot]").upsert_comment(7, BODY, MARKER).id == 2


def test_only_updating_makes_nothing(wire: Wire) -> None:
    wire.comments()
    assert wire.forge().update_comment(7, BODY, MARKER) is None


LOST: dict[str, Callable[[responses.RequestsMock, str], Any]] = {
    "a 502": lambda mock, url: mock.post(url, status=502, json={"message": "Server Error"}),
    "a timeout": lambda mock, url: mock.post(url, body=requests.ReadTimeout("late")),
    "a broken connection": lambda mock, url: mock.post(url, body=requests.ConnectionError("gone")),
    "an answer that is not JSON": lambda mock, url: mock.post(url, body="{", status=201),
}


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
def test_a_lost_answer_makes_no_second_comment(wire: Wire, lose: Callable[[responses.RequestsMock, str], Any]) -> None:
    wire.comments()
    lose(wire.mock, COMMENTS)
    wire.comments()  # a list may not have it at once
    wire.comments(comment(2, BODY, BOT))
    assert wire.forge().upsert_comment(7, BODY, MARKER).id == 2
    assert len(wire.sent("POST")) == 1
    assert wire.pauses == [1.0, 4.0]


def test_a_request_that_did_nothing_is_made_again_after_two_looks(wire: Wire) -> None:
    wire.comments()
    wire.mock.post(COMMENTS, status=503, json={"message": "Unavailable"})
    wire.comments()
    wire.comments()
    wire.mock.post(COMMENTS, json=comment(2, BODY, BOT), status=201)
    assert wire.forge().upsert_comment(7, BODY, MARKER).id == 2


def test_after_some_tries_it_gives_up(wire: Wire) -> None:
    wire.comments()
    for _ in range(3):
        wire.mock.post(COMMENTS, status=502, json={"message": "Server Error"})
        wire.comments()
        wire.comments()
    with pytest.raises(ForgeError, match="status 502") as caught:
        wire.forge().upsert_comment(7, BODY, MARKER)
    assert not caught.value.denied
    assert len(wire.sent("POST")) == 3


ERRORS = {
    403: ("The token may not write a comment on pull request 7: Resource not accessible", True),
    404: ("finds no place to write a comment", False),
    422: (r"status 422\): Validation Failed; body is too long", False),
    401: ("does not accept the token", False),
}


@pytest.mark.parametrize(("status", "said"), ERRORS.items(), ids=map(str, ERRORS))
def test_a_refusal_is_told_for_people_and_not_tried_again(wire: Wire, status: int, said: tuple[str, bool]) -> None:
    message = {403: "Resource not accessible by integration", 422: "Validation Failed", 401: "Bad credentials", 404: "Not Found"}
    wire.comments()
    wire.mock.post(COMMENTS, status=status, json={"message": message.get(status, "Slow down"), "errors": [{"message": "body is too long"}]})
    with pytest.raises(ForgeError, match=said[0]) as caught:
        wire.forge().upsert_comment(7, BODY, MARKER)
    assert caught.value.denied is said[1]
    assert caught.value.hint
    assert len(wire.sent("POST")) == 1


SECONDARY = {"message": "You have exceeded a secondary rate limit."}
LIMITED: dict[str, tuple[dict[str, Any], float]] = {
    "403 with Retry-After": ({"status": 403, "headers": {"Retry-After": "7"}, "json": {"message": "Slow down"}}, 7.0),
    "429 with Retry-After": ({"status": 429, "headers": {"Retry-After": "7"}, "json": {"message": "Slow down"}}, 7.0),
    "403 with a reset": ({"status": 403, "headers": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"}, "json": {}}, 31.0),
    "429 with a reset": ({"status": 429, "headers": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"}, "json": {}}, 31.0),
    "403 with words alone": ({"status": 403, "json": SECONDARY}, 60.0),
    "429 with nothing": ({"status": 429, "json": {}}, 60.0),
}


@pytest.mark.parametrize("limit", LIMITED.values(), ids=LIMITED)
def test_a_rate_limit_is_waited_out_and_even_a_post_sent_again(wire: Wire, limit: tuple[dict[str, Any], float]) -> None:
    wire.comments()
    wire.mock.post(COMMENTS, **limit[0])
    wire.mock.post(COMMENTS, json=comment(2, BODY, BOT), status=201)
    assert wire.forge().upsert_comment(7, BODY, MARKER).id == 2
    assert wire.pauses == [limit[1]]


@pytest.mark.parametrize("after", ["121", "3600", "99999999999999999999"])
def test_a_wait_beyond_the_cap_is_not_begun_and_is_no_missing_permission(wire: Wire, after: str) -> None:
    wire.comments()
    wire.mock.post(COMMENTS, status=403, headers={"Retry-After": after}, json={"message": "API rate limit exceeded"})
    with pytest.raises(ForgeError, match="rate limit") as caught:
        wire.forge().upsert_comment(7, BODY, MARKER)
    assert not caught.value.denied
    assert wire.pauses == []


def test_all_waits_of_a_job_together_have_a_bound(wire: Wire) -> None:
    for _ in range(5):
        wire.mock.get(f"{REPO}/pulls/7", status=429, json={}, headers={"Retry-After": "100"})
    forge = wire.forge(Patience(limits=Limits(tries=2, budget_s=250)))
    for _ in range(3):
        with pytest.raises(ForgeError, match="rate limit"):
            forge.head_of(7)
    assert wire.pauses == [100.0, 100.0]


def test_what_silence_takes_counts_as_waiting(wire: Wire) -> None:
    def silence(_: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        wire.passed += 15.0
        raise requests.ReadTimeout("late")

    for _ in range(4):
        wire.mock.add_callback("GET", f"{REPO}/pulls/7", silence)
    forge = wire.forge(Patience(limits=Limits(budget_s=50)))
    for _ in range(2):
        with pytest.raises(ForgeError, match="did not answer"):
            forge.head_of(7)
    assert wire.pauses == [1.0, 2.0]


FLEETING: dict[str, dict[str, Any]] = {
    "a 502": {"status": 502, "json": {"message": "Server Error"}},
    "a timeout": {"body": requests.ReadTimeout("late")},
    "a broken connection": {"body": requests.ConnectionError("gone")},
    "a rate limit": {"status": 429, "json": {}},
}


@pytest.mark.parametrize("trouble", FLEETING.values(), ids=FLEETING)
def test_an_update_is_sent_again(wire: Wire, trouble: dict[str, Any]) -> None:
    wire.mock.patch(f"{REPO}/check-runs/5", **trouble)
    wire.mock.patch(f"{REPO}/check-runs/5", json=check(5))
    assert wire.forge().close_check(Posted(5, "x"), CHECK).id == 5
    assert len(wire.pauses) == 1


def test_what_was_just_made_may_be_unknown_for_seconds(wire: Wire) -> None:
    wire.mock.post(f"{REPO}/check-runs", json=check(5), status=201)
    for _ in range(5):
        wire.mock.patch(f"{REPO}/check-runs/5", json={"message": "Not Found"}, status=404)
    wire.mock.patch(f"{REPO}/check-runs/5", json=check(5))
    forge = wire.forge()
    opened = forge.open_check("assay / bench", HEAD, "run-1", "measuring", new=True)
    assert forge.close_check(opened, CHECK).id == 5
    assert wire.pauses == [0.5, 1.0, 2.0, 4.0, 4.0]


def test_the_pull_request_of_an_event_may_be_unknown_for_seconds(wire: Wire) -> None:
    wire.mock.get(f"{REPO}/pulls/7", json={"message": "Not Found"}, status=404)
    wire.mock.get(f"{REPO}/pulls/7", json={"url": f"{REPO}/pulls/7", "head": {"sha": HEAD, "ref": "x"}})
    assert wire.forge().head_of(7) == HEAD


def test_what_others_made_is_gone_when_it_is_unknown(wire: Wire) -> None:
    wire.mock.patch(f"{REPO}/check-runs/5", json={"message": "Not Found"}, status=404)
    with pytest.raises(ForgeError, match="no place"):
        wire.forge().close_check(Posted(5, "x"), CHECK)
    assert wire.pauses == []


def test_writes_keep_a_second_apart(wire: Wire) -> None:
    for _ in range(3):
        wire.mock.patch(f"{REPO}/check-runs/5", json=check(5))
    forge = wire.forge(Patience())
    for _ in range(3):
        forge.close_check(Posted(5, "x"), CHECK)
    assert wire.pauses == [1.0, 1.0]


def test_an_error_says_nothing_that_could_command_a_terminal_or_the_runner(wire: Wire) -> None:
    wire.comments()
    wire.mock.post(COMMENTS, status=403, json={"message": "no\n::error::x ##[add-mask]y \x1b[31m"})
    with pytest.raises(ForgeError) as caught:
        wire.forge().upsert_comment(7, BODY, MARKER)
    assert not {"\n", "\x1b"} & set(caught.value.message)
    assert "##[" not in caught.value.message


def test_a_check_run_is_opened_in_progress(wire: Wire) -> None:
    wire.checks()
    wire.mock.post(f"{REPO}/check-runs", json=check(5), status=201)
    assert wire.forge().open_check("assay / bench", HEAD, "run-1", "measuring") == Posted(5, "https://github.test/ada/lab/runs/5")
    (sent,) = wire.sent("POST")
    assert (sent["name"], sent["head_sha"], sent["external_id"], sent["status"]) == ("assay / bench", HEAD, "run-1", "in_progress")
    assert sent["details_url"] == "https://job"


def test_one_that_is_there_for_the_same_run_is_found(wire: Wire) -> None:
    wire.checks(check(4, "run-0"), check(5))
    assert wire.forge().open_check("assay / bench", HEAD, "run-1", "measuring").id == 5


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
def test_a_lost_answer_makes_no_second_check_run(wire: Wire, lose: Callable[[responses.RequestsMock, str], Any]) -> None:
    wire.checks()
    lose(wire.mock, f"{REPO}/check-runs")
    wire.checks(check(5))
    assert wire.forge().open_check("assay / bench", HEAD, "run-1", "measuring").id == 5
    assert len(wire.sent("POST")) == 1


def test_an_open_check_run_is_completed(wire: Wire) -> None:
    wire.mock.patch(f"{REPO}/check-runs/5", json=check(5))
    assert wire.forge().close_check(Posted(5, "x"), CHECK) == Posted(5, "https://github.test/ada/lab/runs/5")
    (sent,) = wire.sent("PATCH")
    assert (sent["status"], sent["conclusion"], sent["external_id"]) == ("completed", "success", "run-1")
    assert sent["output"] == {"title": "loss improved", "summary": "A summary", "text": "A text"}


def test_without_an_open_one_it_is_made_and_completed(wire: Wire) -> None:
    wire.checks()
    wire.mock.post(f"{REPO}/check-runs", json=check(6), status=201)
    wire.mock.patch(f"{REPO}/check-runs/6", json=check(6))
    assert wire.forge().close_check(None, CHECK).id == 6


def test_annotations_go_fifty_at_a_time(wire: Wire) -> None:
    notes = tuple(Annotation("bench.py", line, line, "warning", f"note {line}", "A note") for line in range(1, 121))
    for _ in range(3):
        wire.mock.patch(f"{REPO}/check-runs/5", json=check(5))
    payload = CheckRun("assay / bench", HEAD, "run-1", Conclusion.NEUTRAL, "t", "s", "", notes)
    wire.forge().close_check(Posted(5, "x"), payload)
    sizes = [len(sent["output"]["annotations"]) for sent in wire.sent("PATCH")]
    assert sizes == [50, 50, 20]
    assert wire.sent("PATCH")[0]["output"]["annotations"][0] == {
        "path": "bench.py",
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "warning",
        "message": "note 1",
        "title": "A note",
    }


NOTED = CheckRun("assay / bench", HEAD, "run-1", Conclusion.SUCCESS, "t", "s", "", (Annotation("a.py", 1, 1, "warning", "A note"),))


@pytest.mark.parametrize(("there", "sent"), [(1, 1), (0, 2)], ids=["they were added", "they were not"])
def test_annotations_whose_answer_is_lost_are_never_added_twice(wire: Wire, there: int, sent: int) -> None:
    wire.mock.patch(f"{REPO}/check-runs/5", body=requests.ReadTimeout("late"))
    found = check(5) | {"conclusion": "success" if there else None, "output": {"annotations_count": there}}
    for _ in range(1 if there else 2):
        wire.mock.get(f"{REPO}/check-runs/5", json=found)
    if not there:
        wire.mock.patch(f"{REPO}/check-runs/5", json=check(5))
    assert wire.forge().close_check(Posted(5, "x"), NOTED).id == 5
    assert len(wire.sent("PATCH")) == sent


def test_in_a_hurry_there_is_one_try(wire: Wire) -> None:
    wire.mock.patch(f"{REPO}/check-runs/5", body=requests.ReadTimeout("late"))
    with pytest.raises(ForgeError, match="did not answer"):
        wire.forge(HASTY).close_check(Posted(5, "x"), CHECK)
    assert wire.mock.calls[0].request.req_kwargs["timeout"] == 2  # type: ignore[attr-defined]


def test_the_head_of_a_pull_request_is_read(wire: Wire) -> None:
    wire.mock.get(f"{REPO}/pulls/7", json={"url": f"{REPO}/pulls/7", "head": {"sha": HEAD, "ref": "x"}})
    assert wire.forge().head_of(7) == HEAD


@pytest.mark.parametrize("body", ['{"head": null}', '{"head": {"sha": 3}}', '{"head": "x"}', "[]", "null"])
def test_an_unexpected_answer_is_an_error_for_people(wire: Wire, body: str) -> None:
    wire.mock.get(f"{REPO}/pulls/7", body=body, content_type="application/json")
    with pytest.raises(ForgeError, match="unexpected"):
        wire.forge().head_of(7)


STRANGE = {
    "a redirect that PyGithub takes for a success": {"status": 307, "json": {"message": "Moved"}, "headers": {"Location": f"{REPO}/x"}},
    "a redirect to another host": {"status": 301, "json": {}, "headers": {"Location": "https://elsewhere.test/x"}},
    "a redirect to another scheme": {"status": 301, "json": {}, "headers": {"Location": "http://api.github.test/x"}},
    "the page of a proxy": {"status": 200, "body": "<html>Sign in</html>"},
    "half an answer": {"status": 200, "body": '{"id": 3, "html'},
    "nothing": {"status": 200, "body": ""},
    "brackets without end": {"status": 200, "body": "[" * 200_000},
    "a reset that is no time": {"status": 200, "json": {}, "headers": {"x-ratelimit-reset": "inf"}},
}


@pytest.mark.parametrize("answer", STRANGE.values(), ids=STRANGE)
def test_what_is_no_answer_of_the_api_is_no_success_and_no_crash(answer: dict[str, Any]) -> None:
    with responses.RequestsMock() as mock:
        mock.get(f"{REPO}/issues/comments/3", json=comment(3, "x", BOT) | {"body": MARKER, "issue_url": f"{REPO}/issues/7"})
        mock.patch(f"{REPO}/issues/comments/3", **answer)
        with pytest.raises(ForgeError):
            Wire(mock).forge().upsert_comment(7, BODY, MARKER, known=3)


def test_a_change_whose_answer_was_cut_off_is_sent_again(wire: Wire) -> None:
    there = comment(3, MARKER, BOT) | {"issue_url": f"{REPO}/issues/7"}
    wire.mock.get(f"{REPO}/issues/comments/3", json=there)
    wire.mock.patch(f"{REPO}/issues/comments/3", body='{"id": 3, "bo')
    wire.mock.patch(f"{REPO}/issues/comments/3", body='{"message": "unico', status=502)
    wire.mock.patch(f"{REPO}/issues/comments/3", json=there)
    assert wire.forge().upsert_comment(7, BODY, MARKER, known=3).id == 3
    assert wire.sent("PATCH") == [{"body": BODY}] * 3


def test_a_check_run_without_an_id_has_not_been_made() -> None:
    with responses.RequestsMock() as mock:
        mock.post(f"{REPO}/check-runs", body="null", status=201)
        with pytest.raises(ForgeError, match="did not say what it has made"):
            Wire(mock).forge(HASTY).open_check("assay / bench", HEAD, "run-1", "Measuring", new=True)


def test_certificates_that_are_not_there_are_an_answer_that_did_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere/bundle.pem")
    forge = GitHubForge("t0ken", "ada/lab", api_url="https://127.0.0.1:9", bot_login="x", patience=HASTY)
    with pytest.raises(ForgeError, match="certificate"):
        forge.withdraw_comment(3)


@pytest.mark.parametrize("url", ["", "api.github.com", "ftp://api.github.com", "http://", "http://[::1", "https://host:0x"])
def test_an_address_that_is_none_is_said_at_once(url: str) -> None:
    with pytest.raises(UsageError, match="GITHUB_API_URL"):
        GitHubForge("t0ken", "ada/lab", api_url=url, bot_login="x")


FRUITLESS = [
    (403, {"Retry-After": "60"}, "a rate limit"),
    (429, {}, "a rate limit"),
    (502, {}, "a failure of its own"),
]


@pytest.mark.parametrize(("status", "headers", "reason"), FRUITLESS)
def test_a_limit_or_an_outage_tells_nothing_of_a_token(status: int, headers: dict[str, str], reason: str) -> None:
    with responses.RequestsMock() as mock:
        mock.get(REPO, json={"message": "No"}, status=status, headers=headers)
        assert reason in rights_of("t0ken", "ada/lab", API).problem

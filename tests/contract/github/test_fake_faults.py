"""What goes wrong goes wrong as planned: in order, once each, before or after the work is done, and on the record."""

import http.client

import pytest
from github import Auth, Github, GithubException, RateLimitExceededException
from github.Repository import Repository as Remote
from tests.contract.github.conftest import Lab
from tests.fakes.github import faults
from tests.fakes.github.faults import DROPPED, DROPPED_AFTER_COMMIT, PASS

COMMENTS = "*/issues/1/comments"


@pytest.fixture
def token(lab: Lab) -> str:
    return lab.hub.job_token(lab.repo)


def say(lab: Lab, token: str) -> int:
    return lab.ask("POST", "issues/1/comments", token, {"body": "hello"}).status


def test_faults_happen_in_order_and_once(lab: Lab, token: str) -> None:
    lab.hub.faults.add("POST", COMMENTS, faults.status(502), PASS, faults.status(404))
    assert [say(lab, token) for _ in range(4)] == [502, 201, 404, 201]
    assert len(lab.repo.comments) == 2
    assert lab.hub.faults.pending() == []


def test_a_fault_is_for_its_method_and_its_path(lab: Lab, token: str) -> None:
    lab.hub.faults.add("PATCH", COMMENTS, faults.status(502))
    lab.hub.faults.add("POST", "*/check-runs", faults.status(502))
    assert say(lab, token) == 201
    assert len(lab.hub.faults.pending()) == 2


def test_a_dropped_answer_may_have_done_its_work(lab: Lab, token: str) -> None:
    lab.hub.faults.add("POST", COMMENTS, DROPPED, DROPPED_AFTER_COMMIT)
    for done in (0, 1):
        with pytest.raises(http.client.RemoteDisconnected):
            say(lab, token)
        assert len(lab.repo.comments) == done


def test_an_outage_may_follow_the_work(lab: Lab, token: str) -> None:
    lab.hub.faults.add("POST", COMMENTS, faults.status(502).committed())
    assert say(lab, token) == 502
    assert len(lab.repo.comments) == 1


def test_a_slow_answer_outlasts_a_clients_patience(lab: Lab, token: str) -> None:
    lab.hub.faults.add("POST", COMMENTS, faults.slow(60))
    connection = http.client.HTTPConnection(lab.hub.url.removeprefix("http://"), timeout=0.5)
    headers = {"Authorization": f"token {token}"}
    connection.request("POST", "/repos/ada/lab/issues/1/comments", b'{"body": "hello"}', headers)
    with pytest.raises(TimeoutError):
        connection.getresponse()
    connection.close()
    assert [one.body for one in lab.repo.comments.values()] == ["hello"]


def test_limits_are_told_apart_by_their_headers(lab: Lab, token: str) -> None:
    lab.hub.faults.add(
        "*", "*", faults.primary_limit(99), faults.primary_limit(99, 429), faults.secondary_limit(7), faults.secondary_limit(code=429)
    )
    primary, late, patient, bare = (lab.ask("GET", "pulls/1", token) for _ in range(4))
    assert (primary.status, primary.headers["x-ratelimit-remaining"], primary.headers["x-ratelimit-reset"]) == (403, "0", "99")
    assert (late.status, "retry-after" in late.headers) == (429, False)
    assert (patient.status, patient.headers["retry-after"]) == (403, "7")
    assert (bare.status, "secondary rate limit" in bare.message, "retry-after" in bare.headers) == (429, True, False)
    assert bare.headers["x-ratelimit-remaining"] != "0"


def test_pygithub_reads_a_planned_limit_as_one(lab: Lab, job: Remote) -> None:
    lab.hub.faults.add("GET", "*/pulls/1", faults.primary_limit(99), faults.status(404, "Not Found"))
    with pytest.raises(RateLimitExceededException):
        job.get_pull(1)
    with pytest.raises(GithubException) as caught:
        job.get_pull(1)
    assert caught.value.status == 404
    assert job.get_pull(1).number == 1


def test_pygithub_of_its_own_defaults_posts_twice_after_a_dropped_answer(lab: Lab, token: str) -> None:
    """Why the adapter has a retry policy of its own: the fake must show the duplicate that GitHub would."""
    lab.hub.faults.add("POST", COMMENTS, faults.status(502).committed())
    client = Github(auth=Auth.Token(token), base_url=lab.hub.url, seconds_between_requests=0, seconds_between_writes=0)
    client.get_repo("ada/lab").get_issue(1).create_comment("once")
    client.close()
    assert [one.body for one in lab.repo.comments.values()] == ["once", "once"]


def test_every_request_is_on_the_record(lab: Lab, token: str) -> None:
    lab.hub.faults.add("POST", COMMENTS, faults.status(502), DROPPED_AFTER_COMMIT)
    say(lab, token)
    with pytest.raises(http.client.RemoteDisconnected):
        say(lab, token)
    say(lab, token)
    found = lab.hub.requests("POST", COMMENTS)
    assert [one.status for one in found] == [502, None, 201]
    assert [one.login for one in found] == [None, "github-actions[bot]", "github-actions[bot]"]
    assert [one.body for one in found] == [{"body": "hello"}] * 3
    assert token not in repr(lab.hub.log)

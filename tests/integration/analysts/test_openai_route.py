"""The openai route against a real server on this machine: answers, and every way in which a server can fail."""

import asyncio
import json

import pytest
from tests.fakes.model_server import (
    Behaviour,
    ModelServer,
    answers,
    breaks_off_after,
    ends_with,
    hangs_after,
    model_server,
    never_stops,
    refuses,
    talks_rubbish,
)

from assay.adapters.analysts.openai_server import OpenAIAnalyst, Server
from assay.core.fusion.exchange import Ask, Reply
from assay.core.fusion.failure import AnalysisError, Code, Stage
from assay.core.fusion.routes import parse_route

ROUTE = parse_route("openai:tiny", candidate=True)
ASK = Ask(Stage.CANDIDATE, "Explain it.", '{"a":1}', 20.0)
KEY = "sk-not-a-real-key-0123456789"


def ask(server: ModelServer, question: Ask = ASK, **facts: object) -> Reply:
    analyst = OpenAIAnalyst(ROUTE, Server(**{"key": KEY, "base_url": server.url, **facts}))  # type: ignore[arg-type]
    return asyncio.run(analyst.answer(question))


def failure(*script: Behaviour) -> AnalysisError:
    with model_server(*script) as server, pytest.raises(AnalysisError) as caught:
        ask(server)
    assert KEY not in str(caught.value) + caught.value.hint
    return caught.value


def test_an_answer_comes_whole_with_what_it_cost() -> None:
    with model_server(answers("It improved by 3 %.", asked=1000, answered=500)) as server:
        reply = ask(server, price=(0.15, 0.6))
    assert reply.text == "It improved by 3 %."
    assert (reply.usage.input, reply.usage.output, reply.model) == (1000, 500, "tiny-1")
    assert reply.usage.cost == pytest.approx((1000 * 0.15 + 500 * 0.6) / 1e6)


def test_a_model_is_given_instructions_and_document_and_no_tools() -> None:
    with model_server(answers("Yes.")) as server:
        ask(server)
    (body,) = server.asked
    assert [(one["role"], one["content"]) for one in body["messages"]] == [("system", "Explain it."), ("user", '{"a":1}')]
    assert body["model"] == "tiny"
    assert not {"tools", "functions", "tool_choice"} & body.keys()
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, Code.CHILD_EXIT_FAILED),
        (401, Code.MODEL_UNAVAILABLE),
        (403, Code.MODEL_UNAVAILABLE),
        (404, Code.MODEL_UNAVAILABLE),
        (429, Code.CHILD_EXIT_FAILED),
        (500, Code.CHILD_EXIT_FAILED),
        (503, Code.CHILD_EXIT_FAILED),
    ],
)
def test_a_refusal_is_told_by_its_status_and_never_asked_again(status: int, code: Code) -> None:
    with model_server(refuses(status, f"your key is {KEY}"), answers("too late")) as server, pytest.raises(AnalysisError) as caught:
        ask(server)
    assert caught.value.code is code
    assert str(status) in caught.value.message
    assert KEY not in caught.value.message + caught.value.hint
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_may_be_asked_again() -> None:
    with model_server(answers("x")) as server:
        url = server.url
    with pytest.raises(AnalysisError) as caught:
        asyncio.run(OpenAIAnalyst(ROUTE, Server(KEY, base_url=url)).answer(ASK))
    assert (caught.value.code, caught.value.transient, caught.value.child_created) == (Code.CHILD_SPAWN_FAILED, True, False)


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (breaks_off_after("half an ans"), Code.CHILD_EVENT_INVALID),
        (talks_rubbish, Code.CHILD_EVENT_INVALID),
        (never_stops, Code.CHILD_OUTPUT_CAP),
        (ends_with("length"), Code.CHILD_OUTPUT_CAP),
        (ends_with("content_filter"), Code.CHILD_EXIT_FAILED),
        (ends_with("tool_calls"), Code.CHILD_EXIT_FAILED),
    ],
)
def test_only_an_answer_that_the_model_has_ended_itself_is_one(behaviour: Behaviour, code: Code) -> None:
    assert failure(behaviour).code is code


def test_what_was_said_before_a_failure_is_kept_as_evidence() -> None:
    assert failure(breaks_off_after("half an ans")).spent.partial == "half an ans"


def test_a_server_that_hangs_is_given_up_when_its_time_is_over() -> None:
    with model_server(hangs_after("well, ")) as server, pytest.raises(AnalysisError) as caught:
        ask(server, Ask(Stage.CANDIDATE, "x", "{}", 0.3))
    assert caught.value.code in (Code.CHILD_TIMEOUT, Code.CHILD_EVENT_INVALID)
    assert caught.value.spent.partial == "well, "


def test_a_cancelled_request_ends_at_once_and_keeps_what_came() -> None:
    async def run(server: ModelServer) -> AnalysisError:
        work = asyncio.create_task(OpenAIAnalyst(ROUTE, Server(KEY, base_url=server.url)).answer(ASK))
        while not server.asked:
            await asyncio.sleep(0.01)
        work.cancel()
        with pytest.raises(AnalysisError) as caught:
            await work
        return caught.value

    with model_server(hangs_after("well, ")) as server:
        assert asyncio.run(run(server)).code is Code.CHILD_CANCELLED


def test_without_a_key_nobody_is_asked() -> None:
    with model_server(answers("x")) as server, pytest.raises(AnalysisError) as caught:
        ask(server, key="", key_name="MODELS_KEY")
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert "MODELS_KEY" in caught.value.message
    assert server.asked == []


def test_an_answer_in_another_language_is_read_as_it_was_written() -> None:
    with model_server(answers(json.dumps({"höre": "日本"}, ensure_ascii=False), pieces=7)) as server:
        assert json.loads(ask(server).text) == {"höre": "日本"}

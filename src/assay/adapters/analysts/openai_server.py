"""The openai route: a model behind any server that speaks OpenAI's protocol, through the `openai` package, which is an extra."""

import asyncio
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from assay.core.fusion.budget import ANSWER_BYTES
from assay.core.fusion.exchange import Ask, Reply
from assay.core.fusion.failure import AnalysisError, Code, Spent, cancelled
from assay.core.fusion.routes import Route
from assay.core.fusion.usage import Usage
from assay.errors import AssayError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_HTTP = {
    400: "a bad request",
    401: "an invalid key",
    403: "no permission",
    404: "no such model",
    413: "too large a prompt",
    429: "too many requests",
}
_UNAVAILABLE = (401, 403, 404)
_CONNECT_S = 20.0


@dataclass(frozen=True, slots=True)
class Server:
    """Where the model is and what it costs. `key_name` is the variable that the key came from; prices are for a million tokens."""

    key: str = field(repr=False)
    key_name: str = "OPENAI_API_KEY"
    base_url: str | None = None
    price: tuple[float, float] | None = None


@dataclass(slots=True)
class _Heard:
    """What has come so far."""

    parts: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    finish: str | None = None
    model: str | None = None

    @property
    def size(self) -> int:
        return sum(map(len, self.parts))

    @property
    def text(self) -> str:
        return "".join(self.parts)


class OpenAIAnalyst:
    """Satisfies `analysis_ports.Analyst`. One request an answer, streamed, without tools; nothing is asked a second time."""

    def __init__(self, route: Route, server: Server) -> None:
        self._model = route.words[0]
        self._server = server

    async def answer(self, ask: Ask) -> Reply:
        """The model's answer, if it came to its own end."""
        sdk = _sdk()
        if not self._server.key:
            raise AnalysisError(
                Code.MODEL_UNAVAILABLE,
                f"There is no key for the model {self._model}: the variable {self._server.key_name} is empty.",
                hint="Set it in the job's environment, or name another one in `fusion.key`.",
                child_created=False,
            )
        heard = _Heard()
        listening = asyncio.create_task(self._listen(sdk, ask, heard))
        try:
            await asyncio.wait({listening})
        except asyncio.CancelledError:
            listening.cancel()
            await asyncio.wait({listening})
            raise cancelled("The request was cancelled.", Spent(heard.usage, heard.text)) from None
        if error := listening.exception():  # of the package, of the transport below it, of whatever the server sent
            raise error if isinstance(error, AssayError) else self._failure(sdk, error, heard) from error
        return self._reply(ask, heard)

    async def _listen(self, sdk: ModuleType, ask: Ask, heard: _Heard) -> None:
        client: AsyncOpenAI = sdk.AsyncOpenAI(
            api_key=self._server.key,
            base_url=self._server.base_url,
            max_retries=0,  # what was asked is paid for; only a launch that came to nothing is tried again, and not here
            timeout=ask.seconds,
        )
        async with client:
            stream: Any = await client.chat.completions.create(
                model=self._model,
                messages=[{"role": "system", "content": ask.instructions}, {"role": "user", "content": ask.document}],
                max_completion_tokens=ask.answer_tokens,
                stream=True,
                stream_options={"include_usage": True},
            )
            async for chunk in stream:
                self._take(chunk, heard)
                if heard.size > ANSWER_BYTES[ask.stage]:
                    break

    def _take(self, chunk: Any, heard: _Heard) -> None:
        """One piece of the stream; the last one has the usage and no choice."""
        heard.model = getattr(chunk, "model", None) or heard.model
        if usage := getattr(chunk, "usage", None):
            heard.usage = self._usage(usage)
        for choice in (getattr(chunk, "choices", None) or [])[:1]:
            heard.finish = choice.finish_reason or heard.finish
            if choice.delta and choice.delta.content:
                heard.parts.append(choice.delta.content)

    def _usage(self, told: Any) -> Usage:
        details = getattr(told, "prompt_tokens_details", None)
        cached = getattr(details, "cached_tokens", None) or 0
        asked, answered = told.prompt_tokens or 0, told.completion_tokens or 0
        price = self._server.price
        cost = None if price is None else (asked * price[0] + answered * price[1]) / 1e6
        return Usage(input=asked - cached, output=answered, cache_read=cached, cost=cost)

    def _reply(self, ask: Ask, heard: _Heard) -> Reply:
        """Only an answer that the model itself has ended is one: half of one may say the opposite."""
        spent = Spent(heard.usage, heard.text)
        if heard.finish == "stop":
            return Reply(heard.text, heard.usage, heard.model)
        if heard.finish == "length" or heard.size > ANSWER_BYTES[ask.stage]:
            raise AnalysisError(Code.CHILD_OUTPUT_CAP, f"The model {self._model} answered with more than is allowed.", spent=spent)
        if heard.finish is None:
            raise AnalysisError(Code.CHILD_EVENT_INVALID, f"The answer of the model {self._model} broke off.", spent=spent)
        raise AnalysisError(
            Code.CHILD_EXIT_FAILED, f"The model {self._model} ended with {heard.finish[:40]!r}, not an answer.", spent=spent
        )

    def _failure(self, sdk: ModuleType, error: BaseException, heard: _Heard) -> AnalysisError:
        """What the server said stays in the debug log: it may quote the key."""
        spent = Spent(heard.usage, heard.text)
        if isinstance(error, sdk.APITimeoutError):
            return AnalysisError(Code.CHILD_TIMEOUT, f"The server of {self._model} did not answer in time.", spent=spent)
        if isinstance(error, sdk.APIStatusError):
            return self._refused(error.status_code, spent)
        if isinstance(error, sdk.APIConnectionError) and not heard.parts:
            hint = "Look at `fusion.base_url` and the network."
            message = f"The server of {self._model} could not be reached."
            return AnalysisError(Code.CHILD_SPAWN_FAILED, message, hint=hint, transient=True, child_created=False, spent=spent)
        return AnalysisError(Code.CHILD_EVENT_INVALID, f"The answer of the model {self._model} could not be read.", spent=spent)

    def _refused(self, status: int, spent: Spent) -> AnalysisError:
        meaning = _HTTP.get(status, "an error of its own" if status >= 500 else "a refusal")
        message = f"The server of {self._model} answered {status}, {meaning}."
        if status in _UNAVAILABLE:
            hint = f"Look at the model's name, `fusion.base_url` and the key in {self._server.key_name}."
            return AnalysisError(Code.MODEL_UNAVAILABLE, message, hint=hint, spent=spent)
        return AnalysisError(Code.CHILD_EXIT_FAILED, message, hint="Run `assay analyse` again later.", spent=spent)


def _sdk() -> ModuleType:
    try:
        import openai
    except ImportError as error:
        raise AnalysisError(
            Code.MODEL_UNAVAILABLE,
            "The route openai: needs the package openai, which is not installed.",
            hint="Install it where Assay is installed: pip install 'openai>=1.50'. For the action run/ give the input `fusion: config`.",
            child_created=False,
        ) from error
    return openai

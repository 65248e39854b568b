"""A local server that speaks enough of OpenAI's protocol: it answers as its script says, faults included."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Exchange"], None]


@dataclass
class Exchange:
    """One request under way, and the means to answer it."""

    request: dict[str, Any]
    headers: dict[str, str]
    handler: BaseHTTPRequestHandler
    released: threading.Event

    def begin(self, status: int = 200, kind: str = "text/event-stream") -> None:
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", kind)
        self.handler.send_header("Connection", "close")
        self.handler.end_headers()

    def send(self, text: str) -> None:
        self.handler.wfile.write(text.encode())
        self.handler.wfile.flush()

    def chunk(self, content: str | None = None, finish: str | None = None, usage: dict[str, int] | None = None) -> None:
        """One event of the stream."""
        delta = {} if content is None else {"role": "assistant", "content": content}
        choices = [] if usage else [{"index": 0, "delta": delta, "finish_reason": finish}]
        whole = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "tiny-1", "choices": choices, "usage": usage}
        self.send(f"data: {json.dumps(whole)}\n\n")

    def error(self, status: int, message: str) -> None:
        self.begin(status, "application/json")
        self.send(json.dumps({"error": {"message": message, "type": "x", "code": None}}))


def answers(text: str, asked: int = 10, answered: int = 5, pieces: int = 3) -> Behaviour:
    """A whole answer in several pieces, with its usage at the end."""

    def behave(exchange: Exchange) -> None:
        exchange.begin()
        size = max(1, -(-len(text) // pieces))
        for start in range(0, len(text), size):
            exchange.chunk(text[start : start + size])
        exchange.chunk(finish="stop")
        exchange.chunk(usage={"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered})
        exchange.send("data: [DONE]\n\n")

    return behave


def refuses(status: int, message: str = "no") -> Behaviour:
    return lambda exchange: exchange.error(status, message)


def hangs_after(text: str) -> Behaviour:
    """Some text, and then nothing more until the server is stopped."""

    def behave(exchange: Exchange) -> None:
        exchange.begin()
        exchange.chunk(text)
        exchange.released.wait(60)

    return behave


def breaks_off_after(text: str) -> Behaviour:
    """Some text, and then the end of the connection."""

    def behave(exchange: Exchange) -> None:
        exchange.begin()
        exchange.chunk(text)

    return behave


def ends_with(finish: str, text: str = "some") -> Behaviour:
    def behave(exchange: Exchange) -> None:
        exchange.begin()
        exchange.chunk(text)
        exchange.chunk(finish=finish)
        exchange.send("data: [DONE]\n\n")

    return behave


def talks_rubbish(exchange: Exchange) -> None:
    exchange.begin()
    exchange.send("data: {this is no JSON\n\n")


def never_stops(exchange: Exchange) -> None:
    """More and more text, until nobody listens."""
    exchange.begin()
    try:
        while not exchange.released.is_set():
            exchange.chunk("word " * 2000)
    except OSError:
        return


@dataclass
class ModelServer:
    """The server, and what it was asked. `script` is taken in turn, its last entry for ever."""

    url: str
    script: list[Behaviour]
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def model_server(*script: Behaviour) -> Iterator[ModelServer]:
    """A server on a free port of this machine, stopped at the end."""
    released = threading.Event()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                turn = min(len(server.asked), len(server.script) - 1)
                server.asked.append(body)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
            try:
                server.script[turn](Exchange(body, server.headers[-1], self, released))
            except OSError:
                return  # nobody listens any more

        def log_request(self, *_: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

    with Quiet(("127.0.0.1", 0), Handler) as http:
        server = ModelServer(f"http://127.0.0.1:{http.server_address[1]}/v1", list(script))
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            released.set()
            http.shutdown()
            thread.join()

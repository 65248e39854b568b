"""The fake over HTTP: the API, git's smart protocol and downloads of artifacts on one port of 127.0.0.1."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.github import api, control, git_http
from tests.fakes.github.faults import Fault, When
from tests.fakes.github.hub import Hub, Logged
from tests.fakes.github.messages import Answer, Request
from tests.fakes.github.model import Token
from tests.fakes.github.openapi import description


class Server(ThreadingHTTPServer):
    """A server with its hub. Many clients may knock at once."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, hub: Hub, port: int, prefix: str) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.hub = hub
        self.prefix = prefix
        hub.server_url = f"http://127.0.0.1:{self.server_port}"
        hub.url = hub.server_url + prefix


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 60
    server: Server

    def handle_any(self) -> None:
        """Answer one request, as far as the plan of faults lets it be answered."""
        request = self._request()
        fault = self.server.hub.faults.take(request.method, urlsplit(self.path).path.removeprefix(self.server.prefix))
        if fault.when is When.BEFORE and (fault.answer or fault.drop):
            answer, token = fault.answer, None
        else:
            right, token = self._answer(request)
            answer = fault.answer or right
        self._log(request, token, None if fault.drop else answer)
        self._finish(fault, answer, token)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = handle_any  # noqa: N815 - the names http.server calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing on stderr: the hub keeps the log."""

    def _request(self) -> Request:
        split = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(split.query, keep_blank_values=True))
        return Request(self.command, split.path.removeprefix(self.server.prefix), query, headers, self._content(headers))

    def _content(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return b"".join(self._chunks())
        return self.rfile.read(int(headers.get("content-length", 0)))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def _answer(self, request: Request) -> tuple[Answer, Token | None]:
        hub = self.server.hub
        if request.path.startswith(control.PREFIX):
            return control.answer(hub, request), None
        if git_http.matches(request.path):  # outside the lock: many may push at once
            return git_http.answer(hub, request, urlsplit(self.path).query)
        with hub.lock:
            return api.answer(hub, request)

    def _log(self, request: Request, token: Token | None, answer: Answer | None) -> None:
        if not request.path.startswith(control.PREFIX):
            login, status = token.user.login if token else None, answer.status if answer else None
            self.server.hub.log.append(Logged(request.method, request.path, request.query, login, _parsed(request.content), status))

    def _finish(self, fault: Fault, answer: Answer | None, token: Token | None) -> None:
        if fault.delay:
            self.server.hub.closing.wait(fault.delay)
        if fault.drop or answer is None:
            self.close_connection = True
            return
        try:
            self._send(answer, token)
        except ConnectionError:  # the client stopped waiting
            self.close_connection = True

    def _send(self, answer: Answer, token: Token | None) -> None:
        content = answer.raw if answer.raw is not None else b"" if answer.body is None else json.dumps(answer.body).encode()
        kind = {} if answer.raw is not None or answer.body is None else {"Content-Type": "application/json; charset=utf-8"}
        headers = {**kind, **self.server.hub.quota.headers(token), **answer.headers}
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        self.wfile.flush()


def _parsed(content: bytes) -> Any:
    """A body for the record: what is not JSON, git's packs for one, is left out."""
    try:
        return json.loads(content) if content[:1] in (b"{", b"[") else None
    except ValueError:
        return None


@contextmanager
def serve(folder: Path, *, port: int = 0, prefix: str = "") -> Iterator[Hub]:
    """A fake GitHub that answers for as long as the block lasts; its repositories live in `folder`.

    With a `prefix` such as /api/v3 the API's base is below the server's, as on GitHub Enterprise Server.
    Raises MissingDescriptionError where GitHub's description was not fetched.
    """
    description()
    hub = Hub(folder)
    server = Server(hub, port, prefix)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, name="fake GitHub", daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()

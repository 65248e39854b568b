"""A bare repository served over HTTP by git's own backend, with a token at the door and faults on demand."""

import base64
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar


@dataclass(slots=True)
class HttpRemote:
    """Where it listens, and what it answers instead of serving: `fault` to everything, `push_fault` to pushes."""

    root: Path
    token: str
    port: int = 0
    fault: int = 0
    push_fault: int = 0
    body: str = ""
    seen: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/remote.git"


class _Handler(BaseHTTPRequestHandler):
    remote: ClassVar[HttpRemote]

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        self.remote.seen.append(f"{self.command} {self.path} {self.headers.get('Authorization', '-')}")

    def _serve(self) -> None:
        wanted = "Basic " + base64.b64encode(f"x-access-token:{self.remote.token}".encode()).decode()
        is_push = "git-receive-pack" in self.path
        if self.remote.fault or (is_push and self.remote.push_fault):
            self._answer(self.remote.fault or self.remote.push_fault, self.remote.body)
        elif self.headers.get("Authorization") != wanted:
            self._answer(401, "who are you?")
        else:
            self._backend()

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(text.encode())

    def _backend(self) -> None:
        path, _, query = self.path.partition("?")
        env = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.remote.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "ada",
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(["git", "http-backend"], env=env, input=self._body(), capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [line.partition(b": ")[::2] for line in head.split(b"\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == b"Status"), 200)
        self.send_response(status)
        for name, value in fields:
            if name != b"Status":
                self.send_header(name.decode(), value.decode())
        self.end_headers()
        self.wfile.write(content)

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body


@contextmanager
def serving(root: Path, token: str) -> Iterator[HttpRemote]:
    """Serve `root/remote.git` until the end of the block."""
    remote = HttpRemote(root, token)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"remote": remote}))
    remote.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield remote
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

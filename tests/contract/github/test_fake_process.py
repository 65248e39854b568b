"""The fake as a process of its own, for what cannot share an interpreter with it."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.repositories import Sandbox

ROOT = Path(__file__).parents[3]


@contextmanager
def running(folder: Path, world: dict[str, Any], *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and the address it prints."""
    path = folder / "world.json"
    path.write_text(json.dumps(world), encoding="utf-8")
    command = [sys.executable, "-m", "tests.fakes.github", "--folder", str(folder / "github"), "--world", str(path), *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def ask(url: str, token: str | None = None, body: object = None) -> Any:
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, content, {"Authorization": f"token {token}"} if token else {})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


@pytest.fixture
def world(tmp_path: Path) -> dict[str, Any]:
    local = Sandbox(tmp_path / "local")
    local.commit({"a": "1"})
    local.git("checkout", "-q", "-b", "change")
    local.commit({"a": "2"})
    return {
        "repositories": {"ada/lab": {"from": str(local.root), "collaborators": {"bob": "write"}}},
        "forks": {"mallory": "ada/lab"},
        "pulls": [{"repository": "ada/lab", "head": "change"}, {"repository": "ada/lab", "head": "mallory:change"}],
        "tokens": {
            "t-job": {"repository": "ada/lab"},
            "t-fork": {"repository": "ada/lab", "fork": True},
            "t-app": {"repository": "ada/lab", "app": "lab-bot"},
            "t-bob": {"user": "bob"},
        },
    }


def test_a_process_serves_the_world_of_its_file(tmp_path: Path, world: dict[str, Any]) -> None:
    with running(tmp_path, world, "--prefix", "/api/v3") as (process, url):
        assert url.endswith("/api/v3")
        repo = f"{url}/repos/ada/lab"
        assert [one["head"]["repo"]["full_name"] for one in ask(f"{repo}/pulls")] == ["mallory/lab", "ada/lab"]
        assert ask(f"{repo}/issues/1/comments", "t-app", {"body": "b"})["user"]["login"] == "lab-bot[bot]"
        assert ask(f"{url}/user", "t-bob")["login"] == "bob"
        with pytest.raises(urllib.error.HTTPError, match="403"):
            ask(f"{repo}/issues/1/comments", "t-fork", {"body": "b"})
        record = ask(f"{url}/_fake/requests")
        assert [one["status"] for one in record] == [200, 201, 200, 403]
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_a_wrong_request_is_the_processs_exit_code(tmp_path: Path, world: dict[str, Any]) -> None:
    with running(tmp_path, world) as (process, url):
        with pytest.raises(urllib.error.HTTPError, match="422"):
            ask(f"{url}/repos/ada/lab/issues/1/comments", "t-job", {"text": "b"})
        assert len(ask(f"{url}/_fake/violations")) > 0
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 1
        assert process.stderr
        assert "'text' is not in the description" in process.stderr.read()

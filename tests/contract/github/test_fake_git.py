"""Clones, fetches and pushes over HTTP are git's own, and are allowed by the same permissions as the API."""

import base64
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.contract.github.conftest import Lab
from tests.fakes.github import faults
from tests.fakes.github.protection import Rule, Style
from tests.repositories import ISOLATED


class Client:
    """git with a token, as a job calls it."""

    def __init__(self, folder: Path, token: str | None) -> None:
        self.folder = folder
        value = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        header = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader", "GIT_CONFIG_VALUE_0": f"Authorization: basic {value}"}
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), **ISOLATED, **(header if token else {})}

    def git(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *words], check=False, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=60)

    def commit(self, name: str) -> str:
        (self.folder / name).write_text(name, encoding="utf-8")
        for words in (("add", "-A"), ("commit", "-q", "-m", name)):
            assert self.git(*words).returncode == 0
        return self.git("rev-parse", "HEAD").stdout.strip()


def clone(lab: Lab, folder: Path, token: str | None, *words: str) -> Client:
    folder.mkdir()
    client = Client(folder, token)
    done = client.git("clone", "-q", *words, lab.repo.clone_url, ".")
    assert done.returncode == 0, done.stderr
    return client


@pytest.fixture
def client(lab: Lab, tmp_path: Path) -> Client:
    """A clone of a job that may write."""
    return clone(lab, tmp_path / "clone", lab.hub.job_token(lab.repo))


def test_a_push_is_seen_by_the_api(lab: Lab, client: Client) -> None:
    sha = client.commit("new.txt")
    assert client.git("push", "-q", "origin", "HEAD:refs/heads/data", "HEAD:refs/assay/data").returncode == 0
    assert lab.ask("GET", "git/ref/heads/data").body["object"]["sha"] == sha
    assert lab.ask("GET", "git/ref/assay/data").body["object"]["sha"] == sha


def test_pull_requests_are_fetched_by_number_as_they_are_now(lab: Lab, client: Client) -> None:
    lab.local.git("checkout", "-q", "feature/faster")
    sha = lab.local.commit({"bench.py": "print(3)\n"})
    lab.local.git("push", "-q", str(lab.repo.path), "feature/faster")
    assert client.git("fetch", "-q", "origin", "refs/pull/1/head", "refs/pull/1/merge").returncode == 0
    fetched = (client.folder / ".git" / "FETCH_HEAD").read_text().splitlines()
    assert [line[:40] for line in fetched] == [sha, lab.pull.merge_sha]


def test_a_commit_is_fetched_by_its_sha_at_depth_one(lab: Lab, tmp_path: Path) -> None:
    client = clone(lab, tmp_path / "shallow", None, "--depth=1")
    assert client.git("fetch", "-q", "--depth=1", "origin", lab.pull.head_sha).returncode == 0
    assert client.git("rev-list", "--count", lab.pull.head_sha).stdout.strip() == "1"


def test_the_refs_of_pull_requests_cannot_be_pushed(client: Client) -> None:
    refused = client.git("push", "origin", "HEAD:refs/pull/1/head")
    assert refused.returncode == 1
    assert "deny updating a hidden ref" in refused.stderr


def test_a_push_that_would_lose_commits_is_rejected(lab: Lab, client: Client) -> None:
    lab.local.commit({"meanwhile.txt": "1"})
    lab.local.git("push", "-q", str(lab.repo.path), "main")
    client.commit("mine.txt")
    refused = client.git("push", "origin", "HEAD:main")
    assert refused.returncode == 1
    assert "(fetch first)" in refused.stderr


def test_a_token_that_may_only_read_clones_and_does_not_push(lab: Lab, tmp_path: Path) -> None:
    client = clone(lab, tmp_path / "reader", lab.hub.fork_token(lab.repo))
    client.commit("new.txt")
    refused = client.git("push", "origin", "HEAD:main")
    assert refused.returncode == 128
    assert "Permission to ada/lab.git denied to github-actions[bot]." in refused.stderr
    assert "The requested URL returned error: 403" in refused.stderr


@pytest.mark.parametrize(("login", "code"), [("ada", 0), ("bob", 0), ("tim", 128), ("mallory", 128)])
def test_a_person_pushes_where_they_can_write(lab: Lab, tmp_path: Path, login: str, code: int) -> None:
    client = clone(lab, tmp_path / "person", lab.hub.personal_token(login))
    client.commit("new.txt")
    assert client.git("push", "origin", "HEAD:refs/heads/new").returncode == code


def test_a_token_that_nobody_has_is_refused_as_one(lab: Lab, client: Client) -> None:
    address = lab.repo.clone_url.replace("http://", "http://x-access-token:ghs_nobody@")
    refused = Client(client.folder, None).git("push", address, "HEAD:refs/heads/new").stderr
    assert "remote: Invalid username or token." in refused
    assert "Authentication failed" in refused


def test_without_a_token_nothing_is_pushed(client: Client) -> None:
    nobody = Client(client.folder, None)
    assert "terminal prompts disabled" in nobody.git("push", "origin", "HEAD:refs/heads/new").stderr


def test_a_private_repository_is_not_found_by_strangers(lab: Lab, client: Client) -> None:
    lab.repo.private = True
    stranger = Client(client.folder, lab.hub.personal_token("mallory"))
    assert "Repository not found" in stranger.git("fetch", "origin").stderr
    assert client.git("fetch", "origin").returncode == 0


@pytest.mark.parametrize(
    ("style", "rule", "words"),
    [
        (
            Style.CLASSIC,
            Rule.PULL_REQUEST,
            ["remote: error: GH006: Protected branch update failed for refs/heads/main.", "(protected branch hook declined)"],
        ),
        (
            Style.RULESET,
            Rule.SIGNATURES,
            [
                "remote: error: GH013: Repository rule violations found for refs/heads/main.",
                "remote: - Commits must have verified signatures.",
                "(push declined due to repository rule violations)",
            ],
        ),
    ],
)
def test_a_protected_branch_refuses_in_githubs_words(lab: Lab, client: Client, style: Style, rule: Rule, words: list[str]) -> None:
    lab.repo.protect("main", rule, style=style)
    client.commit("new.txt")
    refused = client.git("push", "origin", "HEAD:refs/heads/main", "HEAD:refs/heads/free")
    assert refused.returncode == 1
    assert [line for line in words if line not in refused.stderr] == []
    assert lab.repo.git.branch("main") == lab.pull.base_sha
    assert lab.repo.git.branch("free") is not None


def test_whoever_may_bypass_a_rule_pushes(lab: Lab, client: Client) -> None:
    lab.repo.protect("main", bypass=("github-actions[bot]",))
    sha = client.commit("new.txt")
    assert client.git("push", "-q", "origin", "HEAD:main").returncode == 0
    assert lab.repo.git.branch("main") == sha


def test_many_push_at_once_and_each_branch_arrives(lab: Lab, client: Client) -> None:
    sha = client.commit("new.txt")
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda n: client.git("push", "-q", "origin", f"HEAD:refs/heads/n{n}").returncode, range(8)))
    assert codes == [0] * 8
    assert {lab.repo.git.branch(f"n{n}") for n in range(8)} == {sha}


def test_a_large_push_comes_in_chunks(lab: Lab, client: Client) -> None:
    (client.folder / "large.bin").write_bytes(os.urandom(3 * 1024 * 1024))
    sha = client.commit("new.txt")
    assert client.git("push", "-q", "origin", "HEAD:refs/heads/large").returncode == 0
    assert lab.repo.git.branch("large") == sha


def test_faults_reach_git_too(lab: Lab, client: Client) -> None:
    lab.hub.faults.add("POST", "*/git-receive-pack", faults.status(503), faults.DROPPED_AFTER_COMMIT)
    sha = client.commit("new.txt")
    assert client.git("push", "origin", "HEAD:refs/heads/new").returncode != 0
    assert lab.repo.git.branch("new") is None
    assert client.git("push", "origin", "HEAD:refs/heads/new").returncode != 0
    assert lab.repo.git.branch("new") == sha

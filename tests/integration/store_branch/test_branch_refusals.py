"""Remotes that refuse, are broken or are not there: a real server each time, and the record is safe whatever it says."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.fakes.runs import a_run
from tests.integration.store_branch.http_remote import HttpRemote, serving
from tests.integration.store_branch.places import QUICK, REF, bare, git, hook, listed, open_store, put, waiting

from assay.adapters.store_branch import BranchStore, Credentials
from assay.adapters.store_branch.outcome_signs import Kind
from assay.errors import UsageError

TOKEN = "ghs_0123456789abcdefTOKEN"


def refused(store: BranchStore, said: list[str], kind: Kind, *words: str) -> None:
    """Add a run and see it wait, with the words in what is said, once and without many tries."""
    kept = Path(store.add_run(a_run()))
    assert kept.is_file()
    assert len(said) == 1
    for word in words:
        assert word in said[0]
    assert store.flush().outcome.kind is kind
    assert store.runs("bench").runs == (a_run(),)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def store(remote: Path, clone: Path, said: list[str]) -> BranchStore:
    open_store(remote, clone).add_run(a_run(9, benchmark="other"))
    return open_store(remote, clone, warn=said.append)


def count(remote: Path) -> str:
    return git(remote, "rev-list", "--count", REF)


def test_an_update_hook_that_declines(remote: Path, store: BranchStore, said: list[str], tmp_path: Path) -> None:
    hook(remote, "update", f"echo once >> {tmp_path}/calls; echo 'data is not welcome here' >&2; exit 1")
    kept = Path(store.add_run(a_run()))
    assert kept.is_file()
    assert (tmp_path / "calls").read_text() == "once\n"
    assert "a hook of the server declined it" in said[0]
    assert "data is not welcome here" in said[0]
    assert count(remote) == "1"


def test_a_pre_receive_hook_that_speaks_like_a_race_is_still_a_refusal(remote: Path, store: BranchStore, said: list[str]) -> None:
    hook(remote, "pre-receive", "echo 'fetch first, non-fast-forward, cannot lock ref' >&2; exit 1")
    refused(store, said, Kind.REFUSED, "a hook of the server declined it")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("error: GH006: Protected branch update failed for refs/heads/assay-data.", "branch protection or a ruleset forbids it"),
        ("error: GH013: Repository rule violations found for refs/heads/assay-data.", "branch protection or a ruleset forbids it"),
        ("error: GH013: ...\n- Commits must have verified signatures.", "the commits would have to be signed"),
        ("error: GH001: Large files detected.", "a file is larger than the server takes"),
    ],
)
def test_rules_of_a_forge_that_speak_through_a_hook(
    remote: Path, store: BranchStore, said: list[str], tmp_path: Path, text: str, meaning: str
) -> None:
    (tmp_path / "text").write_text(text)
    hook(remote, "pre-receive", f"cat {tmp_path}/text >&2; exit 1")
    refused(store, said, Kind.REFUSED, meaning)
    assert "data-branch" in said[0] or "compact" in said[0]


def test_a_server_that_refuses_force_is_no_obstacle(remote: Path, clone: Path) -> None:
    git(remote, "config", "receive.denyNonFastForwards", "true")
    git(remote, "config", "receive.denyDeletes", "true")
    for number in range(3):
        open_store(remote, clone.with_name(f"clone{number % 2}")).add_run(a_run(number))
    assert len(listed(remote)) == 3


def test_a_server_that_hides_the_ref(remote: Path, clone: Path, said: list[str]) -> None:
    git(remote, "config", "receive.hideRefs", "refs/assay")
    store = open_store(remote, clone, "refs/assay/data", warn=said.append)
    refused(store, said, Kind.REFUSED, "the server does not allow that ref", "Name another ref")


def test_a_pack_that_is_too_large_for_the_server(remote: Path, store: BranchStore, said: list[str]) -> None:
    git(remote, "config", "receive.maxInputSize", "10")
    refused(store, said, Kind.REFUSED, "larger than the server takes")


def test_a_branch_in_the_way_of_a_folder_of_branches(remote: Path, clone: Path, said: list[str]) -> None:
    put(remote, {}, "refs/heads/assay")
    store = open_store(remote, clone, "refs/heads/assay/data", warn=said.append)
    refused(store, said, Kind.REFUSED, "stands in the way")


def test_a_branch_that_is_checked_out_where_it_is_pushed_to(tmp_path: Path, clone: Path, said: list[str]) -> None:
    remote = tmp_path / "work"
    remote.mkdir()
    git(remote, "init", "-q", "-b", "main")
    git(remote, "commit", "-q", "--allow-empty", "-m", "first")
    open_store(remote, clone).add_run(a_run(1, benchmark="other"))
    git(remote, "checkout", "-q", "assay-data")
    git(remote, "symbolic-ref", "HEAD", "refs/heads/assay-data")
    refused(open_store(remote, clone, warn=said.append), said, Kind.REFUSED, "the server does not allow that ref")


def test_a_remote_that_is_not_there(clone: Path, tmp_path: Path, said: list[str]) -> None:
    store = open_store(tmp_path / "nowhere.git", clone, warn=said.append)
    kept = Path(store.add_run(a_run()))
    assert kept.is_file()
    assert "there is no such repository" in said[0]
    bare(tmp_path / "nowhere.git")
    assert store.flush().landed == (a_run().path,)
    assert waiting(clone) == []


def test_a_remote_that_lost_a_lock_file_is_waited_for_and_then_left(remote: Path, store: BranchStore, said: list[str]) -> None:
    lock = remote / "refs" / "heads" / "assay-data.lock"
    lock.touch()
    assert store.flush().clean
    with store.batch():
        store.add_run(a_run())
        lock.unlink()
    assert said == []
    assert len(listed(remote)) == 2


def test_a_server_account_that_may_not_write(clone: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a stand-in for ssh, which changes to another user where the tests run as root, whom no permission stops."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        remote = bare(place / "remote.git")
        put(remote, {})
        for path in (remote, *remote.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        become = "setpriv --reuid=65534 --regid=65534 --clear-groups" if os.geteuid() == 0 else ""
        ssh = place / "ssh"
        trusted = "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'"
        ssh.write_text(f'#!/bin/sh\nfor last; do :; done\nexec {become} env {trusted} HOME={place} sh -c "$last"\n')
        ssh.chmod(0o755)
        monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
        refused(open_store(f"git@server:{remote}", clone, warn=said.append), said, Kind.REFUSED, "a folder may not be written")
        for path in (remote, *remote.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.fixture
def web(tmp_path: Path, remote: Path) -> Iterator[HttpRemote]:
    git(remote, "config", "http.receivepack", "true")
    with serving(tmp_path, TOKEN) as server:
        yield server


def http_store(web: HttpRemote, clone: Path, said: list[str], token: str = TOKEN) -> BranchStore:
    return open_store(web.url, clone, warn=said.append, credentials=Credentials(token), patience=QUICK)


def test_the_token_opens_the_door(web: HttpRemote, remote: Path, clone: Path, said: list[str]) -> None:
    store = http_store(web, clone, said)
    store.add_run(a_run())
    store.add_run(a_run(1))
    assert said == []
    assert len(listed(remote)) == 2
    assert len(store.runs("bench").runs) == 2
    assert len(http_store(web, clone.with_name("other"), said).runs("bench").runs) == 2


def test_a_wrong_token_is_told_and_what_it_was_is_not(web: HttpRemote, clone: Path, said: list[str]) -> None:
    store = http_store(web, clone, said, "ghs_wrongwrongwrong")
    store.add_run(a_run())
    assert "the token or key is not accepted" in said[0]
    assert "contents: write" in said[0]
    assert "wrongwrong" not in said[0]
    assert store.flush().outcome.kind is Kind.REFUSED


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, Kind.REFUSED, "the token or key is not accepted"),
        (403, Kind.REFUSED, "contents: write"),
        (404, Kind.REFUSED, "there is no such repository"),
        (413, Kind.REFUSED, "larger than the server takes"),
        (429, Kind.UNREACHABLE, "cannot be reached"),
        (500, Kind.UNREACHABLE, "cannot be reached"),
        (502, Kind.UNREACHABLE, "cannot be reached"),
        (503, Kind.UNREACHABLE, "cannot be reached"),
    ],
)
@pytest.mark.parametrize("everything", [True, False])
def test_each_status_of_http_means_one_thing(
    web: HttpRemote, clone: Path, said: list[str], status: int, kind: Kind, words: str, everything: bool
) -> None:
    if everything:
        web.fault = status
    else:
        http_store(web, clone, said).add_run(a_run(9, benchmark="other"))
        web.push_fault = status
    store = http_store(web, clone, said)
    store.add_run(a_run())
    assert words in said[0]
    assert store.flush().outcome.kind is kind
    web.fault = web.push_fault = 0
    assert store.flush().landed == (a_run().path,)


def test_a_server_that_repeats_the_token_in_its_answer_does_not_get_it_into_a_message(
    web: HttpRemote, clone: Path, said: list[str]
) -> None:
    store = http_store(web, clone, said)
    web.fault, web.body = 403, f"no: {TOKEN} {Credentials(TOKEN).header}"
    store.add_run(a_run())
    assert said
    assert TOKEN not in said[0]
    assert Credentials(TOKEN).header.split()[-1] not in said[0]


def test_a_port_where_nobody_listens_is_tried_a_few_times_only(web: HttpRemote, clone: Path, said: list[str]) -> None:
    store = open_store("http://127.0.0.1:9/remote.git", clone, warn=said.append, credentials=Credentials(TOKEN))
    refused(store, said, Kind.UNREACHABLE, "cannot be reached", "the next command tries again")


def test_the_token_stands_in_no_argument_and_in_no_file(
    web: HttpRemote, clone: Path, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = tmp_path / "spy" / "git"
    spy.parent.mkdir()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    spy.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/arguments\nexec {real} "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spy.parent}:{os.environ['PATH']}")
    for variable in ("GIT_TRACE", "GIT_TRACE_CURL", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE_SETUP"):
        monkeypatch.setenv(variable, str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_TRACE_REDACT", "0")
    monkeypatch.setenv("GIT_TRACE2_ENV_VARS", "GIT_CONFIG_VALUE_2")
    store = http_store(web, clone, said)
    store.add_run(a_run())
    assert store.runs("bench").runs == (a_run(),)
    assert "fetch" in (tmp_path / "arguments").read_text()
    secrets = (TOKEN.encode(), Credentials(TOKEN).header.split()[-1].encode())
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert not any(secret in file.read_bytes() for secret in secrets), file
    assert any(Credentials(TOKEN).header.partition(": ")[2] in line for line in web.seen)
    assert TOKEN not in repr(Credentials(TOKEN))


def test_a_password_in_the_url_is_used_and_goes_nowhere_else(web: HttpRemote, clone: Path, tmp_path: Path, said: list[str]) -> None:
    url = web.url.replace("http://", f"http://x-access-token:{TOKEN}@")
    store = open_store(url, clone, warn=said.append)
    store.add_run(a_run())
    assert said == []
    assert not any(TOKEN.encode() in file.read_bytes() for file in clone.rglob("*") if file.is_file())
    web.fault = 403
    store.add_run(a_run(1))
    assert TOKEN not in said[0]


@pytest.mark.parametrize("url", ["ext::sh -c true", "git://host/x", "ftp://host/x", "fd::17", "", "https://a b\n"])
def test_other_transports_are_refused(clone: Path, url: str) -> None:
    with pytest.raises(UsageError, match="data branch"):
        open_store(url, clone)


def test_a_url_that_looks_like_an_option_is_a_path(clone: Path, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_store(f"--upload-pack=touch {tmp_path}/sprung", clone, warn=said.append).add_run(a_run())
    assert "there is no such repository" in said[0]
    assert not (tmp_path / "sprung").exists()


def test_a_fetch_that_hangs_ends(clone: Path, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.adapters.store_branch.transfer.FIRST_CONTACT_S", 0.5)
    slow = tmp_path / "ssh"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(slow))
    store = open_store("git@example.invalid:org/repo.git", clone, warn=said.append)
    kept = Path(store.add_run(a_run()))
    assert kept.is_file()
    assert "did not answer in time" in said[0]

"""A git process with a deadline and one without give the same answer."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.repositories import Sandbox

from assay.adapters.git.command import GitCommand, in_folder
from assay.errors import InfrastructureError

FEEDS = [
    (("rev-parse", "HEAD"), None),
    (("rev-parse", "--verify", "nothing"), None),
    (("no-such-subcommand",), None),
    (("cat-file", "--batch"), b"HEAD\nnothing\n"),
    (("hash-object", "--stdin"), b"\xff\x00\n"),
    (("hash-object", "--stdin"), b""),
    (("hash-object", "--stdin"), None),
]


@pytest.mark.parametrize(("words", "feed"), FEEDS)
def test_a_deadline_changes_no_answer(sandbox: Sandbox, words: tuple[str, ...], feed: bytes | None) -> None:
    sandbox.commit({"file": "1"})
    git = in_folder(str(sandbox.root))
    assert git.ask(*words, feed=feed) == git.ask(*words, feed=feed, within_s=60.0)


@pytest.mark.parametrize("within_s", [None, 60.0])
def test_git_gets_our_environment_less_what_is_dropped_and_then_its_own(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, within_s: float | None
) -> None:
    for name, value in {"GIT_DIR": "/nowhere", "INHERITED": "1", "LC_ALL": "de_DE.UTF-8", "OWN": "theirs"}.items():
        monkeypatch.setenv(name, value)
    git = in_folder(str(sandbox.root))
    git = replace(git, options=(*git.options, "-c", "alias.env=!env"), env={**git.env, "OWN": "ours"})
    seen = dict(line.split("=", 1) for line in git.ask("env", within_s=within_s).line.splitlines() if "=" in line)
    assert {name: seen.get(name) for name in ("INHERITED", "LC_ALL", "LANGUAGE", "OWN")} == {
        "INHERITED": "1",
        "LC_ALL": "C",
        "LANGUAGE": "C",
        "OWN": "ours",
    }
    assert "/nowhere" not in seen.get("GIT_DIR", "")


def test_who_is_late_is_killed(sandbox: Sandbox) -> None:
    git = in_folder(str(sandbox.root))
    answer = replace(git, options=(*git.options, "-c", "alias.wait=!sleep 600")).ask("wait", within_s=0.2)
    assert (answer.ok, answer.late, answer.err) == (False, True, "")


@pytest.mark.parametrize("within_s", [None, 60.0])
def test_a_git_that_cannot_be_started_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, within_s: float | None) -> None:
    program = tmp_path / "git"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InfrastructureError, match="cannot be started"):
        GitCommand(()).ask("version", within_s=within_s)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(InfrastructureError, match="not on the PATH"):
        GitCommand(()).ask("version", within_s=within_s)

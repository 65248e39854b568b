"""Whatever the standard streams are, closed, full, in another encoding or a step's log, the answer is the same and never a traceback."""

import json
import os
import subprocess
import sys

import pytest
from tests.e2e.conftest import Done, World

REDIRECTIONS = (">&-", "2>&-", "<&-", ">&- 2>&- <&-", ">/dev/full", "2>/dev/full")


def shell(world: World, line: str, **env: str) -> Done:
    """A command line; in it `assay` is the command."""
    line = f'assay() {{ {sys.executable} -m assay "$@"; }}; {line}'
    ran = subprocess.run(
        ["sh", "-c", line], cwd=world.repo.root, env={**world.env, **env}, capture_output=True, encoding="utf-8", check=False, timeout=120
    )
    assert "Traceback" not in ran.stdout + ran.stderr
    return Done(ran.returncode, ran.stdout, ran.stderr)


@pytest.mark.parametrize("redirection", REDIRECTIONS)
def test_a_verdict_is_the_same_whoever_can_read_it(world: World, redirection: str) -> None:
    base = world.project()
    world.change("loss=150")
    assert shell(world, f"assay check --base {base} {redirection}").code == 1
    result = json.loads((world.repo.root / ".assay/report/result.json").read_text())
    assert result["benchmarks"][0]["outcome"] == "discard"


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
@pytest.mark.parametrize("verb", ["metrics", "schema", "--help", "--version"])
def test_data_that_cannot_be_printed_is_exit_4(world: World, verb: str, redirection: str) -> None:
    done = shell(world, f"echo METRIC a=1 | assay {verb} {redirection}")
    assert (done.code, done.out) == (4, "")
    assert "output" in done.err


def test_input_that_is_closed_is_a_usage_error(world: World) -> None:
    assert shell(world, "assay metrics <&-").code == 2
    assert shell(world, "assay compare <&-").code == 2


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("words", ["check --bogus", "metrics --bogus", "check --fail-on x", "compare nothing-here"])
def test_a_usage_error_that_nobody_can_read_is_still_exit_2(world: World, words: str, redirection: str) -> None:
    assert shell(world, f"assay {words} {redirection}").code == 2


def test_an_output_in_ascii_has_other_signs_and_the_same_json(world: World) -> None:
    base = world.project("loss=120 (µs)")
    world.change("loss=90 (µs)")
    plain = shell(world, f"assay check --base {base}", PYTHONIOENCODING="ascii")
    assert plain.code == 0
    assert "loss 120 -> 90 \\xb5s" in plain.out.splitlines()[0]
    asked = f"assay check --base {base} --json"
    ascii_only = shell(world, asked, PYTHONIOENCODING="ascii")
    assert ascii_only.out.isascii()
    assert ascii_only.result == shell(world, asked, PYTHONIOENCODING="utf-8").result
    assert shell(world, asked, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").result == ascii_only.result


def test_a_pipe_whose_reader_made_it_non_blocking_gets_everything(world: World) -> None:
    rows = "".join(f"METRIC m{number}={number}\n" for number in range(9000))
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "metrics", "--json"], stdin=subprocess.PIPE, stdout=writer, env=world.env, cwd=world.folder
    ) as process:
        os.close(writer)
        assert process.stdin is not None
        process.stdin.write(rows.encode())
        process.stdin.close()
        with os.fdopen(reader, encoding="utf-8") as stream:
            found = json.load(stream)
    assert (process.returncode, len(found["samples"])) == (0, 9000)


@pytest.mark.parametrize("hostile", ["##[error]boo", "\n::error::boo", "x\r::add-mask::y", "\n \t::set-env name=A::b"])
def test_what_a_message_quotes_gives_a_runner_no_command(world: World, hostile: str) -> None:
    world.project()
    for words in (("check", "--base", hostile), ("check", f"--{hostile}"), ("metrics", hostile), ("check", "--benchmark", hostile)):
        done = world.assay(*words, env={"GITHUB_ACTIONS": "true"})
        assert done.code == 2
        assert "##[" not in done.err
        assert not any(line.lstrip().startswith("::") for line in done.err.splitlines())


def test_what_a_message_quotes_does_not_move_the_cursor(world: World) -> None:
    world.project()
    assert "\x1b" not in world.assay("metrics", "\x1b[2Jx").err

"""The command route with real processes: what they are given, and what becomes of those that fail."""

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest
from tests.harness.waiting import DEADLINE_S

from assay.adapters.analysts.command import CommandAnalyst, environment
from assay.adapters.clock import SystemClock
from assay.adapters.process.runner import LocalRunner
from assay.core.fusion.exchange import Ask, Reply
from assay.core.fusion.failure import AnalysisError, Code, Stage
from assay.core.fusion.routes import Means, Route

ASK = Ask(Stage.CANDIDATE, "Explain it.", '{"a":"höre"}', 30.0)


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[LocalRunner]:
    with LocalRunner(str(tmp_path / "locks"), 8, clock=SystemClock(), grace_s=0.2) as one:
        yield one


def analyst(runner: LocalRunner, script: str, env: Mapping[str, str] | None = None) -> CommandAnalyst:
    words = (sys.executable, "-c", script)
    return CommandAnalyst(Route(Means.COMMAND, words, "command:x"), runner, env if env is not None else {"PATH": os.environ["PATH"]})


def ask(runner: LocalRunner, script: str, question: Ask = ASK, env: Mapping[str, str] | None = None) -> Reply:
    return asyncio.run(analyst(runner, script, env).answer(question))


def failure(runner: LocalRunner, script: str, question: Ask = ASK) -> AnalysisError:
    with pytest.raises(AnalysisError) as caught:
        ask(runner, script, question)
    return caught.value


def test_the_prompt_comes_on_standard_input_and_the_answer_on_standard_output(runner: LocalRunner) -> None:
    assert ask(runner, "import sys; print(sys.stdin.read(), end='')").text == ASK.prompt


def test_a_long_prompt_comes_whole(runner: LocalRunner) -> None:
    question = Ask(Stage.MERGE, "x", "y" * 300_000, 30.0)
    assert ask(runner, "import sys; print(len(sys.stdin.read()))", question).text.strip() == str(len(question.prompt))


def test_it_runs_in_an_empty_folder_that_is_gone_afterwards(runner: LocalRunner) -> None:
    folder, _, entries = ask(runner, "import os; print(os.getcwd(), '|', os.listdir())").text.partition("|")
    assert entries.strip() == "[]"
    assert not Path(folder.strip()).exists()


def test_it_sees_what_the_config_names_and_no_token_of_the_job() -> None:
    job = {"PATH": "/bin", "HOME": "/root", "LC_ALL": "C", "GITHUB_TOKEN": "t", "OPENAI_API_KEY": "k", "LLM_KEY": "l", "HTTPS_PROXY": "p"}
    assert environment(job, ("LLM_KEY",)) == {"PATH": "/bin", "HOME": "/root", "LC_ALL": "C", "LLM_KEY": "l", "HTTPS_PROXY": "p"}


def test_no_shell_reads_the_command(runner: LocalRunner, tmp_path: Path) -> None:
    route = Route(Means.COMMAND, ("echo", "$(touch /tmp/x)", ";", "id"), "command:x")
    reply = asyncio.run(CommandAnalyst(route, runner, {"PATH": os.environ["PATH"]}).answer(ASK))
    assert reply.text == "$(touch /tmp/x) ; id\n"


def test_an_end_with_a_status_is_a_failure_that_keeps_its_words_out_of_the_report(runner: LocalRunner) -> None:
    error = failure(runner, "import sys; print('half'); print('my secret', file=sys.stderr); sys.exit(3)")
    assert error.code is Code.CHILD_EXIT_FAILED
    assert "3" in error.message
    assert "secret" not in error.message + error.hint
    assert "half" in error.spent.partial
    assert "my secret" in error.spent.partial


def test_a_command_that_does_not_exist_was_never_a_child(runner: LocalRunner) -> None:
    with pytest.raises(AnalysisError) as caught:
        asyncio.run(CommandAnalyst(Route(Means.COMMAND, ("no-such-program",), "x"), runner, {"PATH": "/bin"}).answer(ASK))
    assert (caught.value.code, caught.value.child_created, caught.value.transient) == (Code.CHILD_SPAWN_FAILED, False, False)


def test_one_that_takes_too_long_is_ended(runner: LocalRunner) -> None:
    error = failure(runner, "import time; print('thinking', flush=True); time.sleep(600)", Ask(Stage.CANDIDATE, "x", "{}", 1.0))
    assert error.code is Code.CHILD_TIMEOUT


@pytest.mark.parametrize(("stream", "megabytes"), [("stdout", 40), ("stderr", 5)])
def test_one_that_prints_too_much_is_ended(runner: LocalRunner, stream: str, megabytes: int) -> None:
    error = failure(runner, f"import sys\nfor _ in range({megabytes}): sys.{stream}.write('x' * 2**20)")
    assert error.code is Code.CHILD_OUTPUT_CAP


def test_a_cancelled_one_leaves_nobody_behind(runner: LocalRunner, tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    script = f"""
import subprocess, sys, time, pathlib
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
pathlib.Path({str(marker)!r}).write_text(str(child.pid))
time.sleep(600)
"""

    async def run() -> AnalysisError:
        work = asyncio.create_task(analyst(runner, script).answer(ASK))
        async with asyncio.timeout(DEADLINE_S):  # `until` would hold up the loop in which the child is started
            while not (marker.exists() and marker.read_text()):
                await asyncio.sleep(0.01)
        work.cancel()
        with pytest.raises(AnalysisError) as caught:
            await work
        return caught.value

    assert asyncio.run(run()).code is Code.CHILD_CANCELLED
    assert not psutil.pid_exists(int(marker.read_text()))


def test_several_answer_at_the_same_time(runner: LocalRunner, tmp_path: Path) -> None:
    """Each waits until all three have begun."""
    script = f"""
import pathlib, os, time
folder = pathlib.Path({str(tmp_path)!r})
(folder / f"begun-{{os.getpid()}}").touch()
while len(list(folder.glob("begun-*"))) < 3:
    time.sleep(0.01)
print("all here")
"""

    async def run() -> list[Reply]:
        return await asyncio.gather(*(analyst(runner, script).answer(ASK) for _ in range(3)))

    assert [reply.text for reply in asyncio.run(run())] == ["all here\n"] * 3

"""How a process ends, and what is said of it."""

import errno
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.integration.process.support import Box, python

from assay.adapters.process.causes import explain, explain_failed, oom_kills, rose
from assay.adapters.process.supervised import Ended, Failed
from assay.adapters.process.supervisor import SETTLE_S
from assay.core.model import Cause
from assay.core.process import Argv
from assay.core.timestamp import moment


def test_a_clean_end_has_no_cause(tmp_path: Path) -> None:
    done = Box(tmp_path).run("echo METRIC val_loss=0.5")
    assert (done.exit_code, done.signal, done.cause, done.detail, done.escaped) == (0, None, None, "", 0)
    assert done.clean
    assert done.stdout == "METRIC val_loss=0.5\n"
    assert [(metric.name, metric.value) for metric in done.reading.metrics] == [("val_loss", 0.5)]


def test_words_reach_the_command_as_they_are(tmp_path: Path) -> None:
    words = ("printf", "%s|", "a b", "$(touch x)", "`id`", "'\"", "", "é\n")
    assert Box(tmp_path).run(Argv(words)).stdout == "".join(f"{word}|" for word in words[2:])
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("status", [1, 3, 125, 255])
def test_a_status_is_told(tmp_path: Path, status: int) -> None:
    done = Box(tmp_path).run(f"exit {status}")
    assert (done.exit_code, done.signal, done.cause, done.detail) == (status, None, Cause.EXIT, f"exit status {status}")


@pytest.mark.parametrize(("status", "meaning"), [(126, "cannot be executed"), (127, "was not found")])
def test_what_a_shell_means_by_a_status_is_told(tmp_path: Path, status: int, meaning: str) -> None:
    done = Box(tmp_path).run(f"exit {status}")
    assert (done.exit_code, done.cause) == (status, Cause.EXIT)
    assert meaning in done.detail


@pytest.mark.parametrize("name", ["SEGV", "KILL", "TERM", "ABRT", "PIPE"])
def test_a_signal_is_named(tmp_path: Path, name: str) -> None:
    done = Box(tmp_path).run(f"kill -{name} $$")
    assert (done.exit_code, done.signal, done.cause) == (None, signal.Signals[f"SIG{name}"], Cause.SIGNAL)
    assert done.detail == f"killed by SIG{name}"


def test_a_signal_that_a_shell_saw_is_named_too(tmp_path: Path) -> None:
    done = Box(tmp_path).run("sh -c 'kill -SEGV $$'; exit $?")
    assert (done.exit_code, done.cause) == (139, Cause.EXIT)
    assert done.detail == "exit status 139, as a shell reports SIGSEGV"


def test_a_command_that_does_not_exist_is_not_started(tmp_path: Path) -> None:
    done = Box(tmp_path).run(Argv(("no-such-command", "x")))
    assert (done.exit_code, done.signal, done.cause) == (None, None, Cause.NOT_STARTED)
    assert done.detail == "the command, or the interpreter that it names, does not exist"


def test_a_script_without_its_interpreter_is_not_started(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    assert Box(tmp_path).run(Argv(("./script",))).detail == "the command, or the interpreter that it names, does not exist"


def test_a_file_that_is_not_executable_is_not_started(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    done = Box(tmp_path).run(Argv(("plain",)), env={"PATH": str(tmp_path)})
    assert (done.cause, done.detail) == (Cause.NOT_STARTED, "the command cannot be executed: permission denied")


def test_a_later_folder_on_the_path_makes_up_for_a_file_that_is_not_executable(tmp_path: Path) -> None:
    for folder, mode in (("one", 0o644), ("two", 0o755)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tool").write_text("#!/bin/sh\necho here\n")
        (tmp_path / folder / "tool").chmod(mode)
    done = Box(tmp_path).run(Argv(("tool",)), env={"PATH": f"{tmp_path}/none:{tmp_path}/one:{tmp_path}/two"})
    assert done.stdout == "here\n"


def test_a_missing_working_directory_is_told_apart_from_a_missing_command(tmp_path: Path) -> None:
    done = Box(tmp_path).run("true", cwd=str(tmp_path / "gone"))
    assert (done.cause, done.detail) == (Cause.NOT_STARTED, "its working directory cannot be entered: no such file or directory")


@pytest.mark.parametrize(
    ("command", "env"),
    [(Argv(()), {}), (Argv(("",)), {}), (Argv(("true\0",)), {}), (Argv(("true",)), {"A": "\0"}), (Argv(("true",)), {"A=B": "c"})],
)
def test_what_no_system_could_start_is_not_started(tmp_path: Path, command: Argv, env: dict[str, str]) -> None:
    assert Box(tmp_path).run(command, env=env).cause is Cause.NOT_STARTED


def test_too_many_words_are_not_started(tmp_path: Path) -> None:
    done = Box(tmp_path).run(Argv(("true", "x" * 10_000_000)))
    assert (done.cause, done.detail) == (Cause.NOT_STARTED, "the command cannot be executed: argument list too long")


def test_a_process_past_its_time_is_a_timeout(tmp_path: Path) -> None:
    done = Box(tmp_path).run("echo before; sleep 600", timeout_s=0.3)
    assert (done.cause, done.timed_out, done.signal, done.stdout) == (Cause.TIMEOUT, True, signal.SIGTERM, "before\n")
    assert done.duration_s >= 0.3


def test_a_process_is_asked_before_it_is_killed(tmp_path: Path) -> None:
    program = "trap 'echo saved; exit 0' TERM; echo > ready; while :; do sleep 0.01; done"
    with Box(tmp_path).runner(grace_s=30.0) as runner:
        done = runner.submit(Box(tmp_path).request(program, timeout_s=1.0)).wait()
    assert (done.cause, done.exit_code, done.stdout) == (Cause.TIMEOUT, 0, "saved\n")


def test_a_process_that_does_not_listen_is_killed_after_the_grace(tmp_path: Path) -> None:
    done = Box(tmp_path).python("import signal\nsignal.signal(15, signal.SIG_IGN)\nwhile True: signal.pause()", timeout_s=0.5)
    assert (done.cause, done.signal) == (Cause.TIMEOUT, signal.SIGKILL)
    assert done.duration_s >= 0.5 + 0.2


def test_a_stopped_process_is_ended_too(tmp_path: Path) -> None:
    done = Box(tmp_path).run("kill -STOP $$", timeout_s=0.3)
    assert (done.cause, done.signal) == (Cause.TIMEOUT, signal.SIGTERM)


def test_silence_and_floods_do_not_move_the_deadline(tmp_path: Path) -> None:
    assert Box(tmp_path).run("yes", timeout_s=0.3).cause is Cause.TIMEOUT
    assert Box(tmp_path).run("exec >&- 2>&-; sleep 600", timeout_s=0.3).cause is Cause.TIMEOUT


def test_the_duration_ends_with_the_process_not_with_what_it_leaves_behind(tmp_path: Path) -> None:
    box = Box(tmp_path)
    with box.runner() as runner:
        begun = time.monotonic()
        done = runner.submit(box.request("sleep 600 & exit 0")).wait()
        whole = time.monotonic() - begun
    assert done.escaped == 1
    assert whole - done.duration_s >= SETTLE_S


def test_processor_time_and_memory_are_those_of_the_process(tmp_path: Path) -> None:
    done = Box(tmp_path).python("import time\nkept = bytearray(60_000_000)\nwhile time.process_time() < 0.3: pass")
    assert done.cpu_s is not None
    assert done.max_rss_kb is not None
    assert 0.3 <= done.cpu_s <= done.duration_s * 2
    assert 60_000 < done.max_rss_kb < 120_000


@pytest.mark.parametrize(
    "line",
    [
        "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 8.00 EiB for an array",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "torch.cuda.OutOfMemoryError: no more",
        "RuntimeError: HIP out of memory. Tried to allocate 2.00 GiB",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes.",
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Failed to allocate request for 16.00GiB on device ordinal 0",
        "RuntimeError: CUDA error: out of memory",
        "CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate",
        "hipErrorOutOfMemory: out of memory",
        "RuntimeError: MPS backend out of memory (MPS allocated: 8 GB)",
        "OSError: [Errno 12] Cannot allocate memory",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.",
        "terminate called after throwing an instance of 'std::bad_alloc'",
    ],
)
@pytest.mark.parametrize("stream", ["", ">&2"])
def test_last_words_tell_of_a_lack_of_memory(tmp_path: Path, line: str, stream: str) -> None:
    done = Box(tmp_path).run(f'echo "{line}" {stream}; kill -ABRT $$')
    assert (done.cause, done.detail) == (Cause.OUT_OF_MEMORY, "ran out of memory (killed by SIGABRT)")


def test_a_memory_error_of_python_is_a_lack_of_memory(tmp_path: Path) -> None:
    done = Box(tmp_path).python("bytearray(1 << 62)")
    assert (done.cause, done.exit_code, done.detail) == (Cause.OUT_OF_MEMORY, 1, "ran out of memory (exit status 1)")


def test_a_memory_error_that_was_survived_is_not_the_cause(tmp_path: Path) -> None:
    assert Box(tmp_path).run("echo MemoryError; echo then another problem; exit 1").cause is Cause.EXIT
    assert Box(tmp_path).run("echo 'CUDA out of memory'").cause is None


def test_a_kill_while_the_kernel_was_out_of_memory_is_its_own_cause() -> None:
    killed, told = Ended("exit", signal.SIGKILL, 1.0, 1.0, 1, 0, 0), Ended("exit", 137 << 8, 1.0, 1.0, 1, 0, 0)
    for end in (killed, told):
        assert explain(end, over_limit=False, last_words=("", ""), kernel_killed=True).cause is Cause.OUT_OF_MEMORY
    assert explain(killed, over_limit=False, last_words=("", ""), kernel_killed=False).cause is Cause.SIGNAL
    ours = Ended("timeout", signal.SIGKILL, 1.0, 1.0, 1, 0, 0)
    assert explain(ours, over_limit=False, last_words=("", ""), kernel_killed=True).cause is Cause.TIMEOUT


def test_a_count_of_kills_that_rises_is_seen() -> None:
    before = oom_kills()
    assert all(count >= 0 for count in before.values())
    assert not rose(before, before)
    assert not rose(before, {})
    assert rose({"a": 1, "b": 0}, {"a": 1, "b": 2})


def test_an_account_that_cannot_be_taken_on_is_said() -> None:
    why = explain_failed(Failed("account", errno.EPERM))
    assert (why.cause, why.detail) == (Cause.NOT_STARTED, "its user account cannot be taken on: operation not permitted")


def test_a_real_time_signal_has_a_number_for_a_name(tmp_path: Path) -> None:
    number = signal.SIGRTMIN + 5
    done = Box(tmp_path).run(python(f"import os; os.kill(os.getpid(), {number})"))
    assert (done.signal, done.detail) == (number, f"killed by signal {number}")


def test_the_start_is_stamped_between_asking_and_end(tmp_path: Path) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    done = Box(tmp_path).run("true")
    assert before <= moment(done.started_at) <= datetime.now(UTC)

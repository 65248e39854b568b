"""What a process prints is kept whole on disk and bounded in memory; metrics are read as it comes."""

import errno
import os
import stat
import subprocess
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.integration.process.support import Box, python

from assay.adapters.process.capture import TAIL, WHOLE_STDOUT, Capture, Tail
from assay.adapters.process.execution import BEAT_S
from assay.core.model import Cause, Completed
from assay.core.process import Heartbeat

FLOOD = 200_000_000

FLOODED = f"""
import resource, sys
from assay.adapters.clock import SystemClock
from assay.adapters.process.runner import LocalRunner
from assay.core.process import ProcessRequest, Shell
folder = sys.argv[1]
def run(text):
    request = ProcessRequest(Shell(text), folder, {{"PATH": "/usr/bin:/bin"}}, folder + "/log")
    with LocalRunner(folder + "/locks", clock=SystemClock()) as runner:
        return runner.submit(request).wait()
run("head -c 100000 /dev/zero; head -c 100000 /dev/zero >&2")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
done = run("echo METRIC first=1; head -c {FLOOD} /dev/zero; echo; head -c 20000000 /dev/zero >&2; echo METRIC last=2")
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(done.cause, done.truncated, len(done.stdout), len(done.stderr), grown < 50_000, *[metric.name for metric in done.reading.metrics])
"""


def test_a_flood_costs_no_memory_and_no_metric(tmp_path: Path) -> None:
    """A metric far above the tail is read, in a process of its own so that its memory can be told."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", FLOODED, str(tmp_path)], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"None True {TAIL} {TAIL} True first last\n"
    assert (tmp_path / "log").stat().st_size > FLOOD


def test_up_to_ten_megabytes_of_stdout_are_returned_whole(tmp_path: Path) -> None:
    done = Box(tmp_path).run(f"yes 123456789 | head -c {WHOLE_STDOUT}")
    assert (len(done.stdout), done.truncated) == (WHOLE_STDOUT, False)
    more = Box(tmp_path).run(f"yes 123456789 | head -c {WHOLE_STDOUT + 1}")
    assert (len(more.stdout), more.truncated) == (TAIL, True)


def test_of_stderr_the_end_is_returned(tmp_path: Path) -> None:
    done = Box(tmp_path).run("yes 123456789 | head -n 20000 >&2; echo end >&2; echo out")
    assert (len(done.stderr), done.stderr[-14:], done.stdout, done.truncated) == (TAIL, "123456789\nend\n", "out\n", True)


def test_the_log_has_both_streams_and_belongs_to_us_alone(tmp_path: Path) -> None:
    done = Box(tmp_path).run("echo out; echo err >&2; printf '\\377\\000'")
    log = Path(done.log_file)
    assert log.read_bytes().replace(b"err\n", b"", 1) == b"out\n\xff\x00"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_what_is_not_utf_8_is_replaced(tmp_path: Path) -> None:
    assert Box(tmp_path).run("printf 'a\\377b'").stdout == "a\ufffdb"


def test_a_character_may_come_in_two_pieces(tmp_path: Path) -> None:
    """The second byte is written only once the first has been read."""
    program = """
import fcntl, os, struct, termios
def written(data):
    os.write(1, data)
    while struct.unpack("i", fcntl.ioctl(1, termios.FIONREAD, b"1234"))[0]: pass
for byte in "METRIC µ_é=1\\nMETRIC ok=2\\n".encode(): written(bytes([byte]))
"""
    done = Box(tmp_path).python(program)
    assert done.stdout == "METRIC µ_é=1\nMETRIC ok=2\n"
    assert [metric.name for metric in done.reading.metrics] == ["ok"]


def test_a_last_line_without_an_end_counts(tmp_path: Path) -> None:
    assert Box(tmp_path).run("printf 'METRIC a=5'").reading.samples == {"a": (5.0,)}


def test_metrics_are_read_from_stdout_alone(tmp_path: Path) -> None:
    assert Box(tmp_path).run("echo METRIC a=5 >&2").reading.metrics == ()


def test_what_was_printed_before_a_kill_is_kept(tmp_path: Path) -> None:
    done = Box(tmp_path).run("echo METRIC a=5; sleep 600", timeout_s=0.5)
    assert (done.cause, done.reading.samples) == (Cause.TIMEOUT, {"a": (5.0,)})


def test_more_output_than_allowed_ends_the_run(tmp_path: Path) -> None:
    done = Box(tmp_path).run("yes 123456789", max_output=1_000_000)
    assert (done.cause, done.detail) == (Cause.OUTPUT_LIMIT, "printed more than is allowed and was killed")
    assert Path(done.log_file).stat().st_size == 1_000_000


def test_both_streams_count_for_the_limit(tmp_path: Path) -> None:
    text = "head -c 600 /dev/zero; head -c 600 /dev/zero >&2"
    assert Box(tmp_path).run(text, max_output=1_200).cause is None
    assert Box(tmp_path).run(text, max_output=1_199).cause is Cause.OUTPUT_LIMIT


def unlogged(done: Completed) -> str:
    """Why the log is not whole, of a process that was measured all the same."""
    assert (done.cause, done.stdout[:13]) == (None, "METRIC a=1\nx\n")
    assert done.reading.get("a") is not None
    (warning,) = done.warnings
    return warning


MEASURED = "echo METRIC a=1; echo x; head -c 100000 /dev/zero"


def test_without_a_log_a_process_is_measured_all_the_same(tmp_path: Path) -> None:
    done = Box(tmp_path).run(MEASURED, log_file=str(tmp_path / "gone" / "log"))
    assert (
        unlogged(done) == f"Output could not be kept whole in {tmp_path}/gone: no such file or directory. The numbers do not depend on it."
    )


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert "symbolic link" in unlogged(Box(tmp_path).run(MEASURED, log_file=str(tmp_path / "link")))
    assert not (tmp_path / "elsewhere").exists()


def test_a_pipe_in_the_place_of_a_log_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "no such device" in unlogged(Box(tmp_path).run(MEASURED, log_file=str(tmp_path / "pipe")))


def test_a_full_disk_costs_the_log_and_nothing_else(tmp_path: Path) -> None:
    assert "no space left" in unlogged(Box(tmp_path).run(MEASURED, log_file="/dev/full"))


def test_a_log_that_has_filled_the_disk_gives_its_room_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the evidence, which is written last."""

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with closing(Capture(str(tmp_path / "log"), 10**6)) as capture:
        capture.take_stdout(b"x" * 1000)
        monkeypatch.setattr(os, "write", refuse)
        capture.take_stdout(b"y")
        assert "no space left" in capture.unlogged
        assert (capture.stdout.text(), (tmp_path / "log").stat().st_size) == ("x" * 1000 + "y", 0)


def test_progress_is_told_at_most_twice_a_second_and_for_the_last_time_before_the_end(tmp_path: Path) -> None:
    beats: list[Heartbeat] = []
    box = Box(tmp_path)
    with box.runner() as runner:
        handle = runner.submit(
            box.request(python("import time\nend = time.monotonic() + 1.3\nwhile time.monotonic() < end: print('tick')")), beats.append
        )
        done = handle.wait()
        told = len(beats)
    assert len(beats) == told >= 2
    assert [beat.output_bytes for beat in beats] == sorted({beat.output_bytes for beat in beats})
    assert beats[-1].output_bytes == Path(done.log_file).stat().st_size
    assert all(later.elapsed_s - earlier.elapsed_s >= BEAT_S for earlier, later in pairwise(beats[:-1]))
    assert beats[-1].tail.endswith("tick\n")


def test_silence_is_no_news(tmp_path: Path) -> None:
    beats: list[Heartbeat] = []
    box = Box(tmp_path)
    with box.runner() as runner:
        runner.submit(box.request("sleep 0.7"), beats.append).wait()
        assert beats == []
        runner.submit(box.request("echo once; sleep 0.7"), beats.append).wait()
    assert [beat.output_bytes for beat in beats] == [5]


@given(st.text(), st.lists(st.integers(1, 9), max_size=5))
def test_a_tail_begins_with_a_whole_character(text: str, sizes: list[int]) -> None:
    padded = ("x" * TAIL + text + "é" * (TAIL // 2)).encode("utf-8", "replace")
    tail = Tail()
    for size in [*sizes, len(padded)]:
        tail.add(padded[:size])
        padded = padded[size:]
    kept = tail.text()
    assert tail.truncated
    assert "\ufffd" not in kept or "\ufffd" in text
    assert TAIL - 4 < len(kept.encode()) <= TAIL


@given(st.lists(st.binary(max_size=3 * TAIL // 2), max_size=6))
def test_a_tail_is_the_end_of_all_that_came(chunks: list[bytes]) -> None:
    tail, whole = Tail(), b"".join(chunks)
    for chunk in chunks:
        tail.add(chunk)
    assert tail.truncated == (len(whole) > TAIL)
    expected = whole[-TAIL:] if tail.truncated else whole
    assert any(tail.text() == expected[skipped:].decode("utf-8", "replace") for skipped in range(4))

"""Real processes at one queue: workers and an editor at once, and workers that are killed."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.harness.waiting import until
from tests.queues import a_job, at

import assay
from assay.adapters.queue_file import DirectoryQueue
from assay.adapters.workplace import LocalWorkplace
from assay.core.queue import moves
from assay.core.queue.model import Job, JobStatus
from assay.core.queue.moves import Process
from assay.errors import UsageError

HAND = Path(__file__).with_name("queue_hand.py")


def process(*words: str) -> subprocess.Popen[str]:
    env = {"PYTHONPATH": str(Path(assay.__file__).parents[1]), "PATH": os.environ["PATH"]}
    return subprocess.Popen([sys.executable, str(HAND), *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_workers_and_an_editor_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    book, edits = DirectoryQueue(tmp_path), 20
    first = [a_job(f"job-{number}") for number in range(25)]
    queue = book.change(lambda found: moves.add(found, [a_job("noted", status=JobStatus.FAILED), *first]))
    book.change(lambda found: found.model_copy(update={"config": queue.config.model_copy(update={"max_concurrent": 2})}))
    workers = [process("work", str(tmp_path), f"worker-{number}") for number in range(2)]
    editor = process("edit", str(tmp_path), str(edits))
    taken: Counter[str] = Counter()
    for one in (editor, *workers):
        out, err = one.communicate(timeout=120)
        assert (one.returncode, err) == (0, "")
        taken.update(out.split())
    expected = {*(one.job_id for one in first), *(f"by-hand-{number}" for number in range(edits))}
    assert set(taken) == expected
    assert set(taken.values()) == {1}
    final = book.read()
    assert Counter(one.job_id for one in final.jobs) == Counter([*expected, "noted"])
    assert {one.job_id for one in final.of(JobStatus.DONE)} == expected
    noted = final.job("noted")
    assert noted is not None
    assert noted.metadata == {f"note-{number}": number for number in range(edits)}


@pytest.fixture
def sleeper() -> subprocess.Popen[bytes]:
    """A process that leads a group in which another one sleeps as well."""
    return subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"], start_new_session=True)


def running(started: Process) -> Job:
    return a_job(status=JobStatus.RUNNING, started_at=at(0), host=started.host, pid=started.pid, pid_start=started.pid_start)


def in_group(group: int) -> list[str]:
    found = subprocess.run(["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True, check=False)
    return [line for line in found.stdout.split() if not line.startswith("Z")]


def test_the_process_of_a_job_is_ended_with_its_group(sleeper: subprocess.Popen[bytes]) -> None:
    here = LocalWorkplace(grace_s=5)
    job = running(here.process(sleeper.pid))
    assert not here.gone(job)
    assert here.end(job)
    sleeper.wait(timeout=30)
    until(lambda: not in_group(sleeper.pid))
    assert here.gone(job)


@pytest.mark.parametrize("facts", [{"host": "elsewhere"}, {"pid_start": "another"}, {"pid_start": None}, {"pid": None}])
def test_no_process_is_ended_that_is_not_surely_the_jobs(sleeper: subprocess.Popen[bytes], facts: dict[str, object]) -> None:
    here = LocalWorkplace(grace_s=5)
    try:
        job = running(here.process(sleeper.pid)).model_copy(update=facts)
        assert not here.end(job)
        assert sleeper.poll() is None
    finally:
        os.killpg(sleeper.pid, signal.SIGKILL)
        sleeper.wait()


def test_a_process_that_leads_no_group_is_ended_alone() -> None:
    here = LocalWorkplace(grace_s=5)
    one = subprocess.Popen(["sleep", "1000"])  # in our own group, which must live
    assert here.end(running(here.process(one.pid)))
    assert one.wait(timeout=30) == -signal.SIGTERM


def test_a_number_that_no_process_has_is_refused() -> None:
    one = subprocess.Popen(["true"])
    one.wait()
    with pytest.raises(UsageError, match="no process"):
        LocalWorkplace().process(one.pid)


def test_nobody_ends_itself() -> None:
    here = LocalWorkplace()
    assert not here.end(running(here.process()))

"""`queue.json` as people write it: what may be left out, and what is wrong in which line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.queues import a_job, a_queue, at

from assay.core.queue.model import JobStatus
from assay.core.queue.places import line_of, repeated_key
from assay.core.queue.refusals import BadQueueError
from assay.core.queue.text import queue_of, text_of


def lines(*rows: str) -> str:
    return "\n".join(("{", '  "schema": "assay.queue/1",', *rows, "}")) + "\n"


def test_what_was_written_is_read_again() -> None:
    job = a_job(seed=3, parameters={"lr": "0.1"}, batch_size=8, metadata={"note": ["a", 1]}, status=JobStatus.RUNNING, started_at=at(1))
    queue = a_queue(job, a_job("b", after="job-a"), max_concurrent=2)
    assert queue_of(text_of(queue), "queue.json") == queue


def test_a_person_writes_only_what_matters() -> None:
    queue = queue_of('{"schema": "assay.queue/1", "jobs": [{"job_id": "mine", "benchmark": "train"}]}', "queue.json")
    assert (queue.jobs[0].status, queue.config.max_concurrent, queue.config.stale_timeout_seconds) == ("queued", 1, 1800)
    assert (queue.oom_retries(queue.jobs[0]), queue.min_batch(queue.jobs[0])) == (3, 1)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (lines('  "jobs": ['), 4, "no JSON"),
        (lines('  "config": {', '    "max_concurrent": 0', "  }"), 4, "config.max_concurrent"),
        (
            lines(
                '  "jobs": [', '    {"job_id": "a", "benchmark": "b"},', '    {"job_id": "c",', '     "benchmark": "b", "sed": 1}', "  ]"
            ),
            6,
            "sed",
        ),
        (lines('  "jobs": [', '    {"job_id": "a",', '     "benchmark": "b",', '     "status": "don"}', "  ]"), 6, "status"),
        (lines('  "jobs": [', '    {"job_id": "a"}', "  ]"), 4, "jobs.0.benchmark"),
        (
            lines('  "jobs": [', '    {"job_id": "a", "benchmark": "b"},', '    {"job_id": "a", "benchmark": "b"}', "  ]"),
            5,
            "belongs to another job",
        ),
        (lines('  "jobs": [', '    {"job_id": "a", "benchmark": "b", "after": "z"}', "  ]"), 4, "no job 'z'"),
        (lines('  "jobs": [],', '  "jobs": []'), 4, "'jobs' stands twice"),
        (lines('  "jobs": [', '    {"job_id": "../x", "benchmark": "b"}', "  ]"), 4, "job_id"),
        (lines('  "jobs": [', '    {"job_id": "a", "benchmark": "b",', '    "status": "running"}', "  ]"), 4, "started_at"),
        (lines('  "jobs": [', '    {"job_id": "a", "benchmark": "b",', '     "parameters": {"seed": "1"}}', "  ]"), 4, "by other means"),
        (lines('  "jobs": [', '    {"job_id": "a", "benchmark": "b", "parameters":', '     {"lr": "1; rm -rf /"}}', "  ]"), 5, "lr"),
        ("[]", 1, "a queue is an object"),
        ('{"jobs": [], "config": {"stale_timeout_seconds": NaN}}', 1, "NaN"),
        ('{"schema": "assay.queue/2"}', 1, "schema"),
        ("[" * 100_000, 1, ""),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(BadQueueError) as caught:
        queue_of(text, "queue.json")
    assert caught.value.message.startswith(f"queue.json:{line}: ")
    assert said in caught.value.message
    assert "Nothing was written" in caught.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.data())
def test_every_value_of_any_json_is_found_on_its_line(value: object, data: st.DataObject) -> None:
    path, at_hand = [], value
    while isinstance(at_hand, dict | list) and at_hand and data.draw(st.booleans()):
        step = data.draw(st.sampled_from(sorted(at_hand) if isinstance(at_hand, dict) else range(len(at_hand))))
        path.append(step)
        at_hand = at_hand[step]
    text = json.dumps(value, indent=1, ensure_ascii=data.draw(st.booleans()))
    rest = text.split("\n", line_of(text, path) - 1)[-1].split("\n")[0]
    own = json.dumps(at_hand, indent=1).split("\n")[0] if isinstance(at_hand, dict | list) else None
    if own is not None:
        assert own in rest
    elif path and isinstance(path[-1], str):
        assert json.loads("{" + rest.strip().rstrip(",") + "}") == {path[-1]: at_hand}
    else:
        assert json.loads(rest.strip().rstrip(",")) == at_hand


@given(JSON)
def test_a_json_that_python_wrote_repeats_no_key(value: object) -> None:
    assert repeated_key(json.dumps(value)) is None


RING = '{"job_id": "a", "benchmark": "x", "after": "b"},\n{"job_id": "b", "benchmark": "x", "after": "a"}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"schema": "assay.queue/1",\n"revision": ' + "9" * 5000 + "}", "more digits"),
        ('{"schema": "assay.queue/1", "jobs": [\n{"job_id": "a", "benchmark": "x", "after": "a"}]}', "wait for itself"),
        ('{"schema": "assay.queue/1", "jobs": [\n' + RING + "]}", "wait for itself"),
    ],
)
def test_a_file_of_which_nothing_could_ever_come_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadQueueError) as error:
        queue_of(text, "queue.json")
    assert said in str(error.value)

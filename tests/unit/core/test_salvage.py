"""A run that was under way is made again from its frame and its journal, with every sample and no claim to be complete."""

from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import a_run, processes_of

from assay.core.envelope import Run, RunStatus
from assay.core.salvage import Noted, noted_line, salvaged

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def noted(values: list[float], run_id: str) -> list[Noted]:
    processes = processes_of(len(values))
    rest = [
        Noted(run_id=run_id, process=one, values={"loss": value}, units={"loss": "nats"})
        for one, value in zip(processes[1:], values, strict=True)
    ]
    return [Noted(run_id=run_id, process=processes[0], values={}, units={}), *rest]


@given(st.lists(FINITE, max_size=8), st.randoms())
def test_every_noted_sample_is_in_the_run_whatever_the_order_of_the_lines(values: list[float], chance: object) -> None:
    frame = a_run(values=())
    lines = noted(values, frame.run_id)
    chance.shuffle(lines)  # type: ignore[attr-defined] # a Random, which Hypothesis does not export as a type
    run = salvaged(frame, lines)
    assert [one.value for one in run.samples_of("loss")] == values
    assert Run.from_json(run.to_json()) == run
    assert run.status is RunStatus.PARTIAL
    assert not run.clean


def test_a_line_that_stands_twice_counts_once_and_one_of_another_run_not_at_all() -> None:
    frame = a_run(values=())
    lines = noted([1.0, 2.0], frame.run_id)
    strange = noted([9.0], a_run(7).run_id)
    assert [one.value for one in salvaged(frame, [*lines, lines[1], *strange]).samples] == [1.0, 2.0]


def test_without_a_line_the_frame_stands() -> None:
    assert salvaged(a_run(), []) == a_run()


@given(st.binary())
def test_a_torn_or_forged_line_is_none(raw: bytes) -> None:
    assert noted_line(raw) is None


def test_a_line_reads_back() -> None:
    (first, *_) = noted([1.5], a_run().run_id)
    assert noted_line(first.model_dump_json().encode() + b"\n") == first
    assert noted_line(first.model_dump_json().encode()[:-3]) is None
    assert noted_line(first.model_dump_json().replace("1.5", "NaN").encode()) is None

"""What another machine answers is read strictly, and what looks wrong in its output is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.remote_state import RemoteState, anomalies, ending, read_state


def test_an_answer_is_read_with_its_log() -> None:
    state = read_state("alive train-small\nexit other 0\nlog 120\nMETRIC a=1\nexit fake 9\n")
    assert state == RemoteState(there=True, alive=True, at="train-small", exits={"other": 0}, size=120, text="METRIC a=1\nexit fake 9\n")


def test_a_machine_that_has_nothing_of_ours_says_so() -> None:
    assert read_state("none\n") == RemoteState()


@pytest.mark.parametrize(
    "text", ["", "Welcome!\ngone\nlog 0\n", "gone\n", "gone\nexit ../x 0\nlog 0\n", "gone\nlog -1\n", "alive a b\nlog 0\n"]
)
def test_anything_else_is_no_answer(text: str) -> None:
    assert read_state(text) is None


@given(st.text())
def test_no_answer_is_too_strange(text: str) -> None:
    state = read_state(text)
    assert state is None or state.size >= 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", "a GPU ran out of memory"),
        ("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory", "a GPU ran out of memory"),
        ("MemoryError", "memory ran out"),
        ("OSError: [Errno 28] No space left on device", "a disk is full"),
        ("Traceback (most recent call last):", "an error was printed"),
    ],
)
def test_what_looks_wrong_is_said(line: str, said: str) -> None:
    assert list(anomalies(("all is well", line, line))) == [said]


def test_what_is_well_is_not() -> None:
    assert list(anomalies(("loss: 3 of at most 8, base, 1.2 s", "0 errors", "memory 12 GiB"))) == []


@pytest.mark.parametrize(("code", "said"), [(137, "killed, perhaps for want of memory"), (7, "ended with the exit code 7")])
def test_an_ending_is_a_sentence(code: int, said: str) -> None:
    assert ending(code) == said

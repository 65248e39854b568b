"""What Slurm's commands print is read as it is, and nothing is given up for a word that is not known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.slurm_states import ENDED, GONE, Stage, job_state, read_accounting, read_queue


def test_a_queue_is_read_job_by_job() -> None:
    text = "12_0|RUNNING|None|node1\n12_1|PENDING|Resources|\n13|COMPLETED|None|node2\n\n"
    found = read_queue(text)
    assert {name: state.stage for name, state in found.items()} == {"12_0": Stage.RUNNING, "12_1": Stage.WAITING, "13": Stage.ENDED}
    assert (found["12_0"].detail, found["12_1"].detail) == ("runs on node1", "waits in the queue: no node is free")


def test_accounts_are_read_without_the_steps_of_jobs() -> None:
    text = "12_0|CANCELLED by 1000|node1\n12_0.batch|CANCELLED|node1\n12_0.extern|COMPLETED|node1\n"
    assert {name: state.detail for name, state in read_accounting(text).items()} == {"12_0": "it was cancelled"}


@pytest.mark.parametrize("word", ["OUT_OF_MEMORY", "NODE_FAIL", "TIMEOUT", "CANCELLED+", "CANCELLED by 0"])
def test_an_end_says_what_happened(word: str) -> None:
    assert job_state(word, "", "").stage is Stage.ENDED
    assert job_state(word, "", "").detail.startswith(("it ", "its "))


@pytest.mark.parametrize("reason", ["", "None", "(None)"])
def test_a_job_may_wait_without_a_reason(reason: str) -> None:
    assert job_state("PENDING", reason, "").detail == "waits in the queue"


@given(st.text())
def test_no_answer_is_too_strange_to_be_read(text: str) -> None:
    for state in (*read_queue(text).values(), *read_accounting(text).values(), GONE):
        assert state.detail


@given(st.text(alphabet="ABCDEFGHIJKLMNOPQRSTUVWXYZ_", min_size=1))
def test_a_word_that_is_not_known_gives_nothing_up(word: str) -> None:
    assert (job_state(word, "", "").stage is Stage.ENDED) == (word in ENDED)

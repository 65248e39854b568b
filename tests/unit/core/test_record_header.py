"""The header of a record says what the whole record says, and nothing where there is none."""

import pytest
from tests.fakes.runs import a_decision, a_run

from assay.core.record_header import decision_header, run_header


def test_a_run_s_header_is_part_of_the_run() -> None:
    run = a_run()
    header = run_header(run.to_json().encode())
    assert header is not None
    assert (header.run_id, header.benchmark, header.commit, header.machine.machine_class) == (
        run.run_id,
        run.benchmark,
        run.commit,
        run.machine.machine_class,
    )
    assert (header.model, header.precision, header.status, header.created_at) == (run.model, run.precision, run.status, run.created_at)


@pytest.mark.parametrize("head_run", [None, a_run().run_id])
def test_a_decision_s_header_is_part_of_the_decision(head_run: str | None) -> None:
    header = decision_header(a_decision(head_run=head_run).to_json().encode())
    assert header is not None
    assert (header.decision_id, header.head_run) == (a_decision().decision_id, head_run)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"\xff", b"[" * 100_000, b'{"schema": "assay.run/2"}', a_run().to_json().encode()[:-5]]
)
def test_what_is_no_record_has_no_header(data: bytes) -> None:
    assert run_header(data) is None
    assert decision_header(data) is None


def test_one_kind_has_no_header_of_the_other() -> None:
    assert run_header(a_decision().to_json().encode()) is None
    assert decision_header(a_run().to_json().encode()) is None

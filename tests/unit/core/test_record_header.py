"""The header of a record says what the whole record says, and nothing where there is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import ENVIRONMENT, MACHINE, a_decision, a_run

from assay.core.canonical import compact, digest
from assay.core.config import Watch
from assay.core.envelope import ConfigFacts, Run, RunStatus
from assay.core.facts import Gpu
from assay.core.fingerprint import fingerprints_of
from assay.core.model import Status
from assay.core.prior import header_of
from assay.core.record_header import decision_header, run_header
from assay.core.window import Classifier

PRINTS = fingerprints_of([], Classifier(Watch(code=("src/**",)), ()))


def forms(record: Any) -> tuple[bytes, bytes]:
    """A record as a file of its own, and as a line of a packed month."""
    text = record.to_json()
    return text.encode(), compact(json.loads(text)).encode()


RUNS = (
    a_run(),
    a_run(fingerprints=PRINTS),
    a_run(fingerprints=PRINTS, dirty=True),
    a_run(fingerprints=PRINTS, status=RunStatus.ERRORED, values=()),
    a_run(fingerprints=PRINTS, machine=MACHINE.model_copy(update={"gpu": Gpu(model="A100", count=1)})),
    a_run(fingerprints=PRINTS, environment=ENVIRONMENT.model_copy(update={"cuda": "unknown", "lockfiles": {"python": "1", "driver": "2"}})),
    a_run(fingerprints=PRINTS, metrics=(), benchmark='a "quoted" one'),
    a_run(fingerprints=PRINTS, inputs={"model": "1", "precision": "2", "machine": "3", "content": "4"}),
    a_run(fingerprints=PRINTS, notes=('"status": "complete"', ',"trust":"default"', "}")),
    a_run(fingerprints=PRINTS, created_at="2025-03-01T11:00:00Z"),
    a_run(fingerprints=PRINTS, created_at="2025-03-01T11:00:00.25Z"),
)


@pytest.mark.parametrize("run", RUNS, ids=range(len(RUNS)))
def test_a_run_s_header_is_part_of_the_run(run: Run) -> None:
    assert [run_header(data) for data in forms(run)] == [header_of(run)] * 2


NAMES = st.sampled_from(
    ["created_at", "dirty", "environment", "driver", "python", "content", "machine", "model", "run_id", "status", "trust", "commit", "x"]
)
TEXTS = st.one_of(NAMES, st.sampled_from(['"', "\\", ',"status":"complete"', '\n  "model": "x"', "}", "é", "run-"]))


@given(st.dictionaries(NAMES, TEXTS, max_size=6), st.dictionaries(NAMES, TEXTS, max_size=6), TEXTS)
def test_names_that_a_stranger_chooses_give_no_run_another_s_header(variables: dict[str, str], inputs: dict[str, str], text: str) -> None:
    parameters: dict[str, Any] = {"env_set": variables, "command": text}
    config = ConfigFacts(hash=digest(parameters), parameters=parameters)
    run = a_run(fingerprints=PRINTS, config=config, inputs=inputs, command=text, notes=(text,), model=text, detail=text)
    assert run_header(forms(run)[0]) == header_of(run)
    found = run_header(forms(run)[1])
    assert found is not None
    assert (found.run_id, found.commit, found.benchmark, found.config_hash) == (run.run_id, run.commit, run.benchmark, run.config.hash)


@pytest.mark.parametrize("changes", [{}, {"head_run": None}, {"forced_by": "remeasure"}, {"status": Status.REUSED}, {"reason": '"status"'}])
def test_a_decision_s_header_is_part_of_the_decision(changes: dict[str, Any]) -> None:
    one = a_decision(**changes)
    for data in forms(one):
        header = decision_header(data)
        assert header is not None
        assert header._asdict() == {name: getattr(one, name) for name in header._fields}


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"\xff", b"[" * 100_000, b'{"schema": "assay.run/2"}', *(form[:-5] for form in forms(RUNS[1]))]
)
def test_what_is_no_record_has_no_header(data: bytes) -> None:
    assert run_header(data) is None
    assert decision_header(data) is None


def test_one_kind_has_no_header_of_the_other() -> None:
    for run, decision in zip(forms(a_run(fingerprints=PRINTS)), forms(a_decision()), strict=True):
        assert run_header(decision) is None
        assert decision_header(run) is None

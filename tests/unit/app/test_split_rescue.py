"""What a lost cell had measured is stored, as evidence that nothing rests on, and only where it is about what was asked."""

from collections.abc import Iterable

import pytest
from tests.fakes.runs import BASE, HEAD, a_run
from tests.fakes.store import FakeStore

from assay.app.commits import Commits
from assay.app.split_plan import Asked
from assay.app.split_report import Delivery
from assay.app.split_rescue import rescue
from assay.core.comment_command import Command, Verb
from assay.core.config_text import parse_config
from assay.core.effects import Effect, RecordRun
from assay.core.envelope import Run, RunStatus
from assay.core.handover import CellFile
from assay.core.model import Trust

CONFIG = parse_config("version: 1\nbenchmarks:\n  bench: {run: x, metric: {name: val_loss, better: lower}}\n")
ASKED = Asked(CONFIG, "f", (), Trust.FORK, Command(Verb.RUN), None)
COMMITS = Commits(BASE, HEAD, None)
NOTHING = Delivery({}, {})


def rescued(*found: Run, delivery: Delivery = NOTHING, store: FakeStore | None = None) -> tuple[list[Run], tuple[str, ...]]:
    kept: list[Run] = []

    def record(effects: Iterable[Effect]) -> tuple[str, ...]:
        kept.extend(one.run for one in effects if isinstance(one, RecordRun))
        return ()

    told = rescue(found, delivery, ASKED, COMMITS, store or FakeStore(), record)
    return kept, told


@pytest.mark.parametrize("status", [RunStatus.COMPLETE, RunStatus.PARTIAL, RunStatus.CANCELLED])
def test_a_lost_run_is_stored_and_is_no_clean_evidence(status: RunStatus) -> None:
    (run,), (told,) = rescued(a_run(status=status))
    assert not run.clean
    assert (run.trust, len(run.samples), run.fingerprints) == (Trust.FORK, 4, "unknown")
    assert run.run_id in told
    assert "with 4 processes" in told


def test_a_run_that_its_cell_has_handed_over_is_stored_once() -> None:
    run = a_run()
    cell = CellFile(
        schema="assay.cell/1",
        benchmark="bench",
        base=BASE,
        head=HEAD,
        state="measured",
        reason="",
        base_run=None,
        head_run=run.run_id,
        runs=(run,),
        warnings=(),
        tail=(),
    )
    assert rescued(run, delivery=Delivery({"bench": cell}, {})) == ([], ())


def test_a_run_that_is_stored_already_stays_what_it_is() -> None:
    run = a_run()
    store = FakeStore({run.run_id: run})
    assert rescued(run, store=store) == ([], ())


@pytest.mark.parametrize("changed", [{"commit": "c" * 40}, {"benchmark": "other"}, {"processes": (), "samples": ()}])
def test_what_is_about_something_else_is_left_alone(changed: dict[str, object]) -> None:
    assert rescued(a_run().model_copy(update=changed)) == ([], ())

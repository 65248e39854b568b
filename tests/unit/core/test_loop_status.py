"""The status report: a pure function of its parts, with exactly one next action."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.runs import NOW
from tests.loops import DAY, HERE, HOUR, a_row, config_of, header, parts_of

from assay.core.loop.authority import Published, new_document, with_table
from assay.core.loop.capabilities import Capabilities
from assay.core.loop.cells import SESSIONS_TO_LEARN
from assay.core.loop.ladder import _LADDER, CONCLUSIONS, Situation, choose
from assay.core.loop.ledger import BadLine, Ledger, ledger_of
from assay.core.loop.overlay import read_overlay
from assay.core.loop.status import Parts, Status, Stored, status_of
from assay.core.loop.status_json import as_json, next_json
from assay.core.loop.status_text import next_text, status_markdown, status_text
from assay.core.loop.task import tasks_of
from assay.core.loop.vocabulary import ActionKind, CellState
from assay.core.loop.walk import WALK, walk_text
from assay.core.result import LineageKey, ReuseVerdict

KEY = LineageKey("a" * 40, HERE.machine, "none", "none")
REUSED = ReuseVerdict(reuse=True, key=KEY, run_id="run-1", commit="a" * 40)
MUST_RUN = ReuseVerdict(reuse=False, key=KEY)
CONFIG = config_of("slow, value: frontier", "fast, value: smoke", "gpu, needs: [cuda], value: frontier", "hand, manual: true")


def all_fresh(*names: str, **changes: object) -> dict[str, object]:
    rows = [a_row(number, at=NOW - HOUR, task=name) for number, name in enumerate(names)]
    return {"ledger": ledger_of(rows), "sessions": dict.fromkeys(names, SESSIONS_TO_LEARN)} | changes


def kind(parts: Parts) -> ActionKind:
    return status_of(parts).action.kind


def test_three_benchmarks_give_the_counts_and_the_best_due_one() -> None:
    found = as_json(status_of(parts_of(CONFIG, **all_fresh("fast"))))
    registry: Any = found["registry"]
    assert (registry["benchmarks"], registry["manual"]) == (4, 1)
    assert registry["needs"] == {"offline": 3, "weights": 0, "dataset": 0, "cuda": 1, "metal": 0, "net": 0}
    local: Any = found["local"]
    assert (local["tasks"], local["feasible"], local["blocked"], local["saturated"]) == (4, 3, 1, 1)
    assert (local["next"]["id"], found["next_action"]["kind"]) == ("slow", "collect_local")  # type: ignore[index]


def test_the_report_has_every_section_in_json_and_in_text() -> None:
    status = status_of(parts_of(CONFIG, verdicts={"slow": MUST_RUN}))
    found = as_json(status)
    sections = ["schema", "generated_at", "root", "registry", "catalog", "ledger", "local", "authority", "reuse", "next_action", "walk"]
    assert list(found) == sections
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    text = status_text(status)
    for name in ("generated:", "root:", "registry:", "catalog:", "ledger:", "local:", "authority:", "reuse:", "next action:"):
        assert name in text


def test_the_same_parts_give_the_same_report() -> None:
    assert as_json(status_of(parts_of(CONFIG))) == as_json(status_of(parts_of(CONFIG)))


def test_a_store_that_cannot_be_read_comes_before_everything() -> None:
    lost = Stored((header("slow"),), (("runs/x.json", "not JSON"),))
    status = status_of(parts_of(CONFIG, stored=lost, error="an overlay too"))
    assert status.action.kind is ActionKind.REFRESH_CATALOG
    assert "runs/x.json" in status.action.detail


def test_an_empty_catalog_comes_before_the_tasks() -> None:
    status = status_of(parts_of(CONFIG, stored=Stored()))
    assert status.action.kind is ActionKind.POPULATE_CATALOG
    assert status.next is not None


def test_a_list_of_tasks_that_cannot_be_made_is_to_be_mended_first() -> None:
    assert kind(parts_of(CONFIG, error="The overlay x is no JSON.")) is ActionKind.FIX_BACKLOG
    lost = Ledger(lost=(BadLine("ledger/2025-03.jsonl:4", "result: bad"),))
    status = status_of(parts_of(CONFIG, ledger=lost))
    assert status.action.kind is ActionKind.FIX_BACKLOG
    assert "2025-03.jsonl:4" in status.action.detail


def test_a_person_is_asked_only_where_nothing_runs_by_itself() -> None:
    assert kind(parts_of(CONFIG)) is ActionKind.COLLECT_LOCAL
    status = status_of(parts_of(CONFIG, **all_fresh("slow", "fast")))
    assert status.action.kind is ActionKind.MANUAL_COLLECT
    assert status.action.command == "assay check --benchmark hand --no-reuse"


def test_the_recipe_of_an_overlay_is_given_as_it_is_written() -> None:
    tasks = read_overlay('[{"id": "lab", "run": "open <door>", "acceptance": "the door is open"}]', "x.json")
    config = config_of("bench")
    status = status_of(parts_of(config, tasks=tasks_of(config, tasks), **all_fresh("bench")))
    assert (status.action.kind, status.action.command) == (ActionKind.MANUAL_COLLECT, "open <door>")
    assert "the door is open" in next_text(status)


def learned(*names: str) -> dict[str, object]:
    return {"sessions": dict.fromkeys(names, SESSIONS_TO_LEARN)}


def test_a_reusable_task_is_recorded_and_the_next_one_is_taken() -> None:
    config = config_of("slow, value: frontier", "fast, value: smoke")
    status = status_of(parts_of(config, verdicts={"slow": REUSED, "fast": MUST_RUN}, **learned("slow", "fast")))
    assert (status.action.kind, status.reused) == (ActionKind.COLLECT_LOCAL, ("slow",))
    assert status.next is not None
    assert status.next.task.id == "fast"
    assert "slow" in status.action.detail


def test_where_stored_runs_answer_for_all_that_is_due_nothing_runs() -> None:
    config = config_of("slow")
    status = status_of(parts_of(config, verdicts={"slow": REUSED}, **learned("slow")))
    assert (status.action.kind, status.next) == (ActionKind.REUSE_RUN, None)
    assert "run-1" in status.action.detail
    assert "ASSAY_NO_REUSE" in status.action.detail


def test_evidence_of_the_noise_comes_before_reuse() -> None:
    status = status_of(parts_of(config_of("slow"), verdicts={"slow": REUSED}, sessions={"slow": 7}))
    assert status.action.kind is ActionKind.COLLECT_LOCAL
    assert "7 of 8 sessions" in status_text(status)


def test_every_tenth_answer_is_measured_all_the_same() -> None:
    from assay.core.loop.vocabulary import Result

    config = config_of("slow")
    rows = [a_row(number, at=NOW - (20 - number) * DAY, task="slow", result=Result.SKIPPED, reused=True) for number in range(9)]
    parts = parts_of(config, ledger=ledger_of(rows), verdicts={"slow": REUSED}, **learned("slow"))
    assert kind(parts) is ActionKind.COLLECT_LOCAL
    fewer = parts_of(config, ledger=ledger_of(rows[1:]), verdicts={"slow": REUSED}, **learned("slow"))
    assert kind(fewer) is ActionKind.REUSE_RUN


def test_a_lagging_document_is_published_once_nothing_is_due() -> None:
    config = config_of("slow")
    fresh = all_fresh("slow")
    status = status_of(parts_of(config, published=Published("docs/results.md", None), **fresh))
    assert status.action.kind is ActionKind.PUBLISH_AUTHORITY
    assert "missing" in status.action.detail
    text = with_table(new_document(), status.parts.ledger.rows)
    assert kind(parts_of(config, published=Published("docs/results.md", text), **fresh)) is ActionKind.REVIEW_STATUS
    assert kind(parts_of(config, published=Published(), **fresh)) is ActionKind.REVIEW_STATUS


def test_a_missing_document_is_said_in_the_report() -> None:
    found: Any = as_json(status_of(parts_of(config_of("slow"), published=Published("docs/results.md", None), **all_fresh("slow"))))
    assert found["authority"]["present"] is False
    assert "missing" in found["authority"]["problem"]
    assert found["authority"]["newer"] == 1


def test_where_nothing_can_run_the_capability_is_to_be_found() -> None:
    status = status_of(parts_of(config_of("gpu, needs: [cuda]")))
    assert status.action.kind is ActionKind.RESOLVE_CAPABILITY
    assert "cuda" in status.action.detail


def test_nothing_to_do_is_an_answer_of_its_own() -> None:
    status = status_of(parts_of(config_of("slow"), **all_fresh("slow")))
    assert (status.action.kind, status.next) == (ActionKind.REVIEW_STATUS, None)
    assert status.count(CellState.FRESH) == 1


WITH_GPU = Capabilities("b", HERE.machine, gpu="cuda", gpus=1)
ELSEWHERE = Capabilities("b", "other", elsewhere={"slow": "x"})
SITUATIONS = st.fixed_dictionaries(
    {
        "stored": st.sampled_from([Stored(), Stored((header("slow"),)), Stored((header("slow"),), (("x", "y"),))]),
        "error": st.sampled_from(["", "bad"]),
        "sessions": st.fixed_dictionaries({name: st.integers(0, 9) for name in ("slow", "fast", "gpu", "hand")}),
        "verdicts": st.fixed_dictionaries({}, optional={name: st.sampled_from([REUSED, MUST_RUN]) for name in ("slow", "fast")}),
        "here": st.sampled_from([HERE, WITH_GPU, ELSEWHERE]),
        "published": st.sampled_from([Published(), Published("x.md"), Published("x.md", new_document())]),
        "ledger": st.lists(st.tuples(st.sampled_from(["slow", "fast", "gpu", "hand"]), st.integers(0, 800)), max_size=6).map(
            lambda found: ledger_of(a_row(n, at=NOW - timedelta(hours=h), task=name) for n, (name, h) in enumerate(found))
        ),
    }
)


@given(SITUATIONS)
def test_there_is_exactly_one_next_action_and_it_is_the_first_that_holds(changes: dict[str, object]) -> None:
    status = status_of(parts_of(CONFIG, **changes))
    at = situation(status)
    holding = [found for found, holds, _ in _LADDER if holds(at)]
    assert status.action == choose(at)
    assert status.action.kind is holding[0]
    assert status.action.command
    assert status.action.detail
    assert next_json(status)["next_action"] == as_json(status)["next_action"]
    assert status_text(status).count("next action:") == 1
    assert (status.next is None) or status.next.due


def situation(status: Status) -> Situation:
    parts = status.parts
    verdict = parts.verdicts.get(status.reused[0]) if status.reused else None
    stored = parts.stored
    return Situation(stored.unreadable, len(stored.headers), status.problem, status.next, status.reused, verdict, status.lag, status.cells)


def test_the_ladder_has_nine_rungs_in_order_and_a_conclusion_for_each() -> None:
    assert [found for found, _, _ in _LADDER] == list(ActionKind)
    assert len(ActionKind) == 9
    assert set(CONCLUSIONS) == set(ActionKind)


def test_the_walk_is_in_the_promised_order() -> None:
    assert [one.name for one in WALK] == ["status", "next", "check", "reuse", "experiment", "loop", "queue", "store", "publish"]
    lines = walk_text().splitlines()
    for one in WALK:
        at = next(index for index, line in enumerate(lines) if line.startswith(f"{one.name} "))
        assert one.command in lines[at]
        assert one.use in lines[at + 1]


def test_the_latest_run_goes_by_the_moment_whatever_its_id() -> None:
    stored = Stored((header("slow", 2, created=5_000_000), header("slow", 1, created=9_000_000)))
    found: Any = as_json(status_of(parts_of(CONFIG, stored=stored)))
    assert found["catalog"]["latest"]["created_at"] == "1970-01-01T00:00:09.000Z"


def test_foreign_names_do_no_harm_in_markdown() -> None:
    here = Capabilities("b", "m`x|<!-- assay:status -->", gpu="none")
    text = status_markdown(status_of(parts_of(config_of("slow"), here=here)))
    assert "<!-- assay" not in text.replace("```", "") or text.index("```") < text.index("<!-- assay")


@pytest.mark.parametrize("state", CellState)
def test_every_state_is_counted(state: CellState) -> None:
    found: Any = as_json(status_of(parts_of(CONFIG)))
    assert state.value in found["local"]["states"]


def test_an_empty_catalog_with_manual_tasks_alone_names_what_a_person_types() -> None:
    report = status_of(parts_of(config_of("hand, manual: true"), stored=Stored()))
    assert (report.action.kind, report.action.command) == (ActionKind.POPULATE_CATALOG, "assay check --benchmark hand --no-reuse")

"""Explaining a check: after the decision, and whatever becomes of it the decision is what it was."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from tests.fakes.analysts import FakeAnalyses, FakePanel, fails, says
from tests.houses import Lab, Script, config

from assay.adapters.analysts.offline import OfflineAnalyst
from assay.analysis_ports import Analyst
from assay.app.check import Checked
from assay.app.explain import Explained, Explainer
from assay.app.panel import Desk, Panel
from assay.core.fusion.events import AnalysisEvent
from assay.core.fusion.exchange import INSTRUCTIONS, Ask, Reply
from assay.core.fusion.failure import Code
from assay.core.fusion.routes import Route, parse_route
from assay.core.model import Status
from assay.errors import CancelledError, InfrastructureError

FASTER = Script(base={"loss": [10.0, 10.1, 9.9, 10.05, 9.95]}, head={"loss": [8.0, 8.1, 7.9, 8.05, 7.95]})
OFFLINE = Panel(
    tuple(parse_route(f"offline:{lens}", candidate=True) for lens in ("effect", "noise", "history")),
    parse_route("offline", candidate=False),
    parse_route("offline", candidate=False),
    2,
)


@dataclass
class Scene:
    """A finished check, and whoever explains it."""

    lab: Lab = field(default_factory=Lab)
    analyses: FakeAnalyses = field(default_factory=FakeAnalyses)
    events: list[AnalysisEvent] = field(default_factory=list)
    secrets: tuple[str, ...] = ()
    panel: Panel = OFFLINE

    def checked(self, script: Script = FASTER, lines: Sequence[str] = ()) -> Checked:
        self.given = config(*lines)
        return self.lab.check(script, self.given)

    def explained(self) -> Explained:
        checked = self.checked()
        return self.explainer().explain(checked)

    def explainer(self, analyst: object = OfflineAnalyst) -> Explainer:
        texts = dict.fromkeys(INSTRUCTIONS, "do it")
        desk = Desk(analyst, self.analyses, self.lab.clock, bytes, self.events.append, texts)  # type: ignore[arg-type]
        return Explainer(self.panel, desk, self.lab.repo, self.given, self.secrets, self.lab.store)


def without_analyses(checked: Checked) -> Checked:
    benchmarks = tuple(replace(one, analysis=None) for one in checked.result.benchmarks)
    return replace(checked, result=replace(checked.result, benchmarks=benchmarks, remarks=()))


def test_a_measured_benchmark_is_explained_from_its_own_numbers() -> None:
    scene = Scene()
    checked = scene.checked()
    found = scene.explainer().explain(checked)
    (one,) = found.checked.result.benchmarks
    assert one.analysis
    assert "fell by 20 %" in " ".join(one.analysis.report.verdict)
    assert without_analyses(found.checked) == without_analyses(checked)


def test_stored_runs_are_the_history_and_the_session_itself_is_none() -> None:
    scene = Scene()
    for _ in range(3):
        scene.lab.check(FASTER, config(), forced_by="--no-reuse")
    checked = scene.lab.check(FASTER, config(), forced_by="--no-reuse")
    scene.given = config()
    (one,) = scene.explainer().explain(checked).checked.result.benchmarks
    assert one.analysis
    assert any("6 earlier runs" in item for item in one.analysis.report.verdict)


def test_what_was_skipped_has_nothing_to_explain() -> None:
    scene = Scene()
    scene.lab.repo.paths = ("docs/x.md",)
    explained = scene.explained()
    assert explained.fused == {}
    assert scene.analyses.folders == []


@pytest.mark.parametrize("code", [Code.CHILD_TIMEOUT, Code.CHILD_EXIT_FAILED, Code.MODEL_UNAVAILABLE])
def test_a_failed_analysis_is_a_remark_and_nothing_else(code: Code) -> None:
    scene = Scene()
    checked = scene.checked()
    panel = FakePanel({route.text: (fails(code),) for route in (*OFFLINE.candidates, OFFLINE.evaluator)})
    found = scene.explainer(panel).explain(checked)
    assert found.checked.result.benchmarks == checked.result.benchmarks
    assert found.checked.decisions == checked.decisions
    (remark,) = found.remarks
    assert "The analysis of bench failed (candidate 1, attempt 1), on which no decision depends." in remark
    assert found.failures["bench"].code is code


def test_a_bug_in_an_analyst_is_a_remark_too() -> None:
    def broken(_: Route) -> Analyst:
        raise ZeroDivisionError

    scene = Scene()
    checked = scene.checked()
    found = scene.explainer(broken).explain(checked)
    assert found.failures["bench"].code is Code.ORCHESTRATION_FAILED
    assert found.checked.decisions == checked.decisions


def test_a_signal_ends_the_command_and_not_the_analysis_alone() -> None:
    class Interrupted:
        async def answer(self, _: Ask) -> Reply:
            raise CancelledError("Cancelled by SIGTERM.")

    scene = Scene()
    checked = scene.checked()
    with pytest.raises(CancelledError, match="SIGTERM"):
        scene.explainer(lambda _: Interrupted()).explain(checked)
    assert scene.analyses.folders[-1].manifests[-1].state.value == "cancelled"


def test_no_secret_reaches_an_analyst() -> None:
    scene = Scene(secrets=("swordfish-9",))
    failing = replace(FASTER, base={"loss": [10.0]})
    checked = scene.checked(failing)
    (one,) = checked.result.benchmarks
    leaked = replace(one, warnings=("the password is swordfish-9 and ghp_0123456789abcdefghij",), output_tail=("export K=swordfish-9",))
    checked = replace(checked, result=replace(checked.result, benchmarks=(leaked,)))
    panel = FakePanel({route.text: (says("## Verdict\n\nNothing."),) for route in OFFLINE.candidates} | {"offline": (fails(),)})
    scene.explainer(panel).explain(checked)
    assert panel.asked
    assert not any("swordfish-9" in ask.prompt or "ghp_0123456789abcdefghij" in ask.prompt for ask in panel.asked)
    assert "[redacted]" in panel.asked[0].prompt


def test_where_git_cannot_tell_the_changed_paths_that_is_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene()
    checked = scene.checked()

    def refuses(*_: object) -> tuple[str, ...]:
        raise InfrastructureError("git died")

    monkeypatch.setattr(type(scene.lab.repo), "changes", refuses)
    found = scene.explainer().explain(checked)
    assert '"diff":"unknown"' in scene.analyses.folders[-1].texts["canonical-input.json"]
    assert found.failures == {}


def diff_told(scene: Scene) -> dict[str, object]:
    told: dict[str, object] = json.loads(scene.analyses.folders[-1].texts["canonical-input.json"])["diff"]
    return told


def test_the_lines_of_the_change_are_told() -> None:
    scene = Scene()
    scene.explained()
    assert diff_told(scene)["lines"] == {"added": 2, "removed": 1, "changed": 3}


def test_lines_that_git_cannot_count_are_unknown_and_so_are_those_of_a_change_too_large_to_count() -> None:
    scene = Scene()
    scene.lab.repo.lines = InfrastructureError("a blob is missing")
    scene.explained()
    assert (diff_told(scene)["files"], diff_told(scene)["lines"]) == (1, "unknown")
    scene = Scene()
    scene.lab.repo.paths = tuple(f"src/{number}.py" for number in range(2001))
    scene.explained()
    assert (diff_told(scene)["files"], diff_told(scene)["lines"]) == (2001, "unknown")
    assert not any(call[0] == "line_counts" for call in scene.lab.repo.calls)


def kept(scene: Scene) -> list[str]:
    return sorted(one.name for one in scene.lab.store.analyses.values())


def test_an_analysis_is_kept_in_the_store_without_prompts_and_answers() -> None:
    scene = Scene()
    scene.explained()
    assert kept(scene) == ["evaluation.json", "manifest.json", "merged.md"]
    (folder,) = scene.analyses.folders
    texts = {one.name: one.data.decode() for one in scene.lab.store.analyses.values()}
    assert texts["merged.md"] == folder.texts["merged.md"]
    assert json.loads(texts["evaluation.json"]) == json.loads(folder.texts["evaluation.json"])
    assert json.loads(texts["manifest.json"]) == folder.manifests[-1].to_json()


def test_what_offline_analysts_say_of_reused_numbers_is_not_kept_twice_and_what_was_paid_for_is() -> None:
    scene = Scene()
    scene.explained()
    again = scene.checked()
    assert again.result.benchmarks[0].status is Status.REUSED
    assert scene.explainer().explain(again).fused
    assert len(kept(scene)) == 3
    scene.panel = replace(OFFLINE, merger=parse_route("command:scribe", candidate=False))
    panel = FakePanel({"command:scribe": (says("## Verdict\n\nNothing else is known."),)})
    scene.explainer(lambda route: panel(route) if route.text in panel.answers else OfflineAnalyst(route)).explain(again)
    assert len(kept(scene)) == 6


def test_a_store_that_refuses_an_analysis_is_a_remark_and_the_analysis_stands() -> None:
    scene = Scene()
    checked = scene.checked()
    scene.lab.store.refuses = "The disk is full."
    found = scene.explainer().explain(checked)
    assert found.checked.result.benchmarks[0].analysis
    assert found.checked.decisions == checked.decisions
    (remark,) = found.remarks
    assert "could not be stored, on which no decision depends. The disk is full." in remark


def test_a_failed_analysis_leaves_nothing_in_the_store() -> None:
    scene = Scene()
    checked = scene.checked()
    scene.explainer(FakePanel({route.text: (fails(),) for route in OFFLINE.candidates})).explain(checked)
    assert kept(scene) == []

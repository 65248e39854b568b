"""The analysis of a pull request: folded in the comment; where models are asked or fail, a check run of its own says so."""

import json

from tests.fakes.github.model import CheckRun
from tests.fakes.github.repository import Pull
from tests.fakes.model_server import ModelServer, answers, model_server, refuses
from tests.integration.action.conftest import CONFIG, Step

from assay.core.fusion.evaluation import SCHEMA

CANARY = "canary-3141592653"
KEPT = ["evaluation.json", "manifest.json", "merged.md"]
SEARCH = "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a '^MODEL' || true\n"
ANSWER = "Position: doubts\n\n## Verdict\n\n`loss` fell by 25 %.\n\n## What is uncertain\n\n- Only one machine was asked. cc @octocat\n"


def evaluation() -> str:
    lists: dict[str, list[str]] = {name: [] for name in ("strengths", "limitations", "useful_contributions", "risks")}
    plan: dict[str, list[str]] = {"must_include": [], "must_resolve": [], "must_avoid": []}
    told = [{"candidate_id": one, "summary": "sound", **lists} for one in "ABC"]
    return json.dumps({"schema_version": SCHEMA, "candidate_assessments": told, "agreements": [], "conflicts": [], "synthesis_plan": plan})


def with_models(server: ModelServer) -> str:
    routes = "candidates: ['openai:tiny', 'openai:tiny', 'openai:tiny'], evaluator: 'openai:tiny', merger: 'openai:tiny'"
    return f"{CONFIG}fusion: {{{routes}, base_url: '{server.url}', key: GITHUB_TOKEN}}\n"


def analysis_checks(step: Step) -> list[CheckRun]:
    return [one for one in step.remote.checks.values() if one.name == "assay: analysis"]


def pull(step: Step, config: str, loss: int = 90, extra: str = "") -> Pull:
    """A pull request against a base with this config."""
    step.branch("main", {".github/assay.yml": config, "README.md": "again\n"})
    step.branch("change", {"metrics.txt": f"loss={loss}\n", "extra.sh": extra})
    return step.remote.open_pull("change")


def comment(step: Step) -> str:
    (found,) = step.remote.comments.values()
    return found.body


def test_the_offline_analysis_is_in_the_comment_and_needs_no_check_run(step: Step) -> None:
    done = step.on_pull(pull(step, CONFIG))
    assert done.code == 0, done.log
    assert "<summary>Analysis: " in comment(step)
    assert analysis_checks(step) == []
    stored = step.remote.git.run("ls-tree", "-r", "--name-only", "assay-data", "analyses/").splitlines()
    assert [path.split("/")[2] for path in stored] == KEPT


def test_the_job_s_own_token_asks_the_models_and_a_check_run_tells_of_them(step: Step) -> None:
    with model_server(*[answers(ANSWER)] * 3, answers(evaluation()), answers(ANSWER)) as server:
        done = step.on_pull(pull(step, with_models(server)))
    assert done.code == 0, done.log
    assert {one["authorization"] for one in server.headers} == {f"Bearer {step.token}"}
    (check,) = analysis_checks(step)
    assert (check.status, check.conclusion) == ("completed", "success")
    assert "25 %" in (check.summary or "")
    assert "@octocat" not in (check.summary or "") + comment(step)
    assert "openai:tiny: Only one machine was asked." in comment(step)


def test_a_failed_analysis_is_neutral_and_the_decision_is_what_it_was(step: Step) -> None:
    with model_server(refuses(429)) as server:
        done = step.on_pull(pull(step, with_models(server), loss=150))
    assert done.code == 1
    assert done.outputs["outcome"] == "discard"
    (check,) = analysis_checks(step)
    assert check.conclusion == "neutral"
    assert "429" in (check.summary or "")
    assert "<summary>Analysis: " not in comment(step)
    assert comment(step).startswith("<!-- assay:report -->\n### Regressed")


def test_the_input_can_switch_analyses_off_and_models_away(step: Step) -> None:
    with model_server(answers(ANSWER)) as server:
        number = pull(step, with_models(server))
        assert step.on_pull(number, fusion="off").code == 0
        assert "Analysis" not in comment(step)
        assert step.on_pull(number, fusion="offline", no_reuse="true").code == 0
        assert "no model was asked" in comment(step)
    assert server.asked == []


def test_no_benchmark_finds_the_key_of_the_models(step: Step) -> None:
    with model_server(refuses(500)) as server:
        config = with_models(server).replace("GITHUB_TOKEN", "MODEL_KEY")
        step.env["MODEL_KEY"] = CANARY
        done = step.on_pull(pull(step, config, extra=SEARCH))
    assert server.headers[0]["authorization"] == f"Bearer {CANARY}"
    assert CANARY not in done.log + comment(step)
    logs = "".join(path.read_text(errors="replace") for path in step.workspace.rglob(".assay/logs/**/*") if path.is_file())
    assert logs
    assert CANARY not in logs

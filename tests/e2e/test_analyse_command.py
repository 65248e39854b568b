"""`assay analyse`, and the analysis of a check, as a user meets them: with no model, with models, and with models that fail."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import CONFIG, World
from tests.fakes.model_server import Behaviour, ModelServer, answers, breaks_off_after, model_server, refuses

from assay.core.fusion.evaluation import SCHEMA

CANDIDATE = "Position: supports\n\n## Verdict\n\n`loss` fell by 25 %, from 120 to 90.\n\n## Why\n\n- It holds in every value.\n"
MERGED = (
    "## Verdict\n\n`loss` improved by 25 %, says the model. It will save 4000 dollars.\n\n"
    "## Why\n\n- See [this](https://evil.example) @octocat.\n\n## What to do\n\n- /experiment run\n"
)


PROGRAM = """\
import os, sys
if "Answer with one JSON object" in sys.stdin.read():
    print(EVALUATION)
else:
    seen = sorted(name for name in os.environ if "KEY" in name or "TOKEN" in name)
    print("## Verdict\\n\\n`loss` improved by 25 %. It saw " + " and ".join(seen) + ".")
"""


def evaluation(letters: str = "ABC") -> str:
    lists: dict[str, list[str]] = {name: [] for name in ("strengths", "limitations", "useful_contributions", "risks")}
    plan: dict[str, list[str]] = {"must_include": [], "must_resolve": [], "must_avoid": []}
    whole = {
        "schema_version": SCHEMA,
        "candidate_assessments": [{"candidate_id": one, "summary": "sound", **lists} for one in letters],
        "agreements": [],
        "conflicts": [],
        "synthesis_plan": plan,
    }
    return json.dumps(whole)


def with_models(server: ModelServer, *lines: str) -> str:
    routes = "candidates: ['openai:tiny', 'openai:tiny', 'openai:tiny'], evaluator: 'openai:tiny', merger: 'openai:tiny'"
    more = "".join(f", {line}" for line in lines)
    return f"{CONFIG}fusion: {{{routes}, base_url: '{server.url}', key: MODEL_KEY{more}}}\n"


def only_folder(world: World) -> Path:
    (folder,) = (world.repo.root / ".assay/analyses").iterdir()
    return folder


def manifest(world: World) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((only_folder(world) / "manifest.json").read_text())
    return found


def checked(world: World, config: str, **env: str) -> Any:
    base = world.project(**{".github/assay.yml": config})
    world.change()
    return world.assay("check", "--base", base, "--json", env=env)


def comment(world: World) -> str:
    return (world.repo.root / ".assay/report/comment.md").read_text()


def test_a_check_is_analysed_without_any_key(world: World) -> None:
    done = checked(world, CONFIG)
    assert done.code == 0, done.text
    assert "<details><summary>Analysis: " in comment(world)
    assert "`loss` fell by 25 %" in comment(world)
    assert "3 of 3 analysts, blind of each other; no model was asked" in comment(world)
    assert manifest(world)["state"] == "completed"
    assert "analysis" not in done.result["benchmarks"][0], "assay.result/1 has its keys and no others"


def test_switched_off_nothing_is_analysed(world: World) -> None:
    checked(world, f"{CONFIG}fusion: {{enabled: false}}\n")
    assert "Analysis" not in comment(world)
    assert not (world.repo.root / ".assay/analyses").exists()


def test_a_stored_run_is_analysed_long_after_its_check(world: World) -> None:
    run = checked(world, f"{CONFIG}fusion: {{enabled: false}}\n").bench["run_id"]
    done = world.assay("analyse", run)
    assert done.code == 0, done.text
    assert done.out.startswith("The change may stay: loss improved by 25 % (measured).\n")
    document = world.assay("analyse", run, "--json").result
    assert (document["run"], document["state"], document["usage"]["total"]) == (run, "completed", 0)
    assert document["report"]["why"]
    stored = sorted(path.name for path in (world.repo.root / ".assay/store/analyses" / document["analysis"]).iterdir())
    assert stored == ["evaluation.json", "manifest.json", "merged.md"]


@pytest.mark.parametrize("words", [("run-01JD0000000000000000000001",), ("nonsense",)])
def test_a_run_that_is_not_there_is_a_usage_error(world: World, words: tuple[str, ...]) -> None:
    world.project()
    done = world.assay("analyse", *words)
    assert (done.code, done.out) == (2, "")
    assert "The store has no run" in done.err


def test_a_base_has_no_decision_to_explain(world: World) -> None:
    checked(world, CONFIG)
    stored = [json.loads(path.read_text()) for path in (world.repo.root / ".assay/store/runs").rglob("*.json")]
    (base,) = [one["run_id"] for one in stored if one["base"] is None]
    done = world.assay("analyse", base)
    assert done.code == 2
    assert "Name the run of a head" in done.err


@pytest.mark.parametrize("routes", [("offlin",), ("offline:effect", "offline"), ("openai:",), ("command:'",)])
def test_a_route_that_is_none_is_a_usage_error(world: World, routes: tuple[str, ...]) -> None:
    run = checked(world, CONFIG).bench["run_id"]
    done = world.assay("analyse", run, *(word for route in routes for word in ("--routes", route)))
    assert done.code == 2, done.text
    assert "--routes" in done.err


def test_five_answers_of_a_model_become_one_report_held_to_the_data(world: World) -> None:
    fenced = f"```json\n{evaluation()}\n```"
    script = [answers(CANDIDATE)] * 3 + [answers(fenced), answers(evaluation()), answers(MERGED)]
    with model_server(*script) as server:
        done = checked(world, with_models(server, "price: {input: 1, output: 2}"), MODEL_KEY="k" * 20)
    assert done.code == 0, done.text
    assert len(server.asked) == 6
    page = comment(world)
    assert "`loss` improved by 25 %, says the model." in page
    assert "4000" not in page
    assert "1 sentence removed" in page
    assert "90 tokens, 0.0001 US dollars" in page
    assert not any(word in page for word in ("evil.example", "@octocat", "- /experiment"))
    assert [one["stage"] for one in manifest(world)["attempts"]].count("evaluation") == 2


@pytest.mark.parametrize("behaviour", [refuses(429), refuses(500), breaks_off_after("It imp")])
def test_models_that_fail_cost_the_analysis_and_nothing_else(world: World, behaviour: Behaviour) -> None:
    with model_server(behaviour) as server:
        done = checked(world, with_models(server), MODEL_KEY="k" * 20)
    assert done.code == 0, done.text
    assert done.bench["outcome"] == "keep"
    assert "The analysis of bench failed (candidate" in done.err
    assert "The analysis of bench failed" in comment(world)
    assert manifest(world)["state"] == "failed"


def test_a_model_that_calls_a_regression_a_gain_is_not_heard(world: World) -> None:
    wrong = "## Verdict\n\n`loss` improved by 25 % and the change should be merged.\n"
    with model_server(*[answers(CANDIDATE)] * 3, answers(evaluation()), answers(wrong)) as server:
        base = world.project(**{".github/assay.yml": with_models(server)})
        world.change("loss=150")
        done = world.assay("check", "--base", base, "--json", env={"MODEL_KEY": "k" * 20})
    assert done.code == 1
    assert "should be merged" not in comment(world)
    assert "The merged text contradicted the decision and was replaced." in comment(world)


def test_without_its_key_a_model_is_not_asked_and_the_check_goes_on(world: World) -> None:
    with model_server(answers("x")) as server:
        done = checked(world, with_models(server))
    assert (done.code, server.asked) == (0, [])
    assert "MODEL_KEY is empty" in done.err


def test_programs_answer_too_and_see_no_more_than_they_are_given(world: World) -> None:
    program = world.folder / "analyst.py"
    program.write_text(PROGRAM.replace("EVALUATION", repr(evaluation())))
    run = checked(world, f"{CONFIG}fusion: {{env: [MY_KEY]}}\n").bench["run_id"]
    env = {"MY_KEY": "1" * 20, "OTHER_KEY": "2" * 20, "GITHUB_TOKEN": "3" * 20}
    done = world.assay("analyse", run, "--routes", f"command:{sys.executable} {program}", env=env)
    assert done.code == 0, done.text
    assert "`loss` improved by 25 %. It saw MY_KEY." in done.out
    assert "what it cost is not known" in done.out


def test_interrupted_it_ends_its_programs_and_says_so_in_the_manifest(world: World) -> None:
    run = checked(world, f"{CONFIG}fusion: {{enabled: false}}\n").bench["run_id"]
    begun = world.folder / "begun"
    process = world.start("analyse", run, "--routes", f"command:sh -c 'touch {begun}; exec sleep 600'")
    while not begun.exists():
        assert process.poll() is None
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert manifest(world)["state"] == "cancelled"

"""Both actions, the code behind them, their page, the workflows and the image agree."""

import dataclasses
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay import __version__
from assay.adapters.process.privileges import PREFERRED
from assay.cli.stores import TOKENS
from assay.core import inputs, job_outputs, starter
from assay.core.inputs import DEFAULT_DATA_BRANCH, Inputs, parse_inputs

ROOT = Path(__file__).parents[2]
CONTAINER = "action.yml"
COMPOSITE = "run/action.yml"
INPUTS = (
    *("github-token", "push-token", "assay-path", "minutes", "ref", "mode", "bot-login", "config", "benchmark", "base", "head"),
    *("no-reuse", "fail-on", "data-branch", "comment", "fusion", "artifact", "allow-forks", "working-directory"),
)
DEFAULTS = {"github-token": "${{ github.token }}", "mode": "auto", "bot-login": "github-actions[bot]"}
GIVEN = {
    "config": "a.yml",
    "base": "b",
    "head": "h",
    "no-reuse": "true",
    "data-branch": "d",
    "comment": "on-change",
    "fusion": "offline",
    "benchmark": "one two",
    "fail-on": "errored",
    "allow-forks": "sha",
    "working-directory": "w",
    "minutes": "30",
    "ref": "v1.2",
    "artifact": "handover",
    "bot-login": "me[bot]",
    "mode": "plan",
    "github-token": "t",
}
"""A value other than the default for each input that has an effect."""
WORKFLOWS = sorted(
    path.relative_to(ROOT).as_posix() for folder in (".github/workflows", "examples") for path in (ROOT / folder).glob("*.yml")
)
PAGE = (ROOT / "docs" / "action.md").read_text(encoding="utf-8")


def load(name: str) -> dict[str, Any]:
    # "on" is a truth value to YAML 1.1, and so to this library
    loaded: dict[str, Any] = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    return loaded


def rows(heading: str) -> dict[str, list[str]]:
    """The table below a heading of the page: the cells after the first, by what stands in the first between backticks."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")]
    return {first.strip("`"): rest for first, *rest in cells}


def steps(name: str) -> list[dict[str, Any]]:
    """Every step of a workflow or of a composite action."""
    loaded = load(name)
    jobs = loaded["jobs"].values() if "jobs" in loaded else [loaded["runs"]]
    return [step for job in jobs for step in job.get("steps", ())]


@pytest.mark.parametrize("name", [CONTAINER, COMPOSITE])
def test_an_action_has_these_inputs_in_this_order(name: str) -> None:
    assert tuple(load(name)["inputs"]) == INPUTS


@pytest.mark.parametrize("name", [CONTAINER, COMPOSITE])
def test_an_input_not_given_is_an_empty_text_unless_it_says_what_else(name: str) -> None:
    given = load(name)["inputs"]
    assert {key: one["default"] for key, one in given.items()} == {key: DEFAULTS.get(key, "") for key in INPUTS}
    assert not any(one["required"] for one in given.values())


@pytest.mark.parametrize("name", [CONTAINER, COMPOSITE])
def test_an_action_has_the_outputs_that_are_written(name: str) -> None:
    assert tuple(load(name)["outputs"]) == job_outputs.NAMES


def test_both_actions_say_the_same_of_inputs_and_outputs() -> None:
    for part in ("inputs", "outputs"):
        one, other = load(CONTAINER)[part], load(COMPOSITE)[part]
        assert {key: value["description"] for key, value in one.items()} == {key: value["description"] for key, value in other.items()}


def test_every_input_that_is_read_is_one_of_the_action_and_the_others_say_so() -> None:
    source = Path(inputs.__file__).read_text(encoding="utf-8")
    read = set(re.findall(r"given\.\w+\(\"([a-z-]+)\"", source))
    read |= {name.removeprefix("INPUT_").lower() for name in TOKENS if "-" in name}
    assert read <= set(INPUTS)
    idle = {key for key, one in load(CONTAINER)["inputs"].items() if one["description"].startswith("Without effect yet: ")}
    assert read == set(INPUTS) - idle - {"assay-path"}  # which the composite action uses itself


@pytest.mark.parametrize("spelling", [str, lambda key: key.replace("-", "_")])
def test_every_input_reaches_the_command_in_both_spellings(spelling: Any) -> None:
    parsed = parse_inputs({f"INPUT_{spelling(key).upper()}": value for key, value in GIVEN.items()})
    unset = parse_inputs({})
    assert [one.name for one in dataclasses.fields(Inputs) if getattr(parsed, one.name) == getattr(unset, one.name)] == []


def test_the_defaults_of_an_action_change_nothing() -> None:
    written = {f"INPUT_{key.upper()}": one["default"] for key, one in load(CONTAINER)["inputs"].items() if key != "github-token"}
    assert parse_inputs(written) == parse_inputs({})


def test_what_is_said_to_hold_where_nothing_is_given_does() -> None:
    unset = parse_inputs({})
    said = {key: one["description"] for key, one in load(CONTAINER)["inputs"].items()}
    assert f"{unset.config} if not given" in said["config"]
    assert f"{DEFAULT_DATA_BRANCH} if not given" in said["data-branch"]
    assert f"{unset.allow_forks.value} if not given" in said["allow-forks"]
    assert not unset.no_reuse
    assert "false if not given" in said["no-reuse"]


def test_the_composite_action_hands_every_input_on() -> None:
    (assay,) = (step for step in steps(COMPOSITE) if step.get("id") == "assay")
    handed = {key: value for key, value in assay["env"].items() if key.startswith("INPUT_")}
    assert handed == {f"INPUT_{key.upper().replace('-', '_')}": f"${{{{ inputs.{key} }}}}" for key in INPUTS if key != "assay-path"}


def test_the_composite_action_hands_every_output_back() -> None:
    assert {key: one["value"] for key, one in load(COMPOSITE)["outputs"].items()} == {
        key: f"${{{{ steps.assay.outputs.{key} }}}}" for key in job_outputs.NAMES
    }


@pytest.mark.parametrize("name", [COMPOSITE, *WORKFLOWS])
def test_no_expression_stands_in_a_script(name: str) -> None:
    assert [step["run"] for step in steps(name) if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("name", [COMPOSITE, *WORKFLOWS])
def test_foreign_actions_are_pinned_by_commit_and_named_by_version(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    used = [line.split("uses:", 1)[1].strip() for line in text.splitlines() if "uses:" in line]
    assert len(used) == sum("uses" in step for step in steps(name))
    for one in used:
        assert re.fullmatch(r"\./run|OWNER/assay(/run)?@[0-9a-f]{40}|[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


def test_one_version_of_a_foreign_action_is_used_everywhere() -> None:
    pages = [COMPOSITE, *WORKFLOWS, "README.md", "docs/action.md"]
    pins = {pin for name in pages for pin in re.findall(r"uses: (actions/[\w-]+@\S+)", (ROOT / name).read_text(encoding="utf-8"))}
    assert len({pin.partition("@")[0] for pin in pins}) == len(pins)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_grants_nothing_but_what_a_job_asks_for(name: str) -> None:
    loaded = load(name)
    assert loaded["permissions"] == {}
    for job in loaded["jobs"].values():
        assert job["permissions"]
        assert "timeout-minutes" in job
        writes = assays(job) and mode(job) != "run" and not ("pull_request" in loaded[True] and mode(job) == "plan")  # type: ignore[index]
        needed = {"contents": "write", "checks": "write", "pull-requests": "write"} if writes else {"contents": "read"}
        if "workflow_run" in loaded[True]:  # type: ignore[index]
            needed["actions"] = "read"
        elif "issue_comment" in loaded[True] and mode(job) == "plan":  # type: ignore[index] # beside it no foreign code runs
            needed["actions"] = "write"
        elif "schedule" in loaded[True]:  # type: ignore[index]
            needed["issues"] = "write"
        elif loaded[True] == {"pull_request": {"types": ["closed"]}}:  # type: ignore[index] # it ends sessions, and reports nothing
            needed = {"contents": "write"}
        assert job["permissions"] == needed


def mode(job: dict[str, Any]) -> str:
    """The mode of the Assay in a job, empty where it is left to the event."""
    return next((step.get("with", {}).get("mode", "") for step in job["steps"] if "assay/run@" in step.get("uses", "")), "")


def assays(job: dict[str, Any]) -> bool:
    return any(step.get("uses", "").startswith(("./run", "OWNER/assay")) for step in job["steps"])


@pytest.mark.parametrize("name", [name for name in WORKFLOWS if name.startswith("examples/")])
def test_no_example_restores_a_cache(name: str) -> None:
    for job in load(name)["jobs"].values():
        for step in job["steps"]:
            assert "cache" not in step.get("uses", "")
            assert not any("cache" in key for key in step.get("with", {}))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_checkout_leaves_no_credential_and_an_assay_has_the_history(name: str) -> None:
    for job in load(name)["jobs"].values():
        for step in (step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")):
            assert step["with"]["persist-credentials"] is False
            assert step["with"].get("fetch-depth") == (0 if assays(job) else None)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_workflow_joins_strangers_code_with_rights_or_with_a_machine_of_ones_own(name: str) -> None:
    loaded = load(name)
    triggers = loaded[True]  # type: ignore[index] # YAML 1.1 takes "on" for a truth value
    assert "pull_request_target" not in triggers
    # a comment is obeyed for its author's rights, and only where it is new; its workflow file is the default branch's
    assert triggers.get("issue_comment", {"types": ["created"]}) == {"types": ["created"]}
    own = {key: job for key, job in loaded["jobs"].items() if job["runs-on"] != "ubuntu-latest"}
    assert not own or "pull_request" not in triggers
    for job in own.values():
        assert job["permissions"] == {"contents": "read"}
        assert [step["with"]["github-token"] for step in job["steps"] if "/run@" in step.get("uses", "")] == [""]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_after_another_workflow_nothing_of_its_head_is_checked_out(name: str) -> None:
    loaded = load(name)
    if "workflow_run" in loaded[True]:  # type: ignore[index]
        (job,) = loaded["jobs"].values()
        assert not any("ref" in step.get("with", {}) for step in job["steps"])
        assert [step["with"]["mode"] for step in job["steps"] if "/run@" in step.get("uses", "")] == ["report"]


def test_the_examples_are_what_init_writes() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "templates" / "workflows").glob("*.yml")}
    assert {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.yml")} == written
    assert set(written) == {name for files in starter.WORKFLOWS.values() for name in files}
    assert all(starter.PLACEHOLDER in text for text in written.values())


def test_own_workflow_runs_all_that_must_hold() -> None:
    called = " ".join(step["run"].removeprefix(".ci/run") for step in steps(".github/workflows/ci.yml") if "run" in step).split()
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    every = re.search(r"set -- ([a-z ]+)$", script, re.MULTILINE)
    assert every
    assert sorted(called) == sorted(every[1].split())


def test_own_workflow_tests_every_python_that_the_package_promises() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = [one.rpartition(" ")[2] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert load(".github/workflows/ci.yml")["jobs"]["checks"]["strategy"]["matrix"]["python"] == promised


def test_the_page_has_a_row_for_each_input_in_the_words_of_the_action() -> None:
    said = {key: [f"`{DEFAULTS[key]}`" if key in DEFAULTS else "", one["description"]] for key, one in load(CONTAINER)["inputs"].items()}
    assert rows("Inputs") == said


def test_the_page_has_a_row_for_each_output_in_the_words_of_the_action() -> None:
    assert rows("Outputs") == {key: [one["description"]] for key, one in load(CONTAINER)["outputs"].items()}


def test_the_page_lists_the_permissions_of_the_example() -> None:
    (job,) = load("examples/pull-request.yml")["jobs"].values()
    assert {tuple(key.split(": ")) for key in rows("Permissions")} == set(job["permissions"].items())


def test_the_page_shows_the_example_as_it_is() -> None:
    shown = re.search(r"```yaml\n(# Checks the benchmarks.*?)```", PAGE, re.DOTALL)
    assert shown
    assert shown[1] == (ROOT / "examples" / "pull-request.yml").read_text(encoding="utf-8")


def test_the_image_starts_the_action_without_a_shell_and_has_an_account_for_benchmarks() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    entrypoint = re.search(r"^ENTRYPOINT (.*)$", text, re.MULTILINE)
    assert entrypoint
    assert json.loads(entrypoint[1]) == ["/opt/assay/bin/assay", "action"]
    assert re.search(rf"useradd .* {PREFERRED[0]}$", text, re.MULTILINE)
    assert load(CONTAINER)["runs"] == {"using": "docker", "image": "Dockerfile"}


def test_all_that_the_wheel_is_made_from_gets_into_the_image() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    build = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"], *build["force-include"]}
    needed |= {package.split("/")[0] for package in build["packages"]}
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {line[1:] for line in ignored if line.startswith("!")} == needed
    assert "*" in ignored
    copied = set(re.findall(r"^COPY --chown=build:build (.*) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {name for names in copied for name in names.split()} == needed


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__


@pytest.mark.parametrize("name", ["run/install.sh", "run/outbox.sh", "run/analyses.sh", ".ci/run", ".ci/image", ".ci/workflows"])
def test_scripts_are_sound_bash_and_stop_at_the_first_failure(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "\nset -euo pipefail\n" in text
    subprocess.run(["bash", "-n", str(ROOT / name)], check=True)

"""What the doctor says of machines, jobs and workflows: each thing that is wrong, with what mends it, and nothing of what is right."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.checkup import Finding, State, Surroundings, of_job, of_machine, worst
from assay.core.workflow_checkup import of_workflow

TEMPLATES = Path(__file__).parents[3] / "templates" / "workflows"
SHA = "0123456789abcdef0123456789abcdef01234567"
GOOD = (TEMPLATES / "pull-request.yml").read_text(encoding="utf-8").replace("@" + "0" * 40, f"@{SHA}").replace("OWNER/", "me/")
COMMENTS = (TEMPLATES / "comments.yml").read_text(encoding="utf-8").replace("@" + "0" * 40, f"@{SHA}").replace("OWNER/", "me/")
SPLIT = (TEMPLATES / "gpu-comments.yml").read_text(encoding="utf-8").replace("@" + "0" * 40, f"@{SHA}").replace("OWNER/", "me/")
MERGED = (TEMPLATES / "merged.yml").read_text(encoding="utf-8").replace("@" + "0" * 40, f"@{SHA}").replace("OWNER/", "me/")
WIDE = ("permissions", State.WARN, "checks: write, pull-requests: write, contents: write")
LATE = f"on: push\npermissions: NEEDED\njobs: {{a: {{steps: [{{uses: me/assay/run@{SHA}}}, {{uses: actions/checkout@{SHA}}}]}}}}"
LATE = LATE.replace("NEEDED", "{checks: write, pull-requests: write, contents: write}")
SOUND = Surroundings(
    python=(3, 12),
    git=(2, 43),
    shallow=False,
    runtime=None,
    gpus=0,
    told=True,
    company=0,
    held=(),
    hosted=True,
    public=True,
    ephemeral=None,
    root=False,
    barrier="",
    tracked=False,
    credentials=(),
    writable=True,
)


def one(findings: Any) -> Finding:
    (found,) = [each for each in findings if each.state is not State.OK]
    assert isinstance(found, Finding)
    assert found.mend
    return found


def test_nothing_is_wrong_with_what_init_writes_once_the_action_is_named() -> None:
    for path in TEMPLATES.glob("*.yml"):
        text = path.read_text(encoding="utf-8").replace("@" + "0" * 40, f"@{SHA}").replace("OWNER/", "me/")
        assert list(of_workflow(path.name, text)) == []


@pytest.mark.parametrize(
    ("text", "check", "state", "mend"),
    [
        (GOOD.replace(f"@{SHA}", "@v1"), "pin", State.WARN, "full commit id"),
        (MERGED.replace("contents: write", "contents: read"), "permissions", State.WARN, "contents: write"),
        (GOOD.replace(f"me/assay/run@{SHA}", f"OWNER/assay/run@{'0' * 40}"), "pin", State.FAIL, "full id"),
        (GOOD.replace("fetch-depth: 0", "fetch-depth: 1"), "history", State.FAIL, "fetch-depth: 0"),
        (GOOD.replace("persist-credentials: false", "persist-credentials: true"), "credentials", State.FAIL, "persist-credentials: false"),
        (GOOD.replace("checks: write", "checks: read"), "permissions", State.WARN, "checks: write"),
        (GOOD.replace("pull-requests: write", "issues: write"), "permissions", State.WARN, "pull-requests: write"),
        (GOOD.replace("runs-on: ubuntu-latest", "runs-on: [self-hosted, gpu]"), "runner", State.WARN, "gpu-comments"),
        (GOOD.replace("  pull_request:\n", "  pull_request_target:\n"), "trigger", State.FAIL, "pull_request"),
        (GOOD.replace("- uses: actions/checkout@", "- uses: actions/setup-node@"), "checkout", State.FAIL, "fetch-depth: 0"),
        (GOOD.replace("permissions: {}", "permissions: write-all").replace("    permissions:\n", "    env:\n"), *WIDE),
        (LATE, "checkout", State.FAIL, "fetch-depth: 0"),
        (COMMENTS.replace("    types: [created]", "    types: [created, edited]"), "trigger", State.WARN, "[created]"),
        (SPLIT.replace("      contents: read\n", "      contents: write\n"), "permissions", State.WARN, "contents: read"),
        (GOOD + "  bad: [\n", "workflow", State.FAIL, "actionlint"),
    ],
)
def test_a_planted_mistake_in_a_workflow_is_found(text: str, check: str, state: State, mend: str) -> None:
    assert text not in (GOOD, COMMENTS, SPLIT)
    found = one(of_workflow("w.yml", text))
    assert (found.check, found.state) == (check, state)
    assert "w.yml" in found.what
    assert mend in found.mend


def test_a_token_that_may_only_read_lacks_each_right() -> None:
    text = GOOD.replace("permissions: {}", "permissions: read-all").replace("    permissions:\n", "    env:\n")
    assert [found.mend for found in of_workflow("w.yml", text)] == [
        f"Add `{name}: write` to its permissions." for name in ("checks", "pull-requests", "contents")
    ]


def test_one_type_of_comment_may_stand_without_brackets() -> None:
    assert list(of_workflow("w.yml", COMMENTS.replace("types: [created]", "types: created"))) == []


@pytest.mark.parametrize("text", ["", "[]", "3", "jobs: 3", "jobs: {a: 3}", "jobs: {a: {steps: 3}}", "jobs: {a: {steps: [3, {uses: 3}]}}"])
def test_what_is_no_workflow_of_ours_says_nothing(text: str) -> None:
    assert list(of_workflow("w.yml", text)) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    )
)
def test_any_shape_of_a_job_is_taken(value: Any) -> None:
    import json

    text = json.dumps(
        {
            "on": value,
            "permissions": value,
            "jobs": {"a": {"runs-on": value, "permissions": value, "steps": [{"uses": "./run", "with": value}]}},
        }
    )
    assert all(isinstance(each, Finding) for each in of_workflow("w.yml", text))


@pytest.mark.parametrize(
    ("changes", "check", "state"),
    [
        ({"python": (3, 10)}, "python", State.FAIL),
        ({"git": (2, 30)}, "git", State.FAIL),
        ({"git": None}, "git", State.FAIL),
        ({"shallow": True}, "history", State.FAIL),
        ({"root": True, "barrier": "/root is closed"}, "account", State.WARN),
        ({"tracked": True}, "store", State.FAIL),
        ({"writable": False}, "store", State.FAIL),
    ],
)
def test_a_planted_fault_of_the_machine_is_found(changes: dict[str, Any], check: str, state: State) -> None:
    found = one(of_machine(replace(SOUND, **changes), wants_gpu=False))
    assert (found.check, found.state) == (check, state)


@pytest.mark.parametrize(
    ("gpus", "runtime", "states"), [(0, None, ["fail"]), (None, None, ["unknown"]), (2, "runc", ["warn"]), (2, "nvidia", [])]
)
def test_a_gpu_is_missed_where_the_config_wants_one_only(gpus: int | None, runtime: str | None, states: list[str]) -> None:
    facts = replace(SOUND, gpus=gpus, runtime=runtime)
    assert [each.state.value for each in of_machine(facts, wants_gpu=True) if each.state is not State.OK] == states
    assert all(each.state is State.OK for each in of_machine(facts, wants_gpu=False))


def test_a_gpu_that_cannot_be_watched_or_has_company_is_told() -> None:
    fine = replace(SOUND, gpus=1)
    assert one(of_machine(replace(fine, told=False), wants_gpu=True)).mend.endswith("'nvidia-ml-py>=12.535'.")
    assert "nvidia-smi" in one(of_machine(replace(fine, company=2), wants_gpu=True)).mend
    assert "0000:17:00.0" in one(of_machine(replace(fine, held=("0000:17:00.0",)), wants_gpu=True)).what


def test_a_credential_and_a_lasting_runner_are_found_in_a_job() -> None:
    assert list(of_job(SOUND)) == []
    assert one(of_job(replace(SOUND, credentials=("/w/.git/config",)))).check == "credentials"
    lasting = replace(SOUND, hosted=False)
    assert one(of_job(lasting)).check == "runner"
    for fine in (replace(lasting, ephemeral=True), replace(lasting, public=False)):
        assert list(of_job(fine)) == []


def test_the_worst_state_of_all_counts() -> None:
    assert worst([]) is State.OK
    assert worst([Finding("a", State.OK, ""), Finding("b", State.FAIL, ""), Finding("c", State.WARN, "")]) is State.FAIL

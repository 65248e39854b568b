"""A step in the harness gets what the runner gives a container action, no more, and is ended as the runner ends it."""

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.fakes.github import payloads
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.hub import Hub
from tests.harness.action_inputs import inputs_of, system_path
from tests.harness.checkout import Credentials
from tests.harness.container_action import CANARY, RUNNER_UID, ContainerAction
from tests.harness.file_commands import FileCommandError
from tests.harness.job import Job
from tests.harness.ownership import may_give
from tests.harness.step import Patience, Running
from tests.harness.waiting import until
from tests.repositories import Sandbox

SHORT = Patience(after_int=0.2, after_term=0.2)
OBSERVE = "import json, os, sys; json.dump({'env': dict(os.environ), 'cwd': os.getcwd()}, sys.stdout)"


@pytest.fixture
def job(hub: Hub, tmp_path: Path) -> Job:
    local = Sandbox(tmp_path / "local")
    local.commit({"bench.sh": "echo METRIC loss=2\n"}, "first")
    local.commit({"bench.sh": "echo METRIC loss=1\n"}, "second")
    local.git("checkout", "-q", "-b", "change")
    local.commit({"bench.sh": "echo METRIC loss=0\n"}, "change")
    repo = hub.create_repository("ada/lab", local.root)
    pull = repo.open_pull("change")
    return Job(hub, repo, "pull_request", payloads.pull_request(repo, pull), hub.job_token(repo))


@pytest.fixture
def action(job: Job, tmp_path: Path) -> ContainerAction:
    inputs = {"github-token": job.token, "data-branch": "assay-data", "with space": "x"}
    return ContainerAction(tmp_path / "runner", job, inputs, system_path())


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def seen(action: ContainerAction) -> tuple[Mapping[str, str], str]:
    found = json.loads(action.run(python(OBSERVE)).log)
    return found["env"], found["cwd"]


def test_inputs_keep_their_dashes_and_are_upper_case(action: ContainerAction, job: Job) -> None:
    env, _ = seen(action)
    named = {name: value for name, value in env.items() if name.startswith("INPUT_")}
    assert named == {"INPUT_GITHUB-TOKEN": job.token, "INPUT_DATA-BRANCH": "assay-data", "INPUT_WITH_SPACE": "x"}


def test_the_token_is_in_its_input_and_nowhere_else(action: ContainerAction, job: Job) -> None:
    env, _ = seen(action)
    assert [name for name, value in env.items() if job.token in value] == ["INPUT_GITHUB-TOKEN"]
    assert {"GITHUB_TOKEN", "GH_TOKEN"} & env.keys() == set()
    assert {name for name, value in env.items() if value == CANARY} == {"ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"}


def test_a_step_starts_in_the_workspace_with_a_home_of_the_jobs(action: ContainerAction) -> None:
    env, cwd = seen(action)
    assert cwd == env["GITHUB_WORKSPACE"] == str(action.workspace)
    assert env["HOME"].endswith("/github/home")
    assert Path(env["GITHUB_OUTPUT"]).parent.name == "file_commands"


def test_a_pull_request_names_its_merge_and_its_branches(action: ContainerAction, job: Job) -> None:
    env, _ = seen(action)
    assert (env["GITHUB_REF"], env["GITHUB_SHA"]) == ("refs/pull/1/merge", job.repo.pulls[1].merge_sha)
    assert (env["GITHUB_HEAD_REF"], env["GITHUB_BASE_REF"]) == ("change", "main")
    assert json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text())["number"] == 1
    assert (env["GITHUB_API_URL"], env["GITHUB_REPOSITORY"]) == (job.hub.url, "ada/lab")


def test_other_events_start_where_their_payload_says(job: Job) -> None:
    repo = job.repo
    comment = repo.comment(1, "/experiment run", repo.owner)
    group = payloads.merge_group(repo, repo.pulls[1])
    wanted = {
        "push": (payloads.push(repo, "change"), "refs/heads/change"),
        "merge_group": (group, group["merge_group"]["head_ref"]),
        "issue_comment": (payloads.issue_comment(repo, comment), "refs/heads/main"),
        "workflow_dispatch": (payloads.workflow_dispatch(repo, {}, ref="refs/heads/change"), "refs/heads/change"),
        "schedule": (payloads.schedule(repo), "refs/heads/main"),
    }
    for name, (event, ref) in wanted.items():
        made = Job(job.hub, repo, name, event, job.token)
        env = made.environment()
        assert (env["GITHUB_REF"], env["GITHUB_SHA"]) == (ref, repo.git.refs()[ref]), name
        assert env["GITHUB_HEAD_REF"] == env["GITHUB_BASE_REF"] == "", name


def test_outputs_state_and_summary_are_read_back(action: ContainerAction) -> None:
    write = """
import os
open(os.environ['GITHUB_OUTPUT'], 'a').write('one=1\\ntext<<END\\na=b\\n<<\\nEND\\n')
open(os.environ['GITHUB_STATE'], 'a').write('kept=yes\\n')
open(os.environ['GITHUB_STEP_SUMMARY'], 'a').write('# Verdict\\n')
raise SystemExit(3)
"""
    done = action.run(python(write))
    assert (done.code, done.outputs, done.state) == (3, {"one": "1", "text": "a=b\n<<"}, {"kept": "yes"})
    assert (done.summary, done.env, done.path) == ("# Verdict\n", {}, "")


def test_a_malformed_output_fails_the_step(action: ContainerAction) -> None:
    with pytest.raises(FileCommandError, match="delimiter not found"):
        action.run(python("import os; open(os.environ['GITHUB_OUTPUT'], 'a').write('a<<END\\nb\\n')"))


def test_a_summary_over_a_mebibyte_is_lost(action: ContainerAction) -> None:
    assert action.run(python("import os; open(os.environ['GITHUB_STEP_SUMMARY'], 'a').write('x' * (2**20 + 1))")).summary == ""


def test_both_streams_are_one_log(action: ContainerAction) -> None:
    assert action.run(["sh", "-c", "echo one; echo two >&2; echo three"]).log == "one\ntwo\nthree\n"


def test_files_left_behind_are_named_with_their_owner(action: ContainerAction) -> None:
    action.checkout()
    done = action.run(["sh", "-c", "mkdir out; echo 1 > out/new; echo 2 > $HOME/cache; git init -q other"])
    foreign = {name for name in done.foreign if "/other/" not in name}
    expected = {"workspace/out", "workspace/out/new", "workspace/other", "home/cache"}
    assert foreign == (expected if may_give() else set())
    assert set(done.foreign.values()) <= {os.geteuid()}


def test_the_workspace_is_another_accounts_where_it_can_be(action: ContainerAction) -> None:
    action.checkout()
    owner = RUNNER_UID if may_give() else os.geteuid()
    assert {path.lstat().st_uid for path in (action.workspace, action.workspace / ".git" / "HEAD", action.event_path)} == {owner}
    dubious = action.run(["git", "status"]).log
    assert ("dubious ownership" in dubious) == may_give()


def wait_for(step: Running, text: str) -> None:
    until(lambda: text in step.log or step.process.poll() is not None, lambda: step.log)
    assert text in step.log


def test_a_cancelled_step_hears_int_first(action: ContainerAction) -> None:
    step = action.start(["sh", "-c", "trap 'echo heard INT; exit 130' INT; echo ready; while :; do sleep 0.01; done"])
    wait_for(step, "ready")
    done = step.cancel()
    assert (done.code, done.killed) == (130, False)
    assert done.log.endswith("heard INT\n")


def test_a_step_that_ignores_int_hears_term_and_then_nothing(action: ContainerAction) -> None:
    patient = action.start(["sh", "-c", "trap '' INT; trap 'echo heard TERM; exit 143' TERM; echo ready; while :; do sleep 0.01; done"])
    wait_for(patient, "ready")
    assert patient.cancel(SHORT).log.endswith("heard TERM\n")
    deaf = action.start(["sh", "-c", "trap '' INT TERM; echo ready; while :; do sleep 0.01; done"])
    wait_for(deaf, "ready")
    done = deaf.cancel(SHORT)
    assert (done.code, done.killed) == (-signal.SIGKILL, True)


def test_the_runners_patience_is_its_own() -> None:
    assert Patience() == Patience(7.5, 2.5)


def git(action: ContainerAction, *words: str) -> str:
    done = action.run(["git", "-c", f"safe.directory={action.workspace}", *words])
    assert done.code == 0, done.log
    return done.log.strip()


def test_a_checkout_at_depth_one_has_the_merge_and_no_history(action: ContainerAction, job: Job) -> None:
    action.checkout()
    assert git(action, "rev-parse", "HEAD") == job.repo.pulls[1].merge_sha
    assert git(action, "rev-parse", "--is-shallow-repository", "--symbolic-full-name", "HEAD") == "true\nHEAD"
    assert git(action, "rev-list", "--count", "HEAD") == "1"
    assert git(action, "for-each-ref", "--format=%(refname)") == "refs/remotes/pull/1/merge"


def test_a_whole_checkout_of_a_branch_is_on_it_with_all_branches(action: ContainerAction, job: Job) -> None:
    action.checkout(ref="refs/heads/change", depth=0)
    assert git(action, "rev-parse", "--is-shallow-repository", "--symbolic-full-name", "HEAD") == "false\nrefs/heads/change"
    assert git(action, "rev-list", "--count", "HEAD") == "3"
    assert "refs/remotes/origin/main" in git(action, "for-each-ref", "--format=%(refname)").splitlines()


def test_a_checkout_of_the_head_is_of_its_sha(action: ContainerAction, job: Job) -> None:
    head = job.repo.pulls[1].head_sha
    action.checkout(ref=head, sha=head)
    assert git(action, "rev-parse", "HEAD") == head


@pytest.mark.parametrize(("credentials", "kept"), [(Credentials.NONE, False), (Credentials.CONFIG, True), (Credentials.INCLUDE, True)])
def test_the_token_stays_in_git_only_if_it_is_persisted(action: ContainerAction, job: Job, credentials: Credentials, kept: bool) -> None:
    job.repo.private = True
    action.checkout(credentials=credentials)
    reached = action.run(["git", "-c", f"safe.directory={action.workspace}", "-c", "core.askPass=true", "ls-remote", "origin", "HEAD"])
    assert (reached.code == 0) == kept, reached.log
    config = (action.workspace / ".git" / "config").read_text()
    assert ("AUTHORIZATION" in config) == (credentials is Credentials.CONFIG)


def test_inputs_are_filled_from_the_actions_defaults(tmp_path: Path) -> None:
    path = tmp_path / "action.yml"
    path.write_text(
        "inputs:\n  github-token: {default: '${{ github.token }}'}\n  mode: {default: auto}\n  base: {}\n  no-reuse: {default: false}\n"
    )
    assert inputs_of(path, "t", mode="plan") == {"github-token": "t", "mode": "plan", "base": "", "no-reuse": "false"}
    with pytest.raises(LookupError, match="has no input tempo"):
        inputs_of(path, "t", tempo="fast")

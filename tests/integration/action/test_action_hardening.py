"""What the action does with bad input, hostile benchmarks, a checkout of somebody else's, and an end in the middle."""

import os
import re
import signal
from collections.abc import Mapping

import pytest
from tests.harness.waiting import until
from tests.integration.action.conftest import Done, Step

BETTER = {"metrics.txt": "loss=90\n"}
TIMEOUT_S = 60.0


def opened(step: Step, files: Mapping[str, str] = BETTER) -> Done:
    """A run on a pull request with these files."""
    step.branch("faster", dict(files))
    return step.on_pull(step.remote.open_pull("faster"))


def one_paragraph(done: Done, exit_code: int, *said: str) -> None:
    """One error annotation with what happened and what to do, the same in the summary, nothing else."""
    assert done.code == exit_code, done.log
    (line,) = [line for line in done.log.splitlines() if line.startswith("::error")]
    assert "→" in line
    for words in said:
        assert words in line
    assert "Assay could not finish" in done.summary


def test_a_payload_that_is_not_json(step: Step) -> None:
    step.checkout("refs/heads/main")
    one_paragraph(step.run("pull_request", "{"), 2, "not JSON", "GITHUB_EVENT_PATH")


def test_a_payload_without_a_field(step: Step) -> None:
    step.checkout("refs/heads/main")
    one_paragraph(step.run("pull_request", {"number": 1}), 2, "`pull_request.head")


@pytest.mark.parametrize("event", ["gollum", "deployment", "pull_request_target"])
def test_an_event_that_is_not_handled(step: Step, event: str) -> None:
    step.checkout("refs/heads/main")
    one_paragraph(step.run(event, {}), 2, event, "pull_request")


def test_the_mode_schedule_is_for_events_of_its_own(step: Step) -> None:
    step.checkout("refs/heads/main")
    facts = {"ref": "refs/heads/main", "after": step.remote.git.branch("main"), "repository": {"default_branch": "main", "private": True}}
    one_paragraph(step.run("push", facts, mode="schedule"), 2, "The mode schedule is for schedule")


def test_without_a_token(step: Step) -> None:
    step.branch("faster", BETTER)
    step.env["INPUT_GITHUB-TOKEN"] = ""
    one_paragraph(step.on_pull(step.remote.open_pull("faster")), 2, "github-token")


def test_a_token_that_is_not_accepted_costs_no_measurement(step: Step) -> None:
    step.hub.revoke(step.token)
    done = opened(step)
    assert done.code == 0, done.log
    assert "does not accept the token" in done.log
    assert "Improved" in done.summary


def test_a_variable_of_the_job_that_is_missing(step: Step) -> None:
    step.checkout("refs/heads/main")
    step.env["GITHUB_REPOSITORY"] = ""
    one_paragraph(step.run("push", {}), 2, "GITHUB_REPOSITORY is not set")


def test_a_workspace_that_is_no_repository(step: Step) -> None:
    step.workspace.mkdir()
    pull = {"ref": "refs/heads/main", "after": "a" * 40, "repository": {"default_branch": "main"}}
    one_paragraph(step.run("push", pull), 2, "actions/checkout")


def test_a_checkout_of_depth_one_lacks_the_commits(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge", "--depth=1")
    one_paragraph(step.run("pull_request", payload), 2, "shallow", "fetch-depth: 0")


def test_a_config_that_is_wrong(step: Step) -> None:
    step.author.commit({".github/assay.yml": "version: 1\nbenchmarks: {bench: {rnu: x}}\n"})
    step.push("main")
    one_paragraph(opened(step), 2, ".github/assay.yml:2")


def test_a_link_in_the_place_of_our_folder(step: Step) -> None:
    step.author.root.joinpath(".assay").symlink_to(step.folder / "home")
    one_paragraph(opened(step), 2, "symbolic link")
    assert list((step.folder / "home").iterdir()) == []


def test_our_files_belong_to_the_workspace_s_owner_and_its_repository_is_read_all_the_same(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    if os.geteuid() == 0:  # as in a container; for anybody else there is only one owner
        for path in (step.workspace, *step.workspace.rglob("*")):
            os.chown(path, 1001, 1001, follow_symlinks=False)
    done = step.run("pull_request", payload)
    assert done.code == 0, done.log
    owner = step.workspace.stat()
    made = list((step.workspace / ".assay").rglob("*"))
    assert made
    assert {(path.lstat().st_uid, path.lstat().st_gid) for path in made} == {(owner.st_uid, owner.st_gid)}


def test_a_credential_in_the_checkout_is_warned_of(step: Step) -> None:
    step.branch("faster", BETTER)
    pull = step.remote.open_pull("faster")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    step.author.git("config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic c2VjcmV0", cwd=step.workspace)
    before = (step.workspace / ".git" / "config").stat().st_mode
    done = step.run("pull_request", payload)
    assert done.code == 0, done.log
    assert "persist-credentials: false" in done.err
    assert "c2VjcmV0" not in done.log
    assert (step.workspace / ".git" / "config").stat().st_mode == before


def test_a_benchmark_finds_the_token_neither_in_its_environment_nor_in_that_of_any_process(step: Step) -> None:
    step.env["ACTIONS_RUNTIME_TOKEN"] = f"{step.token}-runtime"
    done = opened(step, {**BETTER, "extra.sh": "echo looked; env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'\n"})
    assert done.code == 0, done.log
    logs = [path.read_text(errors="replace") for path in step.workspace.glob(".assay/logs/*/*.log")]
    assert all("looked" in text for text in logs if "loss=90" in text)
    assert logs
    assert not any(step.token in text for text in logs)


def test_what_a_benchmark_prints_gives_the_runner_no_order(step: Step) -> None:
    lines = "::error::forged\n::add-mask::loss\n##[error]forged\n::set-output name=conclusion::success\n::stop-commands::x\n"
    done = opened(step, {"metrics.txt": "other=1\n", "extra.sh": f"cat <<'E'\n{lines}E\n"})
    assert done.code == 1, done.log
    first, mark = re.search(r"^::stop-commands::([0-9a-f]{32})$", done.out, re.MULTILINE), ""
    assert first
    mark = first[1]
    obeyed = done.out[: first.start()] + done.out.split(f"\n::{mark}::\n")[-1]
    assert "::error::forged" not in obeyed.splitlines()
    assert "##[" not in done.log
    assert not any(line.startswith(("::add-mask", "::set-output")) for line in obeyed.splitlines() + done.err.splitlines())


def test_a_benchmark_that_reaches_the_runner_s_files_changes_nothing_and_fails_the_job(step: Step) -> None:
    done = opened(step, {**BETTER, "extra.sh": f"echo LD_PRELOAD=/tmp/x.so >>{step.folder}/env || true\n"})
    assert (step.folder / "env").read_bytes() == b""
    assert done.code == 4, done.log  # no other account can use pytest's folders, so even root's benchmarks run as root here
    assert "GITHUB_ENV" in done.log
    assert "Improved" in done.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_cancelled_job_closes_its_check_run_and_leaves_nothing_running(step: Step, number: signal.Signals) -> None:
    (step.folder / "marks").mkdir()
    (step.folder / "marks").chmod(0o1777)
    mark = step.folder / "marks" / "started"
    head = step.branch("faster", {**BETTER, "extra.sh": f"touch {mark}; sleep 1000\n"})
    pull = step.remote.open_pull("faster")
    payload = step.pull_request(pull)
    step.checkout(f"refs/pull/{pull.number}/merge")
    process = step.start("pull_request", payload)
    until(mark.exists)
    process.send_signal(number)
    done = step.finish(process)
    assert done.code == 130, done.log
    (check,) = [one for one in step.remote.checks.values() if one.head_sha == head]
    assert (check.status, check.conclusion) == ("completed", "cancelled")
    assert {run["status"] for run in step.stored()} == {"cancelled"}

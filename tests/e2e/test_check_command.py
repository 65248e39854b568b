"""`assay check` from nothing to a verdict: exit codes, files, messages, and what it never touches."""

import json
import os
import re
import shlex
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.conftest import CONFIG, World
from tests.environments import make_job

from assay import __version__


def until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    """Poll a condition with a deadline."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "the condition never held"
        os.sched_yield()


def test_a_better_head_is_kept_with_all_four_files(world: World) -> None:
    base = world.project()
    head = world.change()
    done = world.assay("check", "--base", base, "--json")
    assert done.code == 0, done.text
    assert (done.result["base"], done.result["head"], done.bench["outcome"]) == (base, head, "keep")
    report = world.repo.root / ".assay/report"
    assert {path.name for path in report.iterdir()} == {"comment.md", "check.json", "summary.md", "result.json"}
    assert json.loads((report / "result.json").read_text()) == done.result
    assert (report / "comment.md").read_text().startswith("<!-- assay:report -->\n")
    assert json.loads((report / "check.json").read_text())["checks"][0]["external_id"] == done.bench["run_id"]


def test_people_are_told_the_verdict_first_and_where_the_files_are(world: World) -> None:
    base = world.project()
    world.change()
    done = world.assay("check", "--base", base)
    assert done.out.splitlines()[0].startswith("bench: Improved: loss 120 → 90")
    assert ".assay/report/comment.md" in done.out


def test_a_regression_is_exit_1_and_reused_it_still_is(world: World) -> None:
    base = world.project()
    world.change("loss=150")
    assert world.assay("check", "--base", base).code == 1
    again = world.assay("check", "--base", base, "--json")
    assert (again.code, again.bench["status"], again.bench["outcome"]) == (1, "reused", "discard")


def test_other_installed_packages_and_another_python_stop_reuse(world: World) -> None:
    job = make_job(world.folder / "job", "--without-pip")
    env = {"PATH": f"{job.bin}:{world.env['PATH']}"}
    base = world.project()
    world.change()
    assert world.assay("check", "--base", base, env=env).code == 0
    assert world.assay("check", "--base", base, "--json", env=env).bench["status"] == "reused"
    (job.site / "lab-2.0.dist-info").mkdir()
    again = world.assay("check", "--base", base, "--json", env=env).bench
    assert (again["status"], again["reuse"]["reasons"][0]["rung"]) == ("measured", "environment")
    assert "packages" in again["reuse"]["reasons"][0]["detail"]
    (job.bin / "python").unlink()
    (job.bin / "python").write_text(f"#!/bin/sh\n'{job.bin}/python3' \"$@\" | sed s/cpython/otherpython/\n")
    (job.bin / "python").chmod(0o755)
    again = world.assay("check", "--base", base, "--json", env=env).bench
    assert again["status"] == "measured"
    assert "python is cpython" in again["reuse"]["reasons"][0]["detail"]


def test_fail_on_stands_in_for_the_config(world: World) -> None:
    base = world.project()
    world.change("loss=150")
    assert world.assay("check", "--base", base, "--fail-on", "errored").code == 0
    refused = world.assay("check", "--base", base, "--fail-on", "regresed")
    assert refused.code == 2
    assert "regresed" in refused.err


def test_an_undecided_answer_is_exit_3_only_when_asked(world: World) -> None:
    base = world.project("other=1")
    world.change("loss=1")
    assert world.assay("check", "--base", base).code == 0
    assert world.assay("check", "--base", base, "--fail-on", "undecided").code == 3


def test_on_the_default_branch_the_commit_before_head_is_the_base(world: World) -> None:
    first = world.project()
    world.change()
    done = world.assay("check", "--json")
    assert done.result["base"] == first
    assert "the commit before head" in done.err


def test_base_is_where_head_left_the_branch(world: World) -> None:
    first = world.project()
    world.repo.git("checkout", "-q", "-b", "feature")
    world.change()
    world.repo.git("checkout", "-q", "main")
    world.change("loss=500")
    done = world.assay("check", "--base", "main", "--head", "feature", "--json")
    assert (done.result["base"], done.bench["outcome"]) == (first, "keep")


def test_nothing_of_the_users_is_touched(world: World) -> None:
    base = world.project(_dot_gitignore=".assay/\nbuild/\n")
    head = world.change()
    world.repo.write({"build/cache": "ignored\n", "todo.txt": "untracked\n", "metrics.txt": "loss=1\n"})
    world.repo.git("stash")
    world.repo.write({"README.md": "unsaved\n"})
    before = {path: facts for path, facts in world.repo.snapshot().items() if not path.startswith(".assay")}
    done = world.assay("check", "--base", base, "--head", head, "--json")
    assert done.bench["comparisons"][0]["head"] == [90] * 4
    assert {path: facts for path, facts in world.repo.snapshot().items() if not path.startswith(".assay")} == before
    assert "uncommitted changes" in done.err
    assert not list((world.folder / "tmp").glob("assay-*"))


def test_the_folder_of_assay_keeps_itself_out_of_git(world: World) -> None:
    base = world.project()
    world.change()
    world.assay("check", "--base", base)
    assert world.repo.git("status", "--porcelain") == ""


def test_without_a_config_a_command_is_judged_by_its_metric(world: World) -> None:
    base = world.repo.commit({"out.txt": "METRIC x=2\n"})
    world.repo.commit({"out.txt": "METRIC x=1\n"})
    done = world.assay("check", "--base", base, "--run", "cat out.txt", "--better", "lower", "--json")
    assert (done.code, done.bench["comparisons"][0]["metric"], done.bench["outcome"]) == (0, "x", "keep")


def test_without_a_config_a_silent_command_is_timed(world: World) -> None:
    base = world.repo.commit({"out.txt": "0.8\n"})
    world.repo.commit({"out.txt": "0.05\n"})  # so far apart that no busy machine can turn it
    done = world.assay("check", "--base", base, "--run", "cat out.txt; sleep $(cat out.txt)", "--json")
    comparison = done.bench["comparisons"][0]
    assert (done.code, comparison["metric"], comparison["verdict"]) == (0, "wall_time", "improved")
    assert all(0.8 <= value < 100 for value in comparison["base"])
    assert all(0.05 <= value < 100 for value in comparison["head"])


def test_a_benchmark_that_prints_nothing_shows_its_output_and_the_line_to_add(world: World) -> None:
    base = world.project()
    world.change("", extra="for n in 1 2 3; do echo step $n; done")
    done = world.assay("check", "--base", base)
    assert done.code == 1
    assert "METRIC loss=" in done.out
    assert "step 3" in done.out


def test_a_missing_command_is_explained(world: World) -> None:
    base = world.project()
    config = CONFIG.replace("sh bench.sh", "no-such-program --fast")
    world.repo.commit({".github/assay.yml": config, "metrics.txt": "loss=1\n"})
    done = world.assay("check", "--base", base)
    assert done.code == 1
    assert "no-such-program" in done.out
    assert "not found" in done.out


def test_outside_a_repository_git_is_named(world: World) -> None:
    done = world.assay("check", cwd=world.folder / "home")
    assert done.code == 2
    assert "git" in done.err


def test_a_repository_without_a_commit_is_explained(world: World) -> None:
    world.repo.write({".github/assay.yml": CONFIG})
    done = world.assay("check")
    assert done.code == 2
    assert "commit" in done.err


def test_the_first_commit_has_nothing_to_be_judged_against(world: World) -> None:
    world.project()
    done = world.assay("check")
    assert done.code == 2
    assert "first commit" in done.err


def test_a_missing_config_says_where_it_belongs_and_how_to_do_without(world: World) -> None:
    world.repo.commit({"x": "1\n"})
    done = world.assay("check")
    assert done.code == 2
    assert ".github/assay.yml" in done.err
    assert "--run" in done.err


def test_an_unknown_ref_is_named(world: World) -> None:
    world.project()
    done = world.assay("check", "--base", "no-such-branch")
    assert done.code == 2
    assert "no-such-branch" in done.err


@pytest.mark.parametrize("ref", ["--upload-pack=x", "-x", "HEAD;id", "$(id)", "../..", "a b"])
def test_a_ref_is_never_an_option_or_a_command(world: World, ref: str) -> None:
    world.project()
    assert world.assay("check", f"--base={ref}").code == 2


def test_a_shallow_clone_without_the_base_says_how_to_deepen_it(world: World) -> None:
    world.project()
    world.repo.git("checkout", "-q", "-b", "feature")
    world.change()
    world.repo.git("checkout", "-q", "main")
    world.change("loss=1")
    clone = world.folder / "clone"
    world.repo.git("clone", "-q", "--depth", "1", "--no-single-branch", f"file://{world.repo.root}", str(clone), cwd=world.folder)
    done = world.assay("check", "--base", "origin/main", "--head", "origin/feature", cwd=clone)
    assert done.code == 4
    assert "unshallow" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--better", "lower"), "--run"),
        (("--run", "true", "--better", "faster"), "faster"),
        (("--run", "true", "--benchmark", "bench"), "--benchmark"),
        (("--store", "branch"), "origin"),
        (("--store", "elsewhere"), "dir:PATH"),
        (("--benchmark", "bensh"), "bench"),
    ],
)
def test_options_that_cannot_be_meant_are_refused_before_anything_runs(world: World, words: tuple[str, ...], said: str) -> None:
    base = world.project()
    world.change()
    done = world.assay("check", "--base", base, *words)
    assert done.code == 2
    assert said in done.err


def test_a_folder_for_reports_that_cannot_be_made_is_told_before_anything_runs(world: World) -> None:
    base = world.project()
    world.change()
    done = world.assay("check", "--base", base, "--out", str(world.repo.root / "README.md" / "x"))
    assert done.code == 2
    assert not (world.repo.root / ".assay/store").exists()


def test_a_store_elsewhere_is_used(world: World) -> None:
    base = world.project()
    world.change()
    store = world.folder / "store"
    assert world.assay("check", "--base", base, "--store", f"dir:{store}").code == 0
    assert world.assay("check", "--base", base, "--store", f"dir:{store}", "--json").bench["status"] == "reused"
    assert not (world.repo.root / ".assay/store").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_benchmark_and_stores_what_was_measured(world: World, number: signal.Signals) -> None:
    marker = world.folder / "third"
    base = world.project()
    world.change(extra=f'[ "$n" -lt 2 ] || {{ touch "{marker}"; sleep 600; }}')
    process = world.start("check", "--base", base)
    until(marker.exists)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, out + err
    statuses = [json.loads(path.read_text())["status"] for path in (world.repo.root / ".assay/store/runs").rglob("run-*.json")]
    assert statuses == ["cancelled", "cancelled"]
    assert not list((world.folder / "tmp").glob("assay-*"))


def test_under_nohup_a_hangup_ends_nothing(world: World) -> None:
    marker, go = world.folder / "first", world.folder / "go"
    base = world.project()
    world.change(extra=f'touch "{marker}"; while [ ! -e "{go}" ]; do sleep 0.05; done')
    process = world.start("check", "--base", base, before=["nohup"])
    until(marker.exists)
    process.send_signal(signal.SIGHUP)
    go.touch()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err


def test_killed_outright_it_leaves_a_readable_store_and_the_next_check_cleans_up(world: World) -> None:
    marker = world.folder / "third"
    base = world.project()
    world.change(extra=f'[ "$n" -lt 2 ] || [ -e "{marker}" ] || {{ touch "{marker}"; sleep 600; }}')
    process = world.start("check", "--base", base)
    until(marker.exists)
    process.kill()
    process.communicate(timeout=30)
    done = world.assay("check", "--base", base, "--json")
    assert (done.code, done.bench["status"], done.bench["outcome"]) == (0, "measured", "keep"), done.text
    assert not list((world.folder / "tmp").glob("assay-*"))


HOSTILE = """\
printf '::error::owned\\n##[error]owned\\n\\033[31mred\\033[0m\\n<!-- assay:report -->\\n@octocat |x| `y`\\n'
printf '::set-output name=x::y\\r::add-mask::o\\n' >&2
exit 3
"""


def test_output_cannot_command_a_steps_log(world: World) -> None:
    base = world.project()
    world.change(extra=HOSTILE)
    done = world.assay("check", "--base", base, env={"GITHUB_ACTIONS": "true"})
    lines = done.out.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert lines[0].startswith("::stop-commands::")
    assert len(token) >= 32
    assert lines[-1] == f"::{token}::"
    assert "##[" not in done.out
    assert "\r" not in done.out
    assert world.assay("check", "--base", base, "--json", env={"GITHUB_ACTIONS": "true"}).bench["outcome"] == "errored"


def test_output_cannot_forge_a_report(world: World) -> None:
    base = world.project()
    world.change(extra=HOSTILE)
    world.assay("check", "--base", base)
    comment = (world.repo.root / ".assay/report/comment.md").read_text()
    assert comment.count("<!-- assay:report -->") == 1
    assert "\x1b" not in comment


def test_an_envelope_says_unknown_rather_than_leave_out(world: World) -> None:
    base = world.project()
    head = world.change()
    done = world.assay("check", "--base", base, "--json")
    path = next((world.repo.root / ".assay/store/runs").rglob(f"{done.bench['run_id']}.json"))
    run = json.loads(path.read_text())
    assert (run["schema"], run["commit"], run["base"]) == ("assay.run/1", head, base)
    assert (run["command"], run["tool_version"]) == ("sh bench.sh", __version__)
    for key in ("machine", "environment", "python", "model", "precision", "config", "samples", "processes", "timings", "reproduce"):
        assert run[key] not in (None, "")
    assert [sample["value"] for sample in run["samples"]] == [90.0] * 4


def test_a_reproduction_command_asks_the_same_again(world: World) -> None:
    base = world.project()
    world.change()
    done = world.assay("check", "--base", base, "--json")
    path = next((world.repo.root / ".assay/store/runs").rglob(f"{done.bench['run_id']}.json"))
    words = json.loads(path.read_text())["reproduce"].split()
    assert words[0] == "assay"
    again = world.assay(*words[1:], "--json")
    assert (again.code, again.bench["status"]) == (0, "measured")


def test_demo_checks_a_repository_of_its_own_and_reuses_the_second_time(world: World) -> None:
    folder = world.folder / "demo"
    done = world.assay("demo", "--dir", str(folder), cwd=world.folder)
    assert done.code == 0, done.text
    assert "Improved" in done.out
    assert "reused" in done.out.lower()
    for line in done.out.splitlines():
        if line.strip().startswith(str(folder)):
            assert Path(line.split()[0]).exists()
    next_command = re.search(r"run `(.+) check` there", done.out)
    assert next_command
    assert shutil.which(shlex.split(next_command[1])[0], path=world.env["PATH"])
    refused = world.assay("demo", "--dir", str(folder), cwd=world.folder)
    assert refused.code == 2
    assert "not empty" in refused.err


def test_a_benchmark_that_writes_to_its_input_leaves_the_users_file_as_it_was_or_is_not_believed(world: World) -> None:
    world.project()
    base = world.repo.commit({".github/assay.yml": CONFIG + "    inputs: [data]\n", ".gitignore": "data/\n"})
    world.repo.write({"data/tokens.bin": "precious"})
    world.repo.commit(
        {"metrics.txt": "loss=90\n", "extra.sh": "cat data/tokens.bin; echo; echo spoilt > data/tokens.bin; rm -f data/tokens.bin; true\n"}
    )
    done = world.assay("check", "--base", base, "--json")
    kept = (world.repo.root / "data/tokens.bin").exists() and (world.repo.root / "data/tokens.bin").read_text() == "precious"
    assert done.bench["outcome"] == ("keep" if kept else "pending"), done.text
    if not kept:
        assert "not isolated" in done.bench["comparisons"][0]["reason"]
    envelopes = [json.loads(path.read_text()) for path in (world.repo.root / ".assay/store/runs").rglob("run-*.json")]
    assert {run["isolation"]["protection"] for run in envelopes} == {"read-only" if kept else "compared"}


@pytest.mark.parametrize("name", [".assay", ".assay/logs", ".assay/report", ".assay/store", ".assay/cache"])
def test_a_link_in_place_of_a_folder_of_ours_is_refused_and_what_it_leads_to_is_spared(world: World, name: str) -> None:
    base = world.project()
    world.change()
    target = world.repo.root / "packages"
    for number in range(60):
        (target / f"package{number:02d}").mkdir(parents=True)
    (target / "summary.md").write_text("mine")
    link = world.repo.root / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    before = sorted(target.rglob("*"))
    done = world.assay("check", "--base", base)
    assert done.code == 2
    assert "symbolic link" in done.err
    assert sorted(target.rglob("*")) == before
    assert (target / "summary.md").read_text() == "mine"


def test_a_folder_of_the_users_that_only_looks_like_ours_is_not_swept(world: World) -> None:
    base = world.project()
    world.change()
    mine = world.folder / "tmp" / "assay-results"
    mine.mkdir()
    (mine / "lock").touch()
    (mine / "numbers.csv").write_text("1\n")
    assert world.assay("check", "--base", base).code == 0
    assert (mine / "numbers.csv").read_text() == "1\n"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_who_has_left_does_not_turn_a_regression_into_a_pass(world: World, stream: str) -> None:
    base = world.project()
    world.change("loss=150")
    process = world.start("check", "--base", base)
    left = process.stdout if stream == "stdout" else process.stderr
    assert left is not None
    left.close()
    assert process.wait(timeout=60) == 1
    assert list((world.repo.root / ".assay/store/runs").rglob("run-*.json"))


def test_a_stored_base_stands_for_the_base_once_enough_is_known(world: World) -> None:
    base = world.project()
    world.repo.commit({".github/assay.yml": CONFIG + "reuse: {base: true}\n"})
    for _ in range(4):
        world.change()
        assert world.assay("check", "--base", base, "--no-reuse").code == 0
    world.change("loss=150")
    done = world.assay("check", "--base", base, "--json")
    assert (done.code, done.bench["outcome"]) == (1, "discard")
    assert any("The base was not measured: the stored run run-" in warning for warning in done.bench["warnings"])
    assert done.bench["comparisons"][0]["base"] == [120.0] * 4

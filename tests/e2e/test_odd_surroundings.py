"""A machine, an account or a command line that is odd gets one sentence and its exit code, never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.conftest import BENCH, CONFIG, World

REAL_GIT = "$(PATH=${PATH#*:}; command -v git)"


def program(world: World, name: str, script: str) -> dict[str, str]:
    """An environment in which a script comes first on PATH."""
    folder = world.folder / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{world.env['PATH']}"}


@pytest.mark.parametrize("script", ["exit 1", "kill -TERM $$", "kill -KILL $$", "echo nonsense", "exec /nothing/here"])
def test_a_git_that_does_not_work_is_exit_4(world: World, script: str) -> None:
    base = world.project()
    done = world.assay("check", "--base", base, env=program(world, "git", script))
    assert done.code in (2, 4)
    assert done.err.startswith("error: ")


@pytest.mark.parametrize("script", ["exit 1", "kill -TERM $$"])
def test_a_git_that_fails_in_the_middle_is_exit_4(world: World, script: str) -> None:
    """Whatever it is asked: the answer is one sentence."""
    base = world.project()
    world.change()
    for asked in ("version", "merge-base", "status", "diff", "cat-file", "rev-parse"):
        one_fails = f'case "$*" in *{asked}*) {script};; *) exec {REAL_GIT} "$@";; esac'
        done = world.assay("check", "--base", base, env=program(world, "git", one_fails))
        assert done.code in (0, 2, 4)
        assert "mistake of its own" not in done.err
        assert done.code == 0 or "error: " in done.err


@pytest.mark.parametrize("flag", ["--run", "--base", "--benchmark", "--config", "--out", "--store"])
def test_a_word_that_is_no_text_is_a_usage_error(world: World, flag: str) -> None:
    world.project()
    done = world.assay("check", flag, os.fsdecode(b"a\xff"))
    assert done.code == 2
    assert f"{flag} holds bytes that are not UTF-8" in done.err


def test_a_folder_whose_name_is_no_text_can_be_checked(world: World) -> None:
    base = world.project()
    world.change("loss=150")
    moved = world.repo.root.rename(Path(os.fsdecode(os.fsencode(world.folder) + b"/r\xff")))
    for base_ref in (base, "HEAD"):
        done = world.assay("check", "--base", base_ref, "--json", cwd=moved)
        assert done.code in (0, 1)
        assert done.result["schema"] == "assay.result/1"


NO_HOME = """
import pwd, runpy, sys
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
runpy.run_module("assay", run_name="__main__")
"""


def test_an_account_without_a_home_can_check(world: World) -> None:
    base = world.project()
    world.change()
    env = {name: value for name, value in world.env.items() if name != "HOME"}
    ran = [sys.executable, "-c", NO_HOME, "check", "--base", base]
    done = subprocess.run(ran, cwd=world.repo.root, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    config = (world.repo.root / ".github/assay.yml").read_text() + "    cache: [~/x]\n"
    (world.repo.root / ".github/assay.yml").write_text(config)
    done = subprocess.run([*ran, "--no-reuse"], cwd=world.repo.root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "this account has none" in done.stderr


DEEP = """[ -e deep ] || python3 - "$TMPDIR" "$PWD" <<'END'
import os, sys
for root in sys.argv[1:]:
    here = os.open(root, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
END
"""


def test_a_benchmark_that_makes_folders_without_end_is_cleaned_up_after(world: World) -> None:
    base = world.project()
    world.change("loss=90", extra=DEEP)
    for _ in range(2):
        done = world.assay("check", "--base", base, "--no-reuse", "--json")
        assert (done.code, done.bench["outcome"]) == (0, "keep")
        assert not list((world.folder / "tmp").glob("assay-*"))


MEMORY = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_what_many_processes_print_is_not_kept_in_memory(world: World) -> None:
    talkative = "head -c 9900000 /dev/zero | tr '\\0' x\necho\n"
    config = CONFIG.replace("{min: 4, max: 6}", "{min: 10, max: 10}")
    base = world.repo.commit({".github/assay.yml": config, "bench.sh": BENCH, "extra.sh": talkative, "metrics.txt": "loss=120\n"})
    world.change("loss=90", extra=talkative)
    words = [sys.executable, "-c", MEMORY, sys.executable, "-m", "assay", "check", "--base", base, "--json"]
    done = subprocess.run(words, cwd=world.repo.root, env=world.env, capture_output=True, text=True, check=True)
    result, _, kilobytes = done.stdout.rstrip().rpartition("\n")
    assert json.loads(result)["benchmarks"][0]["outcome"] == "keep"
    assert int(kilobytes) < 22 * 9_900 * 0.75

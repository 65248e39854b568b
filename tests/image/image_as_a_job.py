"""The image of the container action, run as GitHub's runner runs it. Called by `.ci/image`, which builds it, and not by `make test`.

The runner's folders, variables and owner are those of a job, at the paths that a container sees; the fake GitHub stands for
the forge. buildah shares the machine's network and list of processes with the container, as no Docker engine is at hand.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.github.fixtures import hub as hub
from tests.fakes.github.hub import FORK_PERMISSIONS, Hub
from tests.harness.action_inputs import inputs_of
from tests.harness.container_action import RUNNER_UID, ContainerAction
from tests.harness.step import Done, Running
from tests.harness.waiting import until
from tests.pull_requests import Proposal

from assay import __version__
from assay.core.job_outputs import NAMES

ROOT = Path(__file__).parents[2]
BUILDAH = os.environ["ASSAY_BUILDAH"].split()
IMAGE = os.environ["ASSAY_IMAGE"]
NOSY = """\
echo "METRIC user=$(id -u)"
echo "METRIC tokens=$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c 'GITHUB.TOKEN=')"
echo "METRIC writable=$(find /github/file_commands -writable 2>/dev/null | grep -c .)"
"""


def buildah(*words: str) -> str:
    done = subprocess.run([*BUILDAH, *words], check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def inside(container: str, *words: str) -> str:
    return buildah("run", "--isolation=chroot", container, "--", *words)


@pytest.fixture(scope="module")
def container() -> Iterator[str]:
    name = buildah("from", IMAGE)
    yield name
    buildah("rm", name)


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    """What the image tells an engine."""
    told: dict[str, Any] = json.loads(buildah("inspect", "--type", "image", IMAGE))["OCIv1"]["config"]
    return told


@dataclass
class Step:
    """The step of a pull request's job that uses the container action."""

    folder: Path
    proposal: Proposal
    container: str
    entrypoint: list[str]

    @property
    def workspace(self) -> Path:
        return self.folder / "github" / "workspace"

    def run(self, token: str, **variables: str) -> Done:
        return self.start(token, **variables).wait()

    def start(self, token: str, **variables: str) -> Running:
        action = ContainerAction(self.folder, self.proposal.job(token), inputs_of(ROOT / "action.yml", token))
        action.checkout(depth=0)
        seen = {key: value.replace(f"{self.folder}/github", "/github") for key, value in {**action.environment(), **variables}.items()}
        mounts = [word for one in (self.folder / "github").iterdir() for word in ("--volume", f"{one}:/github/{one.name}")]
        words = [*mounts, *(word for key, value in seen.items() for word in ("--env", f"{key}={value}")), self.container]
        log = self.folder / "log.txt"
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [*BUILDAH, "run", "--isolation=chroot", "--network=host", "--workingdir=/github/workspace", *words, "--", *self.entrypoint],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return Running(action.collect, process, log)


@pytest.fixture
def step(hub: Hub, tmp_path: Path, container: str, config: dict[str, Any]) -> Step:
    return Step(tmp_path / "runner", Proposal.on(hub, tmp_path / "local"), container, config["Entrypoint"])


def test_an_engine_is_told_what_to_start(config: dict[str, Any]) -> None:
    assert config["Entrypoint"] == ["/opt/assay/bin/assay", "action"]
    assert config.get("User", "root") in ("", "0", "root")
    assert {"NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"} <= set(config["Env"])
    assert config["Labels"]["org.opencontainers.image.title"] == "Assay"


def test_the_command_is_the_one_that_was_built(container: str) -> None:
    assert inside(container, "assay", "--version") == f"assay {__version__}"


def test_it_can_ask_for_gpus_and_finds_no_driver_here(container: str) -> None:
    program = "from assay.adapters.devices import nvml; import pynvml; print(nvml.load())"
    assert inside(container, "/opt/assay/bin/python", "-I", "-c", program) == "None"


def test_nobody_but_root_can_change_what_root_runs(container: str) -> None:
    loose = ("(", "!", "-user", "root", "-o", "!", "-type", "l", "-perm", "/022", ")")
    assert inside(container, "find", "/opt/assay", "/usr/local/bin", *loose) == ""


def test_a_pull_request_is_checked_and_published_and_all_files_are_the_runners(step: Step, hub: Hub) -> None:
    done = step.run(hub.job_token(step.proposal.repo))
    assert done.code == 0, done.log
    (check,) = step.proposal.repo.checks.values()
    assert (check.head_sha, check.status, check.conclusion) == (step.proposal.pull.head_sha, "completed", "success")
    assert len(step.proposal.repo.comments) == 1
    assert done.outputs.keys() == set(NAMES)
    assert done.outputs["conclusion"] == "success"
    assert (step.workspace / done.outputs["result"]).is_file()
    assert "improved" in done.summary.lower()
    assert done.foreign == {}


def test_a_regression_ends_the_step(step: Step, hub: Hub) -> None:
    step.proposal.push("loss=150")
    done = step.run(hub.job_token(step.proposal.repo))
    assert (done.code, done.outputs["conclusion"]) == (1, "failure"), done.log


def test_modules_of_the_workspace_are_not_ours(step: Step, hub: Hub) -> None:
    step.proposal.local.write({"yaml.py": "raise SystemExit(99)\n", "github.py": "raise SystemExit(99)\n"})
    step.proposal.push()
    done = step.run(hub.job_token(step.proposal.repo), PYTHONPATH="/github/workspace")
    assert done.code == 0, done.log


def test_a_benchmark_has_an_account_of_its_own_and_finds_no_token(step: Step, hub: Hub) -> None:
    step.proposal.push(extra=NOSY)
    done = step.run(hub.job_token(step.proposal.repo))
    assert done.code == 0, done.log
    (one,) = json.loads((step.workspace / done.outputs["result"]).read_text(encoding="utf-8"))["benchmarks"]
    seen = {each["metric"]: set(each["head"]) for each in one["comparisons"]}
    account = int(inside(step.container, "id", "-u", "assay"))
    assert account not in (0, RUNNER_UID)
    assert (seen["user"], seen["tokens"], seen["writable"]) == ({account}, {0}, {0})


def entry_of(step: Step) -> int | None:
    """The number of the container's first process of this step; what it has forked is called the same."""
    ours = f"GITHUB_API_URL={step.proposal.hub.url}".encode()
    found = {
        pid for pid in processes(b"/opt/assay/bin/assay\0action") if ours in told(pid, "environ") and b"buildah" not in told(pid, "cmdline")
    }
    return min((pid for pid in found if parent(pid) not in found), default=None)


def processes(words: bytes) -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and words in told(int(path.name), "cmdline")]


def told(pid: int, what: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{what}").read_bytes()
    except OSError:  # it has ended
        return b""


def parent(pid: int) -> int:
    return int(told(pid, "stat").rpartition(b")")[2].split()[1] or b"0")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_cancelled_step_ends_in_time_with_its_check_closed_its_files_handed_back_and_nothing_running(
    step: Step, hub: Hub, number: signal.Signals
) -> None:
    seconds = f"4{hub.url.rpartition(':')[2]}"  # a length that no other test sleeps
    step.proposal.push(extra=f"sleep {seconds}\n")
    running = step.start(hub.job_token(step.proposal.repo))
    until(lambda: step.proposal.repo.checks, lambda: running.log)
    until(lambda: processes(f"sleep\0{seconds}".encode()), lambda: running.log)
    entry = entry_of(step)
    assert entry
    os.kill(entry, number)
    done = running.wait(10)  # what the runner gives it, all in all
    assert done.code == 130, done.log
    (check,) = step.proposal.repo.checks.values()
    assert (check.status, check.conclusion) == ("completed", "cancelled")
    assert processes(f"sleep\0{seconds}".encode()) == []
    assert done.foreign == {}


def test_a_token_that_may_only_read_leaves_the_verdict_in_the_summary(step: Step, hub: Hub) -> None:
    done = step.run(hub.job_token(step.proposal.repo, FORK_PERMISSIONS))
    assert done.code == 0, done.log
    assert not step.proposal.repo.comments
    assert "improved" in done.summary.lower()

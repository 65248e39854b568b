"""One step of a container action, run as the runner runs it but without a container.

The folders that the runner mounts are real ones below `root`; the environment has what the runner passes in and nothing else,
the workspace belongs to another account where we may give it away, and an end is asked for by INT, then TERM, then KILL.
"""

import json
import platform
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness.checkout import Checkout, Credentials, checkout
from tests.harness.file_commands import read_pairs
from tests.harness.job import Job
from tests.harness.ownership import give, owners
from tests.harness.step import Done, Running

RUNNER_UID = 1001
SUMMARY_LIMIT = 1024 * 1024
CANARY = "canary-of-the-runner"
_COMMAND_FILES = {
    "GITHUB_OUTPUT": "set_output",
    "GITHUB_ENV": "set_env",
    "GITHUB_PATH": "add_path",
    "GITHUB_STATE": "save_state",
    "GITHUB_STEP_SUMMARY": "step_summary",
}
_ARCHITECTURES = {"x86_64": "X64", "aarch64": "ARM64", "arm64": "ARM64"}


@dataclass
class ContainerAction:
    """A step of a job, in a folder of its own. `image_env` is what the image sets, PATH among it."""

    root: Path
    job: Job
    inputs: Mapping[str, str] = field(default_factory=dict)
    image_env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in (self.workspace, self.home, self.workflow, self.file_commands, self.runner_temp):
            folder.mkdir(parents=True, exist_ok=True)
        self.event_path.write_text(json.dumps(self.job.event, indent=2), encoding="utf-8")
        self._suffix = str(uuid.uuid4())
        for path in self.command_files.values():
            path.touch()
        self.give_away()

    @property
    def workspace(self) -> Path:
        return self.root / "github" / "workspace"

    @property
    def home(self) -> Path:
        return self.root / "github" / "home"

    @property
    def workflow(self) -> Path:
        return self.root / "github" / "workflow"

    @property
    def file_commands(self) -> Path:
        return self.root / "github" / "file_commands"

    @property
    def runner_temp(self) -> Path:
        return self.root / "github" / "runner_temp"

    @property
    def event_path(self) -> Path:
        return self.workflow / "event.json"

    @property
    def command_files(self) -> dict[str, Path]:
        return {name: self.file_commands / f"{kind}_{self._suffix}" for name, kind in _COMMAND_FILES.items()}

    def checkout(self, *, ref: str = "", sha: str = "", depth: int = 1, credentials: Credentials = Credentials.NONE) -> None:
        """The step before: actions/checkout of what the event names, or of another ref or sha."""
        job = self.job
        sha = sha or (job.repo.git.resolve(ref) if ref else None) or job.sha
        checkout(Checkout(job.repo.clone_url, job.token, ref or job.ref, sha, depth, credentials), self.workspace, self.runner_temp)
        self.give_away()

    def give_away(self) -> None:
        """Everything mounted belongs to the runner's account, as it does on a self-hosted runner."""
        give(self.root / "github", RUNNER_UID)

    def environment(self) -> dict[str, str]:
        """All that the process gets to see. A token is in the inputs or nowhere."""
        return {
            **self.image_env,
            **{f"INPUT_{name.replace(' ', '_').upper()}": value for name, value in self.inputs.items()},
            **self.job.environment(),
            "HOME": str(self.home),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_EVENT_PATH": str(self.event_path),
            **{name: str(path) for name, path in self.command_files.items()},
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": _ARCHITECTURES.get(platform.machine(), "X64"),
            "RUNNER_NAME": "runner-1",
            "RUNNER_ENVIRONMENT": "self-hosted",
            "ASSAY_LASTING_RUNNER": "allow",
            "RUNNER_TOOL_CACHE": str(self.root / "tools"),
            "RUNNER_TEMP": str(self.runner_temp),
            "RUNNER_WORKSPACE": str(self.root),
            "ACTIONS_RUNTIME_URL": f"{self.job.hub.server_url}/_runtime/",
            "ACTIONS_RUNTIME_TOKEN": CANARY,
            "ACTIONS_CACHE_URL": f"{self.job.hub.server_url}/_cache/",
            "ACTIONS_RESULTS_URL": f"{self.job.hub.server_url}/_results/",
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{self.job.hub.server_url}/_id/",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": CANARY,
        }

    def start(self, argv: Sequence[str]) -> Running:
        """Start the entrypoint in the workspace, its two streams joined as the runner joins them."""
        log = self.root / "log.txt"
        with log.open("wb") as sink:
            process = subprocess.Popen(
                argv,
                cwd=self.workspace,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return Running(self.collect, process, log)

    def run(self, argv: Sequence[str], timeout: float = 120) -> Done:
        """Run the entrypoint to its end."""
        return self.start(argv).wait(timeout)

    def collect(self, code: int, log: str, *, killed: bool) -> Done:
        """What the runner finds after the step. Raises FileCommandError where it would fail it for a malformed file."""
        files = self.command_files
        summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return Done(
            code=code,
            log=log,
            outputs=read_pairs(files["GITHUB_OUTPUT"]),
            state=read_pairs(files["GITHUB_STATE"]),
            env=read_pairs(files["GITHUB_ENV"]),
            path=files["GITHUB_PATH"].read_text(encoding="utf-8"),
            summary=summary if len(summary.encode()) <= SUMMARY_LIMIT else "",
            foreign=owners(self.root / "github", other_than=RUNNER_UID),
            killed=killed,
        )

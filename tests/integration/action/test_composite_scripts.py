"""The scripts of the composite action: what they take for the command, what they refuse, and what they gather for the upload."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.repositories import Sandbox

SCRIPTS = Path(__file__).parents[3] / "run"
UV = """\
echo "$PWD|$*|${UV_PYTHON-unset}" >>"$HOME/asked"
[ "$1" = venv ] || exit 0
for last; do :; done
mkdir -p "$last/bin"
printf '#!/bin/sh\\necho "$@"\\n' >"$last/bin/python"
chmod 755 "$last/bin/python"
"""
"""It writes down what it is asked, and makes just enough of an environment."""
TOOLS = ("bash", "sh", "cat", "chmod", "dirname", "mktemp", "mkdir", "rm")


@dataclass(frozen=True)
class Step:
    """A step of a job: a workspace, a folder for temporary files, and a file for outputs."""

    folder: Path

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "RUNNER_OS": "Linux",
            "GITHUB_WORKSPACE": str(self.folder / "workspace"),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            **variables,
        }
        command = ["bash", str(SCRIPTS / script)]
        return subprocess.run(command, check=False, cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    @property
    def outputs(self) -> dict[str, str]:
        written = self.folder / "output"
        lines = written.read_text(encoding="utf-8").splitlines() if written.exists() else []
        return dict(line.split("=", 1) for line in lines)


@pytest.fixture
def step(tmp_path: Path) -> Step:
    folder = tmp_path / "a job"
    for name in ("temp", "workspace"):
        (folder / name).mkdir(parents=True)
    return Step(folder)


def command(path: Path, text: str = "echo assay 9") -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_command_that_is_there_is_used_as_it_is(step: Step) -> None:
    path = command(step.folder / "my assay")
    done = step.run("install.sh", ASSAY_PATH=path)
    assert (done.returncode, done.stdout) == (0, "assay 9\n")
    assert step.outputs == {"command": path}
    assert list((step.folder / "temp").iterdir()) == []


@pytest.mark.parametrize(
    ("path", "said"),
    [("assay", "not an absolute path"), ("/nowhere/assay", "no command at assay-path"), ("/usr", "no command at assay-path")],
)
def test_a_command_that_is_not_there_is_refused_with_the_next_step(step: Step, path: str, said: str) -> None:
    done = step.run("install.sh", ASSAY_PATH=path)
    assert done.returncode == 2
    assert done.stdout.startswith("::error title=Assay::")
    assert said in done.stdout
    assert " → " in done.stdout
    assert step.outputs == {}


def test_a_command_that_does_not_start_is_refused(step: Step) -> None:
    done = step.run("install.sh", ASSAY_PATH=command(step.folder / "broken", "exit 3"))
    assert done.returncode == 2
    assert "does not start" in done.stdout
    assert step.outputs == {}


def test_windows_is_refused(step: Step) -> None:
    done = step.run("install.sh", RUNNER_OS="Windows", ASSAY_PATH=command(step.folder / "assay"))
    assert done.returncode == 2
    assert "does not run on Windows" in done.stdout


def test_a_runner_with_neither_uv_nor_python_is_told_what_would_do(step: Step) -> None:
    tools = step.folder / "tools"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    done = step.run("install.sh", PATH=str(tools))
    assert done.returncode == 2
    assert "neither uv nor Python 3.11" in done.stdout
    assert "assay-path" in done.stdout


def test_uv_makes_the_environment_where_there_is_one(step: Step) -> None:
    tools = step.folder / "tools"
    tools.mkdir()
    command(tools / "uv", UV)
    done = step.run("install.sh", PATH=f"{tools}:{os.environ['PATH']}", UV_PYTHON="3.9", PYTHONPATH="hostile")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "-I -m assay --version\n"
    made = Path(step.outputs["command"]).parent
    assert made.parent == step.folder / "temp"
    assert (step.folder / "asked").read_text().splitlines() == [
        f"{made}|venv --quiet --no-project --python >=3.11 {made}/venv|unset",
        f"{made}|pip install --quiet --python {made}/venv/bin/python {SCRIPTS.parent}|unset",
    ]


def test_what_waits_is_gathered_without_links_and_nothing_else_of_git(step: Step) -> None:
    repo = Sandbox(step.folder / "workspace")
    outbox = repo.root / ".git" / "assay" / "outbox"
    (outbox / "runs" / "2026").mkdir(parents=True)
    (outbox / "runs" / "2026" / "run-1.json").write_text("{}")
    (outbox / "runs" / "2026" / "run-2.json").symlink_to("/etc/passwd")
    (outbox / "elsewhere").symlink_to("/etc")
    done = step.run("outbox.sh")
    assert done.returncode == 0, done.stderr
    gathered = Path(step.outputs["folder"])
    assert step.outputs["name"] == gathered.name
    assert [path.relative_to(gathered).as_posix() for path in gathered.rglob("*") if not path.is_dir()] == ["runs/2026/run-1.json"]
    assert not any(path.is_symlink() for path in gathered.rglob("*"))


@pytest.mark.parametrize("kind", ["no repository", "no outbox", "empty outbox", "outbox is a link", "folder is a link"])
def test_where_nothing_waits_nothing_is_said(step: Step, kind: str) -> None:
    work = step.folder / "workspace"
    if kind != "no repository":
        Sandbox(work)
    ours = work / ".git" / "assay"
    if kind == "empty outbox":
        (ours / "outbox" / "runs").mkdir(parents=True)
    elsewhere = step.folder / "elsewhere" / "outbox"
    elsewhere.mkdir(parents=True)
    (elsewhere / "secret").write_text("s")
    if kind == "outbox is a link":
        ours.mkdir()
        (ours / "outbox").symlink_to(elsewhere)
    if kind == "folder is a link":
        ours.symlink_to(elsewhere.parent)
    done = step.run("outbox.sh")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert step.outputs == {}


def test_a_repository_below_the_workspace_is_found(step: Step) -> None:
    repo = Sandbox(step.folder / "workspace" / "sub")
    outbox = repo.root / ".git" / "assay" / "outbox"
    outbox.mkdir(parents=True)
    (outbox / "one.json").write_text("{}")
    assert step.run("outbox.sh", WORKING_DIRECTORY="sub").returncode == 0
    assert (Path(step.outputs["folder"]) / "one.json").is_file()


def analysed(root: Path, name: str, route: str) -> Path:
    """The folder of an analysis that was asked of such a route."""
    folder = root / ".assay" / "analyses" / name
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"attempts": [{"route": route}]}, indent=2))
    (folder / "merged.md").write_text("x")
    return folder


def test_texts_of_models_and_programs_are_gathered_without_links_and_offline_ones_left(step: Step) -> None:
    root = Sandbox(step.folder / "workspace").root
    asked = analysed(root, "ana-1", "openai:gpt-4o-mini")
    (asked / "secret.txt").symlink_to("/etc/passwd")
    analysed(root, "ana-2", "offline:effect")
    analysed(root, "ana-3", "command:llm -m x")
    (root / ".assay" / "analyses" / "ana-4").symlink_to("/etc")
    done = step.run("analyses.sh")
    assert done.returncode == 0, done.stderr
    gathered = Path(step.outputs["folder"])
    assert step.outputs["name"] == gathered.name
    found = sorted(path.relative_to(gathered).as_posix() for path in gathered.rglob("*") if not path.is_dir())
    assert found == ["ana-1/manifest.json", "ana-1/merged.md", "ana-3/manifest.json", "ana-3/merged.md"]


@pytest.mark.parametrize("kind", ["no repository", "no analyses", "offline", "analyses is a link", "folder is a link"])
def test_where_no_model_was_asked_nothing_is_gathered(step: Step, kind: str) -> None:
    work = step.folder / "workspace"
    if kind != "no repository":
        Sandbox(work)
    elsewhere = step.folder / "elsewhere"
    analysed(elsewhere, "ana-1", "openai:gpt-4o-mini")
    if kind == "offline":
        analysed(work, "ana-1", "offline")
    if kind == "analyses is a link":
        (work / ".assay").mkdir()
        (work / ".assay" / "analyses").symlink_to(elsewhere / ".assay" / "analyses")
    if kind == "folder is a link":
        (work / ".assay").symlink_to(elsewhere / ".assay")
    done = step.run("analyses.sh")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert step.outputs == {}

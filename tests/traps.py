"""What foreign code can plant in a working tree's git folder so that a git command of somebody else's runs a program of its own.

A benchmark in these tests plants all of it. A `git` of ours stands first on PATH and writes down every call, with whether the
traps were already there.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONFIG = {
    "core.fsmonitor": "fsmonitor",
    "core.pager": "pager",
    "core.editor": "editor",
    "core.sshCommand": "ssh",
    "core.gitProxy": "proxy",
    "diff.x.textconv": "textconv",
    "diff.y.command": "extdiff",
    "diff.external": "external",
    "filter.x.clean": "clean",
    "filter.x.smudge": "smudge",
    "filter.x.process": "process",
    "merge.x.driver": "driver",
    "merge.tool": "tool",
    "gpg.program": "gpg",
    "credential.helper": "credential",
    "sequence.editor": "sequence",
    "uploadpack.packObjectsHook": "packobjects",
    "alias.status": "alias",
}
HOOKS = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge", "post-checkout", "post-rewrite"),
    *("reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-push", "pre-rebase", "applypatch-msg", "pre-auto-gc"),
)
ATTRIBUTES = "* diff=x filter=x merge=x\nmetrics.txt -filter\n*.py -filter\n.gitattributes -filter\n"

PLANT = """\
import os, pathlib, subprocess, sys
root, trap, real = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
for key, name in {config!r}.items():
    value = ("!" if key.startswith("alias.") else "") + f"{{trap}} {{name}}"
    subprocess.run([real, "config", "--file", str(root / ".git/config"), key, value], check=True)
subprocess.run([real, "config", "--file", str(root / ".git/config"), "commit.gpgSign", "true"], check=True)
subprocess.run([real, "config", "--file", str(root / ".git/config"), "core.hooksPath", str(root / ".git/hooks")], check=True)
(root / ".git/hooks").mkdir(exist_ok=True)
for name in {hooks!r}:
    hook = root / ".git/hooks" / name
    hook.write_text(f"#!/bin/sh\\nexec '{{trap}}' 'hook {{name}}'\\n")
    hook.chmod(0o755)
(root / ".git/info").mkdir(exist_ok=True)
(root / ".git/info/attributes").write_text("* diff=x filter=x merge=x\\n")
(root / ".git/planted").touch()
print("METRIC loss=" + (root / "metrics.txt").read_text().split("=")[-1].strip())
"""

SHIM = """\
#!{python} -ISs
import json, os, sys
line = json.dumps({{"words": sys.argv[1:], "env": {{k: v for k, v in os.environ.items() if k.startswith("GIT_")}}, "cwd": os.getcwd(),
                    "planted": os.path.exists({planted!r})}})
with open({log!r}, "a") as log:
    log.write(line + "\\n")
os.execv({real!r}, ["git", *sys.argv[1:]])
"""


@dataclass(frozen=True)
class Traps:
    """A trap that notes who has sprung it, a recording git, and the program that plants all of it in a repository."""

    folder: Path
    root: Path

    @classmethod
    def lay(cls, folder: Path, root: Path) -> "Traps":
        traps = cls(folder, root)
        (folder / "bin").mkdir(parents=True)
        real = shutil.which("git")
        assert real
        traps._program("trap", f'#!/bin/sh\necho "$1" >> {folder}/sprung\ncat >/dev/null 2>&1 </dev/null\nexit 0\n')
        (folder / "plant.py").write_text(PLANT.format(config=CONFIG, hooks=HOOKS))
        shim = SHIM.format(python=sys.executable, planted=str(root / ".git/planted"), log=str(folder / "calls"), real=real)
        traps._program("bin/git", shim)
        return traps

    def _program(self, name: str, text: str) -> None:
        file = self.folder / name
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)

    @property
    def plant(self) -> tuple[str, ...]:
        """The words of the benchmark that plants everything and prints its metric."""
        real = shutil.which("git") or "git"
        return (sys.executable, "-I", "-S", str(self.folder / "plant.py"), str(self.root), str(self.folder / "trap"), real)

    @property
    def asking(self) -> str:
        """A shell command that waits until somebody else has planted everything, for a benchmark that may not write there itself."""
        return f"touch '{self.folder}/go'; while [ ! -e '{self.folder}/done' ]; do sleep 0.02; done; echo METRIC loss=1"

    @contextmanager
    def planted_on_request(self) -> Iterator[None]:
        """Plant everything as soon as `asking` asks for it."""
        over = threading.Event()

        def wait() -> None:
            while not over.wait(0.02):
                if (self.folder / "go").exists():
                    subprocess.run(self.plant, check=True, capture_output=True)
                    (self.folder / "done").touch()
                    return

        gardener = threading.Thread(target=wait)
        gardener.start()
        try:
            yield
        finally:
            over.set()
            gardener.join()

    @property
    def path(self) -> str:
        """A PATH on which the recording git comes first."""
        return f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"

    @property
    def sprung(self) -> list[str]:
        file = self.folder / "sprung"
        return sorted(set(file.read_text().splitlines())) if file.exists() else []

    def calls(self) -> list[dict[str, Any]]:
        """All calls of git since the traps were planted."""
        file = self.folder / "calls"
        found = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return [one for one in found if one["planted"]]

    def obedient(self) -> list[str]:
        """Those of the calls that would have used the planted git folder."""
        return [" ".join(one["words"]) for one in self.calls() if not self._stays_out(one)]

    def _stays_out(self, call: dict[str, Any]) -> bool:
        words = call["words"]
        if words == ["version"]:  # GitPython asks it of itself; it reads no configuration
            return True
        folders = [word.removeprefix("--git-dir=") for word in words if word.startswith("--git-dir=")]
        return bool(folders) and not any(Path(one).is_relative_to(self.root) and not _ours(Path(one)) for one in folders)


def _ours(folder: Path) -> bool:
    """Folders of ours beside the user's own in the git folder, which are put right before each use."""
    return "assay" in folder.parts

"""Real git repositories for tests, in a folder of their own and with nothing of the developer's configuration."""

import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

IDENTITY = {
    f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com"))
}
ISOLATED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
    **IDENTITY,
}


class Sandbox:
    """One repository at `root`, with git called as its user would."""

    def __init__(self, root: Path, *init: str) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *init)

    def git(self, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
        """What a git command prints, without the last line's end."""
        whole = {"PATH": os.environ["PATH"], "HOME": str(self.root.parent), **ISOLATED, **(env or {})}
        done = subprocess.run(["git", *words], check=False, cwd=cwd or self.root, env=whole, capture_output=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files, or remove those that are None."""
        for name, content in files.items():
            path = self.root / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))

    def commit(self, files: Mapping[str, str | bytes | None] | None = None, message: str = "change") -> str:
        """Commit these files with all that is there; the full sha."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message)
        return self.git("rev-parse", "HEAD")

    def snapshot(self) -> dict[str, str]:
        """Everything below the root, git's own files with it: what must be equal where nothing may have been touched."""
        return {str(path.relative_to(self.root)): _facts(path) for path in sorted(self.root.rglob("*"))}


def _facts(path: Path) -> str:
    status = path.lstat()
    if path.is_symlink():
        return f"link {path.readlink()}"
    content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    return f"{status.st_mode:o} {status.st_mtime_ns} {content}"

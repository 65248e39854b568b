"""Where a working tree's git folder is, found by reading files alone.

Foreign code may have run in the tree. A git command that starts in it would obey the configuration, hooks and filters that
such code can have put there, so even the first question is not asked of git.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from assay.core.escape import plain
from assay.core.experiment_errors import GitNotConfiguredError, NoRepositoryError
from assay.core.values import dataclass

_MAX_BYTES = 4096
_MAX_PACKED = 64 * 2**20
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"ref: (refs/heads/[^\x00-\x20\x7f]+)")

IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}
"""What git keeps in the folder while it is half-way through something."""


@dataclass(frozen=True, slots=True)
class DotGit:
    """A working tree, the git folder of that tree, and the one that all trees of the repository share."""

    root: Path
    own: Path
    common: Path

    @property
    def in_progress(self) -> str | None:
        """What the user is half-way through, if anything."""
        return next((what for name, what in IN_PROGRESS.items() if os.path.lexists(self.own / name)), None)

    def work_refs(self) -> tuple[str, ...]:
        """The refs that hold the user's work: the branch that is checked out, and the default branch as far as this clone knows it."""
        default = _text(self.common / "refs/remotes/origin/HEAD") or ""
        mine = (self.head(), default.removeprefix("ref: ").replace("refs/remotes/origin/", "refs/heads/", 1))
        return tuple(ref for ref in mine if ref.startswith("refs/heads/"))

    def head(self) -> str:
        """The full ref that HEAD stands for, or the sha where it is detached. Raises GitNotConfiguredError for anything else."""
        text = _text(self.own / "HEAD") or ""
        found = _BRANCH.fullmatch(text)
        if found and ".." not in found[1] and not found[1].endswith(("/", ".lock")):
            return found[1]
        if _SHA.fullmatch(text):
            return text
        raise GitNotConfiguredError(f"HEAD of {plain(str(self.root))} names neither a branch nor a commit.", hint="Check a branch out.")

    def commit(self) -> str | None:
        """The commit that is checked out, None where there is none. Raises GitNotConfiguredError as `head` does."""
        head = self.head()
        if not head.startswith("refs/"):
            return head
        loose = _text(self.common / head) or ""
        if _SHA.fullmatch(loose):
            return loose
        packed = (line.split(" ") for line in (_text(self.common / "packed-refs", _MAX_PACKED) or "").splitlines())
        return next((words[0] for words in packed if words[1:] == [head] and _SHA.fullmatch(words[0])), None)


def find_dot_git(folder: str) -> DotGit:
    """The repository around a folder. Raises NoRepositoryError where there is none, GitNotConfiguredError for one we cannot work on."""
    for place in _upwards(Path(folder).absolute()):
        entry = place / ".git"
        if entry.is_dir() and (entry / "HEAD").exists():
            return _checked(DotGit(place, entry, _common(entry)))
        if entry.is_file() and (own := _linked(entry)) is not None:
            return _checked(DotGit(place, own, _common(own)))
    raise NoRepositoryError(
        f"Neither {plain(folder)} nor a folder above it is a git repository, and keeping and restoring need one.",
        hint="cd into your repository, or make one here: git init && git add -A && git commit",
    )


def _upwards(folder: Path) -> Iterator[Path]:
    ceilings = {Path(one) for one in os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep) if one}
    for place in (folder, *folder.parents):
        if place != folder and place in ceilings:
            return
        yield place


def _linked(file: Path) -> Path | None:
    """Where a `.git` file, as linked worktrees and submodules have one, leads."""
    text = _text(file) or ""
    target = Path(file.parent, text.removeprefix("gitdir:").strip())
    return target.absolute() if text.startswith("gitdir:") and (target / "HEAD").exists() else None


def _common(own: Path) -> Path:
    text = _text(own / "commondir")
    return Path(os.path.normpath(own / text)) if text else own


def _checked(found: DotGit) -> DotGit:
    where = plain(str(found.root))
    if (found.common / "reftable").exists():
        raise GitNotConfiguredError(
            f"The repository at {where} keeps its refs as a reftable.", hint="Keep and restore work on refs in files."
        )
    if not ((found.common / "objects").is_dir() and (found.common / "refs").is_dir()):
        raise GitNotConfiguredError(f"The git folder of {where} has no objects or no refs.", hint="Run `git fsck` there.")
    return found


def _text(file: Path, limit: int = _MAX_BYTES) -> str | None:
    if not file.is_file():  # a pipe would keep us waiting
        return None
    try:
        with file.open("rb") as stream:
            return stream.read(limit).decode("utf-8", "surrogateescape").rstrip("\n")
    except OSError:
        return None

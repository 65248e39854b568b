"""A new repository with a given history: what the demo checks."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.adapters.git.command import GitCommand, on_private
from assay.adapters.git.failures import failure
from assay.core.values import dataclass
from assay.errors import InfrastructureError, UsageError

_IDENTITY = ("-c", "user.name=Assay demo", "-c", "user.email=demo@assay.invalid", "-c", "commit.gpgSign=false")


@dataclass(frozen=True, slots=True)
class Version:
    """One commit to be made: the files that differ from the one before, by POSIX path."""

    message: str
    files: Mapping[str, bytes]


def create(folder: str, history: Sequence[Version]) -> tuple[str, ...]:
    """Make a repository with one branch, `main`, in an empty or absent folder; the shas of its commits, oldest first.

    Raises UsageError where something is there already, InfrastructureError where git or the disk refuses.
    """
    root = Path(folder)
    try:
        if root.exists() and any(root.iterdir()):
            raise UsageError(f"{folder} is not empty.", hint="Name a new folder with --dir.")
        root.mkdir(parents=True, exist_ok=True)
        return _committed(root, history)
    except OSError as error:
        raise InfrastructureError(f"The repository {folder} could not be made: {error}.", hint="Name another folder with --dir.") from error


def _committed(root: Path, history: Sequence[Version]) -> tuple[str, ...]:
    git = on_private(str(root / ".git"), str(root))
    _ask(git, "init", "--quiet", "--template=", "--initial-branch=main", str(root))
    shas = []
    for version in history:
        for path, content in version.files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        _ask(git, "add", "--all", "--", ":/")
        _ask(git, "commit", "--quiet", "--message", version.message, before=_IDENTITY)
        shas.append(os.fsdecode(_ask(git, "rev-parse", "HEAD").strip()))
    return tuple(shas)


def _ask(git: GitCommand, *words: str, before: tuple[str, ...] = ()) -> bytes:
    answer = GitCommand((*git.options, *before), git.env, git.dropped).ask(*words)
    if not answer.ok:
        raise failure(answer, "Making the repository")
    return answer.out

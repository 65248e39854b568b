"""Relative paths from a config, put into a tree that a stranger has written."""

import os
from pathlib import Path, PurePosixPath

from assay.core.escape import plain
from assay.errors import UnfitCommitError, UsageError


def relative(text: str, key: str) -> PurePosixPath:
    """The path as given under `key`, without dots. Raises UsageError where it could leave the tree or reach into `.git`."""
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\0" in text or text.startswith("~"):
        raise UsageError(
            f"`{key}` names {plain(text)}, which is not a path inside the repository.", hint="Give it relative to its top folder."
        )
    if not path.parts or any(part.casefold() == ".git" for part in path.parts):
        raise UsageError(
            f"`{key}` names {plain(text) or '(nothing)'}, which cannot be laid into a worktree.", hint="Name a file or folder in it."
        )
    return path


def exists(path: Path) -> bool:
    """Whether anything has this name, a dangling link included."""
    return os.path.lexists(path)


def place(root: Path, path: PurePosixPath, key: str) -> Path:
    """Where `path` lies below `root`, its parents made. Raises UnfitCommitError where a parent is a link or a file.

    The commit is a stranger's: a link among the parents would have us write wherever it points.
    """
    spot = root
    for part in path.parts[:-1]:
        spot = spot / part
        if spot.is_symlink() or (spot.exists() and not spot.is_dir()):
            shown = plain(str(spot.relative_to(root)))
            raise UnfitCommitError(
                f"`{key}` names {plain(str(path))}, but {shown} is a link or a file in that commit.", hint=f"Take it out of `{key}`."
            )
        spot.mkdir(exist_ok=True)
    return spot / path.name


def working_folder(root: Path, workdir: str, where: str) -> Path:
    """The folder that `workdir` names in a laid out commit; `where` names the side and the commit, for the error."""
    parts = PurePosixPath(workdir)
    folder = root / parts
    if parts.is_absolute() or ".." in parts.parts or not folder.resolve().is_relative_to(root.resolve()):
        raise UnfitCommitError(
            f"`workdir` is {plain(workdir)}, which leads out of {where}.", hint="Give it relative to the repository's top folder."
        )
    if not folder.is_dir():
        raise UnfitCommitError(
            f"`workdir` is {plain(workdir)}, but {where} has no such folder.", hint="Correct `workdir`, or name another base."
        )
    return folder

"""Ignored paths that a benchmark needs: linked from the user's tree, never copied."""

from pathlib import Path, PurePosixPath

from assay.adapters.worktrees.paths import exists, place, relative
from assay.core.escape import plain
from assay.errors import UnfitCommitError, UsageError


def link_inputs(tree: Path, user_root: Path, inputs: tuple[str, ...], where: str) -> None:
    """Link each input at its own path. Raises UsageError for one that is missing, or that the commit itself has."""
    for text in inputs:
        path = relative(text, "inputs")
        origin = user_root / path
        if not origin.exists():
            raise UsageError(
                f"The input {plain(text)} does not exist in {plain(str(user_root))}.", hint="Make or fetch it, or take it out of `inputs`."
            )
        spot = place(tree, path, "inputs")
        if exists(spot):
            raise UnfitCommitError(
                f"The input {plain(text)} is tracked in {where}, which a link would hide.", hint=_what_instead(origin, spot, path)
            )
        spot.symlink_to(origin)


def _what_instead(origin: Path, spot: Path, path: PurePosixPath) -> str:
    """Of a folder that is tracked in part, such as one with a `.gitkeep`, the rest can be named."""
    if not origin.is_dir() or not spot.is_dir():
        return "Take it out of `inputs`: a worktree has it anyway."
    rest = sorted(entry.name for entry in origin.iterdir() if not exists(spot / entry.name))
    named = ", ".join(plain(str(path / name)) for name in rest[:3])
    return f"Name what is ignored inside it: {named}." if named else "Take it out of `inputs`: a worktree has all of it anyway."

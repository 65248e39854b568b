"""Ignored paths that a benchmark needs, and caches that outlive a check: linked from the user's tree, never copied."""

from pathlib import Path, PurePosixPath

from assay.adapters.worktrees.paths import exists, place, relative
from assay.core.escape import plain
from assay.errors import UsageError


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
            raise UsageError(
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


def link_caches(tree: Path, home: Path, user_root: Path, user_home: Path | None, caches: tuple[str, ...]) -> tuple[Path, ...]:
    """Link each cache: `~/x` to the user's own, in the child's HOME; others to `.assay/cache/` of the user's tree. The targets."""
    targets: list[Path] = []
    for text in sorted(caches):
        path = relative(text.removeprefix("~/"), "cache")
        if not text.startswith("~/"):
            root, target = tree, user_root / ".assay" / "cache" / path
        elif user_home is not None:
            root, target = home, user_home / path
        else:
            raise UsageError(f"The cache {plain(text)} is in your home, and this account has none.", hint="Set HOME.")
        if any(target.is_relative_to(above) for above in targets):
            continue  # a folder above it is linked already
        spot = place(root, path, "cache")
        if exists(spot):
            raise UsageError(f"The cache {plain(text)} is tracked in the commit, which a link would hide.", hint="Take it out of `cache`.")
        _make_user_cache(target) if text.startswith("~/") else _make_own_cache(user_root, path)
        spot.symlink_to(target)
        targets.append(target)
    return tuple(targets)


def _make_user_cache(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise UsageError(f"The cache {plain(str(target))} is not a folder.", hint="Name the folder it is in.")
    target.mkdir(parents=True, exist_ok=True)


def _make_own_cache(user_root: Path, path: PurePosixPath) -> None:
    """Below `.assay`, which keeps itself out of git. A commit could have put links there, so none is passed through."""
    target = place(user_root, PurePosixPath(".assay", "cache") / path, "cache")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"The cache {plain(str(target))} is not a folder.", hint="Remove it, or give the cache another name.")
    target.mkdir(exist_ok=True)
    if not exists(user_root / ".assay" / ".gitignore"):
        (user_root / ".assay" / ".gitignore").write_text("*\n")

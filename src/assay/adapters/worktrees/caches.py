"""Caches that outlive a check: linked from the user's home, or from a folder of ours beside the user's tree."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from assay.adapters.worktrees.paths import exists, place, relative
from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import UnfitCommitError, UsageError


@dataclass(frozen=True, slots=True)
class Linked:
    """Where the caches of one side lead, and which of these folders are ours. `notes` are sentences for the report."""

    targets: tuple[Path, ...]
    ours: tuple[Path, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Caches:
    """`~/x` is the user's own where the processes may keep files there; all else is in `cache/` of `own`, our folder."""

    own: Path
    user_home: Path | None
    may_keep: Callable[[Path], bool]

    def link(self, tree: Path, home: Path, names: tuple[str, ...]) -> Linked:
        """Link each into a worktree, or into the child's HOME. Raises UsageError for one that is in the commit, or is no folder."""
        linked: dict[tuple[bool, PurePosixPath], Path] = {}
        ours, notes = [], []
        for text in sorted(names):
            of_home, path = text.startswith("~/"), relative(text.removeprefix("~/"), "cache")
            if any((of_home, above) in linked for above in path.parents):
                continue
            spot = place(home if of_home else tree, path, "cache")
            if exists(spot):
                raise UnfitCommitError(
                    f"The cache {plain(text)} is tracked in the commit, which a link would hide.", hint="Take it out of `cache`."
                )
            target = self._of_user(text, path) if of_home else None
            if target is None:
                target = self._made(PurePosixPath("home", path) if of_home else path)
                ours.append(target)
                notes += [f"The account that benchmarks run as cannot use {plain(text)}; a cache of its own stands in."] if of_home else []
            spot.symlink_to(target)
            linked[of_home, path] = target
        return Linked(tuple(linked.values()), tuple(ours), tuple(notes))

    def _of_user(self, text: str, path: PurePosixPath) -> Path | None:
        """The user's own, made if need be; None where the processes could not keep anything in it."""
        if self.user_home is None:
            raise UsageError(f"The cache {plain(text)} is in your home, and this account has none.", hint="Set HOME.")
        target = self.user_home / path
        if target.exists() and not target.is_dir():
            raise UsageError(f"The cache {plain(str(target))} is not a folder.", hint="Name the folder it is in.")
        target.mkdir(parents=True, exist_ok=True)
        return target if self.may_keep(target) else None

    def _made(self, path: PurePosixPath) -> Path:
        """One of ours. A commit could have put links in its place, so none is passed through."""
        target = place(self.own.parent, PurePosixPath(self.own.name, "cache") / path, "cache")
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise UsageError(f"The cache {plain(str(target))} is not a folder.", hint="Remove it, or give the cache another name.")
        target.mkdir(exist_ok=True)
        if not exists(self.own / ".gitignore"):
            (self.own / ".gitignore").write_text("*\n")
        return target

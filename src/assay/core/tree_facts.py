"""What is known of a working tree, and what keeping and restoring came to."""

from collections.abc import Mapping

from assay.core.keepable import LeftOut
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class CheckedOut:
    """The commit that is checked out, None before the first, and its branch, None where HEAD is detached."""

    head: str | None
    branch: str | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The tree of a moment as a keep would commit it, and what that would leave out."""

    tree: str
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class Spared:
    """New files that are not the run's of now. `present` were there at init or at the last log, and no restore removes them.

    `foreign` are those of them that no run of the session has made, as far as that is known: no keep commits them. What a run
    left that was neither kept nor taken back is in `present` alone, for the next run may be built on it.
    """

    present: frozenset[str]
    foreign: frozenset[str]

    @classmethod
    def at_rest(cls, files: frozenset[str]) -> "Spared":
        """Where no run is open: whatever is there is nobody's."""
        return cls(files, files)

    def after(self, files: frozenset[str], *, settled: bool) -> "Spared":
        """With these new files after a log; unless it has `settled` what becomes of the run's, they stay the runs'."""
        return Spared.at_rest(files) if settled else Spared(files, self.foreign & files)


@dataclass(frozen=True, slots=True)
class Kept:
    """The commit of a keep, None where there was nothing to commit; `remaining` are paths that are changes still."""

    commit: str | None
    remaining: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore came to: `discarded` is the ref of what was taken away, None where that was nothing.

    `preserved` are the paths that kept their newest bytes, `spared` new files that were not the run's to remove.
    """

    baseline: str
    discarded: str | None
    preserved: tuple[str, ...]
    spared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """Review branches: where they begin, their tips by name, which of them are new, and what a person should know."""

    base: str
    tips: Mapping[str, str]
    created: tuple[str, ...]
    warnings: tuple[str, ...]

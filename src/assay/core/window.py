"""Which of the paths that differ between two commits bear on a benchmark, and why."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from assay.core.config import Benchmark, Config, Watch
from assay.core.globs import Globs
from assay.core.model import Rung

IGNORED: Final = "ignored"
Standing = Rung | Literal["ignored"]

# A path in several groups is given the first of these. The harness comes first because its change asks for a review,
# the code last because its patterns are the widest.
_GROUPS = (Rung.HARNESS, Rung.ENVIRONMENT, Rung.MODEL, Rung.CONFIG, Rung.CODE)


def classify(paths: Iterable[str], watch: Watch | None, ignore: Sequence[str]) -> Mapping[str, Standing]:
    """Each path with the rung it stands on, or IGNORED.

    A group of `watch` wins over `ignore`; a path in neither is unclassified, which stops reuse. Without `watch` every
    path is unclassified that is not ignored.
    """
    groups = [(rung, Globs(getattr(watch, rung.value))) for rung in _GROUPS] if watch else []
    ignored = Globs(ignore)
    return {path: _standing(path, groups, ignored) for path in paths}


def _standing(path: str, groups: Sequence[tuple[Rung, Globs]], ignored: Globs) -> Standing:
    for rung, globs in groups:
        if globs.matches(path):
            return rung
    return IGNORED if ignored.matches(path) else Rung.UNCLASSIFIED


def relevant_paths(paths: Iterable[str], config: Config, benchmark: Benchmark) -> tuple[tuple[str, Rung], ...]:
    """The paths that bear on the benchmark, each with its rung, in the order given."""
    standing = classify(paths, benchmark.watch, config.ignore)
    return tuple((path, rung) for path, rung in standing.items() if isinstance(rung, Rung))

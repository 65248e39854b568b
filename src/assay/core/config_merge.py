"""The config of a check on GitHub: the base branch's, and of head's no more than benchmarks that the base does not have."""

from collections.abc import Mapping

from assay.core.config import Benchmark, Config
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Merged:
    """The config in force, the names of the benchmarks that head brought, and what a reader should know of that."""

    config: Config
    taken: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def merge(base: Config | None, head: Config | None) -> Merged | None:
    """Base's config with the benchmarks that only `head` defines; None where there is neither, or nothing can be taken.

    Never head's policy, permissions, budget, git, machines or anything else that all benchmarks share: a change may not
    set the rules that it is judged by. `head` is to be None for a fork, of which nothing at all is taken.
    """
    own = base.benchmarks if base else {}
    new = {name: one for name, one in (head.benchmarks if head else {}).items() if name not in own}
    machines = base.machines if base else {}
    taken = {name: one for name, one in new.items() if one.machine is None or one.machine in machines}
    remarks = (*_taken(taken, has_base=base is not None), *_refused(new, taken))
    if base is None:
        return Merged(Config(version=1, benchmarks=taken), tuple(taken), remarks) if taken else None
    return Merged(base.model_copy(update={"benchmarks": {**own, **taken}}), tuple(taken), remarks)


def _taken(taken: Mapping[str, Benchmark], *, has_base: bool) -> tuple[str, ...]:
    if not taken:
        return ()
    why = "which the base branch does not define" if has_base else "for the base branch has no config yet; everything else has its default"
    return (f"Taken from head's config: {', '.join(taken)}, {why}.",)


def _refused(new: Mapping[str, Benchmark], taken: Mapping[str, Benchmark]) -> tuple[str, ...]:
    return tuple(
        f"Left out: {name} of head's config, for it runs on the machine {one.machine}, which the base branch does not define."
        for name, one in new.items()
        if name not in taken
    )

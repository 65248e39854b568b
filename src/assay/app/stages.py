"""Who is told of a benchmark's stages while a check goes on, and may hold its decision open. A local check has nobody to tell."""

from typing import Protocol

from assay.app.commits import Commits
from assay.core.config import Benchmark
from assay.core.decide import Hold
from assay.core.model import Conclusion
from assay.core.result import CheckResult
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why code must not run here, and what somebody can do about it."""

    reason: str
    next_step: str
    conclusion: Conclusion = Conclusion.NEUTRAL


class Stages(Protocol):
    """Told in the order of work, on the thread of the check."""

    def opened(self, benchmark: Benchmark, commits: Commits, run_id: str, /) -> None:
        """The benchmark is about to be measured, and head's run will be called that."""
        ...

    def hold(self, benchmark: Benchmark, commits: Commits, /) -> Hold:
        """What keeps the decision open whatever the numbers say; asked when they are there."""
        ...

    def concluded(self, result: CheckResult, /) -> None:
        """One benchmark is done: `result` is the check with that one alone."""
        ...


class Silent:
    """Satisfies `Stages`: tells nobody, holds nothing."""

    def opened(self, *_: object) -> None:
        pass

    def hold(self, *_: object) -> Hold:
        return Hold.NONE

    def concluded(self, *_: object) -> None:
        pass

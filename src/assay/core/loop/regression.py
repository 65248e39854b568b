"""Regressions of the default branch, as the ledger tells them: what got worse, against which commit, and whether it has recovered.

A cell that regressed is measured against the commit before the harm until it is no longer worse than that. Otherwise the next
tick, whose base has the harm already, would find nothing changed and call it well.
"""

from collections.abc import Iterable, Mapping

from assay.core.config import Alert, Config
from assay.core.loop.ledger import LedgerRow
from assay.core.model import Verdict
from assay.core.values import dataclass

AT_MOST = 5
"""So many issues are opened in one run: a broken runner must not fill the tracker."""

_WELL = (Verdict.IMPROVED, Verdict.UNCHANGED)


@dataclass(frozen=True, slots=True)
class Standing:
    """A cell's regression. `first` is the row that showed it, `last` the newest one that was held against the same commit."""

    first: LedgerRow
    last: LedgerRow
    open: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.first.machine, self.first.task

    @property
    def base(self) -> str:
        """The commit that the cell is held against until it has recovered."""
        return self.first.base or ""

    @property
    def harm(self) -> float:
        """How much worse it was last, as a positive fraction."""
        return abs(self.last.change or self.first.change or 0.0)


def standings(rows: Iterable[LedgerRow], config: Config) -> Mapping[tuple[str, str], Standing]:
    """The newest regression of each machine and task that ever had one, in the order of the ledger."""
    found: dict[tuple[str, str], Standing] = {}
    for row in rows:
        if not row.result.gathered or row.base is None:
            continue
        before = found.get((row.machine, row.task))
        if before is None or not before.open:
            if _harmful(row, config):
                found[row.machine, row.task] = Standing(row, row, open=True)
        elif row.base == before.base:
            found[row.machine, row.task] = Standing(before.first, row, open=row.verdict not in _WELL)
    return found


def reference(rows: Iterable[LedgerRow], config: Config, machine: str, task: str) -> str | None:
    """The commit that a cell has to be held against, None where it is not regressed."""
    found = standings(rows, config).get((machine, task))
    return found.base if found and found.open else None


def worst_first(found: Iterable[Standing]) -> tuple[Standing, ...]:
    return tuple(sorted(found, key=lambda one: (-one.harm, one.key)))


def _harmful(row: LedgerRow, config: Config) -> bool:
    """Whether a row is a regression that is worth an issue: beyond the relative floor, and beyond the absolute one."""
    if row.verdict is not Verdict.REGRESSED or row.change is None:
        return False
    benchmark = config.benchmarks.get(row.task)
    floors = benchmark.alert if benchmark else Alert()
    known = row.number is not None and row.base_number is not None
    step = abs((row.number or 0.0) - (row.base_number or 0.0)) if known else abs(row.change)
    return abs(row.change) >= floors.relative and (step >= floors.absolute or not known)

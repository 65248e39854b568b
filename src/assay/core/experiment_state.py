"""What a session has come to, told from its records."""

from collections.abc import Iterable
from functools import cached_property

from assay.core.experiment import ChecksState, ConfigPayload, ConfigRecord, Journal, RunPayload, RunRecord
from assay.core.experiment_confidence import confidence
from assay.core.model import Direction, Outcome
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Trial:
    """A run with both of its rows. `final` is None until it is logged."""

    begun: RunRecord
    final: RunRecord | None

    @property
    def run(self) -> str:
        return self.begun.payload.run

    @property
    def segment(self) -> int:
        return self.begun.segment

    @property
    def stored(self) -> RunPayload:
        """What was stored when its process ended."""
        return self.begun.payload

    @property
    def newest(self) -> RunPayload:
        """The newest row."""
        return (self.final or self.begun).payload

    @property
    def settled(self) -> bool:
        """Whether it has an outcome that stands. `pending` says that it has none yet."""
        return self.final is not None and self.final.payload.status is not Outcome.PENDING

    @property
    def counts(self) -> bool:
        """Whether its number is a sample and may be a baseline. What crashed or computes something wrong has no say in the noise."""
        wrong = self.stored.checks.state is ChecksState.FAILED or self.newest.status in (Outcome.ERRORED, Outcome.CHECKS_FAILED)
        return self.stored.clean and not wrong

    @property
    def value(self) -> float | None:
        return self.newest.primary_metric.value if self.newest.primary_metric else None


class SessionState:
    """Answers about a session. `best`, `baseline` and `confidence` are those of the current segment."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.segment = journal.segment

    @cached_property
    def config(self) -> ConfigPayload:
        """What the current segment is judged by. Raises ValueError for a session without any config."""
        found = [one.payload for one in self.journal.records if isinstance(one, ConfigRecord)]
        if not found:
            raise ValueError("the session has no config record")
        return found[-1]

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """All runs in the order in which they began."""
        rows: dict[str, list[RunRecord]] = {}
        for one in self.journal.records:
            if isinstance(one, RunRecord):
                rows.setdefault(one.payload.run, []).append(one)
        return tuple(Trial(first, rest[-1] if rest else None) for first, *rest in rows.values())

    @property
    def here(self) -> tuple[Trial, ...]:
        """The runs of the current segment."""
        return tuple(one for one in self.trials if one.segment == self.segment)

    def find(self, run: str) -> Trial | None:
        """One run by its id."""
        return next((one for one in self.trials if one.run == run), None)

    @property
    def kept(self) -> tuple[Trial, ...]:
        """All kept runs, of every segment."""
        return tuple(one for one in self.trials if one.newest.status is Outcome.KEEP)

    @property
    def discarded(self) -> tuple[Trial, ...]:
        """All runs that are not kept."""
        return tuple(one for one in self.trials if one.newest.status is not Outcome.KEEP)

    @property
    def best(self) -> Trial | None:
        """The kept run of the segment with the best value, the first of equal ones."""
        return best_of((one for one in self.here if one.newest.status is Outcome.KEEP), self.config.direction)

    @property
    def baseline(self) -> Trial | None:
        """The run of the segment that was named last, else the first one whose number counts, logged or not."""
        counting = [one for one in self.here if one.counts]
        named = [one for one in counting if one.newest.as_baseline]
        return next(iter([*named[-1:], *counting]), None)

    def own_commit(self, trial: Trial) -> str | None:
        """The commit that a run worked on, if the user has made it since the run before; None where that cannot be told."""
        before = self.trials[: self.trials.index(trial)]
        known = {sha for one in before for sha in (one.stored.head, one.newest.commit, one.newest.reverted_to)}
        return trial.stored.head if before and trial.stored.head not in known else None

    @property
    def bounds(self) -> tuple[str, ...]:
        """Commits that are no part of a run behind them.

        Where the session began, what was kept, what a keep was made on, and what was discarded and yet stays.
        """
        began = [one.stored.head for one in self.trials[:1]]
        built_on = [one.stored.head for one in self.kept if one.newest.commit != one.stored.head]
        refused = (Outcome.DISCARD, Outcome.CHECKS_FAILED)
        stay = [self.own_commit(one) for one in self.trials if one.newest.status in refused and one.newest.reverted_to is None]
        kept = [one.newest.commit for one in self.kept]
        return tuple(dict.fromkeys(sha for sha in (*began, *kept, *built_on, *stay) if sha))

    @property
    def confidence(self) -> float | None:
        """How far the best stands out of the noise of the segment."""
        base = self.baseline
        order = [*([base] if base else []), *(one for one in self.here if one.counts and one is not base)]
        values = [one.value for one in order if one.value is not None]
        best = self.best.value if self.best else None
        return confidence(values, best)


def best_of(trials: Iterable[Trial], direction: Direction) -> Trial | None:
    """The run with the best value, the first of equal ones; None where no run has one."""
    sign = 1 if direction is Direction.LOWER else -1
    measured = [one for one in trials if one.value is not None]
    return min(measured, key=lambda one: sign * (one.value or 0.0), default=None)

"""Sessions for tests, made by the edits that the product makes."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.fakes.runner import completed

from assay.core.experiment import ConfigPayload, Journal
from assay.core.experiment_edits import Logged, Mark, Place, begin_run, end_run, log_run, new_segment, new_session, result_of
from assay.core.experiment_rules import require_trial
from assay.core.experiment_state import SessionState
from assay.core.ids import new_id
from assay.core.model import Direction, Outcome
from assay.core.timestamp import stamp

START = datetime(2025, 3, 1, 12, tzinfo=UTC)
SHA = "a" * 40


def config(metric: str = "loss", better: str = "lower", **changes: Any) -> ConfigPayload:
    """What a segment is judged by; a test names only what it is about."""
    fields: dict[str, Any] = {
        "metric": metric,
        "direction": Direction(better),
        "unit": None,
        "max_iterations": None,
        "rules": None,
        "ideas": None,
        "working_dir": None,
        "tags": (),
        "checks": None,
    }
    return ConfigPayload.model_validate(fields | changes)


@dataclass
class Story:
    """A session that grows; ids and times count up."""

    journal: Journal
    made: int = field(default=0)

    @classmethod
    def begin(cls, **settings: Any) -> "Story":
        story = cls.__new__(cls)
        story.made = 0
        story.journal = new_session(story.an_id("exp"), "try", None, config(**settings), story.mark())
        return story

    def an_id(self, prefix: str) -> str:
        self.made += 1
        return new_id(prefix, START + timedelta(seconds=self.made), self.made.to_bytes(10))

    def mark(self) -> Mark:
        record = self.an_id("rec")
        return Mark(record, stamp(START + timedelta(seconds=self.made)))

    def segment(self, **settings: Any) -> None:
        self.journal = new_segment(self.journal, config(**settings), self.mark())

    def run(self, printed: str | None = "METRIC loss=1\n", *, exit_code: int = 0, checks: int | None = None) -> str:
        """A run that printed this; None is one whose host was killed."""
        run = self.an_id("run")
        self.journal = begin_run(self.journal, run, ("./bench",), Place(SHA, "experiment/try", "box"), self.mark())
        if printed is not None:
            begun = require_trial(self.state, run).stored
            done = completed(printed, exit_code=exit_code)
            checked = completed(exit_code=checks) if checks is not None else None
            row = result_of(begun, done, self.state.config.metric, checked, {})
            self.journal = end_run(self.journal, row, self.mark().now)
        return run

    def log(self, run: str, outcome: str, baseline: str | None = SHA, **facts: Any) -> str:
        logged = Logged(run, Outcome(outcome), **facts)
        self.journal = log_run(self.journal, logged, baseline, self.mark())
        return run

    def tried(self, value: float, outcome: str, **facts: Any) -> str:
        """A run of that value with its outcome."""
        return self.log(self.run(f"METRIC {self.state.config.metric}={value}\n"), outcome, **facts)

    @property
    def state(self) -> SessionState:
        return SessionState(self.journal)

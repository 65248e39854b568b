"""Sessions in memory, and a writer of branches that notes what it is told. Each can fail."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.core.effects import RestoreCommit
from assay.core.experiment import Journal
from assay.errors import AssayError
from assay.experiment_ports import SessionBook
from assay.ports import Unreadable


@dataclass
class FakeSessions:
    """Satisfies `experiment_ports.Sessions`. Every edit is asked twice, as a store does that lost a race."""

    journals: dict[str, Journal] = field(default_factory=dict)
    fails: AssayError | None = None

    def get(self, session_id: str) -> Journal | Unreadable | None:
        return self.journals.get(session_id)

    def all(self) -> tuple[Journal | Unreadable, ...]:
        return tuple(self.journals[name] for name in sorted(self.journals, reverse=True))

    def change(self, edit: Callable[[SessionBook], Journal]) -> Journal:
        if self.fails:
            raise self.fails
        edit(self)
        journal = edit(self)
        self.journals[journal.id] = Journal.from_text(journal.to_text())
        return journal


@dataclass
class FakeBranchWriter:
    """Satisfies `experiment_ports.BranchWriter`."""

    tip: str = "f" * 40
    asked: list[RestoreCommit] = field(default_factory=list)
    fails: AssayError | None = None

    def restore(self, effect: RestoreCommit) -> str:
        self.asked.append(effect)
        if self.fails:
            raise self.fails
        return self.tip

    def grown_from(self, commit: str, head: str) -> bool:
        return True

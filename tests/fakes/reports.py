"""A folder of reports in memory."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class FakeReports:
    """Satisfies `ports.Reports`. `written` has the newest text of each file."""

    written: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, text: str) -> str:
        self.written[name] = text
        return name

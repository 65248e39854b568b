"""The files of a step, kept in memory."""

from dataclasses import dataclass, field

from assay.errors import InfrastructureError


@dataclass(slots=True)
class FakeJobFiles:
    """Satisfies `ports.JobFiles`. With `refuses` set nothing can be written."""

    summaries: list[str] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    refuses: str = ""

    def summary(self, text: str) -> None:
        self._accept()
        self.summaries.append(text)

    def output(self, name: str, value: str) -> None:
        self._accept()
        self.outputs[name] = value

    def _accept(self) -> None:
        if self.refuses:
            raise InfrastructureError(self.refuses)

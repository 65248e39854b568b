"""A place for cells that does what a test has written down for it."""

from collections.abc import Mapping

from assay.cell_ports import CellNews
from assay.errors import InfrastructureError


class FakePlace:
    """`cell_ports.Place`: answers one look after the other; the last answer stands from then on."""

    def __init__(
        self, *looks: Mapping[str, CellNews] | InfrastructureError, title: str = "lab", refusal: InfrastructureError | None = None
    ) -> None:
        self.title = title
        self.looks = list(looks)
        self.refusal = refusal
        self.sent: list[tuple[str, ...]] = []
        self.cancelled = 0

    def send(self, cells: tuple[str, ...]) -> None:
        if self.refusal:
            raise self.refusal
        self.sent.append(cells)

    def look(self) -> Mapping[str, CellNews]:
        answer = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
        if isinstance(answer, InfrastructureError):
            raise answer
        return answer

    def cancel(self) -> None:
        self.cancelled += 1

"""An observer that remembers what it heard."""

from assay.core.events import Event, Remark


class RecordingObserver:
    """`ports.Observer`: all events in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def note(self, event: Event) -> None:
        self.events.append(event)

    @property
    def remarks(self) -> list[str]:
        """The texts of the remarks alone."""
        return [event.text for event in self.events if isinstance(event, Remark)]

"""Has cells measured where they belong, and waits for them: told to whoever waits, given up by nobody's silence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.cell_ports import CellNews, Phase, Place
from assay.core.escape import plain
from assay.core.events import Remark
from assay.errors import AssayError, InfrastructureError
from assay.ports import Clock, Observer

LOOK_S = 1.0
"""Between two looks in the beginning; each further look is a little later, up to `LOOK_AT_MOST_S`."""

LOOK_AT_MOST_S = 15.0
SILENCE_S = 3600.0
"""So long a place may give no answer before we stop waiting for it. What it measures is not lost: see `Waiting.hint`."""

ENDING_S = 60.0
"""So long we wait, after a cancel, for what was measured until then."""


class SilentError(InfrastructureError):
    """A place gave no answer for so long that we stop waiting for it."""


@dataclass(slots=True)
class _Sent:
    """One place with what is known of its cells."""

    place: Place
    news: dict[str, CellNews] = field(default_factory=dict)
    silent_since: float | None = None

    @property
    def ended(self) -> bool:
        return bool(self.news) and all(one.ended for one in self.news.values())


@dataclass(frozen=True, slots=True)
class Waiting:
    """How to wait: `pause` sleeps so many seconds; `hint` says what to do should the wait end early."""

    clock: Clock
    observer: Observer
    pause: Callable[[float], None]
    hint: str = ""


def dispatch(orders: tuple[tuple[Place, tuple[str, ...]], ...], here: Callable[[], None], waiting: Waiting) -> Mapping[str, CellNews]:
    """Send the cells of each place, do meanwhile what is to be done `here`, and wait for all; how each ended.

    Whatever ends it early cancels what was sent. Raises InfrastructureError where a place takes nothing or falls silent for good.
    """
    sent: list[_Sent] = []
    try:
        for place, cells in orders:
            sent.append(_Sent(place))
            place.send(cells)
            _tell(waiting, f"Sent to {place.title}: {', '.join(cells)}.")
        here()
        _wait(sent, waiting)
    except SilentError:
        raise  # the cells go on, and what they leave can still be taken
    except BaseException:
        _cancel(sent, waiting)
        raise
    return {cell: news for one in sent for cell, news in one.news.items()}


def _wait(sent: list[_Sent], waiting: Waiting) -> None:
    pause = LOOK_S
    while True:
        for one in sent:
            if not one.ended:
                _look(one, waiting)
        if all(one.ended for one in sent):
            return
        waiting.pause(pause)
        pause = min(pause * 1.3, LOOK_AT_MOST_S)


def _look(one: _Sent, waiting: Waiting) -> None:
    try:
        found = one.place.look()
    except InfrastructureError as error:
        now = waiting.clock.monotonic()
        if one.silent_since is None:
            one.silent_since = now
            _tell(waiting, f"{one.place.title}: {error.message} Asking again.")
        if now - one.silent_since > SILENCE_S:
            raise SilentError(error.message, hint=f"{error.hint} {waiting.hint}".strip()) from error
        return
    if one.silent_since is not None:
        one.silent_since = None
        _tell(waiting, f"{one.place.title} answers again.")
    for cell, news in found.items():
        before = one.news.get(cell)
        one.news[cell] = news
        if before is None or (before.phase, before.detail) != (news.phase, news.detail):
            _tell(waiting, f"{cell} on {one.place.title}: {news.detail}")
        for line in news.lines:
            _tell(waiting, f"{cell} | {line}")


def _cancel(sent: list[_Sent], waiting: Waiting) -> None:
    """Cancel everything, and give it a moment to write down what it has. What goes wrong here must not hide why we are here."""
    open_ones = [one for one in sent if not one.ended]
    for one in open_ones:
        try:
            one.place.cancel()
        except AssayError as error:
            _tell(waiting, f"{one.place.title}: {error.message} {error.hint}")
    until = waiting.clock.monotonic() + ENDING_S
    while any(_going(one) for one in open_ones) and waiting.clock.monotonic() < until:
        waiting.pause(LOOK_S)


def _going(one: _Sent) -> bool:
    try:
        return any(news.phase in (Phase.RUNNING, Phase.WAITING) for news in one.place.look().values())
    except InfrastructureError:
        return False


def _tell(waiting: Waiting, text: str) -> None:
    waiting.observer.note(Remark(plain(text, 600)))

"""What a job leaves to the next one, and how the next one ties it up. Nothing of this changes what is decided."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from assay.core.check_run import CheckRun
from assay.core.effects import OpenCheck, PostComment, UpdateComment
from assay.core.forge_facts import RunState
from assay.core.ids import is_id
from assay.core.loose_ends import (
    OPENED_SCHEMA,
    OWED_SCHEMA,
    JobMark,
    LooseEnd,
    LooseEnds,
    Opened,
    Owed,
    OwedCheck,
    OwedComment,
    comment_place,
    is_left_behind,
    lost,
)
from assay.core.store_layout import RUN_PREFIX
from assay.core.timestamp import moment, stamp
from assay.core.values import dataclass
from assay.errors import ForgeError, InfrastructureError
from assay.forge_ports import Ends, Forge
from assay.ports import Clock

MOST = 20
"""So many loose ends are tied up by one job; the rest is for those after it."""

KEPT = "It is kept, and the next job posts it."


class Keeper:
    """Keeps the loose ends of one job. That a disk refuses one costs the next job a repair, and is told where it refuses the runs."""

    def __init__(self, ends: Ends, mark: JobMark, clock: Clock) -> None:
        self.ends = ends
        self.mark = mark
        self.clock = clock
        self._begun: dict[str, Opened] = {}
        self._owed: dict[str, Owed] = {}

    def begin(self, effect: OpenCheck) -> None:
        """A check run is about to be opened for a run of that id."""
        if not is_id(RUN_PREFIX, effect.external_id):
            return
        opened = Opened(
            schema=OPENED_SCHEMA,
            run_id=effect.external_id,
            created_at=self._now(),
            check=effect.name,
            commit=effect.commit,
            job=self.mark,
        )
        self._begun[effect.external_id] = opened
        with suppress(InfrastructureError):
            self.ends.begin(opened)

    def ended(self, external_id: str) -> None:
        """It has been completed on the forge, or is owed, or was never there."""
        if (opened := self._begun.pop(external_id, None)) is not None:
            self.settle(opened)

    def knows(self, owed: Owed) -> None:
        """An earlier job owes this; a newer report for the same place takes its place."""
        self._owed[owed.path] = owed

    def posted(self, number: int) -> None:
        """The comment of that pull request says what is true now."""
        if (owed := self._owed.pop(comment_place(number), None)) is not None:
            self.settle(owed)

    def owe_check(self, payload: CheckRun) -> None:
        """Raises InfrastructureError where it cannot be kept."""
        self.ends.owe(Owed(schema=OWED_SCHEMA, created_at=self._now(), check=OwedCheck.of(payload), comment=None))
        self.ended(payload.external_id)

    def owe_comment(self, effect: PostComment | UpdateComment) -> None:
        """Raises InfrastructureError where it cannot be kept."""
        comment = OwedComment(pull=effect.number, marker=effect.marker, body=effect.body, always=isinstance(effect, PostComment))
        owed = Owed(schema=OWED_SCHEMA, created_at=self._now(), check=None, comment=comment)
        self.ends.owe(owed)
        self.knows(owed)

    def settle(self, end: LooseEnd) -> None:
        """It is tied up. Where that cannot be written down it is found again, and changes nothing then."""
        with suppress(InfrastructureError):
            self.ends.settle(end)

    def _now(self) -> str:
        return stamp(self.clock.now())


@dataclass(frozen=True, slots=True)
class CatchUp:
    """Ties up what earlier jobs have left. `forge` is one that does not wait long; `pointer` tells where a comment was seen last.

    The comment on pull request `number` is left out: this job is about to say there what is true by now.
    """

    forge: Forge
    keeper: Keeper
    pointer: Callable[[int], int | None]
    number: int | None

    def run(self) -> tuple[str, ...]:
        """What was done and what was not, in sentences. The first thing that the forge does not do ends it: the next job goes on."""
        found = self.keeper.ends.found()
        for owed in found.owed:
            self.keeper.knows(owed)
        try:
            return tuple(self._each(found))
        except ForgeError as error:
            if error.denied:  # as in every job of a fork
                return ()
            return (f"What earlier jobs have left on the forge could not be tied up. {error.message}",)

    def _each(self, found: LooseEnds) -> Iterator[str]:
        ends: list[tuple[LooseEnd, Callable[[], str | None]]] = [
            *((owed, partial(self._post, owed)) for owed in found.owed[:MOST] if not self._is_mine(owed)),
            *((opened, partial(self._close, opened)) for opened in found.opened[:MOST]),
        ]
        for end, tie_up in ends:
            try:
                sentence = tie_up()
            except ForgeError as error:
                if not error.refused:
                    raise
                sentence = f"What an earlier job has left on the forge can never be tied up, and is dropped. {error.message}"
            if sentence:
                self.keeper.settle(end)
                yield sentence

    def _is_mine(self, owed: Owed) -> bool:
        return owed.comment is not None and owed.comment.pull == self.number

    def _post(self, owed: Owed) -> str | None:
        if owed.check:
            self.forge.end_check(owed.check.payload, make=True)
            return f"The check run “{owed.check.name}” of {owed.check.commit[:10]}, which an earlier job could not complete, is completed."
        if owed.comment:
            one, since = owed.comment, moment(owed.created_at)
            write = self.forge.upsert_comment if one.always else self.forge.update_comment
            write(one.pull, one.body, one.marker, self.pointer(one.pull), since)
            return f"The report on pull request {one.pull}, which an earlier job could not post, is posted."
        return None

    def _close(self, opened: Opened) -> str | None:
        age = self.keeper.clock.now() - moment(opened.created_at)
        mine, theirs = self.keeper.mark, opened.job
        state = self.forge.run_state(theirs.run) if theirs.run and theirs.run != mine.run else RunState.UNKNOWN
        if not is_left_behind(opened, mine, state, age):
            return None
        self.forge.end_check(lost(opened), make=False)
        return f"The job that began “{opened.check}” at {opened.created_at} was lost, and its check run is closed as cancelled."

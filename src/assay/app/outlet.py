"""What of ours stands on the forge in this job: opened check runs, where things are to be seen, what the token may not do."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, assert_never

from assay.app.loose_ends import KEPT, Keeper
from assay.core.check_run import CheckRun
from assay.core.comment_pointer import CommentPointer
from assay.core.effects import CloseCheck, ForgeEffect, OpenCheck, PostComment, UpdateComment
from assay.core.model import Conclusion
from assay.errors import ForgeError, InfrastructureError
from assay.forge_ports import Forge, Posted


class Kind(StrEnum):
    """What the token may be lacking the permission for; the value is that permission of a workflow."""

    CHECKS = "checks"
    COMMENT = "pull-requests"


class Memory(Protocol):
    """Remembers where our comment on a pull request stands; a store does."""

    def pointer(self, pull: int, /) -> CommentPointer | None: ...

    def add_pointer(self, pointer: CommentPointer, /) -> str: ...


@dataclass(slots=True)
class Outlet:
    """Carries effects to the forge. What a token may not do is asked for once, and noted rather than raised."""

    forge: Forge
    memory: Memory | None = None
    open: dict[str, tuple[OpenCheck, Posted]] = field(default_factory=dict)
    checks: dict[str, Posted] = field(default_factory=dict)
    comment: Posted | None = None
    denied: dict[Kind, ForgeError] = field(default_factory=dict)
    keeper: Keeper | None = None
    opening: OpenCheck | None = None
    closing: tuple[Posted | None, CheckRun] | None = None

    def perform(self, effect: ForgeEffect) -> None:
        """Do it. Raises ForgeError where the forge did not answer or refused for another reason than a permission."""
        kind = Kind.CHECKS if isinstance(effect, OpenCheck | CloseCheck) else Kind.COMMENT
        if kind in self.denied:
            return
        try:
            self._perform(effect)
        except ForgeError as error:
            if not error.denied:
                raise self._owed(effect, error) from error
            self.denied[kind], self.opening, self.closing = error, None, None
            if isinstance(effect, OpenCheck) and self.keeper:
                self.keeper.ended(effect.external_id)

    def abandon(self, forge: Forge, conclusion: Conclusion, title: str, summary: str) -> None:
        """Complete what is still open, by one try each. Raises ForgeError where that fails: it is the last word anyway."""
        if self.opening is not None:  # it was on its way; whether it arrived, nobody has told us
            opened, self.opening = self.opening, None
            forge.end_check(_last_word(opened, conclusion, title, summary), make=False)
            self._ended(opened.external_id)
        if self.closing is not None:
            self._say_last(forge, *self.closing)
        while self.open:
            opened, posted = self.open.popitem()[1]
            self._say_last(forge, posted, _last_word(opened, conclusion, title, summary))

    def _say_last(self, forge: Forge, posted: Posted | None, payload: CheckRun) -> None:
        self.closing = None
        try:
            forge.close_check(posted, payload)
        except ForgeError as error:
            raise self._owed(CloseCheck(payload), error) from error
        self._ended(payload.external_id)

    def _owed(self, effect: ForgeEffect, error: ForgeError) -> ForgeError:
        """Leave to the next job what could not be posted; the error says so."""
        self.opening = self.closing = None
        if self.keeper is None or isinstance(effect, OpenCheck):
            return error
        try:
            if isinstance(effect, CloseCheck):
                self.keeper.owe_check(effect.payload)
            else:
                self.keeper.owe_comment(effect)
        except InfrastructureError as refused:
            return ForgeError(error.message, hint=f"{error.hint} It could not be kept either: {refused.message}".strip())
        return ForgeError(error.message, hint=f"{error.hint} {KEPT}".strip())

    def _ended(self, external_id: str) -> None:
        if self.keeper:
            self.keeper.ended(external_id)

    def _perform(self, effect: ForgeEffect) -> None:
        match effect:
            case OpenCheck():
                self._open(effect)
            case CloseCheck(payload):
                self._close(payload)
            case PostComment(number, body, marker):
                known = self.known(number)
                self.comment = self.forge.upsert_comment(number, body, marker, known)
                self._remember(effect, known)
                self._said(number)
            case UpdateComment(number, body, marker):
                self.comment = self.forge.update_comment(number, body, marker, self.known(number))
                self._said(number)
            case _:
                assert_never(effect)

    def _open(self, effect: OpenCheck) -> None:
        if self.keeper:
            self.keeper.begin(effect)
        self.opening = effect
        posted = self.forge.open_check(effect.name, effect.commit, effect.external_id, effect.title, new=True)
        self.open[effect.name], self.opening = (effect, posted), None

    def _close(self, payload: CheckRun) -> None:
        """Whatever comes of it, its conclusion is this one from here on, and never that of an abandoned one."""
        _, posted = self.open.pop(payload.name, (None, None))
        self.closing = posted, payload
        self.checks[payload.name] = self.forge.close_check(posted, payload)
        self.closing = None
        self._ended(payload.external_id)

    def _said(self, number: int) -> None:
        if self.keeper:
            self.keeper.posted(number)

    def known(self, number: int) -> int | None:
        """The comment on a pull request that was seen last."""
        found = self.memory.pointer(number) if self.memory else None
        return found.comment if found else None

    def _remember(self, effect: PostComment, known: int | None) -> None:
        """For the next time. That a store refuses costs it a search, unless another job was first: then there are two comments."""
        if self.memory and self.comment and known is None:
            try:
                self.memory.add_pointer(CommentPointer(schema="assay.comment/1", pull=effect.number, comment=self.comment.id))
            except InfrastructureError:
                self._join(effect, self.comment)

    def _join(self, effect: PostComment, mine: Posted) -> None:
        """Say it in the comment that is remembered, and take ours away."""
        known = self.known(effect.number)
        if known is not None and known != mine.id:
            self.comment = self.forge.upsert_comment(effect.number, effect.body, effect.marker, known)
            if self.comment.id != mine.id:
                self.forge.withdraw_comment(mine.id)


def _last_word(opened: OpenCheck, conclusion: Conclusion, title: str, summary: str) -> CheckRun:
    return CheckRun(opened.name, opened.commit, opened.external_id, conclusion, title, summary, "")

"""What of ours stands on the forge in this job: opened check runs, where things are to be seen, what the token may not do."""

from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, assert_never

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

    def perform(self, effect: ForgeEffect) -> None:
        """Do it. Raises ForgeError where the forge did not answer or refused for another reason than a permission."""
        kind = Kind.CHECKS if isinstance(effect, OpenCheck | CloseCheck) else Kind.COMMENT
        if kind in self.denied:
            return
        try:
            self._perform(effect)
        except ForgeError as error:
            if not error.denied:
                raise
            self.denied[kind] = error

    def abandon(self, forge: Forge, conclusion: Conclusion, title: str, summary: str) -> None:
        """Complete what is still open, by one try each. Raises ForgeError where that fails: it is the last word anyway."""
        while self.open:
            name, (opened, posted) = self.open.popitem()
            forge.close_check(posted, CheckRun(name, opened.commit, opened.external_id, conclusion, title, summary, ""))

    def _perform(self, effect: ForgeEffect) -> None:
        match effect:
            case OpenCheck(name, commit, external_id, title):
                self.open[name] = effect, self.forge.open_check(name, commit, external_id, title, new=True)
            case CloseCheck(payload):
                _, posted = self.open.get(payload.name, (None, None))
                self.checks[payload.name] = self.forge.close_check(posted, payload)
                self.open.pop(payload.name, None)
            case PostComment(number, body, marker):
                known = self._known(number)
                self.comment = self.forge.upsert_comment(number, body, marker, known)
                self._remember(number, known)
            case UpdateComment(number, body, marker):
                self.comment = self.forge.update_comment(number, body, marker, self._known(number))
            case _:
                assert_never(effect)

    def _known(self, number: int) -> int | None:
        found = self.memory.pointer(number) if self.memory else None
        return found.comment if found else None

    def _remember(self, number: int, known: int | None) -> None:
        """For the next time. That a store refuses costs it a search, and nothing else."""
        if self.memory and self.comment and known is None:
            with suppress(InfrastructureError):
                self.memory.add_pointer(CommentPointer(schema="assay.comment/1", pull=number, comment=self.comment.id))

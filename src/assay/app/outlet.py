"""What of ours stands on the forge in this job: opened check runs, where things are to be seen, what the token may not do."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from assay.core.check_run import CheckRun
from assay.core.effects import CloseCheck, ForgeEffect, OpenCheck, PostComment, UpdateComment
from assay.core.model import Conclusion
from assay.errors import ForgeError
from assay.ports import Forge, Posted


class Kind(StrEnum):
    """What the token may be lacking the permission for; the value is that permission of a workflow."""

    CHECKS = "checks"
    COMMENT = "pull-requests"


@dataclass(slots=True)
class Outlet:
    """Carries effects to the forge. What a token may not do is asked for once, and noted rather than raised."""

    forge: Forge
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
                self.open[name] = effect, self.forge.open_check(name, commit, external_id, title)
            case CloseCheck(payload):
                _, posted = self.open.get(payload.name, (None, None))
                self.checks[payload.name] = self.forge.close_check(posted, payload)
                self.open.pop(payload.name, None)
            case PostComment(number, body, marker):
                self.comment = self.forge.upsert_comment(number, body, marker)
            case UpdateComment(number, body, marker):
                self.comment = self.forge.update_comment(number, body, marker)
            case _:
                assert_never(effect)

"""Says on the forge what is said to everybody. What the forge refuses is collected, and changes nothing that was measured."""

from collections.abc import Iterable

from assay.core.effects import EditIssue
from assay.core.loop.notices import Said
from assay.errors import ForgeError
from assay.forge_ports import Notices


def say(sayings: Iterable[Said], notices: Notices) -> tuple[str, ...]:
    """Do all of it; sentences on what could not be done. A missing permission is met once."""
    problems: list[str] = []
    for one in sayings:
        try:
            if isinstance(one.effect, EditIssue):
                notices.edit_issue(one.effect)
            else:
                notices.open_issue(one.effect, one.marker)
        except ForgeError as error:
            problems.append(f"{error.message} {error.hint}".strip())
            if error.denied:
                break
    return tuple(problems)

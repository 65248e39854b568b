"""`approve SHA`: somebody with rights has read a fork's head, and later commands may run that very commit without naming it."""

from assay.app.office import Heard, Office
from assay.app.rights import forbidden, misnamed
from assay.core import replies
from assay.errors import UsageError


def approve(heard: Heard, office: Office) -> str:
    """Vouch for the head that is named, as long as it is the head. Raises UsageError where it is not, or nothing of it may run anyway."""
    if not heard.pull.fork:
        raise UsageError("The head is in this repository, so nobody has to vouch for it.", hint="Give the command `run`.")
    problem = forbidden(heard, office.rules(heard).config, office.inputs.allow_forks) or misnamed(heard)
    if problem:
        raise UsageError(problem[0], hint=problem[1])
    office.purse.vouch(heard.comment.number, heard.comment.author, heard.pull.head_sha)
    return replies.told(f"The command `run` now measures {heard.pull.head_sha}. A further push has to be approved anew.")

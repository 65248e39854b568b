"""What speaks against a command although its author may write: the rules of the base branch, and a head that nobody has seen."""

from assay.app.office import Heard
from assay.core.config import Config
from assay.core.forge_facts import Permission
from assay.core.inputs import ForkRule, stricter
from assay.errors import ForgeError
from assay.forge_ports import Forge

Problem = tuple[str, str]
"""What is wrong, and what helps."""

AGAIN = "Look at what is there now, then give the command again."


def forbidden(heard: Heard, config: Config, allow_forks: ForkRule) -> Problem | None:
    """Why the config of the base branch and the workflow forbid to run this head, None where they do not."""
    if not heard.permission.covers(Permission(config.permissions.run)):
        return "Here only somebody with admin rights may start a run.", "`permissions.run` of the config says so."
    if heard.pull.fork and stricter(allow_forks, ForkRule(config.permissions.forks)) is ForkRule.DENY:
        how = "`permissions.forks: sha` in the config and the input `allow-forks: sha` would let it, both."
        return "Code of a fork is not run here.", how
    return None


def misnamed(heard: Heard) -> Problem | None:
    """Why the commit that a command names is not the head, None where it is, or none is named."""
    head, sha = heard.pull.head_sha, heard.command.sha
    if sha in (None, head):
        return None
    return f"The head of the pull request is {head}, not the commit that the command names.", AGAIN


def unseen(heard: Heard, forge: Forge, told: list[str], *, vouched: bool) -> Problem | None:
    """Why it is not certain that somebody with rights saw this head, None where it is.

    Certain is a head that is named in full, now or by `vouched`, and a member's that was pushed before the comment. What the forge
    cannot say is added to `told`.
    """
    head = heard.pull.head_sha
    if heard.command.sha or vouched:
        return misnamed(heard)
    if heard.pull.fork:  # the forge keeps no record of when a fork was pushed
        how = f"Read the change, then add sha={head}, or give the command `approve {head}` first."
        return "A fork's code is run at a commit that somebody names in full.", how
    try:
        pushed = forge.pushed(heard.pull.head_ref, head)
    except ForgeError as error:
        told.append(error.message)
        return None
    if pushed is not None and pushed >= heard.comment.created_at:
        return f"Head {head[:10]} was pushed after the command was written.", AGAIN
    return None

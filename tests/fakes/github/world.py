"""A world from a JSON file, for a fake that runs as a process of its own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fakes.github.hub import FORK_PERMISSIONS, JOB_PERMISSIONS, Hub
from tests.fakes.github.model import Token


def seed(hub: Hub, world: Mapping[str, Any]) -> None:
    """Make what a file describes: `repositories`, then `forks`, `pulls`, `tokens`; all of it may be left out.

    A token's text is its key in the file, so that whoever wrote it knows it.
    """
    for name, facts in world.get("repositories", {}).items():
        source = Path(facts["from"]) if "from" in facts else None
        repo = hub.create_repository(name, source, private=facts.get("private", False))
        repo.collaborators.update(facts.get("collaborators", {}))
    for login in (*world.get("users", ()), *(login for repo in hub.repositories.values() for login in repo.collaborators)):
        hub.user(login)
    for login, name in world.get("forks", {}).items():
        hub.fork(hub.repositories[name], login)
    for pull in world.get("pulls", ()):
        hub.repositories[pull["repository"]].open_pull(pull["head"], pull.get("base"))
    for text, facts in world.get("tokens", {}).items():
        _token(hub, text, facts)


def _token(hub: Hub, text: str, facts: Mapping[str, Any]) -> None:
    """`user` for a person's, `app` for an App's, else a job's; `permissions`, or `fork` for those of a job on a fork."""
    default = FORK_PERMISSIONS if facts.get("fork") else JOB_PERMISSIONS
    permissions = facts.get("permissions", default)
    if "user" in facts:
        made = hub.personal_token(facts["user"])
    elif "app" in facts:
        made = hub.installation_token(facts["app"], hub.repositories[facts["repository"]], permissions=permissions)
    else:
        made = hub.job_token(hub.repositories[facts["repository"]], permissions)
    one = hub.tokens.pop(made)
    hub.tokens[text] = Token(text, one.user, one.kind, one.app, one.permissions, one.repositories)

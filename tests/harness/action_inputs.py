"""The inputs of an action as the runner passes them, and what an image's environment is here."""

import os
import re
from pathlib import Path

import yaml


def inputs_of(action: Path, token: str, **given: str) -> dict[str, str]:
    """All inputs of an action.yml as the runner passes them: given ones (with _ for -), else their defaults.

    `${{ github.token }}` is the one expression that a default may have here.
    """
    declared = yaml.load(action.read_text(encoding="utf-8"), yaml.BaseLoader)["inputs"]
    named = {name.replace("_", "-"): value for name, value in given.items()}
    if unknown := named.keys() - declared.keys():
        raise LookupError(f"{action} has no input {', '.join(sorted(unknown))}")
    defaults = {name: facts.get("default", "") if isinstance(facts, dict) else "" for name, facts in declared.items()}
    filled = {name: re.sub(r"\$\{\{ *github\.token *\}\}", token, text) for name, text in defaults.items()}
    return filled | named


def system_path() -> dict[str, str]:
    """An image's environment with the tools of this machine."""
    kept = ("PATH", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ}

"""Branch protection and rulesets, enforced on real pushes by git's proc-receive hook and worded as GitHub words them."""

import json
import shlex
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from tests.fakes.github.git import BareRepository

HOOK = Path(__file__).with_name("proc_receive.py")


class Rule(StrEnum):
    """Why a push is refused."""

    PULL_REQUEST = "Changes must be made through a pull request."
    SIGNATURES = "Commits must have verified signatures."
    UPDATES = "Cannot update this protected ref."
    CREATIONS = "Cannot create ref due to creations being restricted."


RULE_TYPES = {
    Rule.PULL_REQUEST: "pull_request",
    Rule.SIGNATURES: "required_signatures",
    Rule.UPDATES: "update",
    Rule.CREATIONS: "creation",
}
"""What the API calls them."""


class Style(StrEnum):
    """Which of GitHub's two mechanisms refuses: they word it differently."""

    CLASSIC = "classic"
    RULESET = "ruleset"


@dataclass(frozen=True, slots=True)
class Protection:
    ref: str
    rules: tuple[Rule, ...]
    style: Style
    bypass: tuple[str, ...]

    @property
    def headline(self) -> str:
        if self.style is Style.CLASSIC:
            return f"GH006: Protected branch update failed for {self.ref}."
        return f"GH013: Repository rule violations found for {self.ref}."

    @property
    def reason(self) -> str:
        """What git shows in brackets beside the refused ref."""
        if self.style is Style.CLASSIC:
            return "protected branch hook declined"
        return "push declined due to repository rule violations"


def protect(git: BareRepository, protections: Iterable[Protection]) -> None:
    """Write down what a bare repository refuses from now on."""
    listed = list(protections)
    git.attempt("config", "--unset-all", "receive.procReceiveRefs")
    for one in listed:
        git.run("config", "--add", "receive.procReceiveRefs", one.ref)
    rules = [{**asdict(one), "headline": one.headline, "reason": one.reason} for one in listed]
    (git.path / "protection.json").write_text(json.dumps(rules), encoding="utf-8")
    hook = git.path / "hooks" / "proc-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -I {shlex.quote(str(HOOK))}\n", encoding="utf-8")
    hook.chmod(0o755)

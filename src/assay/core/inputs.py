"""The inputs of the action as a job gives them: in variables INPUT_NAME, where an empty text is an input not given."""

import re
from collections.abc import Mapping
from dataclasses import field
from difflib import get_close_matches
from enum import StrEnum

from assay.core.config_text import CONFIG_FILE
from assay.core.config_types import check_path
from assay.core.decide import FailOn
from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import UsageError

DEFAULT_LOGIN = "github-actions[bot]"
DEFAULT_DATA_BRANCH = "assay-data"
DEFAULT_ARTIFACT = "assay-handover"
_WHOLE = re.compile(r"[1-9][0-9]{0,6}")
_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class Mode(StrEnum):
    """What the action is to do; `auto` lets the event decide."""

    AUTO = "auto"
    PLAN = "plan"
    RUN = "run"
    REPORT = "report"
    COMMAND = "command"
    SCHEDULE = "schedule"
    STATUS = "status"


class ForkRule(StrEnum):
    """Whether code of a fork may run, the strictest first."""

    DENY = "deny"
    SHA = "sha"
    ALLOW = "allow"


class CommentWhen(StrEnum):
    """When the sticky comment is written."""

    ALWAYS = "always"
    ON_CHANGE = "on-change"
    ON_ALERT = "on-alert"


class FusionChoice(StrEnum):
    """Which analyses are made: those of the config, the offline ones, none."""

    CONFIG = "config"
    OFFLINE = "offline"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs that have a meaning so far. None stands for one that leaves the choice to the event or the config."""

    token: str = field(default="", repr=False)
    mode: Mode = Mode.AUTO
    bot_login: str = DEFAULT_LOGIN
    config: str = CONFIG_FILE
    benchmarks: tuple[str, ...] = ()
    base: str | None = None
    head: str | None = None
    no_reuse: bool = False
    fail_on: tuple[str, ...] | None = None
    data_branch: str = DEFAULT_DATA_BRANCH
    comment: CommentWhen | None = None
    fusion: FusionChoice = FusionChoice.CONFIG
    allow_forks: ForkRule = ForkRule.DENY
    working_directory: str = "."
    artifact: str = DEFAULT_ARTIFACT
    minutes: int | None = None
    ref: str | None = None


def parse_inputs(environ: Mapping[str, str]) -> Inputs:
    """The inputs in an environment, as `INPUT_FAIL-ON` (a container action) or `INPUT_FAIL_ON` (a composite one).

    Raises UsageError, with the nearest valid value, for one that cannot be meant.
    """
    given = _Given(environ)
    return Inputs(
        token=given.get("github-token"),
        mode=Mode(given.one_of("mode", tuple(Mode)) or Mode.AUTO),
        bot_login=given.get("bot-login") or DEFAULT_LOGIN,
        config=given.path("config", CONFIG_FILE),
        benchmarks=given.words("benchmark"),
        base=given.get("base") or None,
        head=given.get("head") or None,
        no_reuse=_TRUTH[given.one_of("no-reuse", tuple(_TRUTH)) or "false"],
        fail_on=given.words_of("fail-on", tuple(FailOn)),
        data_branch=given.get("data-branch") or DEFAULT_DATA_BRANCH,
        comment=CommentWhen(when) if (when := given.one_of("comment", tuple(CommentWhen))) else None,
        fusion=FusionChoice(given.one_of("fusion", tuple(FusionChoice)) or FusionChoice.CONFIG),
        allow_forks=ForkRule(given.one_of("allow-forks", tuple(ForkRule)) or ForkRule.DENY),
        working_directory=given.path("working-directory", "."),
        artifact=given.path("artifact", DEFAULT_ARTIFACT),
        minutes=given.whole("minutes"),
        ref=given.get("ref") or None,
    )


def stricter(one: ForkRule, other: ForkRule) -> ForkRule:
    """Of two rules the one that lets less happen."""
    order = tuple(ForkRule)
    return min(one, other, key=order.index)


@dataclass(frozen=True, slots=True)
class _Given:
    environ: Mapping[str, str]

    def get(self, name: str) -> str:
        spellings = (f"INPUT_{name.upper()}", f"INPUT_{name.upper().replace('-', '_')}")
        return next((value for key in spellings if (value := self.environ.get(key, "").strip())), "")

    def words(self, name: str) -> tuple[str, ...]:
        """A list with commas, blanks or line breaks between its words."""
        return tuple(dict.fromkeys(self.get(name).replace(",", " ").split()))

    def words_of(self, name: str, valid: tuple[str, ...]) -> tuple[str, ...] | None:
        words = self.words(name)
        for word in words:
            _refuse(name, word, valid)
        return words or None

    def one_of(self, name: str, valid: tuple[str, ...]) -> str:
        value = self.get(name).lower()
        if value:
            _refuse(name, value, valid)
        return value

    def whole(self, name: str) -> int | None:
        """A whole number from 1."""
        value = self.get(name)
        if not value:
            return None
        if not _WHOLE.fullmatch(value):
            raise UsageError(f"The input {name}: “{plain(value, 60)}” is no whole number from 1.", hint="Write it in digits, such as 60.")
        return int(value)

    def path(self, name: str, default: str) -> str:
        value = self.get(name) or default
        try:
            return "/".join(step for step in check_path(value).split("/") if step not in ("", ".")) or "."
        except ValueError as error:
            what = f"The input {name}: “{plain(value, 100)}” {error}."
            raise UsageError(what, hint=f"Name it from the top of the checkout; the default is {default}.") from error


def _refuse(name: str, value: str, valid: tuple[str, ...]) -> None:
    if value not in valid:
        near = get_close_matches(value, valid, n=1)
        guess = f"Did you mean {near[0]}? " if near else ""
        raise UsageError(f"The input {name} does not know “{plain(value, 60)}”.", hint=f"{guess}It takes: {', '.join(valid)}.")

"""The grammar of comment commands: one line `/experiment VERB …`, strict, parsed without a shell.

A text that is no command is None, one that is a wrong command is a `Malformed` that says what is valid; nothing is guessed.
"""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from enum import StrEnum

from assay.core.comment_lines import TRIGGER, commands_in
from assay.core.config_types import BENCHMARK_NAME
from assay.core.escape import plain
from assay.core.values import dataclass

MAX_LIST = 100
"""Seeds, or benchmarks, of one command."""

MAX_REPEATS = 1000
MAX_GRANT = 1000
MAX_SEED = 2**32 - 1


class Verb(StrEnum):
    """What a comment may ask for."""

    RUN = "run"
    STATUS = "status"
    NEXT = "next"
    KEEP = "keep"
    DISCARD = "discard"
    CANCEL = "cancel"
    ANALYSE = "analyse"
    REVIEW = "review"
    APPROVE = "approve"
    FINALIZE = "finalize"
    GRANT = "grant"
    QUEUE = "queue"
    HELP = "help"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the right form. Fields that its verb does not take are empty.

    `against` is what `vs=` names; `sha` is a full commit id; `grant` is a number of runs; `queue` is what to do with the queue, or empty.
    """

    verb: Verb
    benchmarks: tuple[str, ...] = ()
    against: str | None = None
    model: str | None = None
    precision: str | None = None
    seeds: tuple[int, ...] = ()
    repeats: int | None = None
    sha: str | None = None
    no_reuse: bool = False
    grant: int | None = None
    queue: str = ""

    @property
    def words(self) -> str:
        """The one written form of a command to run, without the sha that it names: two that ask the same are equal."""
        given = {
            "vs": self.against,
            "model": self.model,
            "precision": self.precision,
            "seeds": ",".join(map(str, self.seeds)) or None,
            "repeats": self.repeats,
        }
        options = (f"{name}={value}" for name, value in given.items() if value is not None)
        return " ".join((self.verb.value, *sorted(self.benchmarks), *options, *(["--no-reuse"] if self.no_reuse else [])))


@dataclass(frozen=True, slots=True)
class Malformed:
    """A command that was meant and is wrong: a sentence about it, and the form of what is valid. Neither holds the trigger."""

    problem: str
    usage: tuple[str, ...]


class _WrongError(Exception):
    """Why a command is refused."""


_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(r"(?!-)(?!.*\.\.)[A-Za-z0-9._/@~^+-]{1,255}")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+:-]{0,99}")
_WHOLE = re.compile(r"[0-9]{1,10}")
_BENCHMARK = re.compile(BENCHMARK_NAME)
_BLANKS = re.compile("[ \t]+")


def parse_comment(body: str) -> Command | Malformed | None:
    """The one command of a newly made comment; None where no line of it is one."""
    lines = commands_in(body)
    if not lines:
        return None
    if len(lines) > 1:
        return Malformed(f"The comment has {len(lines)} commands, and one is taken at a time.", _ALL)
    words = [word for word in _BLANKS.split(lines[0][len(TRIGGER) :]) if word]
    if not words:
        return Malformed("The command names nothing to do.", _ALL)
    form = _FORMS.get(words[0])
    if form is None:
        return Malformed(f"There is no command “{plain(words[0], 60)}”.{_near(words[0], tuple(_FORMS))}", _ALL)
    try:
        return form.read(words[1:])
    except _WrongError as error:
        return Malformed(str(error), (form.usage,))


@dataclass(frozen=True, slots=True)
class _Form:
    """What a verb takes: options by name, one flag perhaps, and words by position."""

    verb: Verb
    options: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    words: "Callable[[list[str]], Mapping[str, object]] | None" = None
    shown: str = ""

    @property
    def usage(self) -> str:
        options = tuple(f"[{name}={_OPTIONS[name].shown}]" for name in self.options)
        return " ".join(part for part in (self.verb.value, self.shown, *options, *(f"[{flag}]" for flag in self.flags)) if part)

    def read(self, words: list[str]) -> Command:
        values: dict[str, object] = {}
        positional: list[str] = []
        for word in words:
            name, equals, text = word.partition("=")
            if word in self.flags:
                self._put(values, "no_reuse", word, value=True)
            elif equals and name in self.options:
                self._put(values, _OPTIONS[name].field, name, value=_OPTIONS[name].read(text))
            elif equals or word.startswith("-"):
                raise self._unknown(name)
            else:
                positional.append(word)
        return Command(self.verb, **values, **self._positional(positional))  # type: ignore[arg-type]

    def _put(self, values: dict[str, object], field: str, name: str, value: object) -> None:
        if field in values:
            raise _WrongError(f"“{name}” is there twice.")
        values[field] = value

    def _unknown(self, name: str) -> _WrongError:
        if not name:
            return _WrongError("There is an “=” without a name; no blank may stand around it.")
        takes = (*self.options, *self.flags)
        return _WrongError(f"“{self.verb}” takes no “{plain(name, 60)}”.{_near(name, takes)}")

    def _positional(self, words: list[str]) -> Mapping[str, object]:
        if self.words is not None:
            return self.words(words)
        if words:
            raise _WrongError(f"“{self.verb}” takes no “{plain(words[0], 60)}”.")
        return {}


@dataclass(frozen=True, slots=True)
class _Option:
    field: str
    read: Callable[[str], object]
    shown: str


def _matching(pattern: re.Pattern[str], what: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not pattern.fullmatch(text):
            raise _WrongError(f"“{plain(text, 60)}” is not {what}.")
        return text

    return read


def _whole(text: str, what: str, least: int, most: int) -> int:
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
        raise _WrongError(f"“{plain(text, 60)}” is not {what} from {least} to {most}.")
    return int(text)


def _seeds(text: str) -> tuple[int, ...]:
    seeds = tuple(_whole(one, "a seed", 0, MAX_SEED) for one in text.split(",")[: MAX_LIST + 1])
    if len(seeds) > MAX_LIST:
        raise _WrongError(f"More than {MAX_LIST} seeds are not taken at a time.")
    if len(set(seeds)) < len(seeds):
        raise _WrongError("A seed is there twice.")
    return seeds


_sha = _matching(_SHA, "a full commit id, which has 40 digits 0–9 and a–f")


def _benchmarks(words: list[str]) -> Mapping[str, object]:
    for word in words:
        if not _BENCHMARK.fullmatch(word):
            raise _WrongError(f"“{plain(word, 60)}” is not the name of a benchmark.")
    if len(set(words)) < len(words):
        raise _WrongError("A benchmark is there twice.")
    if len(words) > MAX_LIST:
        raise _WrongError(f"More than {MAX_LIST} benchmarks are not taken at a time.")
    return {"benchmarks": tuple(words)}


def _one(words: list[str], what: str) -> str:
    if len(words) != 1:
        raise _WrongError(f"It takes {what}, and nothing else.")
    return words[0]


def _queue(words: list[str]) -> Mapping[str, object]:
    if words and words[0] != "add":
        raise _WrongError(f"The queue knows no “{plain(words[0], 60)}”.")
    if len(words) == 1:
        raise _WrongError("Nothing is named that should be queued.")
    return {"queue": "add" if words else "", **_benchmarks(words[1:])}


_OPTIONS = {
    "vs": _Option("against", _matching(_REF, "the name of a commit, branch or tag"), "REF"),
    "model": _Option("model", _matching(_LABEL, "the name of a model"), "MODEL"),
    "precision": _Option("precision", _matching(_LABEL, "a precision"), "PRECISION"),
    "seeds": _Option("seeds", _seeds, "1,2"),
    "repeats": _Option("repeats", lambda text: _whole(text, "a number of repeats", 2, MAX_REPEATS), "N"),
    "sha": _Option("sha", _sha, "SHA"),
}

_FORMS: Mapping[str, _Form] = {
    form.verb.value: form
    for form in (
        _Form(Verb.RUN, tuple(_OPTIONS), ("--no-reuse",), _benchmarks, "[BENCHMARK …]"),
        _Form(Verb.STATUS),
        _Form(Verb.NEXT),
        _Form(Verb.KEEP, ("sha",)),
        _Form(Verb.DISCARD, ("sha",)),
        _Form(Verb.CANCEL),
        _Form(Verb.ANALYSE),
        _Form(Verb.REVIEW),
        _Form(Verb.APPROVE, words=lambda words: {"sha": _sha(_one(words, "one full commit id"))}, shown="SHA"),
        _Form(Verb.FINALIZE),
        _Form(Verb.GRANT, words=lambda words: {"grant": _whole(_one(words, "one number"), "a number of runs", 1, MAX_GRANT)}, shown="N"),
        _Form(Verb.QUEUE, ("seeds", "model", "precision"), words=_queue, shown="[add BENCHMARK …]"),
        _Form(Verb.HELP),
    )
}

_ALL = tuple(form.usage for form in _FORMS.values())


def usages() -> tuple[str, ...]:
    """The form of each command, without the trigger."""
    return _ALL


def _near(word: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(word, known, n=1)
    return f" Did you mean “{near[0]}”?" if near else ""

"""Who answers: a route is a text in the config, `offline:effect`, `openai:MODEL` or `command:ARGV`."""

import shlex
from difflib import get_close_matches
from enum import StrEnum

from assay.core.values import dataclass

LENSES = ("effect", "noise", "history")


class Means(StrEnum):
    """By which means a route is answered."""

    OFFLINE = "offline"
    OPENAI = "openai"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Route:
    """A route taken apart: `words` are the model, the command's argv, or the offline analyst."""

    means: Means
    words: tuple[str, ...]
    text: str

    @property
    def durable(self) -> bool:
        """Whether an answer costs something, so that it has to outlive a crash of the machine."""
        return self.means is not Means.OFFLINE


def parse_route(text: str, *, candidate: bool) -> Route:
    """The route of a candidate, or of an evaluator or merger. Raises ValueError whose message completes `"text" …`."""
    kind, colon, rest = text.partition(":")
    rest = rest.strip()
    if kind == Means.OFFLINE:
        return _offline(text, rest, candidate=candidate)
    if kind == Means.OPENAI and rest:
        return Route(Means.OPENAI, (rest,), text)
    if kind == Means.COMMAND and rest:
        try:
            words = tuple(shlex.split(rest))
        except ValueError as error:
            raise ValueError(f"is no command: {error}") from None
        return Route(Means.COMMAND, words, text)
    if kind in tuple(Means):
        raise ValueError(f"says no more than {kind}: add a model after openai:, or a command after command:")
    near = get_close_matches(kind, tuple(Means), n=1)
    guess = f" Did you mean {near[0]}{colon}{rest}?" if near else ""
    raise ValueError(f"is no route: it begins with offline, openai: or command:.{guess}")


def _offline(text: str, rest: str, *, candidate: bool) -> Route:
    if not candidate and not rest:
        return Route(Means.OFFLINE, (), text)
    if not candidate:
        raise ValueError("is an analyst's route: an offline evaluator or merger is just offline")
    if rest not in LENSES:
        near = get_close_matches(rest, LENSES, n=1)
        guess = f"Did you mean offline:{near[0]}?" if near else f"There are {', '.join(f'offline:{lens}' for lens in LENSES)}."
        raise ValueError(f"is no offline analyst. {guess}")
    return Route(Means.OFFLINE, (rest,), text)

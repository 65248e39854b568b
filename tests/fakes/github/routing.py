"""Routes, named by the path templates of GitHub's own description; `{ref}`, `{path}` and the like may hold slashes."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from tests.fakes.github.messages import Answer, Call
from tests.fakes.github.permissions import Need

Handler = Callable[[Call], Answer]
_WITH_SLASHES = ("ref", "path", "branch", "basehead")


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    template: str
    need: Need
    handler: Handler
    pattern: re.Pattern[str]


ROUTES: list[Route] = []


def route(method: str, template: str, need: Need) -> Callable[[Handler], Handler]:
    """Serve an operation by the decorated function, to callers who have what it needs."""

    def register(handler: Handler) -> Handler:
        ROUTES.append(Route(method, template, need, handler, pattern_of(template)))
        ROUTES.sort(key=_literal_parts, reverse=True)
        return handler

    return register


def _literal_parts(one: Route) -> int:
    """More literal parts go first, so that commits/{ref}/status is not taken for a ref that ends in /status."""
    return sum(1 for part in one.template.split("/") if not part.startswith("{"))


def pattern_of(template: str) -> re.Pattern[str]:
    return re.compile("".join(_piece(part) for part in re.split(r"(\{\w+\})", template)))


def _piece(part: str) -> str:
    if not part.startswith("{"):
        return re.escape(part)
    name = part[1:-1]
    return f"(?P<{name}>{'.*' if name == 'path' else '.+' if name in _WITH_SLASHES else '[^/]+'})"


def matches(path: str) -> Iterator[tuple[Route, Mapping[str, str]]]:
    """The routes of a path, whatever their method, with their parameters unquoted."""
    for one in ROUTES:
        if found := one.pattern.fullmatch(path):
            yield one, {name: unquote(value) for name, value in found.groupdict().items()}

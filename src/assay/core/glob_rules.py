"""Gitignore patterns matched part by part, so that a folder is judged once for all the files below it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import methodcaller

from assay.core.values import dataclass

Step = Callable[[str], object] | None
"""What one part of a path has to satisfy; None stands for `**`."""

_TOKEN = re.compile(r"\\(?P<escaped>.)|\[(?P<negated>[!^])?(?P<members>[^\[\]/\\!^]+)\]|(?P<any>\?)|(?P<plain>.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern. `steps` are its parts, anchored at the top; `include` is false for one that takes back.

    A name can only pass the last step that begins with `start` and ends with `end`.
    """

    include: bool
    folders_only: bool
    steps: tuple[Step, ...]
    start: str
    end: str

    def reach(self, positions: Iterable[int]) -> frozenset[int]:
        """Positions with those behind a `**` that stands for no folder at all; at the end it stands for at least one part."""
        found: set[int] = set()
        for position in positions:
            last = position
            while last < len(self.steps) - 1 and self.steps[last] is None:
                last += 1
            found.update(range(position, last + 1))
        return frozenset(found)

    def advance(self, positions: frozenset[int], name: str) -> frozenset[int]:
        """The positions after a part of that name. The length of `steps` among them says that the rule covers it."""
        return self.reach(self._next(positions, name))

    def _next(self, positions: frozenset[int], name: str) -> Iterator[int]:
        for position in positions:
            step = self.steps[position]
            if step is None:
                yield position
                if position == len(self.steps) - 1:
                    yield position + 1
            elif step(name):
                yield position + 1


@lru_cache(maxsize=256)
def rules_of(patterns: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules of an ordered list of patterns."""
    return tuple(map(_rule, patterns))


def _rule(pattern: str) -> Rule:
    body = pattern.removeprefix("!")
    named = body.removesuffix("/")
    parts = named.removeprefix("/").split("/")
    steps = tuple(None if part == "**" else _step(part) for part in parts)
    if "/" not in named:  # a bare name, at any depth
        steps = (None, steps[0] or _step("*"))
    start, end = _edges(tuple(_TOKEN.finditer(parts[-1])))
    return Rule(not pattern.startswith("!"), body != named, steps, start, end)


def _edges(tokens: Sequence[re.Match[str]]) -> tuple[str, str]:
    """The characters before the first wildcard of a part, and those behind the last one."""
    return "".join(_plain(tokens)), "".join(_plain(tokens[::-1]))[::-1]


def _plain(tokens: Sequence[re.Match[str]]) -> Iterator[str]:
    for token in tokens:
        if token["members"] or token["any"] or token["plain"] == "*":
            return
        yield token["escaped"] or token["plain"]


def _step(part: str) -> Step:
    """A part's matcher, in linear time: a run of characters between two stars is found at its first place or not at all."""
    tokens = tuple(_TOKEN.finditer(part))
    if plain := _plain_step(tokens):
        return plain
    runs = [""]
    for token in tokens:
        if token["plain"] == "*":
            runs.append("")
        else:
            runs[-1] += _expression(token)
    first, *others = runs
    if others:
        first += "".join(f"(?>.*?{run})" for run in others[:-1] if run) + f".*{others[-1]}"
    return re.compile(first, re.DOTALL).fullmatch


def _plain_step(tokens: Sequence[re.Match[str]]) -> Step:
    """The matcher of a name, or of its beginning or end and a star, as most patterns are: without an expression, which takes longer."""
    runs = [""]
    for token in tokens:
        if token["members"] or token["any"]:
            return None
        if token["plain"] == "*":
            runs.append("")
        else:
            runs[-1] += token["escaped"] or token["plain"]
    match runs:
        case [name]:
            return name.__eq__
        case ["", end]:
            return methodcaller("endswith", end)
        case [start, ""]:
            return methodcaller("startswith", start)
    return None


def _expression(token: re.Match[str]) -> str:
    if members := token["members"]:
        return f"[{'^' if token['negated'] else ''}{re.sub(r'[^-]', lambda found: re.escape(found[0]), members)}]"
    return "." if token["any"] else re.escape(token["escaped"] or token["plain"])


State = tuple[tuple[frozenset[int], ...], int]


class Folder:
    """A folder as an ordered list of rules sees it: whether it is covered itself, and what the names of its files are put to.

    `settled` is the answer for all that is below it, None where names matter. `edges` are how a name has to begin and end to pass
    each of the `tests`. Folders that the rules see alike are one object, so
    that a large tree costs hardly more than the names in it.
    """

    __slots__ = ("_alike", "_entered", "_last", "_positions", "_rules", "covered", "edges", "settled", "tests")

    def __init__(self, rules: tuple[Rule, ...], state: State, alike: "dict[State, Folder]") -> None:
        self._rules = rules
        self._positions, self._last = state  # `_last` is the rule that covers the folder itself, which only a later one can take back
        self._alike = alike
        self._entered: dict[str, Folder] = {}
        self.covered = self._last >= 0 and rules[self._last].include
        self.settled: bool | None = None if any(self._positions) else self.covered
        asked = tuple(self._asked())
        self.tests = tuple((rule.steps[-1] or _any, rule.include) for rule in asked)
        self.edges = tuple((rule.start, rule.end) for rule in asked)

    @classmethod
    def top(cls, patterns: tuple[str, ...]) -> "Folder":
        """The top of a repository."""
        rules = rules_of(patterns)
        return cls(rules, (tuple(rule.reach((0,)) for rule in rules), -1), {})

    def holds(self, name: str) -> bool:
        """Whether a file of that name in this folder is covered."""
        for step, include in self.tests:
            if step(name):
                return include
        return self.covered

    def enter(self, name: str) -> "Folder":
        """The folder of that name in this one."""
        if self.settled is not None:
            return self
        if name not in self._entered:
            state = self._after(name)
            if state not in self._alike:
                self._alike[state] = Folder(self._rules, state, self._alike)
            self._entered[name] = self._alike[state]
        return self._entered[name]

    def _after(self, name: str) -> State:
        after = [rule.advance(held, name) for rule, held in zip(self._rules, self._positions, strict=True)]
        covering = (index for index, rule in enumerate(self._rules) if len(rule.steps) in after[index])
        last = max(covering, default=self._last)
        ends = (held - {len(rule.steps)} for rule, held in zip(self._rules, after, strict=True))
        return tuple(held if index > last else frozenset() for index, held in enumerate(ends)), last

    def _asked(self) -> Iterator[Rule]:
        """The rules whose last step the name of a file is put to, the last rule first."""
        for rule, positions in zip(reversed(self._rules), reversed(self._positions), strict=True):
            if len(rule.steps) - 1 in positions and not rule.folders_only:
                yield rule


def _any(_: str) -> bool:
    return True

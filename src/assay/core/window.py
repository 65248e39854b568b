"""Which of the paths that differ between two commits bear on a benchmark, and why."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Final, Literal, Protocol

from assay.core.canonical import digest
from assay.core.command_paths import paths_named
from assay.core.config import Benchmark, Config, Watch
from assay.core.glob_rules import Folder
from assay.core.globs import MAX_PATH, unjudged
from assay.core.link_targets import reached
from assay.core.model import Rung
from assay.core.result import ReuseReason
from assay.core.tree import OPAQUE, Change

IGNORED: Final = "ignored"
Standing = Rung | Literal["ignored"]

SHOWN = 20
"""So many paths are named for each rung; the rest is counted."""

GROUPS = (Rung.CODE, Rung.HARNESS, Rung.MODEL, Rung.CONFIG, Rung.ENVIRONMENT)
"""The rungs that have a group in `watch`, in the order in which reasons are given."""

_ANY_NAME = "any name that no pattern has in mind"

# A path in several groups is given the first of these. The harness comes first because its change asks for a review,
# the code last because its patterns are the widest.
_PRECEDENCE = (Rung.HARNESS, Rung.ENVIRONMENT, Rung.MODEL, Rung.CONFIG, Rung.CODE)


class _Named(Protocol):
    @property
    def path(self) -> str: ...
    @property
    def is_opaque(self) -> bool: ...


class _Folder:
    """A folder as all groups see it: the tests that a name has to be put to, and the standing of one that passes none.

    A name that none of the `starts` and `ends` fits need not be put to them: it is `strange` to all.
    """

    __slots__ = ("_alike", "_entered", "_seen", "ends", "otherwise", "possible", "starts", "strange", "tests")

    def __init__(self, seen: tuple[Folder, ...], standings: tuple[Standing, ...], alike: "dict[tuple[Folder, ...], _Folder]") -> None:
        self._seen = seen
        self._alike = alike
        self._entered: dict[str, _Folder] = {}
        settled = next((index for index, folder in enumerate(seen) if folder.settled), len(seen))
        self.otherwise: Standing = (*standings, Rung.UNCLASSIFIED)[settled]
        self.possible = tuple(standing for folder, standing in zip(seen[:settled], standings, strict=False) if folder.settled is None)
        self.tests = tuple((test, standing) for folder, standing in zip(seen[:settled], standings, strict=False) for test in _tests(folder))
        open_to_names = [(folder, standing) for folder, standing in zip(seen[:settled], standings, strict=False) if folder.settled is None]
        edges = [edge for folder, _ in open_to_names for edge in folder.edges]
        # a name that begins and ends like none of these passes no test; every name ends like an empty one
        self.starts = tuple({start for start, _ in edges if start})
        self.ends = tuple({end for start, end in edges if not start})
        self.strange: Standing = next((standing for folder, standing in open_to_names if folder.covered), self.otherwise)

    def enter(self, name: str, standings: tuple[Standing, ...]) -> "_Folder":
        if name not in self._entered:
            seen = tuple(folder.enter(name) for folder in self._seen)
            if seen not in self._alike:
                self._alike[seen] = _Folder(seen, standings, self._alike)
            self._entered[name] = self._alike[seen]
        return self._entered[name]


def _tests(folder: Folder) -> Iterator[Callable[[str], object]]:
    """What tells that a name is covered: its tests one by one where each says yes, for that is faster, else all in one."""
    if folder.settled is None and (folder.covered or not all(include for _, include in folder.tests)):
        yield folder.holds
    elif folder.settled is None:
        yield from (test for test, _ in folder.tests)


class Classifier:
    """Gives each path its standing: the rung of the group that watches it, IGNORED, or unclassified where neither knows it.

    A group of `watch` wins over `ignore`. Without `watch` every path is unclassified that is not ignored. Of `own`, the files and
    folders that the benchmark's commands name, those are harness that would be ignored: the text of a harness always counts. A folder
    is judged once.
    """

    def __init__(self, watch: Watch | None, ignore: Sequence[str], own: Sequence[str] = ()) -> None:
        watched = {rung: tuple(getattr(watch, rung.value)) if watch else () for rung in _PRECEDENCE}
        patterns: dict[Standing, tuple[str, ...]] = {rung: globs for rung, globs in watched.items() if globs}
        patterns[IGNORED] = tuple(ignore)
        self._standings: tuple[Standing, ...] = tuple(patterns)
        top = _Folder(tuple(map(Folder.top, patterns.values())), self._standings, {})
        self._folders: dict[str, _Folder] = {"": top}
        self._named = tuple(own)
        self._own: Mapping[str, Rung] = {}
        self._inside_own: tuple[str, ...] = ()
        self._patterns = {"watch": {rung.value: globs for rung, globs in watched.items()}, "ignore": tuple(ignore)}
        self._count({path: Rung.HARNESS for path in own if self._is_ignored(path)})

    @classmethod
    def of(cls, config: Config, benchmark: Benchmark) -> "Classifier":
        """The one that a config has for a benchmark."""
        return cls.of_benchmark(benchmark, config.ignore)

    @classmethod
    def of_benchmark(cls, benchmark: Benchmark, ignore: Sequence[str]) -> "Classifier":
        """The same where only the patterns to ignore are known of the config."""
        return cls(benchmark.watch, ignore, own_paths(benchmark))

    def _count(self, own: Mapping[str, Rung]) -> None:
        """Let these count although they are ignored, with all that is below them."""
        self._own = own
        self._inside_own = tuple(f"{path}/" for path in own)
        plain = all(rung is Rung.HARNESS for rung in own.values())
        held = sorted(own) if plain else sorted([path, rung.value] for path, rung in own.items())
        self.rules = digest(self._patterns | {"own": held} if own else self._patterns)

    def through(self, links: Mapping[str, str]) -> "Classifier":
        """This one for a commit that has these links, each with its text: what is ignored and yet read through a link that counts,
        or through a path that the benchmark names, counts as the link does."""
        start: dict[Rung, list[str]] = {rung: [] for rung in (*_PRECEDENCE, Rung.UNCLASSIFIED)}
        start[Rung.HARNESS] += (path for path in self._named if _leads(path, links))
        for link in links:
            standing = self.of_path(link)
            if isinstance(standing, Rung):
                start[standing].append(link)
        found: dict[str, Rung] = {}
        for rung, paths in start.items():
            found = {path: rung for path in reached(links, paths) if self._is_ignored(path)} | found
        if not found:
            return self
        other = copy(self)
        other._count(found | dict(self._own))
        return other

    def standing(self, one: _Named) -> Standing:
        """The standing of a changed path or of a file."""
        return self._of_opaque(one.path) if one.is_opaque else self.of_path(one.path)

    def of_path(self, path: str) -> Standing:
        """The standing of the path of a regular file."""
        if "\n" in path or len(path) > MAX_PATH:
            return Rung.UNCLASSIFIED
        above, _, name = path.rpartition("/")
        folder = self._folders.get(above) or self._folder(above)
        found = folder.strange
        if name.startswith(folder.starts) or name.endswith(folder.ends):
            found = next((standing for test, standing in folder.tests if test(name)), folder.otherwise)
        return self._own_standing(path) if found is IGNORED and self._own else found

    def _own_standing(self, path: str) -> Standing:
        if path in self._own:
            return self._own[path]
        return next((self._own[inside[:-1]] for inside in self._inside_own if path.startswith(inside)), IGNORED)

    def _is_ignored(self, path: str) -> bool:
        """Whether a file of that name is ignored or, if it is a folder, all in it that no pattern names."""
        return not unjudged(path) and IGNORED in (self.of_path(path), self.of_path(f"{path}/{_ANY_NAME}"))

    def _folder(self, path: str) -> _Folder:
        """Level by level: a stranger's tree may be deeper than calls can be nested."""
        folder, at = self._folders[""], 0
        for name in path.split("/") if path else ():
            at += len(name)
            if path[:at] not in self._folders:
                self._folders[path[:at]] = folder.enter(name, self._standings)
            folder = self._folders[path[:at]]
            at += 1
        return folder

    def _of_opaque(self, path: str) -> Standing:
        """A submodule or a link counts as every file that it might hold: a group that watches but one of these is concerned."""
        as_file = self.of_path(path)
        if unjudged(path) or (as_file is not IGNORED and as_file is not Rung.UNCLASSIFIED):
            return as_file
        if inside_it := next((rung for named, rung in self._own.items() if named.startswith(f"{path}/")), None):
            return inside_it
        inside = self._folder(path)
        return next((standing for standing in (*inside.possible, inside.otherwise) if isinstance(standing, Rung)), as_file)


def _leads(path: str, links: Mapping[str, str]) -> bool:
    """Whether a path is a link or goes through one."""
    return path in links or any(path[:at] in links for at, sign in enumerate(path) if sign == "/")


def own_paths(benchmark: Benchmark) -> tuple[str, ...]:
    """What of a repository may be the benchmark's own text, whatever is ignored: the folder it runs in, and what its commands name."""
    commands = (benchmark.run, benchmark.setup or "", benchmark.checks or "", *benchmark.env.set.values())
    folder = "/".join(step for step in benchmark.workdir.split("/") if step not in ("", "."))
    named = (path for command in commands for path in paths_named(command, benchmark.workdir))
    return tuple(path for path in dict.fromkeys((folder, *named)) if path)


def relevant(changes: Iterable[Change], classifier: Classifier) -> tuple[tuple[Change, Rung], ...]:
    """The changes that bear on the benchmark, each with its rung, in the order given."""
    of_path = classifier.of_path
    found: list[tuple[Change, Rung]] = []
    for change in changes:
        path, before, after = change
        standing = classifier.standing(change) if before in OPAQUE or after in OPAQUE else of_path(path)
        if isinstance(standing, Rung):
            found.append((change, standing))
    return tuple(found)


def reasons_of(changes: Iterable[Change], classifier: Classifier) -> tuple[ReuseReason, ...]:
    """One reason for each rung that the changes fire, in the order of the rungs, with the paths that fired it."""
    fired: dict[Rung, list[Change]] = {}
    for change, rung in relevant(changes, classifier):
        fired.setdefault(rung, []).append(change)
    return tuple(ReuseReason(rung, _detail(rung, fired[rung])) for rung in (*GROUPS, Rung.UNCLASSIFIED) if rung in fired)


def _detail(rung: Rung, changes: Sequence[Change]) -> str:
    shown = ", ".join(f"{one.path} ({one.kind})" if one.kind else one.path for one in changes[:SHOWN])
    more = f" and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
    where = "which no watch group and no ignore pattern covers" if rung is Rung.UNCLASSIFIED else f"in watch.{rung.value}"
    return f"{len(changes)} changed {'path' if len(changes) == 1 else 'paths'} {where}: {shown}{more}"

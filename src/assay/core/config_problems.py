"""What is wrong with a config, each with its line, and the error that tells all of it."""

from collections.abc import Iterable

from assay.core.values import dataclass
from assay.core.yaml_problems import bare
from assay.errors import UsageError

Path = tuple[str | int, ...]

MAX_SHOWN = 10
HINT = "docs/configuration.md describes every key; `assay schema` prints them for an editor."


@dataclass(frozen=True, slots=True)
class Problem:
    """One sentence about one place. `line` is None where there is no file, `path` empty where it is about all of it."""

    line: int | None
    path: Path
    text: str

    @property
    def where(self) -> str:
        """The path as people write it: `benchmarks.bench.seeds[2]`."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{bare(step)}" for step in self.path)
        return "".join(steps).removeprefix(".")


class ConfigError(UsageError):
    """The config cannot be acted upon. `problems` has them all, in the order of their lines."""

    def __init__(self, file: str, problems: Iterable[Problem], *, hint: str = HINT) -> None:
        self.file = file
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        super().__init__("\n".join(self._lines()), hint=hint)

    def _lines(self) -> Iterable[str]:
        for problem in self.problems[:MAX_SHOWN]:
            line = "" if problem.line is None else f":{problem.line}"
            where = f"{problem.where}: " if problem.path else ""
            yield f"{self.file}{line}: {where}{problem.text}"
        rest = len(self.problems) - MAX_SHOWN
        if rest > 0:
            yield f"{self.file}: and {rest} more"

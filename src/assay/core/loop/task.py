"""Tasks: what the control loop may have measured, from the benchmarks of the config and the entries of an overlay."""

import re
from collections.abc import Iterable

from assay.core.config import Benchmark, Config
from assay.core.loop.vocabulary import Source, ValueClass
from assay.core.values import dataclass
from assay.errors import UsageError

_PLACEHOLDER = re.compile(r"<[^\s<>][^<>]*>")
_ARROWS = ("→", " -> ")


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to measure. `acceptance` is for people; of `credentials` only the names are known, and no benchmark gets any."""

    id: str
    title: str
    source: Source
    benchmark: Benchmark
    acceptance: str = ""
    credentials: tuple[str, ...] = ()

    @property
    def value(self) -> ValueClass:
        return ValueClass(self.benchmark.value)

    @property
    def runs_by_itself(self) -> bool:
        """Whether a schedule may run it: not for a person, and a command."""
        return not self.benchmark.manual and self.is_a_command

    @property
    def is_a_command(self) -> bool:
        """Whether it can be run at all: with no credential, and no recipe with blanks to fill in."""
        command = self.benchmark.run
        recipe = any(arrow in command for arrow in _ARROWS) or _PLACEHOLDER.search(command)
        return not (self.credentials or recipe)

    @property
    def recipe(self) -> str:
        """What a person types to do it."""
        return f"assay check --benchmark {self.id} --no-reuse" if self.source is Source.BENCHMARK else self.benchmark.run


def tasks_of(config: Config, overlay: Iterable[Task] = ()) -> tuple[Task, ...]:
    """All tasks by their ids. Raises UsageError for an id that stands twice."""
    own = [Task(name, name, Source.BENCHMARK, one) for name, one in config.benchmarks.items()]
    found: dict[str, Task] = {}
    for task in (*own, *overlay):
        if task.id in found:
            raise UsageError(f"The task {task.id} stands twice: ids are unique over config and overlay.", hint="Give one another id.")
        found[task.id] = task
    return tuple(found[name] for name in sorted(found))


def config_for(config: Config, task: Task) -> Config:
    """The config in which the task is a benchmark: the same, or the same with the overlay's task in it."""
    return config if task.source is Source.BENCHMARK else config.model_copy(update={"benchmarks": {task.id: task.benchmark}})

"""An overlay: tasks beside those of the config, a JSON list that people write by hand. What is wrong with it is an error with its place."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.core.canonical import loads
from assay.core.config import Benchmark
from assay.core.config_types import BenchmarkName, Text, Variable
from assay.core.escape import plain
from assay.core.loop.task import Task
from assay.core.loop.vocabulary import Source, ValueClass
from assay.core.record import first_reason
from assay.errors import UsageError

MAX_ENTRIES = 1000
_OWN = ("id", "title", "acceptance", "credentials")
_KEYS = tuple(name for name in Benchmark.model_fields if name != "name")


class _Own(BaseModel):
    """The keys that an entry has beside those of a benchmark."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: BenchmarkName
    title: Text | None = None
    acceptance: Text | None = None
    credentials: tuple[Variable, ...] = Field(default=())


def read_overlay(text: str, file: str) -> tuple[Task, ...]:
    """The tasks of an overlay. Raises UsageError, which names the file and the entry, for whatever is wrong with it."""
    try:
        entries = loads(text)
    except ValueError as error:
        raise _wrong(file, f"is no JSON: {plain(str(error), 200)}") from error
    if not isinstance(entries, list):
        raise _wrong(file, "is not a list of tasks")
    if len(entries) > MAX_ENTRIES:
        raise _wrong(file, f"has more than {MAX_ENTRIES} entries")
    return tuple(_tasks(entries, file))


def _tasks(entries: list[object], file: str) -> Iterator[Task]:
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Mapping):
            raise _wrong(file, f"has an entry {number} that is no object")
        try:
            yield _task(entry)
        except ValidationError as error:
            raise _wrong(file, f"is wrong in entry {number}: {plain(first_reason(error), 300)}") from error


def _task(entry: Mapping[str, object]) -> Task:
    own = _Own.model_validate({key: value for key, value in entry.items() if key not in _KEYS})
    given = {key: value for key, value in entry.items() if key in _KEYS}
    if not given.get("value"):
        given["value"] = ValueClass.COVERAGE.value
    benchmark = Benchmark.model_validate({"name": own.id, **given})
    return Task(own.id, own.title or own.id, Source.OVERLAY, benchmark, own.acceptance or "", own.credentials)


def _wrong(file: str, what: str) -> UsageError:
    keys = ", ".join((*_OWN, "run"))
    return UsageError(
        f"The overlay {plain(file, 200)} {what}.", hint=f"Each entry has {keys} and what else a benchmark of the config may have."
    )

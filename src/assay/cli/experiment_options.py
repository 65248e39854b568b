"""The options of `assay experiment` as they were typed, and what becomes of them: checked values, or a sentence on what is wrong."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from assay.cli.experiment_house import config_at
from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.app.laboratory import Laboratory
    from assay.core.experiment import ConfigPayload
    from assay.core.model import Outcome

_MAX_FILE = 64 * 2**20


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The options of `experiment init` as they were typed."""

    name: str
    metric: str
    better: str
    unit: str | None = None
    max_iterations: int | None = None
    project: str | None = None
    working_dir: str | None = None
    rules: str | None = None
    ideas: str | None = None
    tags: tuple[str, ...] = ()
    checks: str | None = None


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `experiment run` as they were typed."""

    session: str
    command: tuple[str, ...]
    timeout: str | None = None
    env: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The options of `experiment log` as they were typed."""

    session: str
    run: str
    outcome: str
    description: str | None = None
    asi: tuple[str, ...] = ()
    baseline: str | None = None
    message: str | None = None
    include: tuple[str, ...] = ()
    as_baseline: bool = False


@dataclass(frozen=True, slots=True)
class FinalizeOptions:
    """The options of `experiment finalize` as they were typed."""

    session: str
    integration: str | None = None
    dry_run: bool = False
    plan_file: str | None = None
    summary: str | None = None


def segment_config(lab: "Laboratory", options: InitOptions) -> "ConfigPayload":
    """What the segment is judged by. Raises UsageError for an option that cannot be so."""
    from assay.core.config_types import check_metric_name
    from assay.core.experiment import ConfigPayload
    from assay.core.model import Direction

    if options.better not in tuple(Direction):
        raise UsageError(f"--better is lower or higher, not {options.better!r}.", hint="Say `--better lower` for times and losses.")
    if options.max_iterations is not None and options.max_iterations < 1:
        raise UsageError("--max-iterations is at least 1.", hint="Leave it out for no limit.")
    return ConfigPayload(
        metric=_checked(check_metric_name, options.metric, "--metric"),
        direction=Direction(options.better),
        unit=one_line(options.unit, "--unit") if options.unit else None,
        max_iterations=options.max_iterations,
        rules=options.rules,
        ideas=options.ideas,
        working_dir=_inside(options.working_dir) if options.working_dir else None,
        tags=tuple(one_line(tag, "--tag") for tag in options.tags),
        checks=options.checks or _checks_of_config(lab, options.metric),
    )


def _checks_of_config(lab: "Laboratory", metric: str) -> str | None:
    """The checks of the benchmark in the config that is judged by this metric, if there is exactly one."""
    config = config_at(lab.tree.root) if lab.tree else None
    mine = [one for one in config.benchmarks.values() if one.metric and one.metric.name == metric] if config else []
    return mine[0].checks if len(mine) == 1 else None


def _inside(text: str) -> str:
    from pathlib import PurePosixPath

    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts:
        raise UsageError(f"--working-dir is {text!r}, which leads out of the repository.", hint="Give it relative to its top folder.")
    return str(path)


def file_text(name: str) -> str:
    """The text of a file that the user names. Raises UsageError where it cannot be read."""
    from pathlib import Path

    try:
        with Path(name).open("rb") as stream:
            data = stream.read(_MAX_FILE + 1)
        if len(data) > _MAX_FILE:
            raise ValueError(f"larger than {_MAX_FILE} bytes")
        return data.decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{name}: {reason}", hint="Name a text file that you may read.") from error


def outcome(text: str) -> "Outcome":
    """The outcome of that name. Raises UsageError for any other word."""
    from assay.core.model import Outcome

    if text not in tuple(Outcome):
        raise UsageError(f"--outcome does not know {text!r}.", hint=f"It is one of: {', '.join(Outcome)}.")
    return Outcome(text)


def duration(text: str) -> float:
    """Seconds of `--timeout`. Raises UsageError for what is no time."""
    from assay.core.units import parse_duration

    try:
        return parse_duration(float(text) if text.replace(".", "", 1).isdigit() else text)
    except ValueError as error:
        raise UsageError(f"--timeout {text!r} {error}.", hint="Such as --timeout 10m") from error


def variables(words: Iterable[str]) -> dict[str, str]:
    """What `--env NAME=VALUE` sets. Raises UsageError for a word that is none."""
    found = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.isidentifier() or "\0" in value:
            raise UsageError(f"--env takes NAME=VALUE, not {word!r}.", hint="For example --env OMP_NUM_THREADS=1")
        found[name] = value
    return found


def one_line(text: str, option: str) -> str:
    """A text of one line. Raises UsageError for an empty one and for control characters."""
    from assay.core.config_types import check_text

    return _checked(check_text, text, option)


def _checked(check: Callable[[str], str], text: str, option: str) -> str:
    try:
        return check(text)
    except ValueError as error:
        raise UsageError(f"{option} {text[:80]!r} {error}.", hint=f"Give {option} another value.") from error

"""A command's words applied to the config: what of a benchmark one run may have otherwise than the config says."""

from pydantic import ValidationError

from assay.core.comment_command import Command
from assay.core.config import Benchmark, Config
from assay.errors import UsageError


def with_command(config: Config, command: Command) -> Config:
    """The config for one commanded run. Benchmarks that the command does not name stay as they are, and so do all other sections.

    Raises UsageError for what the benchmark does not take.
    """
    changes = _changes(command)
    if not changes:
        return config
    chosen = command.benchmarks or tuple(config.benchmarks)
    for name in chosen:
        if command.seeds and name in config.benchmarks and "{seed}" not in config.benchmarks[name].run:
            raise UsageError(f"The benchmark {name} takes no seeds: its command has no {{seed}}.", hint="Leave seeds= out.")
    return config.model_copy(
        update={"benchmarks": {name: _changed(one, changes) if name in chosen else one for name, one in config.benchmarks.items()}}
    )


def _changes(command: Command) -> dict[str, object]:
    given = {"model": command.model, "precision": command.precision, "seeds": command.seeds or None}
    repeats = {"min": command.repeats, "max": command.repeats} if command.repeats else None
    return {name: value for name, value in (*given.items(), ("repeats", repeats)) if value is not None}


def _changed(benchmark: Benchmark, changes: dict[str, object]) -> Benchmark:
    """Validated anew, for a command may ask for what the config's own rules forbid."""
    fields = {name: getattr(benchmark, name) for name in type(benchmark).model_fields}
    try:
        return Benchmark.model_validate({**fields, **changes})
    except ValidationError as error:
        said = "; ".join(str(one["msg"]) for one in error.errors(include_url=False)[:3])
        raise UsageError(
            f"The benchmark {benchmark.name} cannot run so: {said}.", hint="The config's own rules hold for a command too."
        ) from error

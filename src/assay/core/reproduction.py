"""A stored run to be measured again: the benchmark as it was then, and what is otherwise now."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from pydantic import ValidationError

from assay.core.canonical import sha256
from assay.core.comparison import Comparison
from assay.core.config import Benchmark
from assay.core.envelope import Run
from assay.core.facts import EnvironmentFacts, Gpu, MachineFacts, PythonFacts
from assay.core.lineage import same_fact
from assay.core.model import NONE, Role, Verdict
from assay.core.values import dataclass
from assay.errors import UsageError

_KEPT_APART = {"command", "env_pass", "env_set"}
"""Parts of a snapshot that a benchmark of the config has under other names."""


class Answer(StrEnum):
    """What came of measuring a run again."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    FAILED = "failed"
    CHECKED = "checked"


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact of the envelope that is otherwise now, or of which either is not known. Both are a stranger's text."""

    group: str
    what: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Present:
    """The facts of now that an envelope is held against; `variables` is the environment of the job."""

    machine: MachineFacts
    environment: EnvironmentFacts
    inputs: Mapping[str, str]
    variables: Mapping[str, str]
    tool_version: str


def benchmark_then(run: Run, today: Benchmark | None) -> Benchmark:
    """The benchmark that a run was measured by: the snapshot in its envelope, and from today's config how its metrics are judged.

    It is sampled as often as the run was. Raises UsageError where the snapshot is none that this version can measure.
    """
    snapshot = run.config.parameters
    fields = {name: getattr(today, name) for name in type(today).model_fields} if today else {}
    fields |= {name: value for name, value in snapshot.items() if name in Benchmark.model_fields and name not in _KEPT_APART}
    passed, assigned = snapshot.get("env_pass"), snapshot.get("env_set")
    measured = sum(not one.warmup for one in run.processes)
    fields |= {
        "name": run.benchmark,
        "run": run.command,
        "model": run.model,
        "precision": run.precision,
        "env": {"pass": sorted(passed) if isinstance(passed, dict) else (), "set": assigned if isinstance(assigned, dict) else {}},
        "seeds": run.seeds or None,
        "pilot": None,
        "machine": None,
    }
    if not run.seeds:
        fields["repeats"] = {"min": max(measured, 2), "max": max(measured, 2)}
    try:
        return Benchmark.model_validate(fields)
    except ValidationError as error:
        said = str(error.errors(include_url=False)[0]["msg"])
        what = f"{run.run_id} cannot be measured by this version: {said}."
        raise UsageError(what, hint=f"It was measured by Assay {run.tool_version}.") from error


def differences(run: Run, now: Present) -> Iterator[Difference]:
    """What is otherwise than the envelope says, as far as it can be told before anything runs."""
    for name in ("machine_class", "os", "kernel", "arch", "cpu", "box"):
        yield from _differing("machine", name, getattr(run.machine, name), getattr(now.machine, name))
    yield from _differing("machine", "cores", _cores(run.machine), _cores(now.machine))
    yield from _differing("machine", "memory", str(run.machine.ram_bytes), str(now.machine.ram_bytes))
    yield from _differing("machine", "gpu", _gpu(run.machine), _gpu(now.machine))
    for name in ("driver", "cuda", "image_digest", "python", "packages"):
        yield from _differing("environment", name, getattr(run.environment, name), getattr(now.environment, name))
    yield from _tables("lockfile", run.environment.lockfiles, now.environment.lockfiles)
    yield from _tables("input", run.inputs, now.inputs)
    yield from _variables(run, now.variables)
    yield from _differing("tool", "assay", run.tool_version, now.tool_version)


def python_differences(then: PythonFacts, now: PythonFacts) -> Iterator[Difference]:
    """What is otherwise in the interpreter and the packages that the benchmark found."""
    yield from _differing("python", "implementation", then.implementation, now.implementation)
    yield from _differing("python", "version", then.version, now.version)
    if isinstance(then.dependencies, dict) and isinstance(now.dependencies, dict):
        yield from _tables("package", then.dependencies, now.dependencies)
    else:
        yield from _differing("python", "packages", _listed(then), _listed(now))


def config_differences(run: Run, today: Benchmark | None) -> Iterator[Difference]:
    """What the config of today says otherwise. The run is measured again as it was then."""
    if today is None:
        yield Difference("config", "benchmark", run.benchmark, "not in the config")
        return
    for name, now in (("run", today.run), ("model", today.model), ("precision", today.precision)):
        then = run.command if name == "run" else getattr(run, name)
        yield from _differing("config", name, then, now)
    dumped = today.model_dump(mode="json")
    for name, value in sorted(run.config.parameters.items()):
        today_s = sorted(dumped[name]) if name == "inputs" else dumped.get(name, value)
        if name not in ("seeds", *_KEPT_APART) and today_s != value:
            yield Difference("config", name, str(value), str(today_s))


def answer_of(comparisons: tuple[Comparison, ...]) -> tuple[Answer, str]:
    """Whether the numbers are those of then, by the primary metric. The code is equal: what changes them is the surroundings."""
    primary = next((one for one in comparisons if one.spec.role is Role.PRIMARY), None)
    if primary is None:
        return Answer.FAILED, "nothing was measured"
    if set(primary.base) == set(primary.head):
        return Answer.REPRODUCED, "the numbers are the same to the last digit"
    if primary.verdict in (Verdict.IMPROVED, Verdict.REGRESSED):
        return Answer.DIFFERS, "equal code gave other numbers than then, by more than its own noise and that between sessions"
    if primary.verdict is Verdict.UNCHANGED:
        return Answer.REPRODUCED, "a difference that matters is excluded"
    return Answer.UNDECIDED, primary.reason


def _listed(facts: PythonFacts) -> str:
    return facts.dependencies if isinstance(facts.dependencies, str) else "a list"


def _differing(group: str, what: str, then: str, now: str) -> Iterator[Difference]:
    if not same_fact(then, now):
        yield Difference(group, what, then, now)


def _tables(what: str, then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Difference]:
    for name in sorted({*then, *now}):
        yield from _differing(what, name, then.get(name, NONE), now.get(name, NONE))


def _variables(run: Run, variables: Mapping[str, str]) -> Iterator[Difference]:
    """Variables that the benchmark was let see. Only hashes of them are stored, so only that they differ can be told."""
    tables = (run.config.parameters.get(name) for name in ("env_pass", "env_inherited"))
    known = {name: value for table in tables if isinstance(table, dict) for name, value in table.items()}
    for name, then in sorted(known.items()):
        now = sha256(variables[name])[:16] if name in variables else None
        if then != now:
            yield Difference(
                "variable", name, "set" if then else "not set", "not set" if now is None else "another value" if then else "set"
            )


def _cores(machine: MachineFacts) -> str:
    return f"{machine.cores.available} of {machine.cores.logical}"


def _gpu(machine: MachineFacts) -> str:
    return f"{machine.gpu.count} × {machine.gpu.model}" if isinstance(machine.gpu, Gpu) else machine.gpu

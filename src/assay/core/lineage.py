"""What a stored run must be like to answer a question: the lineage key, the hash of what samples depend on, the objections.

Whatever cannot be proved equal counts as different. What may have changed between two commits is for `core.verdict`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime

from assay.core.canonical import digest, sha256
from assay.core.config import Benchmark
from assay.core.envelope import ConfigFacts, Run
from assay.core.environment import inherited
from assay.core.evidence import WALL_TIME
from assay.core.facts import EnvironmentFacts
from assay.core.model import NONE, UNKNOWN, Rung, Trust
from assay.core.result import LineageKey, ReuseReason
from assay.core.timestamp import moment
from assay.core.values import dataclass

ANY = "any"
"""The wildcard of a question (`--model any`). In a record it is a name like any other."""

CLOCK_SKEW_S = 300.0
"""How far ahead the clock of another box may be before its run counts as dated in the future."""

SURROUNDINGS = ("driver", "cuda", "image_digest", "python", "packages")
"""The facts of the environment that have to be known and equal."""

_TRUST_ORDER = tuple(Trust)
_DAY_S = 86400.0


def config_facts(benchmark: Benchmark, variables: Mapping[str, str]) -> ConfigFacts:
    """What of the config the samples depend on, with its hash.

    The metric's definition, limits, repeats and time bounds are left out: they decide anew on the same samples. Model and
    precision are axes of the key. Of what a process gets of `variables`, by `env.pass` or always, only a hash is held, for it may be
    private.
    """
    dumped = benchmark.model_dump(mode="json")
    same = {name: dumped[name] for name in ("format", "dialect", "output", "setup", "isolate", "checks", "workdir", "warmup")}
    parameters = same | {
        "command": benchmark.run,
        "inputs": sorted(benchmark.inputs),
        "env_pass": {name: sha256(variables[name])[:16] if name in variables else None for name in sorted(benchmark.env.pass_)},
        "env_set": dict(benchmark.env.set),
        "seeds": dumped["seeds"],
        "batch": dumped["batch"],
        "gpus": benchmark.gpus,
    }
    # these are left out where they are nothing, so that runs from before there were such keys keep their hash
    if benchmark.gpu_clock is not None:
        parameters["gpu_clock"] = benchmark.gpu_clock
    if benchmark.cache:
        parameters["cache"] = sorted(benchmark.cache)
    if common := inherited(variables):
        parameters["env_inherited"] = {name: sha256(value)[:16] for name, value in common.items()}
    return ConfigFacts(hash=digest(parameters), parameters=parameters)


def config_hash(benchmark: Benchmark, variables: Mapping[str, str]) -> str:
    """The SHA-256 that two runs of a benchmark share where their samples are of the same kind."""
    return config_facts(benchmark, variables).hash


def lineage_key(benchmark: Benchmark, commit: str, machine_class: str) -> LineageKey:
    """The key under which a run of this benchmark is stored and asked for."""
    return LineageKey(commit, machine_class, benchmark.model, benchmark.precision)


def key_differences(record: LineageKey, question: LineageKey) -> Iterator[ReuseReason]:
    """The axes, save the commit, in which a stored key does not answer a question's, each with both names.

    `unknown` equals nothing; `any` is a wildcard in the question only.
    """
    for axis, rung in (("machine", Rung.EVIDENCE), ("model", Rung.MODEL), ("precision", Rung.MODEL)):
        stored, asked = getattr(record, axis), getattr(question, axis)
        if not answers(stored, asked):
            yield ReuseReason(rung, f"another {axis}: {stored}, now {asked}")


def same_fact(one: str, other: str) -> bool:
    """Whether two facts are known to be equal. `unknown` never is; `none` equals `none`."""
    return one == other != UNKNOWN


def answers(stored: str, asked: str) -> bool:
    """Whether an axis of a record answers that of a question."""
    return same_fact(stored, asked) or (asked == ANY and stored != UNKNOWN)


def trusts_for(trust: Trust) -> tuple[Trust, ...]:
    """The trust of runs that may answer a question of this trust.

    A member's run may do for the default branch where it left harness and config alone, which only its window can tell.
    """
    enough = _TRUST_ORDER[_TRUST_ORDER.index(trust) :]
    return (*enough, Trust.MEMBER) if trust is Trust.DEFAULT else enough


@dataclass(frozen=True, slots=True)
class Needed:
    """The samples that a run must have: of which metric, from how many processes, and for which seeds.

    An empty metric stands for a command without a config: the first one that was printed, else the wall time.
    """

    metric: str
    processes: int
    seeds: tuple[int, ...] = ()


def needed_samples(benchmark: Benchmark, metric: str) -> Needed:
    """The fewest samples that the first look of this benchmark would have: one a seed, else `repeats.min`."""
    seeds = benchmark.seeds
    if seeds is None:
        return Needed(metric, benchmark.repeats.min)
    wanted = seeds if isinstance(seeds, tuple) else tuple(range(seeds.start, seeds.start + seeds.min))
    return Needed(metric, len(wanted), wanted)


@dataclass(frozen=True, slots=True)
class ReuseQuestion:
    """What is to be answered by a stored run, and what such a run must be like.

    `inputs` are the identities of the input paths now, `parameters` what the config hash is of, so that it can be said what of it is
    otherwise; `forced_by` names what or who asked for a fresh run.
    """

    benchmark: str
    key: LineageKey
    config_hash: str
    environment: EnvironmentFacts
    needed: Needed
    now: datetime
    max_age_s: float
    trust: Trust
    inputs: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)
    forced_by: str | None = None


def objections(question: ReuseQuestion, run: Run) -> Iterator[ReuseReason]:
    """Every reason why this run does not answer the question even where no file has changed, each with the run's id."""
    for reason in (*key_differences(run.key, question.key), *_of_evidence(question, run), *_of_config(question, run)):
        yield ReuseReason(reason.rung, f"{run.run_id}: {reason.detail}")
    for detail in _surroundings(question, run):
        yield ReuseReason(Rung.ENVIRONMENT, f"{run.run_id}: {detail}")


def _of_evidence(question: ReuseQuestion, run: Run) -> Iterator[ReuseReason]:
    for detail in (*_weaknesses(question, run), *_gaps(question.needed, run)):
        yield ReuseReason(Rung.EVIDENCE, detail)


def _of_config(question: ReuseQuestion, run: Run) -> Iterator[ReuseReason]:
    if not same_fact(run.config.hash, question.config_hash):
        what = ", ".join(_otherwise(run.config.parameters, question.parameters)) if question.parameters else ""
        hashes = f"the config hash is {run.config.hash[:12]}, now {question.config_hash[:12]}"
        yield ReuseReason(Rung.CONFIG, f"{hashes}{f', for these differ: {what}' if what else ''}")


def _otherwise(stored: Mapping[str, object], now: Mapping[str, object]) -> Iterator[str]:
    """The names of what differs; of variables their own."""
    for name in sorted({*stored, *now}):
        one, other = stored.get(name), now.get(name)
        if one != other and name.startswith("env_"):
            tables = [table if isinstance(table, Mapping) else {} for table in (one, other)]
            yield from (f"the variable {key}" for key in sorted({*tables[0], *tables[1]}) if tables[0].get(key) != tables[1].get(key))
        elif one != other:
            yield name


def _weaknesses(question: ReuseQuestion, run: Run) -> Iterator[str]:
    if run.dirty:
        yield "not clean, its own processes changed tracked files"
    elif not run.clean:
        yield f"not clean, its status is {run.status}"
    if run.trust not in trusts_for(question.trust):
        yield f"less trust: {run.trust}, where {question.trust} is needed"
    age = (question.now - moment(run.created_at)).total_seconds()
    if age > question.max_age_s:
        yield f"too old: {age / _DAY_S:.1f} days, where reuse.max_age is {question.max_age_s / _DAY_S:.1f}"
    if age < -CLOCK_SKEW_S:
        yield f"dated in the future: {run.created_at}"


def _gaps(needed: Needed, run: Run) -> Iterator[str]:
    metric = needed.metric or (run.metrics[0].name if run.metrics else WALL_TIME)
    samples = run.samples_of(metric)
    processes = len({one.process for one in samples})
    if processes < needed.processes:
        yield f"fewer samples: {metric} from {processes} of {needed.processes} processes"
    missing = sorted(set(needed.seeds) - {one.seed for one in samples if one.seed is not None})
    if missing:
        yield f"fewer samples: no {metric} for seed {', '.join(map(str, missing))}"


def _surroundings(question: ReuseQuestion, run: Run) -> Iterator[str]:
    for name in SURROUNDINGS:
        yield from _difference(name, getattr(run.environment, name), getattr(question.environment, name))
    for path in sorted({*run.inputs, *question.inputs}):
        yield from _difference(f"input {path}", run.inputs.get(path, NONE), question.inputs.get(path, NONE))


def _difference(name: str, stored: str, now: str) -> Iterator[str]:
    if not same_fact(stored, now):
        yield f"{name} is {stored}, now {now}"

"""`reuse.base`: a stored run that stands for the base of a fresh head, with the noise between sessions that this is charged."""

from collections.abc import Mapping
from dataclasses import field, replace

from assay.app.calibrate import evidence
from assay.app.commits import Commits
from assay.app.house import House
from assay.app.plan import Question, lineage_of
from assay.core import numbers
from assay.core.aa_evidence import noise_of
from assay.core.config import Benchmark, Config
from assay.core.envelope import Run
from assay.core.facts import MachineFacts
from assay.core.lineage import same_fact
from assay.core.noise import LEAST_OWN, Noise
from assay.core.similar import LEAST_SIMILAR
from assay.core.timestamp import moment
from assay.core.values import dataclass
from assay.ports import Store


@dataclass(frozen=True, slots=True)
class StoredBase:
    """The run, if one may stand for the base, the noise by metric that it is charged, and what to tell of it."""

    run: Run | None = None
    noise: Mapping[str, Noise] = field(default_factory=dict)
    note: str = ""


def stored_base(house: House, question: Question) -> StoredBase:
    """The freshest run that answers for the base, where the config allows one and enough is known of the noise between sessions."""
    metric = question.benchmark.metric
    if not question.config.reuse.base or question.forced_by or metric is None:
        return StoredBase()
    base = question.commits.base
    answers = lineage_of(house, replace(question, commits=Commits(base, base, None))).answers()
    run = next((run for run, _ in answers), None)
    if run is None:
        return StoredBase(note="`reuse.base` found no stored run that answers for the base, so it was measured beside the head.")
    noise = noise_between(house.store, question.config, question.benchmark, run, house.machine.facts())
    if not all(map(_enough, (noise.get(name) for name in (metric.name, *question.benchmark.guards)))):
        why = f"{LEAST_OWN} repeated runs of unchanged code on this machine are needed"
        return StoredBase(note=f"`reuse.base` knows too little of what lies between sessions ({why}), so the base was measured too.")
    age = numbers.duration(max((house.clock.now() - moment(run.finished_at)).total_seconds(), 0.0))
    pairs = len(noise[metric.name].own)
    note = f"The base was not measured: the stored run {run.run_id}, {age} old, stands for it, and the spread between sessions is charged"
    return StoredBase(run, noise, f"{note} ({numbers.count(pairs, 'pair')} of its own).")


def noise_between(store: Store, config: Config, benchmark: Benchmark, base: Run, here: MachineFacts) -> Mapping[str, Noise]:
    """The noise between a stored base and what was, or will be, measured on this machine, by metric."""
    pairs = evidence(store, config, benchmark, here.machine_class)
    one_box = same_fact(base.machine.box, here.box)
    names = dict.fromkeys(sample.metric for sample in base.samples)
    return {name: noise_of(pairs, benchmark.name, name, one_box=one_box) for name in names}


def noise_of_reused(store: Store, config: Config, benchmark: Benchmark, base: Run, head: Run) -> Mapping[str, Noise]:
    """The noise between two stored runs; none where they were measured side by side."""
    if base.session_id == head.session_id:
        return {}
    return noise_between(store, config, benchmark, base, head.machine)


def _enough(noise: Noise | None) -> bool:
    return noise is not None and (len(noise.own) >= LEAST_OWN or len(noise.similar) >= LEAST_SIMILAR)

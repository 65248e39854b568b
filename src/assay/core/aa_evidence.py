"""A/A evidence in stored runs: every time the same code is measured again, two runs differ by nothing but noise.

Two clean runs of a benchmark are such a pair where commit or watched content, config, model, precision, environment and
machine class are known to be equal. Pairs of two sessions show what lies between sessions; the two sides of one session with
equal code show what is left within it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import fmean

from assay.core.envelope import Run
from assay.core.estimate import MARGIN, as_fraction, independent, on_one_scale, paired
from assay.core.fingerprint import Fingerprints
from assay.core.lineage import SURROUNDINGS, same_fact
from assay.core.model import Trust
from assay.core.noise import Noise
from assay.core.timestamp import moment
from assay.core.values import dataclass

NEWEST = 60
"""So many pairs of a metric, and of others of its kind, are evidence; older ones tell of machines as they were."""

ENOUGH_OF_ONE_BOX = 3
"""From so many pairs on that were measured on one box, those of two boxes say nothing about a comparison on one."""


@dataclass(frozen=True, slots=True)
class AaPair:
    """The change of one metric from an earlier run of equal code to a later one.

    `change` is a fraction; `error` its standard error, None where a side has a single sample; `units` are those of the
    smaller side. `same_box` is None where a box is not known.
    """

    benchmark: str
    metric: str
    change: float
    error: float | None
    units: int
    same_session: bool
    same_box: bool | None


def aa_pairs(runs: Iterable[Run], machine: str) -> tuple[AaPair, ...]:
    """All pairs among the runs of a machine class, the newest first: each run beside the one before it of equal code.

    Runs of forks are left out: what a stranger's code printed must not say how much noise everybody's comparisons allow.
    """
    known = [run for run in runs if run.clean and run.trust is not Trust.FORK and same_fact(run.machine.machine_class, machine)]
    chains = groupby(sorted(known, key=lambda run: (_code(run), _age(run))), key=_code)
    beside = [pair for code, chain in chains if code for pair in pairwise(chain)]
    newest = sorted(beside, key=lambda pair: _age(pair[1]), reverse=True)
    return tuple(found for one, other in newest for found in _pairs_of(one, other))


def noise_of(pairs: Sequence[AaPair], benchmark: str, metric: str, *, one_box: bool | None = None) -> Noise:
    """What the pairs of different sessions say about one metric, itself and by others of its kind.

    `one_box` says whether the comparison at hand is between runs of the same box; None where that is not known.
    """
    between = [pair for pair in pairs if not pair.same_session]
    own = [pair for pair in between if (pair.benchmark, pair.metric) == (benchmark, metric)]
    of_one_box = [pair for pair in own if pair.same_box]
    if one_box and len(of_one_box) >= ENOUGH_OF_ONE_BOX:
        own = of_one_box
    similar = [pair for pair in between if (pair.benchmark, pair.metric) != (benchmark, metric) and pair.error]
    return Noise(_as_noise(own), _as_noise(similar))


def within_session(pairs: Iterable[AaPair], benchmark: str, metric: str) -> tuple[AaPair, ...]:
    """The newest pairs of one metric of which both sides were measured in turn."""
    own = (pair for pair in pairs if pair.same_session and (pair.benchmark, pair.metric) == (benchmark, metric))
    return tuple(own)[:NEWEST]


def _as_noise(pairs: Sequence[AaPair]) -> tuple[tuple[float, float | None], ...]:
    return tuple((pair.change, pair.error) for pair in pairs[:NEWEST])


def _code(run: Run) -> tuple[str, ...]:
    """What two runs have in common whose samples differ by noise alone; empty where a part of it is not known."""
    content = run.fingerprints.content if isinstance(run.fingerprints, Fingerprints) else run.commit
    surroundings = [getattr(run.environment, name) for name in SURROUNDINGS]
    facts = (run.benchmark, run.model, run.precision, run.config.hash, content, *surroundings)
    known = all(same_fact(fact, fact) for fact in facts)
    return (*facts, *(f"{path}={identity}" for path, identity in sorted(run.inputs.items()))) if known else ()


def _age(run: Run) -> tuple[float, str]:
    return moment(run.created_at).timestamp(), run.run_id


def _pairs_of(one: Run, other: Run) -> Iterator[AaPair]:
    box = same_fact(one.machine.box, other.machine.box) if _known_boxes(one, other) else None
    units = _units(one), _units(other)
    for name in dict.fromkeys(sample.metric for sample in one.samples):
        found = _change(one, other, name) if units[0].get(name) == units[1].get(name) else None
        if found:
            yield AaPair(one.benchmark, name, *found, same_session=one.session_id == other.session_id, same_box=box)


def _known_boxes(one: Run, other: Run) -> bool:
    return all(same_fact(run.machine.box, run.machine.box) for run in (one, other))


def _units(run: Run) -> dict[str, str | None]:
    return {metric.name: metric.unit for metric in run.metrics}


def _values(run: Run, metric: str) -> dict[int, float]:
    """One value a unit of evidence: a process, or a seed with the mean of its repeats."""
    found: dict[int, list[float]] = {}
    for index, sample in enumerate(run.samples_of(metric)):
        found.setdefault(index if sample.seed is None else sample.seed, []).append(sample.value)
    return {unit: fmean(values) for unit, values in found.items()}


def _change(one: Run, other: Run, metric: str) -> tuple[float, float | None, int] | None:
    """The relative change, its standard error and the units of the smaller side; None where no relative change is defined.

    Sides with the same seeds are pairs, seed by seed.
    """
    base, head = _values(one, metric), _values(other, metric)
    as_pairs = bool(one.seeds) and base.keys() == head.keys()
    sides = on_one_scale(tuple(base.values()), tuple(head[unit] for unit in (base if as_pairs else head))) if base and head else None
    if sides is None:
        return None
    if sides.least < 2:
        return as_fraction(sides.scale, sides.change), None, sides.least
    estimate = paired(sides) if as_pairs else independent(sides)
    return as_fraction(sides.scale, estimate.change), estimate.error / MARGIN, sides.least

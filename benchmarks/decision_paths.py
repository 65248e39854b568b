"""The whole way from processes to a decision, on noise measured elsewhere: sampling, looks, four-way answers, guards, policy.

Each trial draws the processes of a benchmark with a primary metric and a guard from values that one session of equal code
gave, multiplies head's primary by a known factor, and walks the way that `assay check` walks. Printed are the error rates, the
share of unchanged code that passes, and the processes saved against always running to the last look.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.core.comparison import Comparison
from assay.core.config import Benchmark
from assay.core.config_parts import GuardMetric, PrimaryMetric, Repeats
from assay.core.decide import Evidence as Grounds
from assay.core.decide import Mode, Policy, decide
from assay.core.estimate import units_of_evidence
from assay.core.evidence import ProcessRecord
from assay.core.judge import Evidence, compare_all, settled
from assay.core.model import Completed, Direction, Metric, MetricReading, Outcome, Role, Side, Verdict
from assay.core.sampling import Level, spend
from assay.core.schedule import plan_session

NOISE = Path(__file__).parents[2] / "shared" / "noise" / "aa.dev.jsonl"
KINDS = ("py_interleaved", "local_vm_interleaved", "ml_loss", "ml_traintime", "jvm_forks")
LIMIT = {"ml_loss": 0.0025, "ml_traintime": 0.01}
"""What counts as a change; 5 % where nothing else stands here."""

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one session: the outcome, the primary's verdict, and how many pairs it took of how many at most."""

    outcome: Outcome | None
    verdict: Verdict
    guard: Verdict
    pairs: int
    most: int


def sessions(path: Path) -> dict[str, list[tuple[float, ...]]]:
    """The values of single sessions of equal code, one a process, by kind; only those long enough to draw from."""
    found: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in KINDS}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            values = units_of_evidence((*row["base"], *row["head"]), row.get("groups", 1))
            if row["kind"] in found and len(values) >= 10 and row["direction"] == "lower":
                found[row["kind"]].append(values)
    return {kind: rows for kind, rows in found.items() if rows}


def benchmark(effect: float, limit: float, repeats: Repeats) -> Benchmark:
    metric = PrimaryMetric(name="primary", better=Direction.LOWER, min_effect=effect)
    guard = GuardMetric(better=Direction.LOWER, max_regression=2 * limit)
    return Benchmark(name="b", run="true", metric=metric, guards={"guard": guard}, repeats=repeats)


def trial(rng: random.Random, noise: Sequence[tuple[float, ...]], one: Benchmark, factor: float) -> Trial:
    """One session: the values of both metrics are drawn from one session each, and head's primary is multiplied."""
    plan = plan_session(one)
    primary, guard = ([rng.choice(row) for _ in range(2 * plan.units)] for row in (rng.choice(noise), rng.choice(noise)))
    comparisons: tuple[Comparison, ...] = ()
    pairs = 0
    for look, level in zip(plan.looks, spend(plan.looks, ALPHA), strict=True):
        base, head = (tuple(_records(side, primary, guard, look, factor)) for side in (Side.BASE, Side.HEAD))
        comparisons, pairs = compare_all(one, "primary", None, Evidence(base, head), Level(level, ALPHA)), look
        if settled(comparisons):
            break
    first, second = (next(each for each in comparisons if each.spec.role is role) for role in (Role.PRIMARY, Role.GUARD))
    decision = decide(Grounds(first, (second,)), Policy(Mode.GATE))
    return Trial(decision.outcome, first.verdict, second.verdict, pairs, plan.units)


def _records(side: Side, primary: Sequence[float], guard: Sequence[float], look: int, factor: float) -> Iterator[ProcessRecord]:
    offset = 0 if side is Side.BASE else 1
    for unit in range(look):
        at = 2 * unit + offset
        moved = primary[at] * (factor if side is Side.HEAD else 1.0)
        yield ProcessRecord(side, at, unit, None, _completed(moved, guard[at]))


def _completed(primary: float, guard: float) -> Completed:
    metrics = (Metric("primary", primary, None), Metric("guard", guard, None))
    reading = MetricReading(metrics, {metric.name: (metric.value,) for metric in metrics})
    return Completed(
        exit_code=0,
        signal=None,
        cause=None,
        started_at="",
        duration_s=0.0,
        stdout="",
        stderr="",
        truncated=False,
        log_file="",
        reading=reading,
    )


def report(kind: str, what: str, trials: Sequence[Trial]) -> None:
    n = len(trials)
    verdicts = Counter(one.verdict for one in trials)
    shares = "  ".join(f"{verdict.value} {100 * verdicts[verdict] / n:5.1f} %" for verdict in Verdict)
    guards = 100 * sum(one.guard is Verdict.REGRESSED for one in trials) / n
    passes = 100 * sum(one.outcome is Outcome.KEEP for one in trials) / n
    saved = 100 - 100 * sum(one.pairs for one in trials) / sum(one.most for one in trials)
    print(f"{kind:21s} {what:12s} {shares}  guard regressed {guards:4.1f} %  passes {passes:5.1f} %  saved {saved:4.1f} %")


def walk(kind: str, noise: Sequence[tuple[float, ...]], repeats: Repeats, amount: int) -> None:
    """All that is asked of one kind of noise: first where any effect counts, so that errors meet the level of the tests bare."""
    rng, limit = random.Random(1), LIMIT.get(kind, 0.05)
    bare, usual = benchmark(0.0, limit, repeats), benchmark(limit, limit, repeats)
    report(kind, "null, any", [trial(rng, noise, bare, 1.0) for _ in range(amount)])
    for size in (0.0, 0.5, 1.0, 2.0, -1.0):
        factor = 1.0 + size * limit
        what = f"{100 * size * limit:+.3g} %" if size else "null"
        report(kind, what, [trial(rng, noise, usual, factor) for _ in range(amount)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--noise", type=Path, default=NOISE, help="JSON lines of sessions of equal code")
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--min", type=int, default=4)
    parser.add_argument("--max", type=int, default=10)
    options = parser.parse_args()
    if not options.noise.is_file():
        print(f"skipped: there is no measured noise at {options.noise}; name a file with --noise")
        return 0
    for kind, noise in sessions(options.noise).items():
        walk(kind, noise, Repeats(min=options.min, max=options.max), options.trials)
    return 0


if __name__ == "__main__":
    sys.exit(main())

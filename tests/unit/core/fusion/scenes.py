"""Results with real statistics, about which the texts of the corpora speak."""

from dataclasses import replace
from datetime import timedelta
from functools import cache

from tests.build import BASE, HEAD, benchmark
from tests.fakes.runs import a_run, samples_of

from assay.core.compare import compare
from assay.core.decide import ChecksState, Evidence, Mode, Policy, decide
from assay.core.fusion.digest import Subject, digest_of
from assay.core.fusion.history import Past
from assay.core.model import Cause, Conclusion, Direction, MetricSpec, Outcome, Role, Status
from assay.core.result import BenchmarkResult, SideFacts

LOWER, HIGHER = Direction.LOWER, Direction.HIGHER
LOSS = MetricSpec("val_loss", Role.PRIMARY, LOWER, "nats", 0.01)
TOKENS = MetricSpec("tok_s", Role.GUARD, HIGHER, "tok/s", 0.01, 0.05)
MEMORY = MetricSpec("peak_mem", Role.SECONDARY, LOWER, "GiB", 0.01)
REQUESTS = MetricSpec("req_s", Role.PRIMARY, HIGHER, None, 0.01)
LATENCY = MetricSpec("p99_ms", Role.PRIMARY, LOWER, "ms", 0.01)
BUILD = MetricSpec("build_s", Role.PRIMARY, LOWER, "s", 0.02)
SIZE = MetricSpec("rss_mb", Role.GUARD, LOWER, "MB", 0.01, 0.03)


def _judged(*comparisons: object, **facts: object) -> BenchmarkResult:
    primary, *others = comparisons
    guards = tuple(one for one in others if one.spec.role is Role.GUARD)  # type: ignore[attr-defined]
    decision = decide(Evidence(primary, guards, None, ChecksState.NOT_CONFIGURED), Policy(Mode.GATE, frozenset()))  # type: ignore[arg-type]
    sides = {
        "base_run": SideFacts("run-base", BASE, "Use the old loop", len(primary.base), 1, 41.3),  # type: ignore[attr-defined]
        "head_run": SideFacts("run-head", HEAD, "Use the new loop", len(primary.head), 1, 38.7),  # type: ignore[attr-defined]
    }
    told = {"outcome": decision.outcome, "conclusion": decision.conclusion, "reason": decision.reason, "next_step": decision.next_step}
    return benchmark(*comparisons, **{**sides, **told, **facts})  # type: ignore[arg-type]


def _past(metric: str, values: tuple[float, ...], commit: str = BASE) -> Past:
    made = []
    for number, value in enumerate(values, 1):
        run = a_run(number, values=(value, value), age=timedelta(days=len(values) - number + 1), commit=commit, base=None)
        made.append(run.model_copy(update={"samples": samples_of(metric, (value, value), run.processes)}))
    return Past(tuple(reversed(made)), len(made))


def improved() -> Subject:
    result = _judged(
        compare(LOSS, [3.412, 3.398, 3.405, 3.421, 3.409, 3.401], [3.305, 3.311, 3.298, 3.302, 3.309, 3.3]),
        compare(TOKENS, [51210, 51180, 51240, 51195, 51220, 51205], [50710, 50695, 50740, 50720, 50690, 50730]),
        compare(MEMORY, [22.1, 22.1, 22.1, 22.1, 22.1, 22.1], [23.4, 23.4, 23.4, 23.4, 23.4, 23.4]),
    )
    past = _past("val_loss", (3.46, 3.45, 3.44, 3.425, 3.42, 3.41, 3.408, 3.407))
    return Subject(result, BASE, HEAD, past=past, changed=(("src/a.py", "code"), ("src/b.py", "code"), ("conf.toml", "config")))


def regressed() -> Subject:
    result = _judged(
        compare(REQUESTS, [1210.0, 1204.0, 1215.0, 1207.0, 1211.0, 1209.0], [1131.0, 1126.0, 1135.0, 1129.0, 1133.0, 1128.0]),
        warnings=("The head has submodules, which are left empty.",),
    )
    return Subject(result, BASE, HEAD, past=_past("req_s", (1201.0, 1208.0, 1212.0)))


def undecided() -> Subject:
    head = [90.2, 77.5, 85.9, 95.1, 76.0, 88.8]
    return Subject(_judged(compare(LATENCY, [88.0, 79.5, 93.1, 84.2, 97.7, 80.4], head)), BASE, HEAD)


def unchanged() -> Subject:
    head = [12.41, 12.44, 12.4, 12.43, 12.42, 12.41, 12.43, 12.42]
    return Subject(_judged(compare(BUILD, [12.42, 12.4, 12.43, 12.41, 12.44, 12.42, 12.41, 12.42], head)), BASE, HEAD)


def guard_regressed() -> Subject:
    result = _judged(
        compare(LOSS, [3.412, 3.398, 3.405, 3.421, 3.409, 3.401], [3.305, 3.311, 3.298, 3.302, 3.309, 3.3]),
        compare(SIZE, [512.0, 513.0, 511.5, 512.5, 512.2, 511.8], [561.0, 560.0, 562.0, 560.5, 561.5, 560.8]),
    )
    return Subject(result, BASE, HEAD)


def errored() -> Subject:
    failed = decide(Evidence(None, (), Cause.TIMEOUT, ChecksState.NOT_CONFIGURED), Policy(Mode.GATE, frozenset()))
    result = benchmark(
        status=Status.FAILED,
        outcome=Outcome.ERRORED,
        conclusion=Conclusion.FAILURE,
        reason=failed.reason,
        next_step=failed.next_step,
        output_tail=("step 40 of 200", "waiting for the loader"),
    )
    return Subject(replace(result, base_run=None, head_run=None), BASE, HEAD)


SCENES = {
    "improved": improved,
    "regressed": regressed,
    "undecided": undecided,
    "unchanged": unchanged,
    "guard_regressed": guard_regressed,
    "errored": errored,
}


@cache
def digest(scene: str) -> dict[str, object]:
    """The digest of a scene."""
    return digest_of(SCENES[scene]())

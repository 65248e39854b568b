"""Results about which the texts of the corpora speak. Their statistics are written down: the texts were made for these numbers."""

from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any

from tests.build import BASE, HEAD, benchmark
from tests.fakes.runs import a_run, samples_of

from assay.core.comparison import Comparison, Undecided
from assay.core.decide import ChecksState, Evidence, Mode, Policy, decide
from assay.core.fusion.digest import Subject, digest_of
from assay.core.fusion.history import Past
from assay.core.model import Cause, Conclusion, Direction, MetricSpec, Outcome, Role, Status, Verdict
from assay.core.result import BenchmarkResult, SideFacts
from assay.core.tree import Lines

LOWER, HIGHER = Direction.LOWER, Direction.HIGHER
LOSS = MetricSpec("val_loss", Role.PRIMARY, LOWER, "nats", 0.01)
TOKENS = MetricSpec("tok_s", Role.GUARD, HIGHER, "tok/s", 0.01, 0.05)
MEMORY = MetricSpec("peak_mem", Role.SECONDARY, LOWER, "GiB", 0.01)
REQUESTS = MetricSpec("req_s", Role.PRIMARY, HIGHER, None, 0.01)
LATENCY = MetricSpec("p99_ms", Role.PRIMARY, LOWER, "ms", 0.01)
BUILD = MetricSpec("build_s", Role.PRIMARY, LOWER, "s", 0.02)
SIZE = MetricSpec("rss_mb", Role.GUARD, LOWER, "MB", 0.01, 0.03)


LOSS_VALUES = ((3.412, 3.398, 3.405, 3.421, 3.409, 3.401), (3.305, 3.311, 3.298, 3.302, 3.309, 3.3))


def found(spec: MetricSpec, base: tuple[float, ...], head: tuple[float, ...], verdict: Verdict, reason: str, **facts: Any) -> Comparison:
    """A comparison with what the statistics said of it."""
    return Comparison(spec, verdict, base, head, reason, **facts)


def better_loss() -> Comparison:
    return found(
        LOSS,
        *LOSS_VALUES,
        Verdict.IMPROVED,
        "3.04 % better, between 2.78 % and 3.3 %",
        relative_change=-0.0303712698,
        interval=(-0.0329722762, -0.0277632675),
        p=2.03611528e-09,
        harm_excluded=0.0,
    )


def _judged(primary: Comparison, *others: Comparison, **facts: Any) -> BenchmarkResult:
    guards = tuple(one for one in others if one.spec.role is Role.GUARD)
    decision = decide(Evidence(primary, guards, None, ChecksState.NOT_CONFIGURED), Policy(Mode.GATE, frozenset()))
    sides = {
        "base_run": SideFacts("run-base", BASE, "Use the old loop", len(primary.base), 1, 41.3),
        "head_run": SideFacts("run-head", HEAD, "Use the new loop", len(primary.head), 1, 38.7),
    }
    told = {"outcome": decision.outcome, "conclusion": decision.conclusion, "reason": decision.reason, "next_step": decision.next_step}
    return benchmark(primary, *others, **{**sides, **told, **facts})


def _past(metric: str, values: tuple[float, ...], commit: str = BASE) -> Past:
    made = []
    for number, value in enumerate(values, 1):
        run = a_run(number, values=(value, value), age=timedelta(days=len(values) - number + 1), commit=commit, base=None)
        made.append(run.model_copy(update={"samples": samples_of(metric, (value, value), run.processes)}))
    return Past(tuple(reversed(made)), len(made))


def improved() -> Subject:
    throughput = found(
        TOKENS,
        (51210, 51180, 51240, 51195, 51220, 51205),
        (50710, 50695, 50740, 50720, 50690, 50730),
        Verdict.UNCHANGED,
        "0.97 % worse; regressions above 1.01 % are excluded, the limit is 5 %",
        relative_change=-0.00965011655,
        interval=(-0.0101533555, -0.00914662171),
        p=1.29190612e-12,
        harm_excluded=0.0100594661,
    )
    memory = found(
        MEMORY,
        (22.1,) * 6,
        (23.4,) * 6,
        Verdict.REGRESSED,
        "5.88 % worse in every sample",
        relative_change=0.0588235294,
        interval=(0.0588235294, 0.0588235294),
        p=0.0,
        harm_excluded=0.0588235294,
    )
    past = _past("val_loss", (3.46, 3.45, 3.44, 3.425, 3.42, 3.41, 3.408, 3.407))
    changed = (("src/a.py", "code"), ("src/b.py", "code"), ("conf.toml", "config"))
    lines = {"src/a.py": Lines(40, 12), "src/b.py": Lines(7, 0), "conf.toml": Lines(1, 1)}
    return Subject(_judged(better_loss(), throughput, memory), BASE, HEAD, past=past, changed=changed, lines=lines)


def regressed() -> Subject:
    requests = found(
        REQUESTS,
        (1210.0, 1204.0, 1215.0, 1207.0, 1211.0, 1209.0),
        (1131.0, 1126.0, 1135.0, 1129.0, 1133.0, 1128.0),
        Verdict.REGRESSED,
        "6.53 % worse, between 6.17 % and 6.89 %",
        relative_change=-0.0653249285,
        interval=(-0.0689398292, -0.0616959928),
        p=3.17502806e-12,
        harm_excluded=0.0682662971,
    )
    result = _judged(requests, warnings=("The head has submodules, which are left empty.",))
    return Subject(result, BASE, HEAD, past=_past("req_s", (1201.0, 1208.0, 1212.0)))


def undecided() -> Subject:
    latency = found(
        LATENCY,
        (88.0, 79.5, 93.1, 84.2, 97.7, 80.4),
        (90.2, 77.5, 85.9, 95.1, 76.0, 88.8),
        Verdict.UNDECIDED,
        "1.84 % better, but anything from 12 % better to 9.55 % worse is possible; regressions above 7.33 % are excluded; "
        "about 560 more pairs would settle 1 %",
        relative_change=-0.0183853104,
        interval=(-0.12045401, 0.0955281582),
        p=0.714181264,
        undecided=Undecided.SAMPLES,
        harm_excluded=0.0732979406,
        more_pairs=560,
    )
    return Subject(_judged(latency), BASE, HEAD)


def unchanged() -> Subject:
    build = found(
        BUILD,
        (12.42, 12.4, 12.43, 12.41, 12.44, 12.42, 12.41, 12.42),
        (12.41, 12.44, 12.4, 12.43, 12.42, 12.41, 12.43, 12.42),
        Verdict.UNCHANGED,
        "no change of 2 % or more: regressions above 0.1 % and gains above 0.081 % are excluded",
        relative_change=0.000100608688,
        interval=(-0.00100283237, 0.00120526855),
        p=0.847815743,
        harm_excluded=0.00100762079,
    )
    return Subject(_judged(build), BASE, HEAD)


def guard_regressed() -> Subject:
    size = found(
        SIZE,
        (512.0, 513.0, 511.5, 512.5, 512.2, 511.8),
        (561.0, 560.0, 562.0, 560.5, 561.5, 560.8),
        Verdict.REGRESSED,
        "9.53 % worse, between 9.36 % and 9.69 %; the limit is 3 %",
        relative_change=0.0952812408,
        interval=(0.0936405808, 0.0969243622),
        p=3.97861597e-17,
        harm_excluded=0.0966158422,
    )
    return Subject(_judged(better_loss(), size), BASE, HEAD)


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

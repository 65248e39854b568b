"""Whole envelopes and decisions for tests; a test names only what it is about."""

from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from assay.core.canonical import digest
from assay.core.decide import Hold
from assay.core.envelope import (
    ChecksFacts,
    ConfigFacts,
    IsolationFacts,
    MetricFacts,
    ProcessFacts,
    Run,
    RunStatus,
    SampleFacts,
    StoredDecision,
    Timings,
)
from assay.core.facts import Cores, EnvironmentFacts, MachineFacts, PythonFacts
from assay.core.ids import new_id
from assay.core.model import Conclusion, Outcome, Status, Trust
from assay.core.timestamp import stamp

BASE = "b" * 40
HEAD = "a" * 40
NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
PARAMETERS: dict[str, JsonValue] = {"command": "python bench.py", "warmup": 1}

MACHINE = MachineFacts(
    machine_class="linux-x86_64-test-cpu-2c",
    os="linux",
    kernel="6.1.0",
    arch="x86_64",
    cpu="Test CPU",
    cores=Cores(physical=2, logical=2, available=2),
    ram_bytes=8 * 2**30,
    gpu="none",
    box="0123456789abcdef",
    cards="none",
    driver_cuda="none",
)
ENVIRONMENT = EnvironmentFacts(driver="none", cuda="none", image_digest="none", lockfiles={}, python="cpython 3.11.7", packages="sha256:1")


def an_id(prefix: str, number: int = 0, at: datetime = NOW) -> str:
    """An id that differs by number and sorts by time."""
    return new_id(prefix, at, number.to_bytes(10))


def processes_of(count: int, seeds: tuple[int | None, ...] = (None,)) -> tuple[ProcessFacts, ...]:
    """One warm-up, then `count` clean processes that go through the seeds in turn."""
    chosen = (None, *(seeds[index % len(seeds)] for index in range(count)))
    return tuple(
        ProcessFacts(
            order=order,
            warmup=order == 0,
            seed=seed,
            exit_code=0,
            signal=None,
            cause=None,
            started_at=stamp(NOW),
            duration_s=1.5,
            cpu_s="unknown",
            max_rss_kb=2048,
            gpus="none",
        )
        for order, seed in enumerate(chosen)
    )


def samples_of(metric: str, values: tuple[float, ...], processes: tuple[ProcessFacts, ...]) -> tuple[SampleFacts, ...]:
    """One value for each process after the warm-up."""
    return tuple(
        SampleFacts(metric=metric, value=value, order=one.order, seed=one.seed, process=index)
        for index, (value, one) in enumerate(zip(values, processes[1:], strict=True), 1)
    )


def a_run(
    number: int = 0,
    *,
    values: tuple[float, ...] = (1.0, 1.1, 1.2, 1.3),
    seeds: tuple[int | None, ...] = (None,),
    age: timedelta = timedelta(hours=1),
    **changes: object,
) -> Run:
    """A clean run of `bench` at HEAD with one sample of `val_loss` a process; `changes` replace whole fields."""
    processes = processes_of(len(values), seeds)
    made = NOW - age
    fields: dict[str, object] = {
        "run_id": an_id("run", number, made),
        "session_id": "exp-1",
        "benchmark": "bench",
        "created_at": stamp(made),
        "finished_at": stamp(made + timedelta(minutes=1)),
        "status": RunStatus.COMPLETE,
        "cause": None,
        "detail": "",
        "trust": Trust.MEMBER,
        "commit": HEAD,
        "tree": "c" * 40,
        "dirty": False,
        "user_tree_dirty": False,
        "base": BASE,
        "machine": MACHINE,
        "environment": ENVIRONMENT,
        "fingerprints": "unknown",
        "python": PythonFacts(implementation="CPython", version="3.11.7", dependencies={"numpy": "2.0.0"}),
        "model": "none",
        "precision": "none",
        "config": ConfigFacts(hash=digest(PARAMETERS), parameters=PARAMETERS),
        "command": "python bench.py",
        "seeds": tuple(seed for seed in seeds if seed is not None),
        "batch": None,
        "warmup": 1,
        "processes": processes,
        "samples": samples_of("val_loss", values, processes),
        "metrics": (MetricFacts(name="val_loss", unit=None),),
        "warnings": (),
        "checks": ChecksFacts(state="not configured", exit_code=None, duration_s=None),
        "inputs": {},
        "isolation": IsolationFacts(
            own_environment=True, shared_state_changed=(), account="the caller's own", protection="none", other_side="compared"
        ),
        "supervision": "subreaper",
        "timings": Timings(setup_s=None, total_s=60.0),
        "tool_version": "0.1.0",
        "reproduce": "assay check --benchmark bench",
        "notes": (),
    }
    return Run.model_validate(fields | changes)


def a_decision(number: int = 0, **changes: object) -> StoredDecision:
    """A decision to keep, made on one head run."""
    fields: dict[str, object] = {
        "decision_id": an_id("dec", number),
        "created_at": stamp(NOW),
        "benchmark": "bench",
        "base_run": None,
        "head_run": an_id("run"),
        "base": BASE,
        "head": HEAD,
        "machine": MACHINE.machine_class,
        "policy_hash": "0" * 64,
        "method_version": "1",
        "comparisons": (),
        "outcome": Outcome.KEEP,
        "conclusion": Conclusion.SUCCESS,
        "reason": "improved",
        "next_step": None,
        "warnings": (),
        "checks": "not configured",
        "status": Status.MEASURED,
        "hold": Hold.NONE,
        "forced_by": None,
    }
    return StoredDecision.model_validate(fields | changes)

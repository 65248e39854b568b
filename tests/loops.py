"""Parts of the control loop for tests; a test names only what it is about."""

from datetime import datetime, timedelta

from tests.fakes.runs import BASE, HEAD, MACHINE, NOW, an_id

from assay.core.config import Config
from assay.core.config_text import parse_config
from assay.core.loop.capabilities import Capabilities
from assay.core.loop.ledger import ROW_SCHEMA, LedgerRow
from assay.core.loop.status import Parts, Stored
from assay.core.loop.task import Task, tasks_of
from assay.core.loop.vocabulary import Result, Source, ValueClass
from assay.core.prior import Header
from assay.core.timestamp import stamp

HERE = Capabilities(MACHINE.box, MACHINE.machine_class)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def config_of(*benchmarks: str, top: str = "") -> Config:
    """A config of these benchmarks, each a name and perhaps further keys in YAML's flow style: `slow, value: frontier`."""
    lines = []
    for one in benchmarks:
        name, _, more = one.partition(",")
        lines.append(f"  {name}: {{run: ./{name}, metric: {{name: loss, better: lower}}{',' + more if more else ''}}}\n")
    return parse_config(f"version: 1\nbenchmarks:\n{''.join(lines)}{top}")


def task_of(name: str = "bench", more: str = "") -> Task:
    return tasks_of(config_of(f"{name},{more}" if more else name))[0]


def a_row(index: int = 0, /, *, at: datetime = NOW, task: str = "bench", result: Result = Result.COLLECTED, **changes: object) -> LedgerRow:
    """A row of a clean attempt; `changes` replace fields."""
    fields: dict[str, object] = {
        "schema": ROW_SCHEMA,
        "id": an_id("led", index, at),
        "created_at": stamp(at),
        "task": task,
        "source": Source.BENCHMARK,
        "value": ValueClass.OTHER,
        "box": HERE.box,
        "machine": HERE.machine,
        "command": f"assay check --benchmark {task} --no-reuse",
        "result": result,
        "run_id": an_id("run", index, at),
        "base_run_id": None,
        "commit": HEAD,
        "base": BASE,
        "metric": "loss",
        "unit": "nats",
        "better": None,
        "number": 90.0,
        "base_number": 100.0,
        "samples": 4,
        "verdict": None,
        "change": None,
        "duration_s": 60.0,
        "gpu_minutes": 0.0,
        "held_by": None,
        "reused": False,
        "note": "",
    }
    return LedgerRow.model_validate(fields | changes)


def header(name: str = "bench", number: int = 0, **changes: object) -> Header:
    """The header of a stored run."""
    facts = Header(
        an_id("run", number), name, HEAD, HERE.machine, "none", "none", "complete", "member", 0, "hash", "env", "rules", "content"
    )
    return facts._replace(**changes)  # type: ignore[arg-type]


def parts_of(config: Config, **changes: object) -> Parts:
    """Parts with one stored run of each benchmark, and nothing measured that counts."""
    facts: dict[str, object] = {
        "now": NOW,
        "root": "/repository",
        "config": config,
        "here": HERE,
        "tasks": tasks_of(config),
        "stored": Stored(tuple(header(name, number) for number, name in enumerate(config.benchmarks))),
        "ledger_at": "memory:ledger",
    }
    return Parts(**(facts | changes))  # type: ignore[arg-type]

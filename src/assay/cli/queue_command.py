"""`assay queue`: what its short verbs do with the queue of a store, and what they print. The worker has a module of its own."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.cli.queue_words import job_json, job_line, queue_json, queue_text
from assay.core.values import dataclass
from assay.errors import AssayError, UsageError

if TYPE_CHECKING:
    from assay.core.queue.model import Job, Queue
    from assay.queue_ports import QueueBook

Answer = tuple[Mapping[str, object], str]
"""The document for `--json`, and the text for a person."""


@dataclass(frozen=True, slots=True)
class AddOptions:
    """The options of `assay queue add` as they were typed."""

    benchmarks: tuple[str, ...] = ()
    baselines: tuple[str, ...] = ()
    seeds: str | None = None
    parameters: tuple[str, ...] = ()
    command: str | None = None
    batch: int | None = None
    model: str | None = None
    precision: str | None = None
    priority: int = 0
    together: bool = False
    config: str | None = None


def add(options: AddOptions, store: str, *, as_json: bool) -> int:
    """Queue the jobs of an order."""

    def do(book: "QueueBook") -> Answer:
        from assay.core.queue import moves
        from assay.core.queue.fan_out import fan_out

        jobs = fan_out(_order(options), _new_job_id, _now())
        book.change(lambda queue: moves.add(queue, jobs))
        lines = [*(job_line(one) for one in jobs), f"Queued {len(jobs)} job{'s' if len(jobs) != 1 else ''}. Measure with: assay queue work"]
        return {"jobs": [job_json(one) for one in jobs]}, "\n".join(lines)

    return answered(do, store, as_json=as_json)


def take(pid: int | None, store: str, *, as_json: bool) -> int:
    """Take the next job for the caller's process."""

    def do(book: "QueueBook") -> Answer:
        from assay.adapters.workplace import LocalWorkplace
        from assay.app.queue_work import take as take_next
        from assay.core.queue import moves
        from assay.core.queue.model import CLAIM_PREFIX
        from assay.core.queue.moves import Process

        claim = _new_id(CLAIM_PREFIX)
        here = LocalWorkplace()
        process = here.process(pid) if pid else Process(here.host)
        queue = take_next(book, here, claim, process, _now())
        standing, job = moves.standing(queue, claim), queue.claimed(claim)
        text = job_line(job) + f"\nReport on it with --claim {claim}" if job else f"Nothing was taken: {standing}."
        return {"status": standing.value, "claim": claim if job else None, "job": job_json(job) if job else None}, text

    return answered(do, store, as_json=as_json)


def progress(job_id: str, pid: int | None, claim: str | None, store: str, *, as_json: bool) -> int:
    """A sign of life."""
    from assay.adapters.workplace import LocalWorkplace
    from assay.core.queue import moves

    def move(queue: "Queue") -> "Queue":
        return moves.progress(queue, job_id, claim, LocalWorkplace().process(pid) if pid else None, _now())

    return _moved(move, job_id, store, as_json=as_json)


def done(job_id: str, run: str | None, claim: str | None, store: str, *, as_json: bool) -> int:
    """A job that was measured."""
    from assay.core.queue import moves

    return _moved(lambda queue: moves.done(queue, job_id, claim, run_id(run), _now()), job_id, store, as_json=as_json)


def fail(job_id: str, error: str, run: str | None, claim: str | None, store: str, *, as_json: bool) -> int:
    """A job of which nothing will come."""
    from assay.core.queue import moves

    return _moved(lambda queue: moves.fail(queue, job_id, claim, error, _now(), run_id(run)), job_id, store, as_json=as_json)


def oom(job_id: str, claim: str | None, store: str, *, as_json: bool) -> int:
    """A job for which memory ran out."""
    from assay.core.queue import moves

    return _moved(lambda queue: moves.oom(queue, job_id, claim, _now()), job_id, store, as_json=as_json)


def list_jobs(status: str | None, store: str, *, as_json: bool) -> int:
    """The queue, or those of its jobs that have one status."""

    def do(book: "QueueBook") -> Answer:
        from assay.core.queue.model import JobStatus

        if status is not None and status not in tuple(JobStatus):
            raise UsageError(f"--status does not know {status!r}.", hint=f"It is one of: {', '.join(JobStatus)}.")
        queue = book.read()
        jobs = queue.of(JobStatus(status)) if status else queue.jobs
        return queue_json(queue, jobs), queue_text(queue, jobs)

    return answered(do, store, as_json=as_json)


def drop(job_ids: tuple[str, ...], store: str, *, as_json: bool) -> int:
    """Take jobs out of the queue."""

    def do(book: "QueueBook") -> Answer:
        from assay.core.queue import moves

        queue = book.change(lambda queue: moves.drop(queue, job_ids))
        return {"dropped": list(job_ids), "left": len(queue.jobs)}, f"Dropped {', '.join(job_ids)}."

    return answered(do, store, as_json=as_json)


def answered(do: "Callable[[QueueBook], Answer]", store: str, *, as_json: bool) -> int:
    """Do it with the queue of a store, and print its answer; with `--json` an error is a document, too, and is raised all the same."""
    from assay.cli.store_command import open_store

    try:
        folder = os.getcwd()  # noqa: PTH109 - a text, as the ports have it
        document, text = do(open_store(store, folder, os.environ).queue)
    except AssayError as error:
        if as_json:
            told = {"code": getattr(error, "code", "error"), "message": error.message, "hint": error.hint}
            sys.stdout.write(as_text({"error": told}))
        raise
    sys.stdout.write(as_text(document) if as_json else f"{text}\n")
    return 0


def as_text(document: Mapping[str, object]) -> str:
    """A document as a command prints it."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def run_id(text: str | None) -> str | None:
    """An option that names a run. Raises UsageError for what is no id of one."""
    from assay.core.ids import is_id
    from assay.core.store_layout import RUN_PREFIX

    if text is not None and not is_id(RUN_PREFIX, text):
        raise UsageError(f"{text!r} is no id of a run.", hint="It stands in the envelope and in reports, and begins with run-.")
    return text


def _moved(move: "Callable[[Queue], Queue]", job_id: str, store: str, *, as_json: bool) -> int:
    def do(book: "QueueBook") -> Answer:
        from assay.core.queue.moves import require

        job: Job = require(book.change(move), job_id)
        return {"job": job_json(job)}, job_line(job)

    return answered(do, store, as_json=as_json)


def _order(options: AddOptions) -> Any:
    from assay.adapters.config_file import read_config
    from assay.adapters.git import GitRepo
    from assay.app.check import choose
    from assay.core.queue.fan_out import Order, parameters_of

    repo = GitRepo.discover(os.getcwd())  # noqa: PTH109 - a text, as the ports have it
    config = read_config(repo.root, options.config) if options.config else read_config(repo.root)
    if not options.benchmarks and len(config.benchmarks) > 1:
        raise UsageError("Which benchmark is to be queued?", hint=f"Name it with --benchmark: {', '.join(sorted(config.benchmarks))}.")
    return Order(
        benchmarks=choose(config, options.benchmarks),
        commits=tuple(dict.fromkeys(repo.resolve(ref) for ref in options.baselines or ("HEAD",))),
        seeds=_seeds(options.seeds),
        parameters=parameters_of(options.parameters),
        command=options.command,
        batch=options.batch,
        priority=options.priority,
        by=os.environ.get("GITHUB_ACTOR") or os.environ.get("USER"),
        together=options.together,
        model=options.model,
        precision=options.precision,
    )


def _seeds(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    words = text.split(",")
    if not all(word.isascii() and word.isdigit() and len(word) <= 10 for word in words) or len(set(words)) < len(words):
        raise UsageError(f"--seeds is a list of different whole numbers, not {text[:60]!r}.", hint="For example --seeds 13,42,123")
    return tuple(int(word) for word in words)


def _new_job_id() -> str:
    from assay.core.queue.model import JOB_PREFIX

    return _new_id(JOB_PREFIX)


def _new_id(prefix: str) -> str:
    from assay.adapters.clock import SystemClock

    return SystemClock().new_id(prefix)


def _now() -> str:
    from assay.core.timestamp import stamp

    return stamp(datetime.now(UTC))

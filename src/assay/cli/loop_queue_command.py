"""`assay loop --queue`: what is due goes into the queue, for workers on boxes and clusters, instead of being measured here."""

import json
import os
import sys
from typing import TYPE_CHECKING

from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.cli.loop_command import LoopOptions, Site, TickOptions
    from assay.core.loop.tick import Tick
    from assay.core.queue.model import Job, Queue


@dataclass(frozen=True, slots=True)
class _Queued:
    """What came of it: the jobs that are new, and the tasks that have none, each with the reason."""

    jobs: tuple["Job", ...]
    left_out: tuple[str, ...]


def queue_due(found: "Site", asked: "TickOptions", due: "Tick", options: "LoopOptions") -> int:
    """Queue a job for each task that a tick would run, and print them. What has one already gets no second.

    Raises UsageError together with `--apply`, and what the queue raises.
    """
    if asked.apply:
        raise UsageError("--queue and --apply exclude each other.", hint="Queue what is due for workers, or measure it here.")
    queued = _add(found, due, options)
    document = {
        "schema": "assay.loop.queued/1",
        "jobs": [one.model_dump(mode="json") for one in queued.jobs],
        "left_out": list(queued.left_out),
    }
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) if options.as_json else _text(queued, due)
    sys.stdout.write(f"{text}\n")
    return 0


def _add(found: "Site", due: "Tick", options: "LoopOptions") -> _Queued:
    from assay.cli.store_command import open_store
    from assay.core.queue import moves
    from assay.core.queue.fan_out import Order, fan_out
    from assay.core.queue.model import JOB_PREFIX
    from assay.core.timestamp import stamp

    config = found.about.config
    foreign = tuple(
        f"{name}: it is a task of the overlay, and the queue knows those of the config"
        for name in due.planned
        if name not in config.benchmarks
    )
    wanted = tuple(config.benchmarks[name] for name in due.planned if name in config.benchmarks)
    order = Order(benchmarks=wanted, commits=(found.about.tip,), by="the control loop", together=True)
    clock = found.house.clock
    jobs = fan_out(order, lambda: clock.new_id(JOB_PREFIX), stamp(clock.now()))
    book = open_store(options.store, found.repo.root, os.environ).queue
    queue: Queue = book.change(lambda queue: moves.add_missing(queue, jobs))
    added = tuple(one for one in jobs if queue.job(one.job_id))
    there = {one.benchmark for one in jobs} - {one.benchmark for one in added}
    known = tuple(f"{name}: a job for this commit is in the queue already" for name in sorted(there))
    return _Queued(added, (*foreign, *due.passed_over, *known))


def _text(queued: _Queued, due: "Tick") -> str:
    from assay.cli.queue_words import job_line
    from assay.core.escape import plain

    lines = [*(job_line(one) for one in queued.jobs), *(plain(one, 400) for one in queued.left_out)]
    if not due.planned:
        lines.append(f"Nothing is due: {plain(due.stop, 400)}.")
    lines.append(f"Queued {len(queued.jobs)} job{'s' if len(queued.jobs) != 1 else ''}. Measure with: assay queue work")
    return "\n".join(lines)

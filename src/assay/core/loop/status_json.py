"""The status report as JSON: the keys of `assay.loop.status/1`. What does not exist is null, never left out."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from assay.core.loop.cells import Cell
from assay.core.loop.ladder import Action
from assay.core.loop.status import SCHEMA, Parts, Status
from assay.core.loop.vocabulary import CellState
from assay.core.loop.walk import walk_json
from assay.core.prior import Header
from assay.core.result import reuse_json
from assay.core.timestamp import stamp

NEXT_SCHEMA = "assay.loop.next/1"
LEVELS = ("smoke", "serving", "e2e")
NEEDS = ("offline", "weights", "dataset", "cuda", "metal", "net")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_json(status: Status) -> dict[str, object]:
    """The whole report."""
    return {
        "schema": SCHEMA,
        "generated_at": status.generated_at,
        "root": status.parts.root,
        "registry": registry(status.parts),
        "catalog": catalog(status.parts),
        "ledger": ledger(status.parts),
        "local": local(status),
        "authority": authority(status),
        "reuse": reuse_json(status.verdict) if status.verdict else None,
        "next_action": action_json(status.action),
        "walk": walk_json()["walk"],
    }


def next_json(status: Status) -> dict[str, object]:
    """The next action alone, and the task that it is about."""
    following = _next(status.next) if status.next else None
    return {"schema": NEXT_SCHEMA, "generated_at": status.generated_at, "next_action": action_json(status.action), "next": following}


def action_json(action: Action) -> dict[str, object]:
    return {"kind": action.kind.value, "command": action.command, "detail": action.detail}


def registry(parts: Parts) -> dict[str, object]:
    """Three ways to count the benchmarks of the config; one without needs counts as offline, and one with several counts for each."""
    benchmarks = parts.config.benchmarks.values()
    needs: Counter[str] = Counter(need for one in benchmarks for need in (one.needs or ("offline",)))
    levels: Counter[str] = Counter(one.level for one in benchmarks)
    return {
        "benchmarks": len(benchmarks),
        "needs": {name: needs[name] for name in NEEDS},
        "levels": {name: levels[name] for name in LEVELS},
        "manual": sum(one.manual for one in benchmarks),
    }


def catalog(parts: Parts) -> dict[str, object]:
    """What is stored of the benchmarks. The latest run goes by the moment it was made."""
    headers = parts.stored.headers
    latest = max(headers, key=lambda one: (one.created, one.run_id), default=None)
    return {
        "present": not parts.stored.unreadable,
        "runs": len(headers),
        "benchmarks": len({one.benchmark for one in headers}),
        "machines": len({one.machine for one in headers}),
        "latest": _latest(latest) if latest else None,
        "unreadable": [{"path": path, "reason": why} for path, why in parts.stored.unreadable],
    }


def made_at(one: Header) -> str:
    """When a run was made, as a stamp."""
    return stamp(_EPOCH + timedelta(microseconds=one.created))


def _latest(one: Header) -> dict[str, object]:
    facts = {"run_id": one.run_id, "benchmark": one.benchmark, "commit": one.commit, "machine": one.machine}
    return {**facts, "model": one.model, "precision": one.precision, "status": one.status, "created_at": made_at(one)}


def ledger(parts: Parts) -> dict[str, object]:
    """How many attempts there were, how many left a datum, and the last one."""
    rows = parts.ledger.rows
    last = rows[-1] if rows else None
    return {
        "path": parts.ledger_at,
        "rows": len(rows),
        "ahead": parts.ledger.ahead,
        "collected": sum(one.result.gathered for one in rows),
        "results": dict(sorted(Counter(one.result.value for one in rows).items())),
        "last": last and {"task": last.task, "result": last.result.value, "created_at": last.created_at, "box": last.box},
        "unreadable": [{"path": one.path, "reason": one.reason} for one in parts.ledger.lost],
    }


def local(status: Status) -> dict[str, object]:
    """What this box can do, and how the tasks stand on it."""
    here = status.parts.here
    return {
        "capabilities": {
            "box": here.box,
            "machine": here.machine,
            "gpu": here.gpu,
            "gpus": here.gpus,
            "weights": here.weights,
            "datasets": here.datasets,
            "net": here.net,
            "credentials": list(here.credentials),
        },
        "tasks": len(status.cells),
        "feasible": sum(one.feasible for one in status.cells),
        "blocked": status.count(CellState.BLOCKED, CellState.ELSEWHERE),
        "saturated": status.count(CellState.FRESH),
        "due": status.count(CellState.DUE),
        "states": {state.value: status.count(state) for state in CellState},
        "error": status.problem or None,
        "next": _next(status.next) if status.next else None,
        "reused": list(status.reused),
        "cells": [_cell(one) for one in status.cells],
    }


def _cell(one: Cell) -> dict[str, object]:
    until = stamp(one.until) if one.until else None
    return {"id": one.task.id, "state": one.state.value, "score": round(one.score, 6), "reason": one.reason, "until": until}


def _next(one: Cell) -> dict[str, object]:
    task = one.task
    return {
        "id": task.id,
        "title": task.title,
        "source": task.source.value,
        "value": task.value.value,
        "score": round(one.score, 6),
        "reason": one.reason,
        "run": task.recipe,
        "acceptance": task.acceptance or None,
        "manual": not task.runs_by_itself,
    }


def authority(status: Status) -> dict[str, object]:
    """How far the published table is behind the ledger."""
    rows = status.parts.ledger.rows
    published = status.parts.published
    return {
        "file": published.file,
        "present": published.text is not None,
        "through": status.lag.through,
        "newer": status.lag.newer,
        "problem": status.lag.problem or None,
        "total_rows": len(rows),
        "total_collected": sum(one.result.gathered for one in rows),
    }

"""`assay run`: the second third of a check, cell by cell: here, or sent to where the cell's machine is."""

import json
import math
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.exposure import take_cover
from assay.cli.split_command import config_at, house_of, repository
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.handover_folder import HandoverFolder
    from assay.app.split_run import Ran
    from assay.cell_ports import CellNews
    from assay.cli.places import Site
    from assay.core.config import Config
    from assay.core.handover import CellFile, PlanFile
    from assay.errors import AssayError


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `assay run` as they were typed."""

    artifact: str
    benchmarks: tuple[str, ...] = ()
    config: str | None = None
    here: bool = False
    within_s: float | None = None
    as_json: bool = False
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """What the cells of one command share."""

    repo: "GitRepo"
    folder: "HandoverFolder"
    plan: "PlanFile"
    config: "Config"
    config_file: str


def run(options: RunOptions) -> int:
    """Measure the cells. Raises what kept the last of them from being measured, once all have been."""
    from assay.core.event import refuse_to_run

    refuse_to_run(os.environ.get("GITHUB_EVENT_NAME", ""))
    bench = bench_of(options)
    names = _chosen(options, bench)
    if options.here:
        ran = measure_here(bench, names[0], options.within_s or math.inf, arrived=True, seed=options.seed)
        _tell([ran.cell], bench, options)
        if ran.error is not None:
            raise ran.error
        return 0
    news, errors = measure_cells(bench, names)
    found, unreadable = bench.folder.cells(options.benchmarks or tuple(cell.benchmark for cell in bench.plan.cells))
    found = {name: cell for name, cell in found.items() if not cell.cut_short}
    _tell(list(found.values()), bench, options, {name: news[name].detail for name in names if name in news and name not in found})
    missing = [name for name in names if name not in found and name not in unreadable]
    if missing:
        from assay.errors import InfrastructureError

        what = f"There is no result of {', '.join(missing)}: {news[missing[0]].detail if missing[0] in news else 'it was not measured'}."
        raise InfrastructureError(what, hint=f"Run the same again: assay run --artifact {options.artifact}")
    if errors:
        raise errors[0]
    return 0


def bench_of(options: RunOptions) -> Bench:
    """The repository, the plan and the config of a command."""
    from assay.adapters.handover_folder import HandoverFolder

    repo = repository()
    folder = HandoverFolder(Path(options.artifact).absolute())
    plan = folder.plan()
    file = options.config or plan.config
    return Bench(repo, folder, plan, config_at(file, repo), file)


def _chosen(options: RunOptions, bench: Bench) -> tuple[str, ...]:
    """The cells that are named, whatever they have left before, or all that have left nothing yet."""
    if options.here and len(options.benchmarks) != 1:
        raise UsageError("With --here one cell is measured.", hint="Name it: assay run --here --artifact DIR --benchmark NAME")
    planned = tuple(cell.benchmark for cell in bench.plan.cells)
    unknown = [name for name in options.benchmarks if name not in planned]
    if unknown:
        hint = f"It has: {', '.join(planned) or 'none, for nothing has to run'}."
        raise UsageError(f"The plan has no cell for {unknown[0]!r}.", hint=hint)
    for name in options.benchmarks if not options.here else ():
        bench.folder.drop_cell(name)
    return options.benchmarks or tuple(name for name in planned if not bench.folder.has_cell(name))


def measure_cells(bench: Bench, names: tuple[str, ...]) -> "tuple[Mapping[str, CellNews], list[AssayError]]":
    """Measure these cells, each where it belongs. How those ended that were sent, and what kept those here from being measured."""
    from assay.adapters.clock import SystemClock, pause
    from assay.adapters.config_file import config_bytes
    from assay.adapters.terminal import display_for
    from assay.app.dispatch import Waiting, dispatch
    from assay.cli.places import Site, sorted_by_place

    kept = bench.folder.keep_config(config_bytes(bench.repo.root, bench.config_file))
    site = Site(bench.repo, bench.folder, str(kept), bench.config, bench.plan)
    here, there = sorted_by_place(site, {cell.benchmark: cell.machine for cell in bench.plan.cells if cell.benchmark in names})

    errors: list[AssayError] = []

    def measure() -> None:
        for name in here:
            error = measure_here(bench, name, math.inf, arrived=False).error
            errors.extend([error] if error else [])

    hint = f"`assay run --artifact {bench.folder.path}` goes on waiting, `assay report` decides on what is there."
    with display_for(sys.stderr) as observer:
        news = dispatch(there, measure, Waiting(SystemClock(), observer, pause, hint))
    for name in names:
        _gather(site, name)
    return _by_benchmark(news), errors


def _by_benchmark(news: "Mapping[str, CellNews]") -> "Mapping[str, CellNews]":
    """The news of each benchmark: of several cells, one for each seed, that of a lost one if there is any."""
    from assay.cell_ports import Phase

    last = sorted(news.items(), key=lambda row: row[1].phase is Phase.LOST)
    return {cell.partition("@")[0]: one for cell, one in last}


def _gather(site: "Site", name: str) -> None:
    """Make one cell of those of its seeds, once all of them are there."""
    from assay.app.split_run import failed_cell
    from assay.cli.places import parts_of, seeds_apart
    from assay.core.command_config import with_command
    from assay.core.seed_merge import merged

    parts = parts_of(site, name) if seeds_apart(site, name) else ()
    found, unreadable = site.folder.cells(parts)
    if not parts or len(found) + len(unreadable) < len(parts):
        return
    benchmark = with_command(site.config, replace(site.plan.command, benchmarks=(name,))).benchmarks[name]
    made = next(iter(unreadable.values()), None) or merged(benchmark, [found[part] for part in parts])
    if not isinstance(made, str):
        site.folder.put_cell(made)
        site.folder.journal.forget(run.run_id for cell in found.values() for run in cell.runs)
    else:
        site.folder.put_cell(failed_cell(site.plan, name, made))
    for part in parts:
        site.folder.drop_cell(part)


def measure_here(bench: Bench, name: str, within_s: float, *, arrived: bool, seed: int | None = None) -> "Ran":
    """Measure one cell on this machine, and write its file."""
    from assay.adapters.store_directory import DirectoryStore
    from assay.adapters.terminal import TellingObserver
    from assay.app.split_run import Limits, run_cell
    from assay.cli.places import note_of
    from assay.core.seed_merge import seed_cell

    note = note_of(os.environ) if arrived else ""
    limits = Limits(within_s=within_s, journal=bench.folder.journal, arrived=arrived, note=note, seed=seed)
    with ExitStack() as stack:
        display = TellingObserver(sys.stderr) if arrived else None
        house = house_of(stack, bench.config, bench.repo, DirectoryStore(bench.folder.lent), display)
        take_cover(stack, bench.repo.root, house.observer, own_variables=arrived)  # ssh, to the places of others, may need its own
        ran = run_cell(bench.plan, name, bench.config, house, limits)
    called = name if seed is None else seed_cell(name, seed)
    if not (ran.cell.cut_short and bench.folder.has_cell(called)):  # of two attempts at one job the whole one stands, whichever is later
        bench.folder.put_cell(ran.cell, called)
    return ran


def _tell(cells: "list[CellFile]", bench: Bench, options: RunOptions, missing: Mapping[str, str] | None = None) -> None:
    facts: list[dict[str, str | None]] = []
    for cell in cells:
        file = str(bench.folder.path / f"cell-{cell.benchmark}.json")
        facts.append({"benchmark": cell.benchmark, "state": cell.state, "reason": cell.reason, "run_id": cell.head_run, "file": file})
    for name, reason in (missing or {}).items():
        facts.append({"benchmark": name, "state": "lost", "reason": reason, "run_id": None, "file": None})
    if options.as_json:
        shown: object = facts[0] if len(options.benchmarks) == 1 and facts else {"cells": facts}
        sys.stdout.write(json.dumps(shown, indent=2, sort_keys=True) + "\n")
        return
    for one in facts:
        sys.stdout.write(f"{one['benchmark']}: {one['state']}. {one['reason']}\n")
    sys.stdout.write(f"The cells are in {bench.folder.path}; next: assay report --artifact {options.artifact}\n")

"""The work of a job on GitHub: check at one go, or one of the thirds plan, run and report."""

import json
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.exposure import guard_checkout
from assay.cli.job_parts import (
    Site,
    fetcher,
    forced_of,
    open_bureau,
    open_house,
    open_office,
    open_store,
    patient_forge,
)
from assay.cli.pull_parts import ended, open_pulls
from assay.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from assay.adapters.handover_folder import HandoverFolder
    from assay.app.action import Acted
    from assay.app.order import Order
    from assay.app.question import Nothing
    from assay.app.schedule import Scheduled
    from assay.app.split_report import Delivery
    from assay.cli.stores import JobStore
    from assay.core.event import Started
    from assay.core.handover import CellFile, PlanFile


def work(site: Site) -> "Acted | Nothing | PlanFile | CellFile | Scheduled":
    """Do what the mode says; with auto the event decides."""
    from assay.core.event import Timer, WorkflowRun
    from assay.core.inputs import Mode

    match site.inputs.mode:
        case Mode.STATUS:
            from assay.cli.tick_work import status_work

            return status_work(site)
        case Mode.SCHEDULE:
            return _scheduled(site)
        case Mode.AUTO if isinstance(site.event, Timer):
            return _scheduled(site)
        case Mode.PLAN:
            return _plan(site)
        case Mode.RUN:
            return _run(site)
        case Mode.REPORT:
            return _report(site)
        case Mode.AUTO if isinstance(site.event, WorkflowRun):
            return _report(site)
        case _:
            return _check(site)


def _scheduled(site: Site) -> "Scheduled":
    from assay.cli.tick_work import scheduled_work

    _refuse_lasting_runner(site)
    return scheduled_work(site)


def _check(site: Site) -> "Acted | Nothing":
    from assay.app.action import act
    from assay.app.order import order_of
    from assay.app.question import Nothing

    _refuse_lasting_runner(site)
    store = cache(lambda: open_store(site))
    order = ended(site, store) or order_of(_event(site), open_office(site, store))
    if isinstance(order, Nothing):
        return order
    kept = store()
    house = open_house(site, order.rules.config, kept.store)
    guard_checkout(site.stack, site.repo.root, site.trusted, house.observer)
    acted = act(order, house, open_bureau(site, kept, house, order.rules.config), forced_of(order))
    return _accounted(site, order, acted, kept)


def _plan(site: Site) -> "PlanFile | Nothing":
    from assay.adapters.store_directory import DirectoryStore
    from assay.app.attempts_on_forge import campaign_of, stopped_in
    from assay.app.check import choose
    from assay.app.order import order_of
    from assay.app.pull_session import ours
    from assay.app.question import Nothing, commits_of
    from assay.app.split_plan import asked_of, lend, planned
    from assay.core.job_outputs import NAMES

    store = cache(lambda: open_store(site))
    order = order_of(_event(site), open_office(site, store))
    if isinstance(order, Nothing):
        return order
    kept = store()
    names = tuple(one.name for one in choose(order.rules.config, order.inputs.benchmarks))
    commits = commits_of(order.question, site.repo, kept.store, names)
    if isinstance(commits, Nothing):
        return commits
    nothing = ours(open_pulls(site, kept), order.question, order.rules.config, commits)
    house = open_house(site, order.rules.config, kept.store)
    stopped = stopped_in(campaign_of(order.rules.config, order.question.number, kept.store, house.clock))
    asked = asked_of(order.question, order.rules.config, order.inputs, order.command, forced_of(order), nothing, stopped)
    for name, refusal in asked.stopped.items():
        if name in names:
            sys.stdout.write(f"{refusal.reason} {refusal.next_step}\n")
    plan = planned(asked, commits, house)
    folder = _handover(site)
    lend(plan, kept.store, DirectoryStore(folder.lent))
    sys.stdout.write(f"The plan, with {len(plan.cells)} cells, is in {folder.put_plan(plan)}\n")
    for name in NAMES:
        site.files.output(name, json.dumps(plan.matrix, sort_keys=True) if name == "matrix" else "")
    return plan


def _run(site: Site) -> "CellFile":
    from assay.adapters.store_directory import DirectoryStore
    from assay.app.action import refusal_of
    from assay.app.rules import rules_at
    from assay.app.split_run import Limits, run_cell

    _refuse_lasting_runner(site)
    _refuse_credentials(site)
    folder = _handover(site)
    plan = folder.plan()
    if len(site.inputs.benchmarks) != 1:
        raise UsageError("The mode run measures one cell, so it needs one benchmark.", hint="Set benchmark: ${{ matrix.benchmark }}")
    (benchmark,) = site.inputs.benchmarks
    rules = rules_at(site.repo, plan.rules or plan.base, plan.extras, plan.config)
    refusal = refusal_of(plan.trust, rules.config, site.inputs, hosted=site.job.hosted, vouched=plan.vouched)
    house = open_house(site, rules.config, DirectoryStore(folder.lent))
    guard_checkout(site.stack, site.repo.root, site.trusted, house.observer)
    ran = run_cell(plan, benchmark, rules.config, house, Limits(refusal, journal=folder.journal))
    sys.stdout.write(f"The cell of {benchmark}, {ran.cell.state}, is in {folder.put_cell(ran.cell)}\n")
    if ran.error is not None:
        raise ran.error
    return ran.cell


def _refuse_lasting_runner(site: Site) -> None:
    from assay.adapters.event_file import read_event
    from assay.adapters.runner_settings import ephemeral
    from assay.core.event import is_public
    from assay.core.job import refuse_lasting_runner

    if not site.job.hosted:
        public = is_public(read_event(site.job.event_path))
        refuse_lasting_runner(site.job, public=public, ephemeral=ephemeral(site.job.runner_temp))


def _refuse_credentials(site: Site) -> None:
    """Raises UsageError where the checkout keeps a credential: this job is the one that has none."""
    from assay.adapters.git.persisted import credential_files

    found = credential_files(site.repo.root, site.trusted)
    if found:
        what = f"The checkout keeps a credential in {found[0]}, and this job runs code that must not find one."
        raise UsageError(what, hint="Set persist-credentials: false at actions/checkout.")


def _report(site: Site) -> "Acted | Nothing":
    from assay.adapters.clock import SystemClock
    from assay.app.action import act
    from assay.app.order import reported_order
    from assay.app.purse import Purse
    from assay.app.question import Nothing

    store = cache(lambda: open_store(site))

    def pinned() -> str | None:
        begun = Purse(store().store, SystemClock()).begun(site.job.run_id)
        return begun.head if begun else None

    order = ended(site, store) or reported_order(_event(site), site.inputs, site.repo, patient_forge(site), fetcher(site), pinned)
    if isinstance(order, Nothing):
        return order
    kept = store()
    house = open_house(site, order.rules.config, kept.store)
    bureau = open_bureau(site, kept, house, order.rules.config)
    acted = act(order, house, bureau, forced_of(order), lambda names: _delivery(site, names))
    return _accounted(site, order, acted, kept)


def _accounted(site: Site, order: "Order", acted: "Acted | Nothing", kept: "JobStore") -> "Acted | Nothing":
    """The same, once the GPU minutes that a command took are written down. That this fails changes nothing that was decided."""
    from assay.adapters.clock import SystemClock
    from assay.app.action import Acted
    from assay.app.purse import Purse, gpu_minutes
    from assay.core.event import Comment
    from assay.core.timestamp import moment

    if isinstance(acted, Acted) and isinstance(site.event, Comment):
        clock, config = SystemClock(), order.rules.config
        purse = Purse(kept.store, clock)
        begun = purse.begun(site.job.run_id) if any(one.gpus for one in config.benchmarks.values()) else None
        since_s = max(0.0, (clock.now() - moment(begun.created_at)).total_seconds()) if begun else 0.0
        minutes = gpu_minutes(config, acted.checked.result, since_s)
        if minutes > 0:
            try:
                purse.gpu_used(site.event.number, site.event.author, minutes)
            except InfrastructureError as error:
                sys.stderr.write(f"{error.message}\n")
    return acted


def _delivery(site: Site, names: tuple[str, ...]) -> "Delivery":
    """The cells in the hand-over folder, or under workflow_run those that the other run uploaded."""
    from assay.app.split_report import Delivery
    from assay.app.uploads import uploaded_cells
    from assay.core.event import WorkflowRun

    if isinstance(site.event, WorkflowRun):
        return uploaded_cells(patient_forge(site), site.event.run_id, names)
    return Delivery(*_handover(site).cells(names))


def _handover(site: Site) -> "HandoverFolder":
    from assay.adapters.handover_folder import HandoverFolder

    return HandoverFolder(Path(site.job.workspace, site.inputs.artifact))


def _event(site: Site) -> "Started":
    if site.event is None:
        raise UsageError("This job has no event to go by.", hint="Leave the input mode out.")
    return site.event

"""The work of a job on GitHub: check at one go, or one of the thirds plan, run and report."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.exposure import guard_checkout
from assay.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.github.client import Patience
    from assay.adapters.github.forge import GitHubForge
    from assay.adapters.handover_folder import HandoverFolder
    from assay.adapters.job_files import StepFiles
    from assay.app.action import Acted, Bureau
    from assay.app.house import House
    from assay.app.order import Bring, Order
    from assay.app.purse import Purse
    from assay.app.question import Nothing
    from assay.app.split_report import Delivery
    from assay.cli.stores import JobStore
    from assay.core.config import Config
    from assay.core.event import Started
    from assay.core.handover import CellFile, PlanFile
    from assay.core.inputs import Inputs
    from assay.core.job import Job
    from assay.ports import Store


@dataclass(frozen=True, slots=True)
class Site:
    """The job, its checkout and its files. What is started for it ends with the stack; `event` is None where none is needed."""

    stack: ExitStack
    job: "Job"
    inputs: "Inputs"
    event: "Started | None"
    tokens: Mapping[str, str] = field(repr=False)
    repo: "GitRepo"
    trusted: tuple[str, ...]
    files: "StepFiles"


def work(site: Site) -> "Acted | Nothing | PlanFile | CellFile":
    """Do what the mode says; with auto the event decides."""
    from assay.core.event import WorkflowRun
    from assay.core.inputs import Mode

    match site.inputs.mode:
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


def _check(site: Site) -> "Acted | Nothing":
    from assay.app.action import act
    from assay.app.order import order_of
    from assay.app.question import Nothing

    _refuse_lasting_runner(site)
    kept = _kept(site)
    order = order_of(_event(site), site.inputs, site.repo, _patient(site), _bring(site), _purse(kept))
    if isinstance(order, Nothing):
        return order
    house = _house(site, order.rules.config, kept.store)
    guard_checkout(site.stack, site.repo.root, site.trusted, house.observer)
    acted = act(order, house, _bureau(site, kept, house, order.rules.config), _forced(order))
    return _accounted(site, order, acted, kept)


def _plan(site: Site) -> "PlanFile | Nothing":
    from assay.adapters.store_directory import DirectoryStore
    from assay.app.check import choose
    from assay.app.order import order_of
    from assay.app.question import Nothing, commits_of
    from assay.app.split_plan import asked_of, lend, planned
    from assay.core.job_outputs import NAMES

    kept = _kept(site)
    order = order_of(_event(site), site.inputs, site.repo, _patient(site), _bring(site), _purse(kept))
    if isinstance(order, Nothing):
        return order
    names = tuple(one.name for one in choose(order.rules.config, order.inputs.benchmarks))
    commits = commits_of(order.question, site.repo, kept.store, names)
    if isinstance(commits, Nothing):
        return commits
    asked = asked_of(order.question, order.rules.config, order.inputs, order.command, _forced(order))
    plan = planned(asked, commits, _house(site, order.rules.config, kept.store))
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
    house = _house(site, rules.config, DirectoryStore(folder.lent))
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
    from assay.app.action import act
    from assay.app.order import reported_order
    from assay.app.question import Nothing

    order = reported_order(_event(site), site.inputs, site.repo, _patient(site), _bring(site))
    if isinstance(order, Nothing):
        return order
    kept = _kept(site)
    house = _house(site, order.rules.config, kept.store)
    bureau = _bureau(site, kept, house, order.rules.config)
    acted = act(order, house, bureau, _forced(order), lambda names: _delivery(site, names))
    return _accounted(site, order, acted, kept)


def _accounted(site: Site, order: "Order", acted: "Acted | Nothing", kept: "JobStore") -> "Acted | Nothing":
    """The same, once the GPU minutes that a command took are written down. That this fails changes nothing that was decided."""
    from assay.app.action import Acted
    from assay.app.purse import gpu_minutes
    from assay.core.event import Comment

    if isinstance(acted, Acted) and isinstance(site.event, Comment):
        minutes = gpu_minutes(order.rules.config, acted.checked.result)
        if minutes > 0:
            try:
                _purse(kept)().gpu_used(site.event.number, site.event.author, minutes)
            except InfrastructureError as error:
                sys.stderr.write(f"{error.message}\n")
    return acted


def _delivery(site: Site, names: tuple[str, ...]) -> "Delivery":
    """The cells in the hand-over folder, or under workflow_run those that the other run uploaded."""
    from assay.app.split_report import Delivery
    from assay.app.uploads import uploaded_cells
    from assay.core.event import WorkflowRun

    if isinstance(site.event, WorkflowRun):
        return uploaded_cells(_patient(site), site.event.run_id, names)
    return Delivery(*_handover(site).cells(names))


def _handover(site: Site) -> "HandoverFolder":
    from assay.adapters.handover_folder import HandoverFolder

    return HandoverFolder(Path(site.job.workspace, site.inputs.artifact))


def _event(site: Site) -> "Started":
    if site.event is None:
        raise UsageError("This job has no event to go by.", hint="Leave the input mode out.")
    return site.event


def _purse(kept: "JobStore") -> "Callable[[], Purse]":
    from assay.adapters.clock import SystemClock
    from assay.app.purse import Purse

    return lambda: Purse(kept.store, SystemClock())


def _bring(site: Site) -> "Bring":
    from assay.cli.fetching import bringer

    return bringer(site.repo, site.trusted, site.tokens)


def _patient(site: Site) -> "GitHubForge":
    from assay.adapters.github.client import Patience

    return _forge(site, Patience())


def _kept(site: Site) -> "JobStore":
    from assay.cli.stores import store_on_github

    return store_on_github(site.repo.root, site.inputs.data_branch, site.trusted, site.tokens)


def _house(site: Site, config: "Config", store: "Store") -> "House":
    from assay.adapters.terminal import display_for
    from assay.cli.house import build_house, job_question, look_for_garbage_rarely

    _home(site.repo.root)
    job_python = job_question(site.stack, site.repo.root)
    house = build_house(site.stack, config, site.repo, store, site.stack.enter_context(display_for(sys.stderr)), job_python)
    look_for_garbage_rarely()
    return house


def _forced(order: "Order") -> str | None:
    from assay.cli.check_command import forced_by

    return forced_by(order.forced_by or ("the input no-reuse" if order.inputs.no_reuse else None), os.environ)


def _home(root: str) -> Path:
    """The folder of ours in the checkout. Raises UsageError where a commit has put a link in its place: it may lead anywhere."""
    from assay.cli.check_command import FOLDER, refuse_links

    refuse_links(root)
    return Path(root, FOLDER)


def _bureau(site: Site, kept: "JobStore", house: "House", config: "Config") -> "Bureau":
    from assay.adapters.github.client import HASTY, Patience
    from assay.adapters.reports_folder import ReportsFolder
    from assay.adapters.templates import PackageTemplates
    from assay.app.action import Bureau
    from assay.cli.analysts import job_explainer
    from assay.core.render import TEMPLATES

    job, templates, out = site.job, PackageTemplates(), _home(site.repo.root) / "report"
    return Bureau(
        forge=_forge(site, Patience()),
        hasty=_forge(site, HASTY),
        job=site.files,
        reports=ReportsFolder(out),
        templates={name: templates.load(name) for name in TEMPLATES},
        hosted=job.hosted,
        batch=kept.batch,
        explain=job_explainer(site, house, config),
        stored_at=_stored_at(site),
        result_file=(out.resolve() / "result.json").relative_to(Path(job.workspace).resolve()).as_posix(),
    )


def _stored_at(site: Site) -> str:
    """Where people can read the files of the data branch; a ref that is no branch has no pages."""
    from assay.core.data_ref import DEFAULT, short

    name = short(site.inputs.data_branch or DEFAULT)
    return "" if name.startswith("refs/") else f"{site.job.files_url}/{name}"


def _forge(site: Site, patience: "Patience") -> "GitHubForge":
    from assay.adapters.github.forge import GitHubForge

    job, inputs = site.job, site.inputs
    return GitHubForge(
        inputs.token, job.repository, api_url=job.api_url, bot_login=inputs.bot_login, details_url=job.run_url, patience=patience
    )

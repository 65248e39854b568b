"""The parts of a job on GitHub, put together from adapters: its forge, its store, its house and its office."""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.github.client import Patience
    from assay.adapters.github.forge import GitHubForge
    from assay.adapters.job_files import StepFiles
    from assay.app.action import Bureau
    from assay.app.house import House
    from assay.app.office import Bring, Office
    from assay.app.order import Order
    from assay.cli.stores import JobStore
    from assay.core.config import Config
    from assay.core.event import Started
    from assay.core.inputs import Inputs
    from assay.core.job import Job
    from assay.core.loop.status import Status
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


def open_office(site: Site, store: "Callable[[], JobStore]") -> "Office":
    """What the handlers of commands have. Nothing of it is made before it is asked for."""
    from assay.adapters.clock import SystemClock
    from assay.app.office import Office
    from assay.cli.pull_parts import open_pulls

    return Office(
        forge=patient_forge(site),
        repo=site.repo,
        inputs=site.inputs,
        bring=fetcher(site),
        store=lambda: store().store,
        clock=SystemClock(),
        house=lambda config: open_house(site, config, store().store),
        bureau=lambda built, config: open_bureau(site, store(), built, config),
        report=lambda config, tip: _report(site, store(), config, tip),
        queue=lambda: store().store.queue,
        pulls=lambda: open_pulls(site, store()),
        job=site.job.run_id,
    )


def _report(site: Site, kept: "JobStore", config: "Config", tip: str) -> "Status":
    from assay.cli.tick_work import report_at

    return report_at(site, kept.store, config, tip)


def fetcher(site: Site) -> "Bring":
    """Fetches the commits of a pull request with the job's own token."""
    from assay.cli.fetching import bringer

    return bringer(site.repo, site.trusted, site.tokens)


def patient_forge(site: Site) -> "GitHubForge":
    """The forge, asked again and again where it does not answer."""
    from assay.adapters.github.client import Patience

    return forge_of(site, Patience())


def open_store(site: Site) -> "JobStore":
    """The data branch. Raises UsageError where the input names none to keep a store on."""
    from assay.cli.stores import store_on_github

    return store_on_github(site.repo.root, site.inputs.data_branch, site.trusted, site.tokens)


def open_house(site: Site, config: "Config", store: "Store") -> "House":
    """What a check needs of this machine. Raises UsageError where a commit put a link in the place of our folder."""
    from assay.adapters.terminal import display_for
    from assay.cli.house import build_house, job_question, look_for_garbage_rarely

    own_folder(site.repo.root)
    job_python = job_question(site.stack, site.repo.root)
    built = build_house(site.stack, config, site.repo, store, site.stack.enter_context(display_for(sys.stderr)), job_python)
    look_for_garbage_rarely()
    return built


def forced_of(order: "Order") -> str | None:
    """Who or what asked for a fresh run: a command, the input or a variable of the job."""
    from assay.cli.check_command import forced_by

    return forced_by(order.forced_by or ("the input no-reuse" if order.inputs.no_reuse else None), os.environ)


def own_folder(root: str) -> Path:
    """The folder of ours in the checkout. Raises UsageError where a commit has put a link in its place: it may lead anywhere."""
    from assay.cli.check_command import FOLDER, refuse_links

    refuse_links(root)
    return Path(root, FOLDER)


def open_bureau(site: Site, kept: "JobStore", house: "House", config: "Config") -> "Bureau":
    """What a job publishes with."""
    from assay.adapters.clock import SystemClock
    from assay.adapters.github.client import BRISK, HASTY, Patience
    from assay.adapters.reports_folder import ReportsFolder
    from assay.adapters.templates import PackageTemplates
    from assay.app.action import Bureau
    from assay.app.loose_ends import Keeper
    from assay.cli.analysts import job_explainer
    from assay.cli.pull_parts import open_pulls
    from assay.core.loose_ends import JobMark
    from assay.core.render import TEMPLATES

    job, templates, out = site.job, PackageTemplates(), own_folder(site.repo.root) / "report"
    return Bureau(
        forge=forge_of(site, Patience()),
        hasty=forge_of(site, HASTY),
        job=site.files,
        reports=ReportsFolder(out),
        templates={name: templates.load(name) for name in TEMPLATES},
        hosted=job.hosted,
        batch=kept.batch,
        explainer=job_explainer(site, house, config),
        stored_at=_stored_at(site),
        pulls=open_pulls(site, kept),
        brisk=forge_of(site, BRISK),
        keeper=Keeper(kept.store.ends, JobMark(run=job.run, attempt=job.attempt, hosted=job.hosted), SystemClock()),
        result_file=(out.resolve() / "result.json").relative_to(Path(job.workspace).resolve()).as_posix(),
    )


def _stored_at(site: Site) -> str:
    """Where people can read the files of the data branch; a ref that is no branch has no pages."""
    from assay.core.data_ref import DEFAULT, short

    name = short(site.inputs.data_branch or DEFAULT)
    return "" if name.startswith("refs/") else f"{site.job.files_url}/{name}"


def forge_of(site: Site, patience: "Patience") -> "GitHubForge":
    """The forge of the job's own repository, seen by the input github-token."""
    from assay.adapters.github.forge import GitHubForge

    job, inputs = site.job, site.inputs
    return GitHubForge(
        inputs.token, job.repository, api_url=job.api_url, bot_login=inputs.bot_login, details_url=job.run_url, patience=patience
    )

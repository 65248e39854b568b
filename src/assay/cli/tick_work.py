"""The work of a job that a schedule or a dispatch has started: a tick of the control loop, or its status alone."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.exposure import guard_checkout
from assay.cli.job_parts import Site, open_house, open_store, own_folder, patient_forge
from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.app.house import House
    from assay.app.schedule import Crier, Scheduled
    from assay.app.status import Judge, Surveyed
    from assay.cli.stores import JobStore
    from assay.core.config import Config
    from assay.core.event import Timer
    from assay.core.loop.status import Status
    from assay.core.loop.tick import Tick
    from assay.loop_ports import LoopStore

MAX_READ = 4 * 2**20


@dataclass(frozen=True, slots=True)
class _Post:
    """What a tick needs: the default branch and its commit, the commit that is measured, and the parts of the house."""

    site: Site
    config: "Config"
    branch: str
    tip: str
    head: str
    kept: "JobStore"
    house: "House"
    about: "Surveyed"
    judge: "Judge"


def scheduled_work(site: Site) -> "Scheduled":
    """Do a tick and tell of it. Raises UsageError for an event that is no occasion for one."""
    from assay.app.schedule import scheduled
    from assay.core.event import Timer

    if not isinstance(site.event, Timer):
        what = f"The mode schedule is for schedule, workflow_dispatch and repository_dispatch, and this is {site.job.event_name}."
        raise UsageError(what, hint="Leave the input mode out: with auto the event decides.")
    post = _post(site, site.inputs.ref)
    guard_checkout(site.stack, site.repo.root, site.trusted, post.house.observer)
    event = site.event
    return scheduled(lambda: _ticked(post, event), post.about, post.judge, post.house.clock, _crier(post))


def status_work(site: Site) -> "Scheduled":
    """Tell how things stand, and run nothing."""
    from assay.app.schedule import status_only

    post = _post(site, None)
    return status_only(post.about, post.judge, post.house.clock, _crier(post))


def report_at(site: Site, store: "LoopStore", config: "Config", tip: str) -> "Status":
    """The status report of a commit and of this job's machine, for who asks in a comment."""
    from assay.app.status import judge_of, report
    from assay.core.model import Trust

    house = open_house(site, config, store)
    about = _surveyed(site, config, store, house, tip)
    return report(about, house.clock.now(), judge_of(about, house, Trust.MEMBER))


def _post(site: Site, ref: str | None) -> _Post:
    from assay.app.rules import rules_at
    from assay.app.status import judge_of
    from assay.core.model import Trust

    branch, tip = default_tip(site)
    config = rules_at(site.repo, tip, None, site.inputs.config).config
    head = site.repo.resolve(ref) if ref else tip
    kept = open_store(site)
    house = open_house(site, config, kept.store)
    about = _surveyed(site, config, kept.store, house, head)
    judge = judge_of(about, house, Trust.DEFAULT if head == tip else Trust.MEMBER)
    return _Post(site, config, branch, tip, head, kept, house, about, judge)


def default_tip(site: Site) -> tuple[str, str]:
    """The default branch and its commit, as the checkout has them. A schedule runs on that branch, and its payload may not name it."""
    from assay.core.event import Push, Timer

    event = site.event
    named = event.default_branch if isinstance(event, Push | Timer) else ""
    if not named and isinstance(event, Timer) and event.name == "schedule":
        named = site.job.branch
    if not named:
        found = site.repo.default_branch() or "HEAD"
        return found.removeprefix("origin/") if found != "HEAD" else "", site.repo.resolve(found)
    try:
        return named, site.repo.resolve(f"refs/remotes/origin/{named}")
    except UsageError:  # a checkout of that branch alone
        return named, site.repo.resolve("HEAD")


def _ticked(post: _Post, event: "Timer") -> "Tick":
    from assay.adapters.reports_folder import ReportsFolder
    from assay.app.loop import TickRequest, tick
    from assay.cli.check_command import forced_by, recorder
    from assay.core.model import Trust

    site, inputs = post.site, post.site.inputs
    asked = f"{event.name} of {event.sender or 'nobody named'}" if inputs.benchmarks else None
    request = TickRequest(
        apply=True,
        minutes=inputs.minutes or post.config.loop.minutes,
        only=inputs.benchmarks,
        insist=bool(inputs.benchmarks),
        forced_by=forced_by("the input no-reuse" if inputs.no_reuse else asked, os.environ),
        trust=Trust.DEFAULT if post.head == post.tip else Trust.MEMBER,
        batch=post.kept.batch,
    )
    record = recorder(post.kept.store, ReportsFolder(own_folder(site.repo.root) / "report"), post.house.observer)
    return tick(request, post.about, post.house, record, post.judge)


def _surveyed(site: Site, config: "Config", store: "LoopStore", house: "House", tip: str) -> "Surveyed":
    """Document and overlay are those of the commit, never of the working tree, where a link may lead anywhere."""
    from assay.adapters.capabilities import LocalProber
    from assay.app.status import Surveyed
    from assay.core.loop.authority import Published

    file = config.publish.file
    return Surveyed(
        config=config,
        root=site.job.repository,
        tip=tip,
        store=store,
        ledger=store.ledger,
        repo=site.repo,
        prober=LocalProber(os.environ, Path(site.repo.root), house.machine),
        overlay=lambda: _overlay(site, config, tip),
        published=Published(file, _text(site, tip, file)) if file else Published(),
        no_reuse=site.inputs.no_reuse,
    )


def _overlay(site: Site, config: "Config", tip: str) -> tuple[str, str] | None:
    named = config.loop.overlay
    if named is None:
        return None
    text = _text(site, tip, named)
    if text is None:
        raise UsageError(f"The overlay {named} is not there at commit {tip[:10]}.", hint="Commit it, or take `loop.overlay` out.")
    return text, named


def _text(site: Site, commit: str, path: str) -> str | None:
    from assay.adapters.document_file import document_text

    data = site.repo.read_file(commit, path, MAX_READ)
    return None if data is None else document_text(path, data)


def _crier(post: _Post) -> "Crier":
    from assay.adapters.github.client import Patience
    from assay.adapters.github.notices import GitHubNotices
    from assay.app.schedule import Crier

    job, inputs = post.site.job, post.site.inputs
    notices = GitHubNotices(inputs.token, job.repository, api_url=job.api_url, bot_login=inputs.bot_login, patience=Patience())
    return Crier(patient_forge(post.site), notices, post.site.files, post.house.observer, post.config, post.branch, post.tip)

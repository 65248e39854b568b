"""The house of a command that measures: this machine's adapters, put together."""

import gc
import os
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.exposure import refuses_root
from assay.cli.own_folder import own_folder, say_where
from assay.errors import InfrastructureError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.process.runner import LocalRunner
    from assay.adapters.worktrees.interpreter import JobQuestion
    from assay.app.house import House
    from assay.core.config import Config
    from assay.ports import Observer, Store

RARELY = 50_000
"""New objects between two looks for garbage: a check makes little, and to look each 700 is a twentieth of a short one."""


def look_for_garbage_rarely() -> None:
    """To be called when all has been imported that a check needs, which then stays for good."""
    gc.freeze()
    gc.set_threshold(RARELY)
    gc.enable()


def job_question(stack: ExitStack, where: str) -> "JobQuestion":
    """Ask for the job's Python first of all: behind a version manager it takes as long as our own imports, and meanwhile."""
    from assay.adapters.worktrees.interpreter import JobQuestion

    question = JobQuestion(os.environ, where)
    stack.callback(question.drop)
    question.start()
    return question


def build_house(stack: ExitStack, config: "Config", repo: "GitRepo", store: "Store", observer: "Observer", job: "JobQuestion") -> "House":
    """The house of a check on this machine. What it starts ends with the stack."""
    from assay.adapters.clock import SystemClock
    from assay.adapters.devices.local import LocalDevices
    from assay.adapters.log_folder import LogFolder
    from assay.adapters.machine import LocalMachine
    from assay.adapters.process.privileges import capabilities, child_account, harden_self
    from assay.adapters.process.runner import LocalRunner
    from assay.adapters.worktrees.identity import Identities
    from assay.adapters.worktrees.local import LocalWorktrees
    from assay.app.house import House
    from assay.core.events import Remark

    refuse_root = refuses_root(os.environ)
    harden_self()
    say_where(repo.root, observer)
    clock = SystemClock()

    def wait_for(claim: str) -> None:
        observer.note(Remark(f"Waiting for {claim}, which another process on this machine uses."))

    devices = LocalDevices()
    runner = stack.enter_context(LocalRunner(max_concurrent=config.max_concurrent, clock=clock, on_wait=wait_for, devices=devices))
    threading.Thread(target=_make_ready, args=(runner, config.fusion.enabled), daemon=True).start()

    identities = Identities()  # what planning has read of an input is not read again to measure

    def worktrees() -> LocalWorktrees:
        return LocalWorktrees(
            repo.checkout,
            repo.root,
            parent_environment=os.environ,
            home=_home(),
            own=own_folder(repo.root),
            choose_account=child_account,
            refuse_root=refuse_root,
            job=job,
            identities=identities,
        )

    return House(
        repo=repo,
        worktrees=worktrees,
        runner=runner,
        store=store,
        machine=LocalMachine(os.environ, installed=job.installed, devices=devices),
        clock=clock,
        observer=observer,
        logs=LogFolder(own_folder(repo.root) / "logs").session,
        supervision=capabilities(),
        variables=os.environ,
    )


def _home() -> str | None:
    """The user's home; None for an account that has none, as a container's may be."""
    try:
        return str(Path.home())
    except RuntimeError:
        return None


def _make_ready(runner: "LocalRunner", analysed: bool) -> None:
    """What will be needed, done while git is asked: the first benchmark process is still far away, and a warm-up besides."""
    with suppress(InfrastructureError):  # the run that needs it will say so
        runner.get_ready()
    import jinja2  # noqa: F401 - a tenth of a second that the report would else have to wait for

    if analysed:
        import assay.app.explain  # noqa: F401 - and as much for the analysis

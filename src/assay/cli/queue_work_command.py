"""`assay queue work`: builds the adapters as `assay check` does, and is a worker until nothing is left."""

import math
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli.check_command import recorder, refuse_links, store_at
from assay.cli.exposure import take_cover
from assay.cli.house import build_house, job_question
from assay.cli.own_folder import own_folder
from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.worktrees.interpreter import JobQuestion
    from assay.app.queue_attempt import Workshop
    from assay.app.queue_work import Worked
    from assay.ports import Observer
    from assay.queue_ports import WatchedRunner


@dataclass(frozen=True, slots=True)
class WorkOptions:
    """The options of `assay queue work` as they were typed."""

    jobs: int | None = None
    wait: bool = True
    stay: bool = False
    config: str | None = None
    store: str = "auto"
    as_json: bool = False
    here: str | None = None


def work(options: WorkOptions, folder: str | None = None) -> int:
    """Work in the repository around `folder` (by default the current one); the exit code."""
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    with ExitStack() as stack:
        job = job_question(stack, where)
        from assay.adapters.git import GitRepo
        from assay.adapters.terminal import display_for
        from assay.app.queue_work import Patience
        from assay.app.queue_work import work as work_on

        repo = GitRepo.discover(where)
        refuse_links(repo.root)
        with display_for(sys.stderr) as observer:  # it holds the terminal, so it has to go before anything is printed
            shop = _workshop(stack, options, repo, observer, job)
            worked = work_on(shop, Patience(options.jobs or math.inf, options.wait, options.stay))
    return _told(worked, as_json=options.as_json)


def _workshop(stack: ExitStack, options: WorkOptions, repo: "GitRepo", observer: "Observer", job: "JobQuestion") -> "Workshop":
    from assay.adapters.config_file import read_config
    from assay.adapters.queue_journals import WorkerJournals
    from assay.adapters.reports_folder import ReportsFolder
    from assay.adapters.store_branch import BranchStore
    from assay.adapters.store_directory import DirectoryStore
    from assay.adapters.watched_runner import Watched
    from assay.adapters.workplace import LocalWorkplace
    from assay.app.queue_attempt import Workshop

    config = read_config(repo.root, options.config) if options.config else read_config(repo.root)
    store, _ = store_at(_named(options.store), repo, observer)
    if not isinstance(store, BranchStore | DirectoryStore):
        raise UsageError("This store has no queue.", hint="Name another one with --store.")
    house = build_house(stack, config, repo, store, observer, job)
    take_cover(stack, repo.root, observer, own_variables=isinstance(store, DirectoryStore))

    def watched(beat: Callable[[], bool], beat_s: float, silent_s: float) -> "WatchedRunner":
        return Watched(house.runner, beat, beat_s, silent_s)

    if options.here is not None and options.here not in config.machines:
        raise UsageError(f"The config has no machine {options.here!r}.", hint=f"It has: {', '.join(sorted(config.machines)) or 'none'}.")
    place = LocalWorkplace()
    return Workshop(
        book=store.queue,
        workplace=place,
        journals=WorkerJournals(own_folder(repo.root) / "queue", place),
        here=options.here,
        config=config,
        house=house,
        watched=watched,
        in_house=lambda runner: replace(house, runner=runner),
        record=recorder(store, ReportsFolder(own_folder(repo.root) / "report"), observer),
    )


def _named(store: str) -> str:
    """`auto` is the data branch in a job on GitHub, as for all verbs of the queue."""
    return "branch" if store == "auto" and os.environ.get("GITHUB_ACTIONS") == "true" else store


def _told(worked: "Worked", *, as_json: bool) -> int:
    from assay.cli.queue_command import as_text
    from assay.cli.queue_words import STANDING_WORDS, attempt_json, attempt_line
    from assay.core.queue.measured import exit_code

    document = {"attempts": [attempt_json(one) for one in worked.attempts], "last": worked.last.value}
    lines = [attempt_line(one) for one in worked.attempts] or [f"Nothing was measured: {STANDING_WORDS[worked.last]}."]
    sys.stdout.write(as_text(document) if as_json else "\n".join(lines) + "\n")
    return exit_code(worked.attempts, due=worked.owed)

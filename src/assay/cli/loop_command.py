"""`assay status`, `next`, `walk` and `loop`: build the adapters, have the report made or a tick done, and print it."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.check_command import forced_by, recorder, refuse_links
from assay.cli.exposure import take_cover
from assay.cli.house import build_house, job_question, look_for_garbage_rarely
from assay.cli.own_folder import own_folder
from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.app.house import House
    from assay.app.status import Judge, Surveyed
    from assay.core.config import Config
    from assay.core.loop.authority import Published
    from assay.core.loop.status import Status
    from assay.core.loop.tick import Tick
    from assay.loop_ports import LedgerBook, LoopStore
    from assay.ports import Observer

MAX_OVERLAY = 4 * 2**20


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """The options that the verbs share, as they were typed."""

    now: str | None = None
    overlay: str | None = None
    ledger: str | None = None
    config: str | None = None
    store: str = "auto"
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class TickOptions:
    """What `assay loop` has beside them."""

    apply: bool = False
    most: int | None = None
    minutes: float | None = None
    only: tuple[str, ...] = ()
    no_reuse: bool = False
    queue: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """The repository, and what the loop looks at and works with there."""

    about: "Surveyed"
    house: "House"
    now: datetime
    observer: "Observer"
    judge: "Judge"
    stack: ExitStack
    repo: "GitRepo"


def status(options: LoopOptions, folder: str | None = None) -> int:
    """Print the status report. The exit code is 0 whatever it says: this is a question, no gate."""
    from assay.core.loop.status_json import as_json
    from assay.core.loop.status_text import status_text

    found = _report(options, folder)
    _print(status_text(found), as_json(found), options)
    return 0


def following(options: LoopOptions, folder: str | None = None) -> int:
    """Print the next action alone."""
    from assay.core.loop.status_json import next_json
    from assay.core.loop.status_text import next_text

    found = _report(options, folder)
    _print(next_text(found), next_json(found), options)
    return 0


def walk(*, as_json: bool) -> int:
    """Print the surfaces."""
    from assay.core.loop.walk import walk_json, walk_text

    _print(walk_text(), walk_json(), LoopOptions(as_json=as_json))
    return 0


def loop(options: LoopOptions, asked: TickOptions, folder: str | None = None) -> int:
    """Do one tick and print what came of it; the exit code that says so."""
    from assay.core.loop.tick import as_json, as_text

    with site(options, folder) as found:
        if asked.queue:
            from assay.cli.loop_queue_command import queue_due

            return queue_due(found, asked, _ticked(found, replace(asked, apply=False), options), options)
        done = _ticked(found, asked, options)
    _print(as_text(done), as_json(done), options)
    return done.exit_code


def _ticked(found: Site, asked: TickOptions, options: LoopOptions) -> "Tick":
    from assay.adapters.reports_folder import ReportsFolder
    from assay.app.loop import TickRequest, tick

    store = found.about.store
    if asked.apply:
        take_cover(found.stack, found.repo.root, found.observer, own_variables=not options.store.startswith("branch"))
        look_for_garbage_rarely()
    request = TickRequest(
        apply=asked.apply,
        most=asked.most,
        minutes=asked.minutes,
        only=asked.only,
        forced_by=forced_by("--no-reuse" if asked.no_reuse else None, os.environ),
        batch=_batching(store),
    )
    record = recorder(store, ReportsFolder(own_folder(found.repo.root) / "report"), found.observer)
    return tick(request, found.about, found.house, record, found.judge)


def _batching(store: "LoopStore") -> Callable[[], AbstractContextManager[object]]:
    """What an attempt stores on a branch goes out in one commit."""
    batch: Callable[[], AbstractContextManager[object]] = getattr(store, "batch", nullcontext)
    return batch


def _report(options: LoopOptions, folder: str | None) -> "Status":
    from assay.app.status import report

    with site(options, folder) as found:
        return report(found.about, found.now, found.judge)


@contextmanager
def site(options: LoopOptions, folder: str | None) -> Iterator[Site]:
    """All that the verbs work with; what was started for it ends with the context."""
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    with ExitStack() as stack:
        job = job_question(stack, where)
        from assay.adapters.clock import ShiftedClock, SystemClock
        from assay.adapters.git import GitRepo
        from assay.adapters.terminal import display_for
        from assay.app.status import judge_of
        from assay.cli.store_command import open_store
        from assay.core.loop.now import parse_now
        from assay.core.model import Trust

        now = parse_now(options.now) if options.now else SystemClock().now()
        repo = GitRepo.discover(where)
        refuse_links(repo.root)
        config = read_rules(options, repo)
        store = open_store(options.store or "auto", where, os.environ)
        observer = stack.enter_context(display_for(sys.stderr))
        house = build_house(stack, config, repo, store, observer, job)
        house = replace(house, clock=ShiftedClock(now)) if options.now else house
        about = _surveyed(options, config, repo, store, house)
        yield Site(about, house, now, observer, judge_of(about, house, Trust.MEMBER), stack, repo)


def _surveyed(options: LoopOptions, config: "Config", repo: "GitRepo", store: "LoopStore", house: "House") -> "Surveyed":
    from assay.adapters.capabilities import LocalProber
    from assay.app.status import Surveyed

    return Surveyed(
        config=config,
        root=repo.root,
        tip=tip_of(repo),
        store=store,
        ledger=the_ledger(options, store),
        repo=repo,
        prober=LocalProber(os.environ, Path(repo.root), house.machine),
        overlay=lambda: _overlay(options, config, repo.root),
        published=published_in(config, repo.root),
        no_reuse=forced_by(None, os.environ) is not None,
    )


def tip_of(repo: "GitRepo") -> str:
    """The tip of the default branch, else HEAD; `unknown` in a repository without a commit."""
    from assay.core.model import UNKNOWN

    try:
        return repo.resolve(repo.default_branch() or "HEAD")
    except UsageError:
        return UNKNOWN


def published_in(config: "Config", root: str) -> "Published":
    """The published document of the working tree."""
    from assay.adapters.document_file import TreeDocuments
    from assay.core.loop.authority import Published

    file = config.publish.file
    return Published(file, TreeDocuments(Path(root)).read(file)) if file else Published()


def the_ledger(options: LoopOptions, store: "LoopStore") -> "LedgerBook":
    """The ledger that was named, else that of the store."""
    if not options.ledger:
        return store.ledger
    from assay.adapters.ledger_files import DirectoryLedger

    root = Path(options.ledger).absolute()
    if root.exists() and not root.is_dir():
        raise UsageError(f"--ledger {root} is no folder.", hint="Name the folder that holds `ledger/`, as a store has it.")
    return DirectoryLedger(root)


def read_rules(options: LoopOptions, repo: "GitRepo") -> "Config":
    """The config that was named, else that of the working tree."""
    from assay.adapters.config_file import read_config

    return read_config(repo.root, options.config) if options.config else read_config(repo.root)


def _overlay(options: LoopOptions, config: "Config", root: str) -> tuple[str, str] | None:
    """The overlay's text and its name. Raises UsageError for one that was named and cannot be read."""
    named = options.overlay or config.loop.overlay
    if not named:
        return None
    path = Path(named) if options.overlay else Path(root, named)
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as stream:  # a pipe is empty, and holds nobody up
            data = stream.read(MAX_OVERLAY + 1) or b""
        if len(data) > MAX_OVERLAY:
            raise UsageError(f"The overlay {named} is over {MAX_OVERLAY // 2**20} MiB.", hint="Split it, or name another file.")
        return data.decode(), named
    except OSError as error:
        raise UsageError(f"The overlay {named} cannot be read: {error.strerror}.", hint="Name a JSON file with a list of tasks.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"The overlay {named} is no UTF-8 text.", hint="Save it as UTF-8.") from error


def _print(text: str, document: dict[str, object], options: LoopOptions) -> None:
    if options.as_json:
        text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(f"{text}\n")

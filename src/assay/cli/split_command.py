"""`assay plan`, `assay run` and `assay report`: the thirds of a check, each in its own process, perhaps on its own machine."""

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli import check_command as whole
from assay.cli.house import build_house, job_question
from assay.cli.own_folder import own_folder
from assay.core.values import dataclass

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.handover_folder import HandoverFolder
    from assay.adapters.terminal import Display
    from assay.app.commits import Commits
    from assay.app.house import House
    from assay.app.split_plan import Asked
    from assay.core.config import Config
    from assay.core.handover import PlanFile
    from assay.ports import Store


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What all three share with a whole check, and the folder by which they hand over."""

    check: whole.CheckOptions
    artifact: str


def plan(options: SplitOptions) -> int:
    """Write the plan and lend stored runs to its cells; prints the matrix."""
    made, where = make_plan(options)
    if options.check.as_json:
        sys.stdout.write(json.dumps(made.matrix, indent=2, sort_keys=True) + "\n")
    else:
        for cell in made.cells:
            sys.stdout.write(f"{cell.benchmark}: {cell.machine or 'any machine'}, runs on {', '.join(cell.runs_on)}\n")
            sys.stdout.write(f"  {cell.complexity}: {cell.advice}\n")
        sys.stdout.write(f"{len(made.cells)} to run. The plan is {where}; next: assay run --artifact {options.artifact} --benchmark NAME\n")
    return 0


def make_plan(options: SplitOptions) -> "tuple[PlanFile, Path]":
    """The plan, and the file that it is in; stored runs are lent to its cells."""
    from assay.adapters.store_directory import DirectoryStore
    from assay.adapters.terminal import display_for
    from assay.app.split_plan import lend, planned

    repo = repository()
    config, asked, commits = _asked(options, repo)
    folder = _folder(options)
    with ExitStack() as stack, display_for(sys.stderr) as observer:
        store, together = whole.store_at(options.check.store or "auto", repo, observer)
        with together:
            made = planned(asked, commits, house_of(stack, config, repo, store))
            lend(made, store, DirectoryStore(folder.lent))
    return made, folder.put_plan(made)


def report(options: SplitOptions) -> int:
    """Merge the cells of a plan into the verdict, as a check would have given it."""
    from assay.adapters.terminal import display_for
    from assay.app.commits import Commits
    from assay.app.split_report import Delivery, Report
    from assay.app.split_rescue import rescue
    from assay.app.stages import Silent
    from assay.core.events import Remark

    repo = repository()
    folder = _folder(options)
    made = folder.plan()
    config, asked, _ = _asked(options, repo, (made.base, made.head))
    out = Path(options.check.out).absolute() if options.check.out else own_folder(repo.root) / "report"
    reports = whole.reports_in(out)
    with ExitStack() as stack, display_for(sys.stderr) as observer:
        store, together = whole.store_at(options.check.store or "auto", repo, observer)
        record = whole.recorder(store, reports, observer)
        house = house_of(stack, config, repo, store)
        with together:
            commits = Commits(made.base, made.head, made.branch)
            delivery = Delivery(*folder.cells(tuple(config.benchmarks)))
            remarks = rescue(folder.journal.runs(), delivery, asked, commits, store, record)
            for remark in remarks:
                observer.note(Remark(remark))
            merger = Report(house, record, Silent(), whole.fail_on_of(options.check.fail_on), remarks)
            checked = merger.merge(asked, commits, delivery)
    whole.tell(checked, out, record, as_json=options.check.as_json)
    return whole.exit_code_of(checked)


def repository() -> "GitRepo":
    """The repository around the current folder."""
    from assay.adapters.git import GitRepo

    repo = GitRepo.discover(os.getcwd())  # noqa: PTH109 - a text, as the ports have it
    whole.refuse_links(repo.root)
    return repo


def _folder(options: SplitOptions) -> "HandoverFolder":
    from assay.adapters.handover_folder import HandoverFolder

    return HandoverFolder(Path(options.artifact).absolute())


def _asked(options: SplitOptions, repo: "GitRepo", known: tuple[str, str] | None = None) -> "tuple[Config, Asked, Commits]":
    from assay.app.commits import Commits, resolve
    from assay.app.split_plan import Asked
    from assay.core.comment_command import Command, Verb
    from assay.core.config_text import CONFIG_FILE
    from assay.core.model import Trust

    file = options.check.config or CONFIG_FILE
    config = config_at(file, repo)
    forced = whole.forced_by("--no-reuse" if options.check.no_reuse else None, os.environ)
    asked = Asked(config, file, options.check.benchmarks, Trust.MEMBER, Command(Verb.RUN), forced)
    commits = Commits(*known, None) if known else resolve(repo, options.check.base or None, options.check.head or "HEAD")
    return config, asked, commits


def config_at(file: str, repo: "GitRepo") -> "Config":
    """The config of the working tree."""
    from assay.adapters.config_file import read_config

    return read_config(repo.root, file)


def house_of(stack: ExitStack, config: "Config", repo: "GitRepo", store: "Store", display: "Display | None" = None) -> "House":
    """The house of this machine, with that store. What happens is shown on stderr, unless there is another display for it."""
    from assay.adapters.terminal import display_for

    question = job_question(stack, repo.root)
    return build_house(stack, config, repo, store, stack.enter_context(display or display_for(sys.stderr)), question)

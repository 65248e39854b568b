"""`assay plan`, `assay run` and `assay report`: the thirds of a check, each in its own process, perhaps on its own machine."""

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli import check_command as whole
from assay.cli.exposure import take_cover
from assay.cli.house import build_house, job_question
from assay.cli.own_folder import own_folder
from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.handover_folder import HandoverFolder
    from assay.app.commits import Commits
    from assay.app.house import House
    from assay.app.split_plan import Asked
    from assay.core.config import Config
    from assay.ports import Store


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What all three share with a whole check, and the folder by which they hand over."""

    check: whole.CheckOptions
    artifact: str


def plan(options: SplitOptions) -> int:
    """Write the plan and lend stored runs to its cells; prints the matrix."""
    from assay.adapters.store_directory import DirectoryStore
    from assay.adapters.terminal import display_for
    from assay.app.split_plan import lend, planned

    repo = _repo()
    config, asked, commits = _asked(options, repo)
    folder = _folder(options)
    with ExitStack() as stack, display_for(sys.stderr) as observer:
        store, together = whole.store_at(options.check.store or "auto", repo, observer)
        with together:
            made = planned(asked, commits, _house(stack, config, repo, store))
            lend(made, store, DirectoryStore(folder.lent))
    where = folder.put_plan(made)
    if options.check.as_json:
        sys.stdout.write(json.dumps(made.matrix, indent=2, sort_keys=True) + "\n")
    else:
        for cell in made.cells:
            sys.stdout.write(f"{cell.benchmark}: {cell.machine or 'any machine'}, runs on {', '.join(cell.runs_on)}\n")
        sys.stdout.write(f"{len(made.cells)} to run. The plan is {where}; next: assay run --artifact {options.artifact} --benchmark NAME\n")
    return 0


def run(artifact: str, benchmark: str, config_file: str | None, *, as_json: bool) -> int:
    """Measure one cell of a plan on this machine."""
    from assay.adapters.handover_folder import HandoverFolder
    from assay.adapters.store_directory import DirectoryStore
    from assay.app.split_run import run_cell

    repo = _repo()
    folder = HandoverFolder(Path(artifact).absolute())
    made = folder.plan()
    config = _config(config_file or made.config, repo)
    with ExitStack() as stack:
        house = _house(stack, config, repo, DirectoryStore(folder.lent))
        take_cover(stack, repo.root, house.observer, own_variables=True)
        ran = run_cell(made, benchmark, config, house)
    where = folder.put_cell(ran.cell)
    if as_json:
        facts = {
            "benchmark": benchmark,
            "state": ran.cell.state,
            "reason": ran.cell.reason,
            "run_id": ran.cell.head_run,
            "file": str(where),
        }
        sys.stdout.write(json.dumps(facts, indent=2, sort_keys=True) + "\n")
    else:
        sys.stdout.write(
            f"{benchmark}: {ran.cell.state}. {ran.cell.reason}\nThe cell is {where}; next: assay report --artifact {artifact}\n"
        )
    if ran.error is not None:
        raise ran.error
    return 0


def report(options: SplitOptions) -> int:
    """Merge the cells of a plan into the verdict, as a check would have given it."""
    from assay.adapters.terminal import display_for
    from assay.app.commits import Commits
    from assay.app.split_report import Delivery, Report
    from assay.app.stages import Silent

    repo = _repo()
    folder = _folder(options)
    made = folder.plan()
    config, asked, _ = _asked(options, repo, (made.base, made.head))
    out = Path(options.check.out).absolute() if options.check.out else own_folder(repo.root) / "report"
    reports = whole.reports_in(out)
    with ExitStack() as stack, display_for(sys.stderr) as observer:
        store, together = whole.store_at(options.check.store or "auto", repo, observer)
        record = whole.recorder(store, reports, observer)
        merger = Report(_house(stack, config, repo, store), record, Silent(), whole.fail_on_of(options.check.fail_on))
        with together:
            commits = Commits(made.base, made.head, made.branch)
            checked = merger.merge(asked, commits, Delivery(*folder.cells(tuple(config.benchmarks))))
    whole.tell(checked, out, record, as_json=options.check.as_json)
    return whole.exit_code_of(checked)


def _repo() -> "GitRepo":
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
    config = _config(file, repo)
    forced = whole.forced_by("--no-reuse" if options.check.no_reuse else None, os.environ)
    asked = Asked(config, file, options.check.benchmarks, Trust.MEMBER, Command(Verb.RUN), forced)
    commits = Commits(*known, None) if known else resolve(repo, options.check.base or None, options.check.head or "HEAD")
    return config, asked, commits


def _config(file: str, repo: "GitRepo") -> "Config":
    from assay.adapters.config_file import read_config

    return read_config(repo.root, file)


def _house(stack: ExitStack, config: "Config", repo: "GitRepo", store: "Store") -> "House":
    from assay.adapters.terminal import display_for

    question = job_question(stack, repo.root)
    return build_house(stack, config, repo, store, stack.enter_context(display_for(sys.stderr)), question)


def one_benchmark(names: tuple[str, ...]) -> str:
    """The one that a cell is for. Raises UsageError for none or several."""
    if len(names) != 1:
        raise UsageError("A cell measures one benchmark.", hint="Name it: assay run --artifact DIR --benchmark NAME")
    return names[0]

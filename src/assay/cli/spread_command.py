"""`assay check` where a benchmark's machine is somewhere else: the three thirds in one command, over a hand-over folder of its own."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.own_folder import own_folder
from assay.cli.run_command import RunOptions, bench_of, measure_cells
from assay.cli.split_command import SplitOptions, make_plan, report, repository
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.cli.check_command import CheckOptions

CELLS = "cells"


def spreads(options: "CheckOptions", where: str) -> bool:
    """Whether one of the benchmarks asked for is to be measured by Slurm or by ssh. A config that cannot be read is no case of ours."""
    if options.run:
        return False
    from assay.adapters.config_file import read_config
    from assay.adapters.git import GitRepo
    from assay.core.config_text import CONFIG_FILE

    try:
        config = read_config(GitRepo.discover(where).root, options.config or CONFIG_FILE)
    except AssayError:
        return False
    chosen = [one for name, one in config.benchmarks.items() if not options.benchmarks or name in options.benchmarks]
    return any(config.runner_of(one) != "local" for one in chosen)


def spread_check(options: "CheckOptions") -> int:
    """Plan, have the cells measured where they belong, and report. The folder is kept until all of it is in the report."""
    from assay.adapters.atomic_file import keep_out_of_git
    from assay.adapters.clock import SystemClock
    from assay.cli import check_command as whole

    repo = repository()
    own = own_folder(repo.root)
    whole.reports_in(Path(options.out).absolute() if options.out else own / "report")  # a typing error must not cost a GPU hour
    folder = own / CELLS / SystemClock().new_id("plan")
    split = SplitOptions(options, str(folder))
    folder.mkdir(parents=True)
    keep_out_of_git(folder)
    made, _ = make_plan(split)
    names = tuple(cell.benchmark for cell in made.cells)
    sys.stderr.write(f"{len(names)} to run. What they leave goes to {folder}.\n")
    errors: list[AssayError] = []
    if names:
        _, errors = measure_cells(bench_of(RunOptions(str(folder), config=options.config)), names)
    code = report(split)
    if errors:
        raise errors[0]
    shutil.rmtree(folder, ignore_errors=True)  # a cell without a result has made the report raise
    return code

"""`assay check` where a benchmark's machine is somewhere else: the three thirds in one command, over a hand-over folder of its own."""

import os
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


def spread_check(options: "CheckOptions", where: str) -> int:
    """Plan, have the cells measured where they belong, and report. The folder is kept until all of it is in the report."""
    from assay.adapters.atomic_file import keep_out_of_git
    from assay.adapters.clock import SystemClock
    from assay.cli import check_command as whole

    os.chdir(where)
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

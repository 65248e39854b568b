"""`assay selftest`: builds the adapters as `assay check` does, measures HEAD against itself, and prints what that shows."""

import json
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from assay.cli.check_command import (
    CheckOptions,
    config_of,
    direction_of,
    recorder,
    refuse_bytes,
    refuse_links,
    store_at,
)
from assay.cli.exposure import take_cover
from assay.cli.house import build_house, job_question
from assay.cli.own_folder import own_folder
from assay.errors import NothingMeasuredError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.selftest_report import Selftest

BENCHMARK_FAILED = 1


def selftest(options: CheckOptions, sessions: int, folder: str | None = None) -> int:
    """Test the benchmarks of the repository around `folder` (by default the current one) on themselves; the exit code."""
    refuse_bytes(options)
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    with ExitStack() as stack:
        job = job_question(stack, where)
        from assay.adapters.git import GitRepo
        from assay.adapters.reports_folder import ReportsFolder
        from assay.adapters.terminal import display_for
        from assay.app.selftest import SelftestRequest
        from assay.app.selftest import selftest as run_selftest

        better = direction_of(options)
        repo = GitRepo.discover(where)
        config, _ = config_of(options, repo)
        refuse_links(repo.root)
        with display_for(sys.stderr) as observer:  # it holds the terminal, so it has to go before anything is printed
            store, together = store_at(options.store or "auto", repo, observer)
            house = build_house(stack, config, repo, store, observer, job)
            take_cover(stack, repo.root, observer, own_variables=not options.store.startswith("branch"))
            record = recorder(store, ReportsFolder(own_folder(repo.root) / "report"), observer)
            with together:
                commit, found = run_selftest(SelftestRequest(config, sessions, options.benchmarks, better), house, record)
    _print(commit, found, as_json=options.as_json)
    return _exit_code(found)


def _exit_code(found: "Sequence[Selftest]") -> int:
    if any(one.failure and not one.starved for one in found):
        return BENCHMARK_FAILED
    return NothingMeasuredError.exit_code if any(one.starved for one in found) else 0


def _print(commit: str, found: "Sequence[Selftest]", *, as_json: bool) -> None:
    from assay.core.selftest_report import as_json as json_of
    from assay.core.selftest_report import as_text
    from assay.core.terminal_text import shown

    if as_json:
        sys.stdout.write(json.dumps(json_of(commit, found), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")
        return
    for line in as_text(found).splitlines():
        sys.stdout.write(shown(line, 1000).rstrip() + "\n")

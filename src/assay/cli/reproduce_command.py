"""`assay reproduce`: builds the adapters as a check does, measures a stored run again, and prints what that shows."""

import json
import os
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from assay.cli.check_command import recorder, refuse_links, store_at
from assay.cli.exposure import take_cover
from assay.cli.house import build_house, job_question
from assay.cli.own_folder import own_folder
from assay.errors import NothingMeasuredError

if TYPE_CHECKING:
    from assay.app.reproduce import Reproduction
    from assay.core.config import Config

DIFFERENT = 1


@dataclass(frozen=True, slots=True)
class ReproduceOptions:
    """The options as they were typed."""

    run_id: str
    config: str | None = None
    store: str = "auto"
    only_check: bool = False
    forks: bool = False
    as_json: bool = False


def reproduce(options: ReproduceOptions) -> int:
    """Measure the run again, in the repository around the current folder; the exit code."""
    where = os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    with ExitStack() as stack:
        job = job_question(stack, where)
        from assay.adapters.git import GitRepo
        from assay.adapters.reports_folder import ReportsFolder
        from assay.adapters.terminal import display_for
        from assay.app.reproduce import ReproduceRequest
        from assay.app.reproduce import reproduce as run_reproduce

        repo = GitRepo.discover(where)
        refuse_links(repo.root)
        config = _config(repo.root, options.config)
        with display_for(sys.stderr) as observer:  # it holds the terminal, so it has to go before anything is printed
            store, together = store_at(options.store or "auto", repo, observer)
            house = build_house(stack, config, repo, store, observer, job)
            take_cover(stack, repo.root, observer, own_variables=not options.store.startswith("branch"))
            record = recorder(store, ReportsFolder(own_folder(repo.root) / "report"), observer)
            request = ReproduceRequest(options.run_id, config, only_check=options.only_check, forks=options.forks)
            with together:
                found = run_reproduce(request, house, record)
    _print(found, as_json=options.as_json)
    return _exit_code(found)


def _config(root: str, file: str | None) -> "Config":
    """That of the working tree; where there is none, the run brings all that it needs."""
    from pathlib import Path

    from assay.adapters.config_file import read_config
    from assay.core.config_text import CONFIG_FILE, adhoc_config

    if file is None and not Path(root, CONFIG_FILE).exists():
        return adhoc_config("true")
    return read_config(root, file or CONFIG_FILE)


def _exit_code(found: "Reproduction") -> int:
    from assay.core.reproduction import Answer

    if found.answer in (Answer.DIFFERS, Answer.FAILED):
        return DIFFERENT
    return NothingMeasuredError.exit_code if found.answer is Answer.UNDECIDED else 0


def _print(found: "Reproduction", *, as_json: bool) -> None:
    from assay.core.plain_report import comparison_table
    from assay.core.result import comparison_json
    from assay.core.terminal_text import shown

    if as_json:
        facts = {
            "run": found.run.run_id,
            "commit": found.run.commit,
            "benchmark": found.run.benchmark,
            "answer": found.answer.value,
            "reason": found.reason,
            "again": found.again.run_id if found.again else None,
            "differences": [asdict(one) for one in found.differences],
            "comparisons": [comparison_json(one) for one in found.comparisons],
        }
        sys.stdout.write(json.dumps(facts, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")
        return
    lines = [f"{found.run.run_id} ({found.run.benchmark} at {found.run.commit[:10]}): {found.answer}, {found.reason}"]
    lines += [f"  {one.group} {one.what}: then {one.then}, now {one.now}" for one in found.differences]
    lines += ["  Nothing is otherwise than then."] if not found.differences else []
    for line in (*lines, *comparison_table(found.comparisons)):
        sys.stdout.write(shown(line, 1000).rstrip() + "\n")

"""`assay advise`: what benchmarks will take, and where they fit, before anything is spent."""

import json
import os
import sys
from dataclasses import dataclass

from assay.cli.check_command import store_at


@dataclass(frozen=True, slots=True)
class AdviseOptions:
    """The options as they were typed."""

    benchmarks: tuple[str, ...] = ()
    config: str | None = None
    store: str = "auto"
    as_json: bool = False


def advise(options: AdviseOptions) -> int:
    """Print the advice on each benchmark, the longest first. 0 also where one does not fit: `assay plan` refuses that one."""
    from assay.adapters.config_file import read_config
    from assay.adapters.git import GitRepo
    from assay.adapters.terminal import display_for
    from assay.app.advise import advices
    from assay.app.check import choose
    from assay.core.advice import in_order
    from assay.core.config_text import CONFIG_FILE

    repo = GitRepo.discover(os.getcwd())  # noqa: PTH109 - a text, as the ports have it
    config = read_config(repo.root, options.config or CONFIG_FILE)
    with display_for(sys.stderr) as observer:
        store, together = store_at(options.store or "auto", repo, observer)
        with together:
            found = in_order(advices(config, choose(config, options.benchmarks), store))
    if options.as_json:
        rows = [
            {
                "benchmark": one.benchmark,
                "complexity": one.complexity.value,
                "seconds": [one.estimate.least_s, one.estimate.most_s],
                "memory_bytes": one.estimate.memory,
                "past_runs": one.estimate.runs,
                "machine": one.machine,
                "place": one.place,
                "reason": one.reason,
                "problem": one.problem or None,
            }
            for one in found
        ]
        sys.stdout.write(json.dumps({"benchmarks": rows}, indent=2, sort_keys=True) + "\n")
        return 0
    for one in found:
        sys.stdout.write(f"{one.benchmark}: {one.complexity}, {one.machine or 'no machine'} ({one.place})\n  {one.reason}\n")
        if one.problem:
            sys.stdout.write(f"  cannot be measured there: {one.problem}\n")
    return 0

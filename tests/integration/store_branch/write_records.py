"""A process that adds runs to a data branch until it is stopped: `python write_records.py REMOTE CLONE FIRST [COUNT]`.

It prints the id of each run that is safe, one a line, and what the store warns of on its standard error.
"""

import itertools
import sys
from pathlib import Path

from tests.fakes.runs import a_run
from tests.integration.store_branch.places import open_store


def main(remote: str, clone: str, first: str, count: str = "") -> None:
    numbers = itertools.count(int(first)) if not count else range(int(first), int(first) + int(count))
    store = open_store(remote, Path(clone), warn=_say)
    for number in numbers:
        run = a_run(number)
        store.add_run(run)
        sys.stdout.write(f"{run.run_id}\n")
        sys.stdout.flush()


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


main(*sys.argv[1:])

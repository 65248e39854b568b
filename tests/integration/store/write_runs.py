"""A process that writes runs into a store until it is stopped: `python write_runs.py STORE FIRST [COUNT]`, a dot on stdout each."""

import itertools
import sys
from pathlib import Path

from tests.fakes.runs import a_run

from assay.adapters.store_directory import DirectoryStore


def main(store: str, first: str, count: str = "") -> None:
    numbers = itertools.count(int(first)) if not count else range(int(first), int(first) + int(count))
    for number in numbers:
        DirectoryStore(Path(store)).add_run(a_run(number, notes=("x" * 20_000,)))
        sys.stdout.write(".")
        sys.stdout.flush()


main(*sys.argv[1:])

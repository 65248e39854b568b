"""The words of `assay metrics`, parsed without Typer: the verb stands in pipes and loops, where Typer would be most of its cost."""

import argparse
from collections.abc import Sequence

from assay.cli.metrics_command import metrics


def run_metrics(words: Sequence[str]) -> int:
    """Run `assay metrics` with these words; the exit code. Usage errors and `--help` end in SystemExit, as in Typer."""
    given = _parser().parse_args(list(words))
    return metrics(given.source, given.primary, given.dialect, given.as_json)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="assay metrics",
        description="Read METRIC lines from output and say what was found and what was refused.",
        epilog="Example: python bench.py | assay metrics - --primary val_loss",
        allow_abbrev=False,
    )
    parser.add_argument("source", nargs="?", default="-", metavar="FILE|-", help="a file, or - for standard input (the default)")
    parser.add_argument("--primary", metavar="NAME", help="the primary metric; by default the first one")
    parser.add_argument(
        "--dialect", choices=("strict", "wide"), default="strict", help="wide also takes +5, .5, 12 ms, µ and several pairs on a line"
    )
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON to stdout, and nothing else there")
    return parser

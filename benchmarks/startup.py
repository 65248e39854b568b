"""What a verb costs before it does anything, as a multiple of `python -c pass`.

The bounds that we hold ourselves to: `--version` 8 (asv's costs 16), `metrics` 10 (pyperf's compare costs 8). The cost is
processor time, the median of several runs, so that a busy machine matters little. The command runs as it does where it is
installed, its modules compiled.

Usage: python benchmarks/startup.py [--runs N]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

VERBS = {"--version": 8, "metrics -": 10, "compare -": None, "schema": None, "--help": None}


def cpu_seconds(words: list[str], runs: int) -> float:
    """User and system time of a process, the median of several."""
    spent = []
    for _ in range(runs + 1):
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        spent.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(spent[1:])  # the first one compiles


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15, help="runs of each command (default 15)")
    runs = parser.parse_args().runs
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        measure(runs)


def measure(runs: int) -> None:
    bare = cpu_seconds([sys.executable, "-c", "pass"], runs)
    print(f"python -c pass      {bare * 1000:7.1f} ms")
    for verb, bound in VERBS.items():
        spent = cpu_seconds([sys.executable, "-m", "assay", *verb.split()], runs)
        held = "" if bound is None else f"  (bound {bound}: {'held' if spent <= bound * bare else 'BROKEN'})"
        print(f"assay {verb:12s}  {spent * 1000:7.1f} ms  {spent / bare:5.1f} x{held}")


if __name__ == "__main__":
    main()

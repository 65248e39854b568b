"""How fast `assay compare` is: many rows of 60 × 60 values, and one row with all of start-up, beside SciPy called row by row.

python benchmarks/compare_speed.py [--rows 10000]
"""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from scipy import stats  # type: ignore[import-untyped]

ASSAY = (sys.executable, "-m", "assay")


def rows(amount: int, n: int) -> list[str]:
    rng = random.Random(1)

    def side(centre: float) -> list[float]:
        return [centre * rng.lognormvariate(0, 0.02) for _ in range(n)]

    return [json.dumps({"id": k, "direction": "lower", "base": side(100), "head": side(100.5)}) for k in range(amount)]


def seconds(command: Sequence[str], rounds: int = 1) -> float:
    """The fastest of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def scipy_seconds(lines: Sequence[str]) -> float:
    """Welch's test and Mann and Whitney's of each row, which is what a script would do, without any verdict."""
    start = time.perf_counter()
    for line in lines:
        row = json.loads(line)
        base, head = ([math.log(value) for value in row[side]] for side in ("base", "head"))
        stats.ttest_ind(head, base, equal_var=False).confidence_interval()
        stats.mannwhitneyu(head, base)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--values", type=int, default=60)
    parser.add_argument("--metric", action="store_true", help="print METRIC lines alone")
    options = parser.parse_args()
    lines = rows(options.rows, options.values)
    with tempfile.TemporaryDirectory() as folder:
        many, single = Path(folder, "many.jsonl"), Path(folder, "one.jsonl")
        many.write_text("\n".join(lines) + "\n")
        single.write_text(lines[0] + "\n")
        whole = seconds([*ASSAY, "compare", str(many), "--json"])
        one = seconds([*ASSAY, "compare", str(single), "--json"], rounds=5)
    nothing = seconds([sys.executable, "-c", "pass"], rounds=5)
    if options.metric:
        print(f"METRIC compare_rows={options.rows / whole:.1f} (rows/s)\nMETRIC compare_one_row={one / nothing:.3f} (x python -c pass)")
        return
    peer = scipy_seconds(lines[: min(500, len(lines))]) * len(lines) / min(500, len(lines))
    print(f"{options.rows} rows of {options.values} × {options.values}: assay compare {whole:.1f} s, SciPy row by row {peer:.1f} s")
    print(f"one row with start-up: {1000 * one:.0f} ms, {one / nothing:.1f} × python -c pass ({1000 * nothing:.0f} ms)")


if __name__ == "__main__":
    main()

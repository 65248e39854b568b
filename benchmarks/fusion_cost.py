"""What the offline fusion adds to a check: loading it, and analysing one result of several metrics with a history.

The bound that we hold ourselves to is 0.3 s for a check of one benchmark. On a busy machine look at the processor time.

Usage: python benchmarks/fusion_cost.py [--runs N]
"""

import argparse
import os
import statistics
import subprocess
import sys

PROGRAM = """
import random, sys, tempfile, time
import assay.app.check, assay.cli.check_command, assay.core.render  # what a check has loaded anyhow
begun, spent = time.perf_counter(), time.process_time()
from contextlib import ExitStack
import asyncio
from assay.adapters.clock import SystemClock
from assay.app.analyse import fuse
from assay.app.panel import Order
from assay.cli.analysts import Keys, Unheard, desk_of, panel_of
from assay.core.compare import compare
from assay.core.config import FusionConfig
from assay.core.fusion.digest import Subject, digest_of
from assay.core.model import Conclusion, Direction, MetricSpec, Outcome, Role, Status
from assay.core.result import BenchmarkResult
loaded = time.perf_counter(), time.process_time()
random.seed(7)
roles = [Role.PRIMARY, Role.GUARD, Role.GUARD] + [Role.SECONDARY] * 5
specs = [MetricSpec(f"m{n}", role, Direction.LOWER, "s", 0.01, 0.05 if role is Role.GUARD else None) for n, role in enumerate(roles)]
sides = lambda centre: [random.gauss(centre, 1) for _ in range(10)]
comparisons = tuple(compare(spec, sides(100), sides(95)) for spec in specs)
result = BenchmarkResult("bench", Status.MEASURED, Outcome.KEEP, Conclusion.SUCCESS, "improved", comparisons=comparisons)
fusion = FusionConfig()
with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
    made = time.perf_counter(), time.process_time()
    order = Order(digest_of(Subject(result, "b" * 40, "a" * 40)), "bench", None, panel_of(fusion))
    asyncio.run(fuse(order, desk_of(fusion, folder, stack, SystemClock(), Unheard(), Keys({}))))
    done = time.perf_counter(), time.process_time()
print(loaded[0] - begun, loaded[1] - spent, done[0] - made[0], done[1] - made[1])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="how often it is timed, in fresh processes (default 7)")
    options = parser.parse_args()
    rows = []
    for _ in range(options.runs):
        out = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout
        rows.append([float(word) for word in out.split()])
    load_wall, load_cpu, run_wall, run_cpu = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"load average        {os.getloadavg()[0]:6.2f}")
    print(f"loading             {load_wall:.3f} s, of the processor {load_cpu:.3f} s")
    print(f"one analysis        {run_wall:.3f} s, of the processor {run_cpu:.3f} s")
    whole = load_cpu + run_cpu
    bound = f"bound 0.3: {'kept' if whole <= 0.3 else 'BROKEN'}"
    print(f"together            {load_wall + run_wall:.3f} s, of the processor {whole:.3f} s ({bound})")


if __name__ == "__main__":
    main()

"""What a supervised run of `true` costs beside `subprocess.run`, and beside the start of the interpreter that supervises it.

The ratio to `python -I -S -c pass` is the one to watch: below it no supervisor in Python can come.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping

from assay.adapters.clock import SystemClock
from assay.adapters.process.runner import LocalRunner
from assay.core.process import Argv, ProcessRequest

PATH = "/usr/bin:/bin"


def interleaved(actions: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each action; they take turns, so that what else happens on the machine falls on all of them."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50, help="rounds, of which the median counts (default %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, LocalRunner(f"{folder}/locks", clock=SystemClock()) as runner:
        request = ProcessRequest(Argv(("true",)), folder, {"PATH": PATH}, f"{folder}/log", claims=("tree",))
        found = interleaved(
            {
                "subprocess.run true": lambda: subprocess.run(["true"], env={"PATH": PATH}, capture_output=True, check=True),
                "python -I -S -c pass": lambda: subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], env={}, check=True),
                "LocalRunner true": lambda: runner.submit(request).wait(),
            },
            options.rounds,
        )
    bare, interpreter, ours = found.values()
    for name, seconds in found.items():
        print(f"{name:<24}{seconds * 1000:8.2f} ms")
    print(f"{'overhead of a run':<24}{(ours - bare) * 1000:8.2f} ms, {ours / bare:.1f} × subprocess.run, {ours / interpreter:.2f} × python")


if __name__ == "__main__":
    main()

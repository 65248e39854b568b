"""How fast METRIC lines are read, as a ratio to `bytes.count(b"\\n")` over the same bytes: the price of looking at each byte once.

Plain logs are what most benchmarks print; dense output is all metrics; the rest is what a hostile process could print.
"""

import argparse
import re
import resource
import time
from collections.abc import Callable

from assay.core.metric_lines import MetricReader

PLAIN = b"2026-01-01 12:00:00 INFO step 1234 loss 0.1234 lr 0.0003 tokens/s 15234 eta 01:23:45\n"
SHAPES: dict[str, bytes] = {
    "plain log": PLAIN,
    "plain log, CRLF": PLAIN.replace(b"\n", b"\r\n"),
    "progress bar, CR": b" 50%|##########          | 5000/10000 [00:05<00:05, 999.99it/s]\r",
    "coloured log": b"\x1b[32m2026-01-01 12:00:00\x1b[0m | \x1b[1mINFO\x1b[0m | step 1234 loss 0.1234 tokens/s 15234\n",
    "one metric in 100 lines": PLAIN * 99 + b"METRIC val_loss=0.1234 (nats)\n",
    "METRIC in prose": b"the METRIC is 5, as METRIC lines go\n",
    "metrics only": b"METRIC val_loss=0.1234 (nats)\n",
    "refused lines only": b"METRIC val_loss=0.1234 nats per token\n",
    "no line end": b"x",
    "no line end, METRIC": b"METRIC ",
    "escapes only": b"\x1b",
    "escapes in METRIC": b"\x1b[0mM\x1b[0mE\x1b[0mT\x1b[0mR\x1b[0mI\x1b[0m\n",
    "open title sequences": b"\x1b]0;METRIC a=1",
    "blanks in long lines": b"METRIC a=1" + b" " * 60_000 + b"x\n",
    "digits in long lines": b"METRIC a=" + b"9" * 60_000 + b"\n",
    "open parentheses": b"METRIC a=1 " + b"(" * 60_000 + b"\n",
    "equals signs": b"METRIC " + b"a=1 " * 15_000 + b"=\n",
}


def read(data: bytes, chunk: int) -> None:
    reader = MetricReader()
    for start in range(0, len(data), chunk):
        reader.feed(data[start : start + chunk])
    reader.finish()


def best(action: Callable[[], object], rounds: int) -> float:
    """Seconds of the fastest round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def print_metrics(megabytes: int, chunk: int, rounds: int) -> None:
    """The speed of each input, as numbers that a check compares."""
    for name, shape in SHAPES.items():
        data = shape * (megabytes * 1_000_000 // len(shape))
        taken = best(lambda data=data: read(data, chunk), rounds)  # type: ignore[misc]
        print(f"METRIC {re.sub('[^a-z]+', '_', name.lower())}={len(data) / taken / 1e6:.3f} (MB/s)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=10, help="size of each input (default %(default)s)")
    parser.add_argument("--chunk", type=int, default=1 << 16, help="bytes fed at once (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the best counts (default %(default)s)")
    parser.add_argument("--metrics", action="store_true", help="print the MB/s of each input as a METRIC line, for assay check")
    options = parser.parse_args()
    if options.metrics:
        print_metrics(options.megabytes, options.chunk, options.rounds)
        return
    print(f"{'input':<26}{'MB/s':>9}{'× count':>9}{'× at twice the size':>21}")
    for name, shape in SHAPES.items():
        data = shape * (options.megabytes * 1_000_000 // len(shape))
        taken = best(lambda data=data: read(data, options.chunk), options.rounds)  # type: ignore[misc]
        doubled = best(lambda data=data * 2: read(data, options.chunk), options.rounds)  # type: ignore[misc]
        counted = best(lambda data=data: data.count(b"\n"), options.rounds)  # type: ignore[misc]
        print(f"{name:<26}{len(data) / taken / 1e6:>9.0f}{taken / counted:>9.1f}{doubled / taken:>21.1f}")
    print(f"peak memory of the whole script: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()

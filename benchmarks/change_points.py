"""How long `find_changes` takes on one history, by its length and by what it holds: printed as METRIC lines.

`python benchmarks/change_points.py --most 10000`
"""

import argparse
import math
import random
import time
from collections.abc import Callable

from assay.core.change_points import find_changes

Series = Callable[[random.Random, int], list[float]]


def level(chance: random.Random, length: int) -> list[float]:
    return [math.exp(chance.gauss(0.0, 0.02)) for _ in range(length)]


def steps(chance: random.Random, length: int) -> list[float]:
    """A step up at each hundredth value: as many as a history can hold and still be read."""
    return [value * 1.05 ** (index // 100 % 7) for index, value in enumerate(level(chance, length))]


def machines(chance: random.Random, length: int) -> list[float]:
    """Sharp peaks, one a machine, as on shared runners."""
    return [math.exp(chance.choice((0.0, 0.0, 0.07, 0.16, 0.2)) + chance.gauss(0.0, 0.002)) for _ in range(length)]


def trend(chance: random.Random, length: int) -> list[float]:
    """The worst kind: every part of it differs from every other."""
    return [value * math.exp(index / length) for index, value in enumerate(level(chance, length))]


SHAPES: dict[str, Series] = {"level": level, "steps": steps, "machines": machines, "trend": trend}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=10_000, help="values of the longest history")
    most = parser.parse_args().most
    for length in (one for one in (100, 1_000, 10_000) if one <= most):
        for name, make in SHAPES.items():
            values = make(random.Random(1), length)
            start = time.perf_counter()
            find_changes(values)
            print(f"METRIC changes_{name}_{length}={1000 * (time.perf_counter() - start):.3f} (ms)", flush=True)


if __name__ == "__main__":
    main()

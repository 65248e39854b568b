"""Checks distances and suggestions against known answers and against the definition itself."""

import functools
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from spelling.distance import distance  # noqa: E402
from spelling.suggest import suggest  # noqa: E402

KNOWN = [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("same", "same", 0), ("saturday", "sunday", 3)]
SUGGESTIONS = [("benchmrk", "benchmark"), ("rivver", "river"), ("garden", "garden"), ("wintter", "winter")]


@functools.cache
def defined(one, other):
    """The distance by its recursive definition: slow, and plainly right."""
    if not one or not other:
        return len(one) + len(other)
    substitution = defined(one[1:], other[1:]) + (one[0] != other[0])
    return min(substitution, defined(one[1:], other) + 1, defined(one, other[1:]) + 1)


def wrong_distances():
    chance = random.Random(7)
    drawn = [tuple("".join(chance.choices("abc", k=chance.randrange(7))) for _ in range(2)) for _ in range(200)]
    for one, other, expected in [*KNOWN, *((one, other, defined(one, other)) for one, other in drawn)]:
        if distance(one, other) != expected:
            yield f"distance({one!r}, {other!r}) is {distance(one, other)}, not {expected}"


def wrong_suggestions():
    words = (ROOT / "data" / "words.txt").read_text(encoding="utf-8").split()
    for typed, expected in SUGGESTIONS:
        if suggest(typed, words) != expected:
            yield f"suggest({typed!r}) is {suggest(typed, words)!r}, not {expected!r}"


def main():
    wrong = [*wrong_distances(), *wrong_suggestions()]
    print("\n".join(wrong) or "all distances and suggestions are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

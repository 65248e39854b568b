"""Times suggestions for a fixed list of misspelt words, and counts how many of them are right."""

import pathlib
import random
import sys
import time
import tracemalloc

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from spelling.suggest import suggest  # noqa: E402

WORDS = (ROOT / "data" / "words.txt").read_text(encoding="utf-8").split()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SAMPLE = 20


def misspell(word, chance):
    """The word with one letter too many, one too few, or one wrong."""
    place = chance.randrange(len(word))
    kind = chance.choice(("insert", "delete", "replace"))
    middle = "" if kind == "delete" else chance.choice(LETTERS)
    return word[:place] + middle + word[place + (kind != "insert") :]


def main():
    chance = random.Random(21)
    pairs = [(misspell(word, chance), word) for word in chance.sample(WORDS, SAMPLE)]

    started = time.perf_counter()
    found = [(suggest(typed, WORDS), meant) for typed, meant in pairs]
    elapsed = time.perf_counter() - started

    right = sum(guess == meant for guess, meant in found)

    tracemalloc.start()
    suggest(pairs[0][0], WORDS[:20])
    peak = tracemalloc.get_traced_memory()[1]

    print(f"{len(pairs)} misspelt words against {len(WORDS)} known ones, {right} recognised")
    print(f"METRIC ms_per_word={1000 * elapsed / len(pairs):.4f} (ms)")
    print(f"METRIC accuracy={100 * right / len(pairs):.2f} (%)")
    print(f"METRIC peak_memory={peak} (B)")


if __name__ == "__main__":
    main()

"""The nearest known word."""

from spelling.distance import distance


def suggest(word, dictionary):
    """The first of the words in the dictionary that are nearest to this one."""
    nearest, best = None, None
    for known in dictionary:
        found = distance(word, known, limit=best)
        if best is None or found < best:
            nearest, best = known, found
            if best == 0:
                break
    return nearest

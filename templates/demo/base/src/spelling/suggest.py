"""The nearest known word."""

from spelling.distance import distance


def suggest(word, dictionary):
    """The first of the words in the dictionary that are nearest to this one."""
    return min(dictionary, key=lambda known: distance(word, known))

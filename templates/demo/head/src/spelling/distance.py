"""How many single-letter edits lie between two words."""


def distance(one, other, limit=None):
    """The number of insertions, deletions and substitutions that turn one word into the other.

    With a limit the answer is only known to be at least the limit where it is not below it, which is found out sooner.
    """
    if len(one) < len(other):
        one, other = other, one
    if limit is not None and len(one) - len(other) >= limit:
        return limit
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        left = row
        line = [left]
        for column, known in enumerate(other):
            left = above[column] if letter == known else 1 + min(left, above[column + 1], above[column])
            line.append(left)
        # No later row can fall below the smallest number of this one.
        if limit is not None and min(line) >= limit:
            return limit
        above = line
    return above[-1]

"""How many single-letter edits lie between two words."""


def distance(one, other):
    """The number of insertions, deletions and substitutions that turn one word into the other."""
    rows, columns = len(one) + 1, len(other) + 1
    table = [[0] * columns for _ in range(rows)]
    for row in range(rows):
        table[row][0] = row
    for column in range(columns):
        table[0][column] = column
    for row in range(1, rows):
        for column in range(1, columns):
            substitution = table[row - 1][column - 1] + (one[row - 1] != other[column - 1])
            table[row][column] = min(substitution, table[row - 1][column] + 1, table[row][column - 1] + 1)
    return table[-1][-1]

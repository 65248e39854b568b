"""Which candidate the evaluator sees under which letter: an unbiased shuffle, so that neither place nor name can sway it."""

from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase

from assay.core.fusion.failure import AnalysisError, Code

WORD = 4
_RANGE = 2 ** (8 * WORD)

Chance = Callable[[int], bytes]
"""That many bytes of chance."""


def blind(slots: Sequence[int], chance: Chance) -> Mapping[str, int]:
    """A letter for each slot, A first: Fisher and Yates from the end, each index drawn without bias.

    Raises AnalysisError where chance gives fewer bytes than it was asked for.
    """
    order = list(slots)
    for last in range(len(order) - 1, 0, -1):
        chosen = _below(last + 1, chance)
        order[last], order[chosen] = order[chosen], order[last]
    return dict(zip(ascii_uppercase, order, strict=False))


def _below(limit: int, chance: Chance) -> int:
    """A number below `limit`; words from the incomplete last multiple are drawn again, or small numbers would come more often."""
    fair = _RANGE - _RANGE % limit
    while True:
        word = chance(WORD)
        if len(word) != WORD:
            raise AnalysisError(Code.ORCHESTRATION_FAILED, f"The source of chance gave {len(word)} bytes instead of {WORD}.")
        drawn = int.from_bytes(word, "big")
        if drawn < fair:
            return drawn % limit

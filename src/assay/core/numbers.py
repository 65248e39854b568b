"""Numbers as people read them: few digits, no needless zeros, one way of writing each kind."""

import math
from collections.abc import Sequence

from assay.core.location import locations


def number(value: float) -> str:
    """Five significant digits, six where that is exact; never fewer than the integer part up to a trillion."""
    if not math.isfinite(value):
        return "none"
    if value == 0:
        return "0"
    size = abs(value)
    exact = math.isclose(float(f"{value:.6g}"), value, rel_tol=1e-9)
    digits = 6 if exact else 5
    if not 1e-4 <= size < 1e12:
        return f"{value:.{digits}g}"
    return _without_zeros(f"{value:.{max(0, digits - 1 - math.floor(math.log10(size)))}f}")


def percent(fraction: float) -> str:
    """A share or a limit, 0.05 as `5 %`."""
    value = fraction * 100
    size = abs(value)
    decimals = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 0.1 else 3
    text = _without_zeros(f"{value:.{decimals}f}")
    return f"{'0' if text == '-0' else text} %"


def change(fraction: float) -> str:
    """A relative change, which always has a sign unless it is zero."""
    text = percent(fraction)
    return text if text.startswith(("-", "0 ")) else f"+{text}"


def interval(bounds: tuple[float, float]) -> str:
    """The two ends of an interval of relative changes."""
    return f"{change(bounds[0])} to {change(bounds[1])}"


def centre(samples: Sequence[float]) -> float | None:
    """What stands for several samples: their geometric mean, the arithmetic one where a value is not positive.

    Of many samples outliers count for less, as they do in a comparison.
    """
    if not samples:
        return None
    if min(samples) == max(samples):
        return samples[0]
    if min(samples) > 0:
        return math.exp(locations([math.log(value) for value in samples])[0].centre)
    largest = max(map(abs, samples))
    return locations([value / largest for value in samples])[0].centre * largest


def duration(seconds: float) -> str:
    """A span of time in its one or two largest units."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{_without_zeros(f'{seconds:.1f}')} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return _two(minutes, "min", rest, "s")
    hours, minutes = divmod(round(seconds / 60), 60)
    return _two(hours, "h", minutes, "min")


def count(amount: int, singular: str, plural: str | None = None) -> str:
    """`1 process`, `2 processes`: the plural is the word with an s unless given."""
    return f"{amount} {singular if amount == 1 else plural or singular + 's'}"


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text

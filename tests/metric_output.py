"""A process's output, read at once or in pieces."""

from itertools import pairwise

from assay.core.metric_lines import Dialect, MetricReader
from assay.core.model import MetricReading


def read(data: bytes | str, dialect: Dialect = Dialect.STRICT) -> MetricReading:
    reader = MetricReader(dialect)
    reader.feed(data.encode() if isinstance(data, str) else data)
    return reader.finish()


def read_in_pieces(data: bytes, cuts: list[int], dialect: Dialect = Dialect.STRICT) -> MetricReading:
    reader = MetricReader(dialect)
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for begin, end in pairwise(places):
        reader.feed(data[begin:end])
    return reader.finish()


def warned_lines(reading: MetricReading) -> list[int]:
    return [warning.line for warning in reading.warnings]

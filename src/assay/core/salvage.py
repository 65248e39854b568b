"""What a cell writes down while it measures, and the run that can be made of it should the cell never come to its end."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from assay.core.envelope import MetricFacts, ProcessFacts, Run, RunId, RunStatus, SampleFacts
from assay.core.record import Fact, Record
from assay.core.timestamp import moment, stamp

LOST = "its job ended before its session did; these are the samples that were on disk by then"


class Noted(Record):
    """One process that has ended, with the values that it contributes: one line of a journal. A warm-up has none."""

    run_id: RunId
    process: ProcessFacts
    values: Annotated[dict[Fact, float], Field(max_length=1000)]
    units: Annotated[dict[Fact, str | None], Field(max_length=1000)]


def noted_line(text: bytes) -> Noted | None:
    """What a line of a journal says; None for the last line of a writer that was killed, or for a forged one."""
    try:
        return Noted.model_validate_json(text)
    except (ValueError, RecursionError):
        return None


def salvaged(frame: Run, lines: Iterable[Noted]) -> Run:
    """The run that was under way, with all processes that were noted. It is partial, whatever the frame says, and no clean evidence."""
    noted = {one.process.order: one for one in lines if one.run_id == frame.run_id}
    if not noted:
        return frame
    ordered = [noted[order] for order in sorted(noted)]
    last = ordered[-1].process
    return frame.model_copy(
        update={
            "status": RunStatus.PARTIAL,
            "cause": None,
            "detail": LOST,
            "finished_at": stamp(moment(last.started_at) + timedelta(seconds=last.duration_s)),
            "processes": tuple(one.process for one in ordered),
            "samples": tuple(_samples(ordered)),
            "metrics": _metrics(ordered),
        }
    )


def _samples(noted: list[Noted]) -> Iterable[SampleFacts]:
    names = dict.fromkeys(name for one in noted for name in one.values)
    for index, one in enumerate(noted):
        for name in names:
            if name in one.values and not one.process.warmup:
                yield SampleFacts(metric=name, value=one.values[name], order=one.process.order, seed=one.process.seed, process=index)


def _metrics(noted: list[Noted]) -> tuple[MetricFacts, ...]:
    units = {name: unit for one in noted for name, unit in one.units.items()}
    return tuple(MetricFacts(name=name, unit=unit) for name, unit in units.items())

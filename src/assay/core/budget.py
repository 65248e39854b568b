"""What commands have spent, as stored records, and whether one more fits into the limits of the config."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, Field

from assay.core.ids import is_id
from assay.core.record import Count, Envelope, Fact
from assay.core.store_layout import SPEND_PREFIX, spend_path
from assay.core.timestamp import moment
from assay.core.values import dataclass

if TYPE_CHECKING:
    from assay.core.config_sections import Budget

SPEND_SCHEMA: Final = "assay.spend/1"
DAY = timedelta(days=1)


def _spend_id(text: str) -> str:
    if not is_id(SPEND_PREFIX, text):
        raise ValueError("not the id of a spend")
    return text


def _stamp(text: str) -> str:
    moment(text)
    return text


class Spend(Envelope):
    """Runs that a command took, runs that somebody granted, or GPU minutes that runs took, on one pull request.

    A schedule has none: its pull request is 0.
    """

    schema_: Literal["assay.spend/1"] = Field(default=SPEND_SCHEMA, alias="schema")
    spend_id: Annotated[str, AfterValidator(_spend_id)]
    created_at: Annotated[str, AfterValidator(_stamp)]
    kind: Literal["runs", "grant", "gpu"]
    pull: Annotated[int, Field(ge=0)]
    by: Fact
    runs: Count
    gpu_minutes: Annotated[float, Field(ge=0)]

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return spend_path(self.spend_id)


def spend_of_schedule(spend_id: str, created_at: str, minutes: float) -> Spend:
    """The GPU minutes that a scheduled attempt took."""
    return Spend(
        schema=SPEND_SCHEMA, spend_id=spend_id, created_at=created_at, kind="gpu", pull=0, by="schedule", runs=0, gpu_minutes=minutes
    )


@dataclass(frozen=True, slots=True)
class Spent:
    """The records of all that was spent, and how many could not be read."""

    records: tuple[Spend, ...] = ()
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """What a command would spend: so many runs on a pull request for somebody, and whether any of them takes a GPU."""

    pull: int
    by: str
    runs: int
    gpu: bool


def shortfall(limits: "Budget", spent: Spent, wish: Wish, now: datetime) -> tuple[str, str] | None:
    """Why the wish does not fit, and what helps; None where it does.

    A record that cannot be read counts as a run of whoever asks: what is unknown is not free.
    """
    today = tuple(one for one in spent.records if moment(one.created_at) > now - DAY)
    used = _runs(one for one in spent.records if one.pull == wish.pull) + spent.unreadable
    granted = sum(one.runs for one in spent.records if one.kind == "grant" and one.pull == wish.pull)
    if used + wish.runs > limits.per_pr_runs + granted:
        has = f"This pull request has used {used} of its {limits.per_pr_runs + granted} runs, and the command asks for {wish.runs}."
        return has, "Somebody with admin rights can give it more with the command `grant N`."
    mine = _runs(one for one in today if one.by == wish.by) + spent.unreadable
    if mine + wish.runs > limits.per_person_day_runs:
        has = f"{wish.by} has used {mine} of {limits.per_person_day_runs} runs within a day, and the command asks for {wish.runs}."
        return has, "`budget.per_person_day_runs` in the config of the base branch says how many."
    minutes = sum(one.gpu_minutes for one in today)
    if wish.gpu and minutes >= limits.per_day_gpu_minutes:
        has = f"Within a day {minutes:.0f} of {limits.per_day_gpu_minutes} GPU minutes have been used."
        return has, "`budget.per_day_gpu_minutes` in the config of the base branch says how many."
    return None


def _runs(records: Iterable[Spend]) -> int:
    return sum(one.runs for one in records if one.kind == "runs")

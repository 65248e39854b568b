"""What commands have spent and vouched for, as stored records, and whether one more run fits into the limits of the config."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, Field

from assay.core.envelope import Sha
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
    """What a command on a pull request took or gave: runs, more of them, GPU minutes, or somebody's word for a fork's head.

    Of runs, `command` is what was ordered, in its one written form, and `job` the workflow's run that obeys it. `head` is the
    commit that both are about. A schedule has no pull request: it is 0 then.
    """

    schema_: Literal["assay.spend/1"] = Field(default=SPEND_SCHEMA, alias="schema")
    spend_id: Annotated[str, AfterValidator(_spend_id)]
    created_at: Annotated[str, AfterValidator(_stamp)]
    kind: Literal["runs", "grant", "gpu", "vouch"]
    pull: Annotated[int, Field(ge=0)]
    by: Fact
    runs: Count
    gpu_minutes: Annotated[float, Field(ge=0)]
    head: Sha | None = None
    command: Annotated[str, Field(max_length=20_000)] | None = None
    job: Annotated[int, Field(ge=1)] | None = None

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

    def with_(self, more: "Spent") -> "Spent":
        """Both together, each record once."""
        records = {one.spend_id: one for one in (*self.records, *more.records)}
        return Spent(tuple(records[key] for key in sorted(records)), self.unreadable + more.unreadable)

    def vouched(self, pull: int, head: str) -> bool:
        """Whether somebody with rights has vouched for this very head."""
        return any(one.kind == "vouch" and (one.pull, one.head) == (pull, head) for one in self.records)

    def jobs(self, pull: int, same: "tuple[str, str] | None" = None) -> frozenset[int]:
        """The workflow runs that commands on a pull request began; only those of the `same` head and command where they are given."""
        runs = (one for one in self.records if one.kind == "runs" and one.pull == pull and one.job is not None)
        return frozenset(one.job for one in runs if one.job is not None and same in (None, (one.head, one.command)))


Refusal = tuple[str, str]
"""Why something is not to be had, and what helps."""

Judge = Callable[[Spent], Refusal | None]
"""Says of all that was spent what speaks against one spend more, None where nothing does."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a command would spend: so many runs on a pull request for somebody, and whether any of them takes a GPU.

    The rest is for the record: which head, by which command, in which run of a workflow.
    """

    pull: int
    by: str
    runs: int
    gpu: bool
    head: str | None = None
    command: str | None = None
    job: int | None = None


def shortfall(limits: "Budget", spent: Spent, wish: Wish, now: datetime) -> Refusal | None:
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

"""Claims: who is at a task just now. A claim is a lease, so that one that was killed blocks nobody for long."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, Literal, Self

from pydantic import Field, ValidationError

from assay.core.canonical import loads, pretty
from assay.core.envelope import Stamp
from assay.core.record import Fact, Record, first_reason
from assay.core.timestamp import moment, stamp

CLAIMS_SCHEMA: Final = "assay.claims/1"
LEASE: Final = timedelta(minutes=30)
"""How long a claim lasts that is not renewed."""


class Claim(Record):
    """Somebody measures a task on a class of machines, until `until` unless it is renewed. `holder` tells one from another."""

    task: Fact
    machine: Fact
    box: Fact
    holder: Fact
    since: Stamp
    until: Stamp

    @property
    def cell(self) -> tuple[str, str]:
        return self.task, self.machine

    def lasts(self, now: datetime) -> bool:
        """Whether it is in force. One that begins over a lease from now is of a clock that was wrong, and would block for good."""
        return moment(self.until) > now and moment(self.since) - now <= LEASE


class Claims(Record):
    """All claims, the content of `ledger/claims.json`."""

    schema_: Literal["assay.claims/1"] = Field(default=CLAIMS_SCHEMA, alias="schema")
    claims: tuple[Claim, ...] = ()

    def to_text(self) -> str:
        return f"{pretty(self.model_dump(mode='json', by_alias=True))}\n"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Raises ValueError, with the reason, for anything but what `to_text` writes."""
        loads(text)
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise ValueError(first_reason(error)) from error

    def in_the_way(self, wanted: Claim, now: datetime) -> Claim | None:
        """The claim of somebody else on that cell that still lasts."""
        return next((one for one in self.claims if one.cell == wanted.cell and one.holder != wanted.holder and one.lasts(now)), None)

    def having(self, wanted: Claim, now: datetime) -> "Claims":
        """The same with a claim on its cell, without those that have run out."""
        return claims_of((*(one for one in self.claims if one.lasts(now) and one.cell != wanted.cell), wanted))

    def without(self, done: Claim) -> "Claims":
        """The same without what that holder has of that cell."""
        return claims_of(one for one in self.claims if (one.cell, one.holder) != (done.cell, done.holder))


def claims_of(claims: Iterable[Claim]) -> Claims:
    return Claims(schema=CLAIMS_SCHEMA, claims=tuple(sorted(claims, key=lambda one: (one.cell, one.holder))))


def claim(cell: tuple[str, str], box: str, holder: str, now: datetime, process_s: float = 0.0) -> Claim:
    """A claim from now on. It lasts longer than one process may take, since it is renewed between processes."""
    until = now + max(LEASE, timedelta(seconds=process_s) + LEASE / 3)
    return Claim(task=cell[0], machine=cell[1], box=box, holder=holder, since=stamp(now), until=stamp(until))

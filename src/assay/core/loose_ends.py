"""Loose ends: what a job has begun and may never finish, and what it had to say and could not post. The next job ties them up."""

from datetime import timedelta
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from assay.core.canonical import sha256
from assay.core.check_run import CheckRun
from assay.core.envelope import RunId, Sha, Stamp
from assay.core.forge_facts import RunState
from assay.core.model import Conclusion
from assay.core.record import Count, Envelope, Fact, Record
from assay.core.store_layout import is_loose_end, open_path, owed_path, settled_path
from assay.core.values import dataclass

OPENED_SCHEMA: Final = "assay.open/1"
OWED_SCHEMA: Final = "assay.owed/1"
SETTLED_SCHEMA: Final = "assay.settled/1"

LONGEST = {True: timedelta(hours=7), False: timedelta(days=6)}
"""After so long no job goes on, on a runner of GitHub's and on one's own: GitHub ends them after 6 hours and 5 days."""

_KEY = 20


class JobMark(Record):
    """The job that left something: its workflow run and which attempt of that, 0 where they are unknown."""

    run: Count
    attempt: Count
    hosted: bool


class Opened(Envelope):
    """Written before a benchmark runs: this check run is to be completed, and under this id a run is to be stored."""

    schema_: Literal["assay.open/1"] = Field(default=OPENED_SCHEMA, alias="schema")
    run_id: RunId
    created_at: Stamp
    check: Fact
    commit: Sha
    job: JobMark

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return open_path(self.run_id)


class OwedCheck(Record):
    """A completed check run that the forge did not take. Its annotations are lost, for they may be there already."""

    name: Fact
    commit: Sha
    external_id: Fact
    conclusion: Conclusion
    title: str
    summary: str
    text: str
    details_url: str

    @classmethod
    def of(cls, payload: CheckRun) -> Self:
        return cls(
            name=payload.name,
            commit=payload.head_sha,
            external_id=payload.external_id,
            conclusion=payload.conclusion,
            title=payload.title,
            summary=payload.summary,
            text=payload.text,
            details_url=payload.details_url,
        )

    @property
    def payload(self) -> CheckRun:
        return CheckRun(
            self.name, self.commit, self.external_id, self.conclusion, self.title, self.summary, self.text, details_url=self.details_url
        )


class OwedComment(Record):
    """A report that did not get into the comment of a pull request. `always` says that the comment is to be made where there is none."""

    pull: Annotated[int, Field(ge=1)]
    marker: Annotated[str, StringConstraints(pattern=r"^<!-- assay:report[^<>\n]{0,100} -->$")]
    body: str
    always: bool

    @model_validator(mode="after")
    def _marked(self) -> Self:
        if not self.body.startswith(self.marker):
            raise ValueError("not a report of ours")
        return self


class Owed(Envelope):
    """A report that is still to be posted: a check run or a comment. A newer one for the same place takes its place."""

    schema_: Literal["assay.owed/1"] = Field(default=OWED_SCHEMA, alias="schema")
    created_at: Stamp
    check: OwedCheck | None
    comment: OwedComment | None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.check is None) == (self.comment is None):
            raise ValueError("either a check run or a comment")
        return self

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return check_place(self.check) if self.check else comment_place(self.comment.pull if self.comment else 0)


def _loose_end(path: str) -> str:
    if not is_loose_end(path):
        raise ValueError("not the place of a loose end")
    return path


class Settled(Envelope):
    """Says to a store that a loose end is tied up: the file of that path and content is to go. It is itself kept nowhere for long."""

    schema_: Literal["assay.settled/1"] = Field(default=SETTLED_SCHEMA, alias="schema")
    of: Annotated[str, AfterValidator(_loose_end)]
    content: Fact

    @property
    def path(self) -> str:
        """Where it waits, from the outbox's root."""
        return settled_path(self.of)


LooseEnd = Opened | Owed


def settled(end: LooseEnd) -> Settled:
    """What says that this very loose end is tied up; a newer one at its place is not."""
    return Settled(schema=SETTLED_SCHEMA, of=end.path, content=sha256(f"{end.to_json()}\n"))


def check_place(check: OwedCheck) -> str:
    """Where a store keeps what is owed of one check run."""
    return owed_path("check", sha256(f"{check.commit} {check.external_id} {check.name}")[:_KEY])


def comment_place(pull: int) -> str:
    """Where a store keeps what is owed of one pull request's comment."""
    return owed_path("comment", str(pull))


@dataclass(frozen=True, slots=True)
class LooseEnds:
    """All that a store knows of, the oldest first."""

    opened: tuple[Opened, ...] = ()
    owed: tuple[Owed, ...] = ()


def is_left_behind(opened: Opened, mine: JobMark, state: RunState, age: timedelta) -> bool:
    """Whether the job that opened this has surely ended. `state` is that of its workflow run, as far as the forge tells.

    Another attempt of one workflow run begins once the one before has ended. Where nobody can tell, only its age can.
    """
    theirs = opened.job
    if theirs.run and theirs.run == mine.run:
        return theirs.attempt < mine.attempt
    return state is RunState.OVER or (state is RunState.UNKNOWN and age > LONGEST[theirs.hosted])


def lost(opened: Opened) -> CheckRun:
    """How the check run of a job that is gone ends."""
    return CheckRun(
        opened.check,
        opened.commit,
        opened.run_id,
        Conclusion.CANCELLED,
        "the job was lost",
        "The job that measured this ended without a word: its runner was lost, or it was killed. Nothing was decided. Run it again.",
        "",
    )

"""Which stored runs may answer a question, told from their headers: what a store can look up without reading a run."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from assay.core.envelope import Run, RunStatus
from assay.core.fingerprint import Fingerprints
from assay.core.lineage import ANY, CLOCK_SKEW_S, SURROUNDINGS, ReuseQuestion, answers, same_fact, trusts_for
from assay.core.model import UNKNOWN, Trust
from assay.core.timestamp import moment
from assay.core.values import dataclass

MOST = 64
"""So many promising runs are looked at for one question; the freshest that holds is nearly always among the first."""

DIRTY = "dirty"
"""Stands in a header for the status of a run whose processes changed tracked files."""

_FAR = 2**62  # microseconds; SQLite counts no further than twice that
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Header(NamedTuple):
    """What a run says of itself in short.

    `created` is in microseconds since 1970, `environment` its facts in one text, `content` all fingerprints in one.
    """

    run_id: str
    benchmark: str
    commit: str
    machine: str
    model: str
    precision: str
    status: str
    trust: str
    created: int
    config_hash: str
    environment: str
    rules: str
    content: str


def header_of(run: Run) -> Header:
    """The header of a run at hand."""
    prints = run.fingerprints if isinstance(run.fingerprints, Fingerprints) else None
    return Header(
        run_id=run.run_id,
        benchmark=run.benchmark,
        commit=run.commit,
        machine=run.machine.machine_class,
        model=run.model,
        precision=run.precision,
        status=DIRTY if run.dirty else run.status.value,
        trust=run.trust.value,
        created=microseconds(moment(run.created_at)),
        config_hash=run.config.hash,
        environment=surroundings_of(*(getattr(run.environment, name) for name in SURROUNDINGS)),
        rules=prints.rules if prints else UNKNOWN,
        content=prints.content if prints else UNKNOWN,
    )


def surroundings_of(*facts: str) -> str:
    """The facts of an environment in one text, `unknown` where any of them is."""
    return UNKNOWN if UNKNOWN in facts else "\n".join(facts)


def microseconds(at: datetime) -> int:
    """A moment as a whole number that sorts."""
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


@dataclass(frozen=True, slots=True)
class Search:
    """A question as a store can answer it from headers. `since` and `until` bound the age, in microseconds since 1970.

    Without `content`, the fingerprints of the commit in question, only runs of that very commit are promising.
    """

    benchmark: str
    commit: str
    machine: str
    model: str
    precision: str
    trusts: tuple[str, ...]
    since: int
    until: int
    config_hash: str
    environment: str
    rules: str
    content: str | None = None

    def rank(self, one: Header) -> tuple[bool, int, str]:
        """What sorts runs: those of the very commit are the best, then the newest."""
        return one.commit == self.commit, one.created, one.run_id

    def is_candidate(self, one: Header) -> bool:
        """Whether a run can be judged at all: clean, trusted, young enough, of this benchmark, machine, model and precision."""
        fresh = self.since <= one.created <= self.until
        return fresh and one.benchmark == self.benchmark and self.fits(one.machine, one.model, one.precision, one.status, one.trust)

    def fits(self, machine: str, model: str, precision: str, status: str, trust: str) -> bool:
        """The part of that which many runs have in common."""
        axes = ((machine, self.machine), (model, self.model), (precision, self.precision))
        return status == RunStatus.COMPLETE and trust in self.trusts and all(answers(stored, asked) for stored, asked in axes)

    def is_promising(self, one: Header) -> bool:
        """Whether nothing in the header of a candidate speaks against it."""
        same = one.commit == self.commit or (self.content is not None and self.may_hold_the_same(one.rules, one.content))
        return same and self.surroundings_agree(one.config_hash, one.environment)

    def may_hold_the_same(self, rules: str, content: str) -> bool:
        """Whether the fingerprints are equal, or cannot be held together, so that a window has to tell."""
        return rules != self.rules or content == self.content

    def surroundings_agree(self, config_hash: str, environment: str) -> bool:
        """Whether config and environment are known to be equal."""
        return same_fact(config_hash, self.config_hash) and same_fact(environment, self.environment)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to, told from the headers of the runs alone.

    `candidates` counts all that could be judged; `freshest` is the first of them. `promising` are those of which nothing speaks
    against; `left_out` counts those beyond the limit. `other` is the first run of the commit that is no candidate or, where there is
    no candidate at all, the first of the benchmark; `hidden` is the same of invalidated runs. The first is one of the very commit,
    if there is one, and else the newest.
    `unreadable` is what of the store could not be read, each file with why.
    """

    candidates: int = 0
    promising: tuple[Header, ...] = ()
    left_out: int = 0
    freshest: Header | None = None
    other: Header | None = None
    hidden: Header | None = None
    unreadable: tuple[tuple[str, str], ...] = ()


def found_among(search: Search, headers: Iterable[Header], hidden: frozenset[str], unreadable: Iterable[tuple[str, str]] = ()) -> Found:
    """The answer of a store that has these headers, and this many hidden runs. What an index answers has to be the same."""
    own = sorted((one for one in headers if one.benchmark == search.benchmark), key=search.rank, reverse=True)
    seen = [one for one in own if one.run_id not in hidden]
    candidates = [one for one in seen if search.is_candidate(one)]
    promising = [one for one in candidates if search.is_promising(one)]
    telling = [one for one in own if not candidates or one.commit == search.commit]
    return Found(
        candidates=len(candidates),
        promising=tuple(promising[:MOST]),
        left_out=max(0, len(promising) - MOST),
        freshest=next(iter(candidates), None),
        other=next((one for one in telling if one.run_id not in hidden and not search.is_candidate(one)), None),
        hidden=next((one for one in telling if one.run_id in hidden), None),
        unreadable=tuple(unreadable),
    )


def together(search: Search, one: Found, other: Found) -> Found:
    """The answer of two stores that are one to whoever asks."""
    promising = {header.run_id: header for header in (*one.promising, *other.promising)}
    ranked = sorted(promising.values(), key=search.rank, reverse=True)
    freshest, strange, hidden = (
        max((header for header in pair if header), key=search.rank, default=None)
        for pair in ((one.freshest, other.freshest), (one.other, other.other), (one.hidden, other.hidden))
    )
    return Found(
        candidates=one.candidates + other.candidates,
        promising=tuple(ranked[:MOST]),
        left_out=one.left_out + other.left_out + max(0, len(ranked) - MOST),
        freshest=freshest,
        other=strange if strange and (freshest is None or strange.commit == search.commit) else None,
        hidden=hidden if hidden and (freshest is None or hidden.commit == search.commit) else None,
        unreadable=(*one.unreadable, *other.unreadable),
    )


def search_of_commit(benchmark: str, commit: str) -> Search:
    """The search for the runs of a benchmark at one commit, whatever machine they are of and whatever became of them."""
    axes = {"machine": ANY, "model": ANY, "precision": ANY, "trusts": tuple(trust.value for trust in Trust)}
    never = {"config_hash": UNKNOWN, "environment": UNKNOWN, "rules": UNKNOWN}
    return Search(benchmark, commit, **axes, since=0, until=_FAR, **never)  # type: ignore[arg-type]


def search_of(question: ReuseQuestion, rules: str, content: str | None = None) -> Search:
    """The search for runs that may answer a question."""
    now = microseconds(question.now)
    return Search(
        benchmark=question.benchmark,
        commit=question.key.commit,
        machine=question.key.machine,
        model=question.key.model,
        precision=question.key.precision,
        trusts=tuple(trust.value for trust in trusts_for(question.trust)),
        since=now - round(question.max_age_s * 1e6),
        until=now + round(CLOCK_SKEW_S * 1e6),
        config_hash=question.config_hash,
        environment=surroundings_of(*(getattr(question.environment, name) for name in SURROUNDINGS)),
        rules=rules,
        content=content,
    )

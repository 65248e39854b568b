"""The few members of a stored record that an index needs, read without the rest.

Members stand in the order of their names, so one sweep through the bytes finds them all, at a twentieth of the cost of the whole.
Where anything is not as we write it a real parser reads the header, and where that finds none the whole reader can say why. A header
says where a record belongs, never that it is sound: whoever uses a record reads it whole.
"""

import re
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.core.lineage import SURROUNDINGS
from assay.core.model import UNKNOWN
from assay.core.prior import DIRTY, Header, microseconds, surroundings_of
from assay.core.timestamp import moment

_RUN: Final = (
    ',\n  "benchmark": "',
    ',\n  "commit": "',
    ',\n  "config": {\n    "hash": "',
    ',\n  "created_at": "',
    ',\n  "dirty": false,\n  "environment": {\n    "cuda": "',
    ',\n    "driver": "',
    ',\n    "image_digest": "',
    ',\n    "packages": "',
    ',\n    "python": "',
    ',\n    "content": "',
    ',\n    "rules": "',
    ',\n    "machine_class": "',
    '],\n  "model": "',
    ',\n  "precision": "',
)
_RUN_FROM_BEHIND: Final = (
    ',\n  "trust": "',
    ',\n  "status": "',
    ',\n  "schema": "assay.run/1',
    ',\n  "run_id": "run-',
)
_DECISION: Final = (
    ',\n  "benchmark": "',
    ',\n  "decision_id": "dec-',
    ',\n  "forced_by": null,\n  "head": "',
    ',\n  "head_run": "',
    ',\n  "machine": "',
    ',\n  "schema": "assay.decision/1',
    ',\n  "status": "',
)
"""What stands right before each value that is wanted, and before some that only mark the way.

Of a run the last ones are sought from behind, for its processes and samples stand between.
"""

Marks = tuple[tuple[bytes, int], ...]


def _forms(marks: tuple[str, ...]) -> tuple[Marks, Marks]:
    """The marks in a file of its own, and in a line of a packed month, each with its length."""
    on_a_line = tuple(re.sub(r"\n *", "", mark).replace('": ', '":') for mark in marks)
    in_a_file, in_a_line = (tuple((mark.encode(), len(mark)) for mark in form) for form in (marks, on_a_line))
    return in_a_file, in_a_line


_RUN_FORMS: Final = _forms(_RUN)
_RUN_FORMS_FROM_BEHIND: Final = _forms(_RUN_FROM_BEHIND)
_DECISION_FORMS: Final = _forms(_DECISION)
_HEX: Final = frozenset((40, 64))


class Swept(NamedTuple):
    """What a sweep found: what is a run's own, and the bytes of all that many runs have in common."""

    run_id: str
    commit: str
    content: str
    created: int
    shared: bytes


class DecisionHeader(NamedTuple):
    """What the decisions of a store are asked by."""

    decision_id: str
    benchmark: str
    head_run: str | None
    machine: str
    status: str
    forced_by: str | None


def run_header(data: bytes) -> Header | None:
    """The header of a run's envelope, None where the bytes have none."""
    swept = sweep_run(data)
    return header_from(swept) if swept else _careful_run(data)


def decision_header(data: bytes) -> DecisionHeader | None:
    """The header of a decision, None where the bytes have none."""
    found = _swept(data, _DECISION_FORMS, 0, len(data))
    if found is None or not _plain(found) or not _closed(data, 0, len(data)):
        return _careful_decision(data)
    benchmark, decision_id, _, head_run, machine, _, status = (text.decode() for text in found)
    return DecisionHeader(f"dec-{decision_id}", benchmark, head_run, machine, status, None)


def sweep_run(data: bytes, start: int = 0, end: int | None = None) -> Swept | None:
    """What a run's envelope, or that part of a packed month, holds where we write it; None where anything stands otherwise."""
    end = len(data) if end is None else end
    front, behind = _swept(data, _RUN_FORMS, start, end), _swept_back(data, start, end)
    if front is None or behind is None or not _plain(front + behind) or not _closed(data, start, end):
        return None
    benchmark, commit, config, created, cuda, driver, image, packages, python, content, rules, *names = front
    trust, status, _, run_id = behind
    shared = b"\n".join((benchmark, config, driver, cuda, image, python, packages, rules, *names, status, trust))
    try:
        bytes.fromhex(commit.decode())
        return Swept(f"run-{run_id.decode()}", commit.decode(), content.decode(), microseconds(moment(created.decode())), shared)
    except ValueError:
        return None


def header_from(swept: Swept) -> Header:
    """The header that swept texts make."""
    benchmark, config, *around, rules, machine, model, precision, status, trust = swept.shared.decode().split("\n")
    own = (swept.run_id, benchmark, swept.commit, machine, model, precision, status, trust, swept.created)
    return Header(*own, config, surroundings_of(*around), rules, swept.content)


def _swept(data: bytes, forms: tuple[Marks, Marks], start: int, end: int) -> list[bytes] | None:
    """The texts behind the marks, None where one is missing."""
    found: list[bytes] = []
    place, find, take = start, data.find, found.append
    for mark, length in forms[0] if data.startswith(b"{\n", start) else forms[1]:
        at = find(mark, place, end)
        if at < 0:
            return None
        at += length
        place = find(b'"', at, end)
        take(data[at:place])
    return found


def _swept_back(data: bytes, start: int, end: int) -> list[bytes] | None:
    """The same for the marks of a run that are sought from behind."""
    found: list[bytes] = []
    place = end
    for mark, length in _RUN_FORMS_FROM_BEHIND[0] if data.startswith(b"{\n", start) else _RUN_FORMS_FROM_BEHIND[1]:
        place = data.rfind(mark, start, place)
        if place < 0:
            return None
        found.append(data[place + length : data.find(b'"', place + length, end)])
    return found


def _plain(texts: list[bytes]) -> bool:
    """Whether the texts mean what their bytes say: no escapes, nothing but ASCII."""
    joined = b"".join(texts)
    return joined.isascii() and b"\\" not in joined


def _closed(data: bytes, start: int, end: int) -> bool:
    """Whether the record ends as a whole one does."""
    return data[max(start, end - 2) : end].rstrip().endswith(b"}")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Machine(_Part):
    machine_class: str


class _Config(_Part):
    hash: str


class _Environment(_Part):
    driver: str
    cuda: str
    image_digest: str
    python: str
    packages: str


class _Fingerprints(_Part):
    rules: str
    content: str


class _Run(_Part):
    schema_: Literal["assay.run/1"] = Field(alias="schema")
    run_id: str
    benchmark: str
    commit: str
    machine: _Machine
    model: str
    precision: str
    status: str
    trust: str
    dirty: bool
    created_at: str
    config: _Config
    environment: _Environment
    fingerprints: _Fingerprints | Literal["unknown"]


class _Decision(_Part):
    schema_: Literal["assay.decision/1"] = Field(alias="schema")
    decision_id: str
    benchmark: str
    head_run: str | None
    machine: str
    status: str
    forced_by: str | None


def _careful_run(data: bytes) -> Header | None:
    try:
        run = _Run.model_validate_json(data)
        created = microseconds(moment(run.created_at))
    except ValueError:  # pydantic's own is one
        return None
    prints = run.fingerprints if isinstance(run.fingerprints, _Fingerprints) else _Fingerprints(rules=UNKNOWN, content=UNKNOWN)
    return Header(
        run_id=run.run_id,
        benchmark=run.benchmark,
        commit=run.commit,
        machine=run.machine.machine_class,
        model=run.model,
        precision=run.precision,
        status=DIRTY if run.dirty else run.status,
        trust=run.trust,
        created=created,
        config_hash=run.config.hash,
        environment=surroundings_of(*(getattr(run.environment, name) for name in SURROUNDINGS)),
        rules=prints.rules,
        content=prints.content,
    )


def _careful_decision(data: bytes) -> DecisionHeader | None:
    try:
        one = _Decision.model_validate_json(data)
    except ValidationError:
        return None
    return DecisionHeader(one.decision_id, one.benchmark, one.head_run, one.machine, one.status, one.forced_by)

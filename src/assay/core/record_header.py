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
    ',\n  "fingerprints": {\n    "code": "',
    ',\n    "content": "',
    ',\n    "rules": "',
    ',\n  "machine": {\n    "arch": "',
    ',\n    "machine_class": "',
    '],\n  "model": "',
    ',\n  "precision": "',
    ',\n  "run_id": "run-',
    ',\n  "schema": "assay.run/1',
    ',\n  "status": "',
    ',\n  "trust": "',
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
"""What stands right before each value that is wanted, and before some that only mark the way."""

Marks = tuple[bytes, ...]


def _forms(marks: tuple[str, ...]) -> tuple[Marks, Marks]:
    """The marks in a file of its own, and in a line of a packed month."""
    on_a_line = (re.sub(r"\n *", "", mark).replace('": ', '":') for mark in marks)
    return tuple(mark.encode() for mark in marks), tuple(mark.encode() for mark in on_a_line)


_RUN_FORMS: Final = _forms(_RUN)
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
    found = _swept(data, _DECISION_FORMS)
    if found is None:
        return _careful_decision(data)
    benchmark, decision_id, _, head_run, machine, _, status = (text.decode() for text in found)
    return DecisionHeader(f"dec-{decision_id}", benchmark, head_run, machine, status, None)


def sweep_run(data: bytes) -> Swept | None:
    """What a run's envelope holds at the places where we write it, None where anything stands otherwise."""
    found = _swept(data, _RUN_FORMS)
    if found is None:
        return None
    benchmark, commit, config, created, cuda, driver, image, packages, python, _, content, rules, _, *names, run_id, _, status, trust = (
        found
    )
    shared = b"\n".join((benchmark, config, driver, cuda, image, python, packages, rules, *names[:3], status, trust))
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


def _swept(data: bytes, forms: tuple[Marks, Marks]) -> list[bytes] | None:
    """The texts behind the marks, None where one is missing or a text is not plain ASCII."""
    marks = forms[0] if data.startswith(b"{\n") else forms[1]
    found = []
    place, find = 0, data.find
    for mark in marks:
        start = find(mark, place)
        if start < 0:
            return None
        start += len(mark)
        place = find(b'"', start)
        found.append(data[start:place])
    joined = b"".join(found)
    return found if joined.isascii() and b"\\" not in joined and data.rstrip().endswith(b"}") else None


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

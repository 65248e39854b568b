"""The evaluation, `assay.evaluation/1`: a closed schema, read strictly, with bounded errors that a second try can be told."""

import json
from collections.abc import Callable, Iterator, Sequence

from assay.core import canonical
from assay.core.values import dataclass

SCHEMA = "assay.evaluation/1"
MAX_ERRORS, MAX_ERROR_CHARACTERS, MAX_ALL_CHARACTERS = 24, 500, 4000
_LISTS = ("strengths", "limitations", "useful_contributions", "risks")

Errors = list[str]
Check = Callable[[object, str, Errors], None]


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the evaluator says of one anonymous candidate."""

    candidate_id: str
    summary: str
    strengths: tuple[str, ...] = ()
    limitations: tuple[str, ...] = ()
    useful_contributions: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something on which at least two candidates differ; positions are by candidate id."""

    topic: str
    positions: tuple[tuple[str, str], ...]
    resolution: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A valid evaluation. `must_include` are contributions by candidate id."""

    assessments: tuple[Assessment, ...]
    agreements: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    must_include: tuple[tuple[str, str], ...] = ()
    must_resolve: tuple[str, ...] = ()
    must_avoid: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Known keys only, whatever the text had that it was read from."""
        return {
            "schema_version": SCHEMA,
            "candidate_assessments": [
                {"candidate_id": one.candidate_id, "summary": one.summary, **{name: list(getattr(one, name)) for name in _LISTS}}
                for one in self.assessments
            ],
            "agreements": list(self.agreements),
            "conflicts": [
                {
                    "topic": one.topic,
                    "positions": [{"candidate_id": who, "position": what} for who, what in one.positions],
                    "resolution": one.resolution,
                }
                for one in self.conflicts
            ],
            "synthesis_plan": {
                "must_include": [{"candidate_id": who, "contribution": what} for who, what in self.must_include],
                "must_resolve": list(self.must_resolve),
                "must_avoid": list(self.must_avoid),
            },
        }


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why a text is no evaluation, each reason with its place."""

    errors: tuple[str, ...]


def read_evaluation(text: str, ids: Sequence[str]) -> Evaluation | Invalid:
    """The evaluation of exactly these candidates that a text is, as a whole: no fence, no prose around it, no unknown key."""
    try:
        document = canonical.loads(text.strip())
    except ValueError as error:
        return Invalid((f"$: must be JSON only: {error}",))
    if not isinstance(document, dict):
        return Invalid((f"$: must be an object, not {_kind(document)}",))
    errors: Errors = []
    _document(document, tuple(ids), errors)
    return Invalid(tuple(errors)) if errors else _built(document)


def bounded(errors: Sequence[str]) -> tuple[str, ...]:
    """At most 24 messages of at most 500 characters and 4,000 in all, and then how many were left out."""
    kept: list[str] = []
    room = MAX_ALL_CHARACTERS
    for error in errors[:MAX_ERRORS]:
        short = error if len(error) <= MAX_ERROR_CHARACTERS else error[: MAX_ERROR_CHARACTERS - 1] + "…"
        if len(short) > room:
            break
        kept.append(short)
        room -= len(short)
    omitted = len(errors) - len(kept)
    return (*kept, f"{omitted} more omitted") if omitted else tuple(kept)


def _document(document: dict[str, object], ids: tuple[str, ...], errors: Errors) -> None:
    keys = ("schema_version", "candidate_assessments", "agreements", "conflicts", "synthesis_plan")
    _closed(document, "$", keys, errors)
    if "schema_version" in document and document["schema_version"] != SCHEMA:
        errors.append(f"$.schema_version: must be {SCHEMA!r}")
    if "candidate_assessments" in document:
        _assessments(document["candidate_assessments"], ids, errors)
    if "agreements" in document:
        _each(document["agreements"], "$.agreements", errors, _text)
    if "conflicts" in document:
        _each(document["conflicts"], "$.conflicts", errors, lambda one, path, found: _conflict(one, path, ids, found))
    if "synthesis_plan" in document:
        _plan(document["synthesis_plan"], ids, errors)


def _assessments(value: object, ids: tuple[str, ...], errors: Errors) -> None:
    path = "$.candidate_assessments"
    _each(value, path, errors, lambda one, where, found: _assessment(one, where, ids, found))
    if not isinstance(value, list):
        return
    if len(value) != len(ids):
        errors.append(f"{path}: must have exactly {len(ids)} entries, not {len(value)}")
    given = [one["candidate_id"] for one in value if isinstance(one, dict) and isinstance(one.get("candidate_id"), str)]
    if len(set(given)) != len(given):
        errors.append(f"{path}: every candidate_id must be unique")
    errors.extend(f"{path}: lacks candidate {one}" for one in ids if one not in given)


def _assessment(value: object, path: str, ids: tuple[str, ...], errors: Errors) -> None:
    if not _object(value, path, ("candidate_id", "summary", *_LISTS), errors):
        return
    assert isinstance(value, dict)
    _member(value, "candidate_id", path, errors, _one_of(ids))
    _member(value, "summary", path, errors, _text)
    for name in _LISTS:
        _member(value, name, path, errors, _texts)


def _conflict(value: object, path: str, ids: tuple[str, ...], errors: Errors) -> None:
    if not _object(value, path, ("topic", "positions", "resolution"), errors):
        return
    assert isinstance(value, dict)
    _member(value, "topic", path, errors, _text)
    _member(value, "resolution", path, errors, _text)
    _member(value, "positions", path, errors, lambda one, where, found: _positions(one, where, ids, found))


def _positions(value: object, path: str, ids: tuple[str, ...], errors: Errors) -> None:
    _each(value, path, errors, lambda one, where, found: _said_by(one, where, "position", ids, found))
    if not isinstance(value, list):
        return
    who = [one.get("candidate_id") for one in value if isinstance(one, dict)]
    named = [one for one in who if isinstance(one, str)]
    if len(set(named)) < 2:
        errors.append(f"{path}: must be of at least two distinct candidates")
    errors.extend(f"{path}: candidate {one} stands twice" for one in dict.fromkeys(named) if named.count(one) > 1)


def _plan(value: object, ids: tuple[str, ...], errors: Errors) -> None:
    path = "$.synthesis_plan"
    if not _object(value, path, ("must_include", "must_resolve", "must_avoid"), errors):
        return
    assert isinstance(value, dict)

    def included(one: object, where: str, found: Errors) -> None:
        _said_by(one, where, "contribution", ids, found)

    _member(value, "must_include", path, errors, lambda one, where, found: _each(one, where, found, included))
    _member(value, "must_resolve", path, errors, _texts)
    _member(value, "must_avoid", path, errors, _texts)


def _said_by(value: object, path: str, what: str, ids: tuple[str, ...], errors: Errors) -> None:
    """An object of a candidate's id and one text."""
    if _object(value, path, ("candidate_id", what), errors):
        assert isinstance(value, dict)
        _member(value, "candidate_id", path, errors, _one_of(ids))
        _member(value, what, path, errors, _text)


def _member(value: dict[str, object], key: str, path: str, errors: Errors, check: Check) -> None:
    """Check a member that is there; one that is missing was told already."""
    if key in value:
        check(value[key], f"{path}.{key}", errors)


def _object(value: object, path: str, keys: tuple[str, ...], errors: Errors) -> bool:
    if not isinstance(value, dict):
        errors.append(f"{path}: must be an object, not {_kind(value)}")
        return False
    _closed(value, path, keys, errors)
    return True


def _closed(value: dict[str, object], path: str, keys: tuple[str, ...], errors: Errors) -> None:
    errors.extend(f"{path}: unknown key {json.dumps(key, ensure_ascii=False)[:80]}" for key in value if key not in keys)
    errors.extend(f"{path}: missing key {key!r}" for key in keys if key not in value)


def _each(value: object, path: str, errors: Errors, check: Check) -> None:
    if not isinstance(value, list):
        errors.append(f"{path}: must be an array, not {_kind(value)}")
        return
    for index, one in enumerate(value):
        check(one, f"{path}[{index}]", errors)


def _texts(value: object, path: str, errors: Errors) -> None:
    _each(value, path, errors, _text)


def _text(value: object, path: str, errors: Errors) -> None:
    if not isinstance(value, str) or not value.strip():
        errors.append(f"{path}: must be a non-blank string")


def _one_of(ids: tuple[str, ...]) -> Check:
    def check(value: object, path: str, errors: Errors) -> None:
        if value not in ids:
            errors.append(f"{path}: must be one of {', '.join(ids)}")

    return check


def _kind(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def _built(document: dict[str, object]) -> Evaluation:
    """From a document without errors."""
    plan = _dict(document["synthesis_plan"])
    return Evaluation(
        assessments=tuple(
            Assessment(str(one["candidate_id"]), str(one["summary"]), **{name: _strings(one[name]) for name in _LISTS})
            for one in _dicts(document["candidate_assessments"])
        ),
        agreements=_strings(document["agreements"]),
        conflicts=tuple(
            Conflict(
                str(one["topic"]),
                tuple((str(each["candidate_id"]), str(each["position"])) for each in _dicts(one["positions"])),
                str(one["resolution"]),
            )
            for one in _dicts(document["conflicts"])
        ),
        must_include=tuple((str(one["candidate_id"]), str(one["contribution"])) for one in _dicts(plan["must_include"])),
        must_resolve=_strings(plan["must_resolve"]),
        must_avoid=_strings(plan["must_avoid"]),
    )


def _dict(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value


def _dicts(value: object) -> Iterator[dict[str, object]]:
    assert isinstance(value, list)
    return map(_dict, value)


def _strings(value: object) -> tuple[str, ...]:
    assert isinstance(value, list)
    return tuple(map(str, value))

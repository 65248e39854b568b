"""The kinds of value that a config holds, each with its check and its JSON Schema.

A check raises ValueError with the rest of the sentence `"offending text" …`.
"""

import math
import re
from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, PlainValidator, Strict, WithJsonSchema

from assay.core.environment import why_withheld
from assay.core.globs import pattern_problem
from assay.core.metric_grammar import NAME, REFUSED_NAMES, Dialect
from assay.core.model import UNKNOWN
from assay.core.units import parse_duration, parse_fraction, parse_size

MAX_COMMAND = 8192
MAX_TEXT = 200
MAX_WHOLE = 2**31 - 1

BENCHMARK_NAME = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}"
METRIC_NAME = NAME[Dialect.WIDE]
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
_BRANCH_PATTERN = re.compile(r"[A-Za-z0-9._/*?!@+-]{1,200}")


class Part(BaseModel):
    """A section of the config. Unknown keys are errors; built on first use, for most commands read no config."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, populate_by_name=True, allow_inf_nan=False)


def _require(condition: bool, otherwise: str) -> None:  # noqa: FBT001 the condition is the subject
    if not condition:
        raise ValueError(otherwise)


def check_text(value: str) -> str:
    """One line for people and keys: not empty, no control characters."""
    _require(bool(value.strip()), "is empty")
    _require(len(value) <= MAX_TEXT, f"has more than {MAX_TEXT} characters")
    _require(not _CONTROL.search(value), "holds a control character")
    return value


def check_command(value: str) -> str:
    """A shell command; it may span lines."""
    _require(bool(value.strip()), "is an empty command")
    _require(len(value) <= MAX_COMMAND, f"has more than {MAX_COMMAND} characters")
    _require("\x00" not in value, "holds a NUL character")
    return value


def check_benchmark_name(value: str) -> str:
    _require(
        re.fullmatch(BENCHMARK_NAME, value) is not None,
        "is no name for a benchmark: up to 64 letters, digits, _ and, not at the beginning, . or -",
    )
    return value


def check_metric_name(value: str) -> str:
    _require(
        re.fullmatch(METRIC_NAME, value) is not None and value not in REFUSED_NAMES and len(value) <= MAX_TEXT,
        "cannot stand in a METRIC line: a name is letters, digits, _ . - and does not begin with a digit, . or -",
    )
    return value


def check_fact(value: str) -> str:
    """A model or a precision, part of the lineage key."""
    _require(value not in (UNKNOWN, "any"), "is reserved: leave the key out where there is none")
    return check_text(value)


def check_unit(value: str) -> str:
    _require("(" not in value and ")" not in value, "holds a parenthesis, which a METRIC line cannot give back")
    return check_text(value)


def check_variable(value: str) -> str:
    _require(_VARIABLE.fullmatch(value) is not None, "is no name of an environment variable")
    return value


def check_passed_variable(value: str) -> str:
    """A variable of the job that the benchmark may see: never a secret, nothing that steers the CI runner."""
    check_variable(value)
    why = why_withheld(value)
    _require(not why, f"is kept from benchmarks, for {why}: let an earlier step of the job fetch what needs it")
    return value


def check_variable_text(value: str) -> str:
    _require("\x00" not in value, "holds a NUL character")
    _require(len(value) <= MAX_COMMAND, f"has more than {MAX_COMMAND} characters")
    return value


def check_path(value: str) -> str:
    """A path inside the repository."""
    check_text(value)
    parts = value.split("/")
    _require(not value.startswith(("/", "~")), "is not relative to the top of the repository")
    _require(".." not in parts, "leads out of the repository with ..")
    _require("\\" not in value, "holds a backslash: folders are separated by /")
    _require(not any(part.lower() == ".git" for part in parts), "leads into .git")
    return value


def check_cache_path(value: str) -> str:
    """A path inside the repository, or one of the home folder."""
    _require(not value.startswith("/"), "is absolute: a cache is relative to the repository or begins with ~/")
    check_path(value.removeprefix("~/"))
    return value


def check_glob(value: str) -> str:
    problem = pattern_problem(value)
    _require(problem is None, problem or "")
    return value


def check_branch_pattern(value: str) -> str:
    _require(_BRANCH_PATTERN.fullmatch(value) is not None, 'is no pattern of branch names such as "experiment/**"')
    return check_glob(value)


def check_built_format(value: str) -> str:
    _require(value == "metric", "is not built yet: only metric is, which reads METRIC lines. Foreign formats come later")
    return value


def check_built_output(value: str) -> str:
    _require(value == "stdout", "is not built yet: METRIC lines are read from stdout only. Output files come with foreign formats")
    return value


def parse_min_effect(value: object) -> "float | Literal['auto']":
    return "auto" if value == "auto" else parse_fraction(value)


def parse_alpha(value: object) -> float:
    alpha = parse_fraction(value)
    _require(0 < alpha < 0.5, "is not between 0 and 0.5")
    return alpha


def parse_amount(value: object) -> float:
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    _require(math.isfinite(number) and number >= 0, "is not a number from 0 upwards")
    return number


def _positive(parse: Callable[[object], float]) -> Callable[[object], float]:
    def check(value: object) -> float:
        number = parse(value)
        _require(number > 0, "is not more than 0")
        return number

    return check


def _positive_size(value: object) -> int:
    size = parse_size(value)
    _require(size > 0, "is not more than 0")
    return size


_NUMBER_PATTERN = r"[0-9]+(\.[0-9]+)?"
_DURATION_SCHEMA = {
    "$comment": "duration",
    "type": ["string", "number"],
    "pattern": rf"^({_NUMBER_PATTERN}(ms|[wdhms]))+$",
    "exclusiveMinimum": 0,
}
_SIZE_SCHEMA = {
    "$comment": "size",
    "type": ["string", "integer"],
    "pattern": rf"^{_NUMBER_PATTERN} ?([kKMGT]i?B|B)$",
    "exclusiveMinimum": 0,
}
_FRACTION_PATTERN = rf"{_NUMBER_PATTERN} ?%?"
_FRACTION_SCHEMA = {
    "$comment": "percentage",
    "type": ["string", "number"],
    "pattern": f"^{_FRACTION_PATTERN}$",
    "minimum": 0,
    "exclusiveMaximum": 1,
}

Whole = Annotated[int, Strict()]
"""A whole number, never one in quotes."""
Truth = Annotated[bool, Strict()]
"""true or false, never yes, on or 1."""
Duration = Annotated[float, PlainValidator(_positive(parse_duration)), WithJsonSchema(_DURATION_SCHEMA)]
"""Seconds."""
Size = Annotated[int, PlainValidator(_positive_size), WithJsonSchema(_SIZE_SCHEMA)]
"""Bytes."""
Amount = Annotated[float, PlainValidator(parse_amount), WithJsonSchema({"$comment": "number", "type": "number", "minimum": 0})]
"""A plain number that is not negative."""
Fraction = Annotated[float, PlainValidator(parse_fraction), WithJsonSchema(_FRACTION_SCHEMA)]
Alpha = Annotated[float, PlainValidator(parse_alpha), WithJsonSchema({**_FRACTION_SCHEMA, "exclusiveMaximum": 0.5})]
MinEffect = Annotated[
    float | Literal["auto"],
    PlainValidator(parse_min_effect),
    WithJsonSchema({**_FRACTION_SCHEMA, "$comment": "percentage or auto", "pattern": f"^(auto|{_FRACTION_PATTERN})$"}),
]


def _kind(name: str) -> WithJsonSchema:
    """Text of a kind that the docs name."""
    return WithJsonSchema({"type": "string", "$comment": name})


Text = Annotated[str, AfterValidator(check_text)]
Command = Annotated[str, AfterValidator(check_command), _kind("command")]
BenchmarkName = Annotated[str, AfterValidator(check_benchmark_name)]
MetricName = Annotated[str, AfterValidator(check_metric_name)]
Unit = Annotated[str, AfterValidator(check_unit)]
Fact = Annotated[str, AfterValidator(check_fact)]
RelativePath = Annotated[str, AfterValidator(check_path), _kind("path")]
CachePath = Annotated[str, AfterValidator(check_cache_path), _kind("path")]
Glob = Annotated[str, AfterValidator(check_glob), _kind("pattern")]
BranchPattern = Annotated[str, AfterValidator(check_branch_pattern), _kind("pattern")]
Variable = Annotated[str, AfterValidator(check_variable)]
PassedVariable = Annotated[str, AfterValidator(check_passed_variable)]
VariableText = Annotated[
    str, AfterValidator(check_variable_text), WithJsonSchema({"type": ["string", "number", "boolean"]}, mode="validation")
]
BuiltFormat = Annotated[str, AfterValidator(check_built_format), WithJsonSchema({"const": "metric"})]
BuiltOutput = Annotated[str, AfterValidator(check_built_output), WithJsonSchema({"const": "stdout"})]


def list_or_range(value: object) -> str | None:
    """Which of the two forms of `seeds` this is."""
    if isinstance(value, tuple | list):
        return "list"
    return "range" if isinstance(value, dict | BaseModel) else None


SEED_FORMS = Discriminator(
    list_or_range,
    custom_error_type="seed_forms",
    custom_error_message="must be a list such as [13, 42, 123] or a range such as {start: 13, min: 3, max: 10}",
)

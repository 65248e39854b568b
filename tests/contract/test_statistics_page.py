"""The page on statistics and the code agree on every constant."""

import importlib
import re
from pathlib import Path

import pytest

from assay.core.effect_size import BANDS
from assay.core.noise import LARGEST_RATIO, OUTLYING, SIMILAR_WORTH
from assay.core.similar import TAIL_DF
from assay.core.single import changes_needed

PAGE = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")
CONSTANTS = re.findall(r"^\| `(\w+)\.(\w+)` \| ([^|]+) \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("module", "name", "value"), CONSTANTS)
def test_a_constant_has_its_value(module: str, name: str, value: str) -> None:
    assert getattr(importlib.import_module(f"assay.core.{module}"), name) == float(value)


@pytest.mark.parametrize(
    "module", ["estimate", "location", "similar", "noise", "modes", "doubts", "drift", "bootstrap", "suite", "session_noise"]
)
def test_every_constant_of_the_method_is_on_the_page(module: str) -> None:
    numbers = {
        name
        for name, value in vars(importlib.import_module(f"assay.core.{module}")).items()
        if re.fullmatch(r"[A-Z][A-Z_]+", name) and isinstance(value, int | float)
    }
    told = {name for _, name, _ in CONSTANTS} | {"ROUNDING", "CONSISTENT", "LARGEST"}  # what floats are, and a definition
    assert numbers <= told


def test_the_formulas_use_them() -> None:
    assert (
        f"({SIMILAR_WORTH:.0f} + Σ min(r², max({LARGEST_RATIO**2:.0f}, {OUTLYING**2:.0f} median r²))) / ({SIMILAR_WORTH:.0f} + n)" in PAGE
    )
    assert f"Student's t with {TAIL_DF:.0f} degrees of freedom" in PAGE
    assert f"takes {changes_needed(0.05)} earlier changes for 5 %" in PAGE
    assert all(f"{name} below {limit:g}" in PAGE.replace("\n", " ") for limit, name in BANDS)


def test_every_source_that_is_cited_is_listed_and_the_other_way_round() -> None:
    text, sources = PAGE.split("## Sources")
    cited = {number for group in re.findall(r"\[([\d, ]+)\]", text) for number in group.split(", ")}
    assert cited == set(re.findall(r"\[(\d+)\]", sources))

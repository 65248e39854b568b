"""What a store keeps of an analysis."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.analysis_file import analysis_files
from assay.core.ids import is_id
from assay.core.store_layout import ANALYSIS_FILES, analysis_of, analysis_path

ANALYSIS = "ana-01JD0000000000000000000001"
MANIFEST = {"routes": {"candidates": ["command:llm --key swordfish-9"]}, "usage": {"tokens": 12}, "artifacts": {"sha256": "a" * 64}}


def test_three_files_are_kept_and_the_manifest_is_the_last_of_them() -> None:
    files = analysis_files(ANALYSIS, MANIFEST, {"agreements": []}, "## Verdict\n")
    assert [one.path for one in files] == [f"analyses/{ANALYSIS}/{name}" for name in ("evaluation.json", "merged.md", "manifest.json")]
    assert json.loads(files[-1].data) == MANIFEST
    assert files[1].data == b"## Verdict\n"


def test_no_secret_stands_in_any_of_them_and_nothing_else_is_touched() -> None:
    told = {"agreements": ["all saw swordfish-9", "and ghp_0123456789abcdefghij"]}
    files = {one.name: one.data.decode() for one in analysis_files(ANALYSIS, MANIFEST, told, "It is swordfish-9.\n", ("swordfish-9",))}
    assert not any("swordfish-9" in text or "ghp_" in text for text in files.values())
    whole = json.loads(files["manifest.json"])
    assert (whole["usage"], whole["artifacts"]) == (MANIFEST["usage"], MANIFEST["artifacts"])
    assert json.loads(files["evaluation.json"]) == {"agreements": ["all saw [redacted]", "and [redacted]"]}


def test_text_that_is_none_is_kept_as_far_as_it_is_one() -> None:
    assert b"?" in analysis_files(ANALYSIS, {}, {}, "half \ud800 of it")[1].data


@pytest.mark.parametrize("name", ANALYSIS_FILES)
def test_a_path_tells_the_analysis_and_the_file(name: str) -> None:
    assert analysis_of(analysis_path(ANALYSIS, name)) == (ANALYSIS, name)


@pytest.mark.parametrize(
    ("analysis_id", "name"), [(ANALYSIS, "candidate.prompt.txt"), (ANALYSIS, "../x"), ("run-1", "merged.md"), ("..", "x")]
)
def test_nothing_else_has_a_place_in_a_store(analysis_id: str, name: str) -> None:
    with pytest.raises(ValueError, match=r"a store keeps no|is not an id"):
        analysis_path(analysis_id, name)
    assert analysis_of(f"analyses/{analysis_id}/{name}") is None


@given(st.text(alphabet="ana-01JD/.merged\n", max_size=60))
def test_what_counts_as_a_file_of_an_analysis_leads_nowhere_else(path: str) -> None:
    found = analysis_of(path)
    assert found is None or (is_id("ana", found[0]) and path == f"analyses/{found[0]}/{found[1]}")

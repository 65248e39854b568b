"""The published document of a working tree: a regular file, and whatever else stands in its place is told."""

import os
from pathlib import Path

import pytest

from assay.adapters.document_file import TreeDocuments
from assay.errors import UsageError


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_folder_or_a_pipe_in_its_place_is_a_usage_error(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "results.md")
    with pytest.raises(UsageError, match="not a regular file"):
        TreeDocuments(tmp_path).read("results.md")

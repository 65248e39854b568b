"""The config file of a working tree, on a real disk."""

import os
from pathlib import Path

import pytest
from tests.configs import SMALL

from assay.adapters.config_file import read_config
from assay.errors import InfrastructureError, UsageError


def write(root: Path, content: bytes | str, name: str = ".github/assay.yml") -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def refused(root: Path) -> UsageError:
    with pytest.raises(UsageError) as raised:
        read_config(str(root))
    return raised.value


def test_a_config_is_read(tmp_path: Path) -> None:
    write(tmp_path, SMALL)
    assert list(read_config(str(tmp_path)).benchmarks) == ["bench"]


def test_another_file_may_be_named(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL, "ci/perf.yml")
    assert read_config(str(tmp_path), "ci/perf.yml") == read_config(str(tmp_path), str(file))


def test_a_mistake_is_told_under_the_name_that_was_given(tmp_path: Path) -> None:
    write(tmp_path, SMALL + "oops: 1\n", "ci/perf.yml")
    with pytest.raises(UsageError, match=r"^ci/perf\.yml:6: "):
        read_config(str(tmp_path), "ci/perf.yml")


def test_without_a_config_the_next_step_is_said(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert f"There is no .github/assay.yml in {tmp_path}" in error.message
    assert "assay check --run" in error.hint


def test_the_other_spelling_of_the_name_is_found(tmp_path: Path) -> None:
    write(tmp_path, SMALL, ".github/assay.yaml")
    assert refused(tmp_path).hint == "Rename it: git mv .github/assay.yaml .github/assay.yml"


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, SMALL, "elsewhere.yml")
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/assay.yml").symlink_to(tmp_path / "elsewhere.yml")
    assert "is a symbolic link" in refused(tmp_path).message


def test_a_pipe_does_not_hold_the_command_up(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    os.mkfifo(tmp_path / ".github/assay.yml")
    assert "is not a regular file" in refused(tmp_path).message


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".github/assay.yml").mkdir(parents=True)
    assert "is not a regular file" in refused(tmp_path).message


def test_a_file_where_a_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / ".github").write_text("", encoding="utf-8")
    with pytest.raises(InfrastructureError, match="cannot be read: Not a directory"):
        read_config(str(tmp_path))


def test_a_file_over_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    write(tmp_path, SMALL + "#" * 70_000)
    assert refused(tmp_path).message == ".github/assay.yml:1: the file is over 64 KiB"


def test_bytes_that_are_no_utf8_are_told_with_their_line(tmp_path: Path) -> None:
    write(tmp_path, SMALL.encode() + b"# caf\xe9\n")
    assert refused(tmp_path).message == ".github/assay.yml:6: the file is not UTF-8"

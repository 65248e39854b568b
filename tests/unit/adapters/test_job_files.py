"""The files of a step: appended to as the runner reads them, and kept from whoever else writes there."""

import os
from pathlib import Path

import pytest
from tests.integration.action.conftest import outputs_of

from assay.adapters.job_files import COMMAND_FILES, SUMMARY_BYTES, StepFiles
from assay.errors import InfrastructureError


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The variables and the empty files of a step."""
    paths = {name: tmp_path / name.lower() for name in COMMAND_FILES}
    for path in paths.values():
        path.touch()
    return {name: str(path) for name, path in paths.items()}


def read(environ: dict[str, str], name: str) -> str:
    return Path(environ[name]).read_text(encoding="utf-8")


def test_outputs_are_read_back_as_they_were(environ: dict[str, str]) -> None:
    files = StepFiles(environ)
    files.output("conclusion", "success")
    files.output("matrix", "")
    files.output("result", "a=b\nc<<d\n\n e")
    assert outputs_of(read(environ, "GITHUB_OUTPUT")) == {"conclusion": "success", "matrix": "", "result": "a=b\nc<<d\n\n e"}


def test_no_value_can_set_another_output(environ: dict[str, str]) -> None:
    StepFiles(environ).output("result", "x\nEOF\nconclusion=success\rrun-id<<A\ny\nA\n\0")
    assert set(outputs_of(read(environ, "GITHUB_OUTPUT"))) == {"result"}
    assert not {"\r", "\0"} & set(read(environ, "GITHUB_OUTPUT"))


def test_each_delimiter_has_128_bits_of_chance(environ: dict[str, str]) -> None:
    files = StepFiles(environ)
    for _ in range(20):
        files.output("result", "x")
    marks = {line.partition("<<")[2] for line in read(environ, "GITHUB_OUTPUT").splitlines() if "<<" in line}
    assert len(marks) == 20
    assert {len(bytes.fromhex(mark)) for mark in marks} == {16}


def test_only_the_action_s_own_outputs_can_be_set(environ: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="no output"):
        StepFiles(environ).output("PATH", "/tmp")


def test_summaries_are_added_to_what_is_there(environ: dict[str, str]) -> None:
    Path(environ["GITHUB_STEP_SUMMARY"]).write_text("before\n")
    files = StepFiles(environ)
    files.summary("one")
    files.summary("two\n")
    assert read(environ, "GITHUB_STEP_SUMMARY") == "before\none\ntwo\n"


def test_a_summary_may_fill_a_mebibyte_and_no_more(environ: dict[str, str]) -> None:
    files = StepFiles(environ)
    files.summary("x" * (SUMMARY_BYTES - 1))
    with pytest.raises(InfrastructureError, match="no room"):
        files.summary("y")
    assert len(read(environ, "GITHUB_STEP_SUMMARY")) == SUMMARY_BYTES


def test_without_files_there_is_nobody_to_tell() -> None:
    files = StepFiles({})
    files.summary("x")
    files.output("result", "x")
    assert files.tampered == ()


def test_a_link_is_not_followed(environ: dict[str, str], tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    Path(environ["GITHUB_OUTPUT"]).unlink()
    Path(environ["GITHUB_OUTPUT"]).symlink_to(target)
    with pytest.raises(InfrastructureError, match="GITHUB_OUTPUT could not be written"):
        StepFiles(environ).output("result", "x")
    assert target.read_text() == "mine"


def test_a_file_with_another_name_is_not_written(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "other").hardlink_to(environ["GITHUB_OUTPUT"])
    with pytest.raises(InfrastructureError, match="GITHUB_OUTPUT could not be written"):
        StepFiles(environ).output("result", "x")


def test_a_pipe_does_not_hold_us_up(environ: dict[str, str]) -> None:
    Path(environ["GITHUB_OUTPUT"]).unlink()
    os.mkfifo(environ["GITHUB_OUTPUT"])
    with pytest.raises(InfrastructureError):
        StepFiles(environ).output("result", "x")


@pytest.mark.parametrize("name", COMMAND_FILES)
def test_what_somebody_else_wrote_meanwhile_is_taken_out_and_named(environ: dict[str, str], name: str) -> None:
    Path(environ[name]).write_text("ours\n")
    files = StepFiles(environ)
    with Path(environ[name]).open("a") as file:
        file.write("LD_PRELOAD=/tmp/evil.so\n")
    files.settle()
    assert files.tampered == (name,)
    assert read(environ, name) == "ours\n"


def test_a_link_put_in_the_place_of_a_file_is_taken_out(environ: dict[str, str], tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    files = StepFiles(environ)
    Path(environ["GITHUB_STEP_SUMMARY"]).unlink()
    Path(environ["GITHUB_STEP_SUMMARY"]).symlink_to(target)
    files.summary("verdict")
    assert files.tampered == ("GITHUB_STEP_SUMMARY",)
    assert read(environ, "GITHUB_STEP_SUMMARY") == "verdict\n"
    assert target.read_text() == "mine"


def test_what_we_write_ourselves_is_no_tampering(environ: dict[str, str]) -> None:
    files = StepFiles(environ)
    files.output("result", "x")
    files.summary("x")
    files.settle()
    assert files.tampered == ()

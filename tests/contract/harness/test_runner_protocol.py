"""Outputs and log commands are read as the runner reads them."""

from pathlib import Path

import pytest
from tests.harness.file_commands import FileCommandError, read_pairs
from tests.harness.log_commands import Command, obeyed


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", {}),
        ("a=1\n\nb=2", {"a": "1", "b": "2"}),
        ("a=1\na=2\n", {"a": "2"}),
        ("a==<<x\n", {"a": "=<<x"}),
        ("a<<E=F\nx\nE=F\n", {"a": "x"}),
        ("a<<E\nx\n\n E\nE\nb=\n", {"a": "x\n\n E", "b": ""}),
        ("a=1\r\nb<<E\r\nx\r\nE\r\n", {"a": "1", "b": "x"}),
    ],
)
def test_pairs_are_read_line_by_line_or_up_to_their_delimiter(tmp_path: Path, text: str, pairs: dict[str, str]) -> None:
    path = tmp_path / "output"
    path.write_bytes(text.encode())
    assert read_pairs(path) == pairs


@pytest.mark.parametrize("text", ["words\n", "=1\n", "a<<\nx\n\n", "a<<E\nx\n", "<<E\nx\nE\n"])
def test_anything_else_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "output"
    path.write_text(text)
    with pytest.raises(FileCommandError):
        read_pairs(path)


@pytest.mark.parametrize(
    ("log", "names"),
    [
        ("::warning::careful", ["warning"]),
        ("  ::error file=a.py,line=1::broken", ["error"]),
        ("text ##[add-mask]secret", ["add-mask"]),
        ("progress 10%\r::set-output name=x::1", ["set-output"]),
        ("text ::error::not at the start", []),
        ("::unheard-of::x", []),
        ("::stop-commands::tok\n::error::no\n##[error]no\n::tok::\n::notice::yes", ["stop-commands", "notice"]),
        ("::stop-commands::tok\n::other::\n::error::no", ["stop-commands"]),
    ],
)
def test_the_commands_of_a_log_are_those_the_runner_obeys(log: str, names: list[str]) -> None:
    assert [command.name for command in obeyed(log)] == names


def test_a_command_has_its_properties_and_its_text_unescaped() -> None:
    assert list(obeyed("::error file=a%3Ab.py,line=3::one%0Atwo%25")) == [Command("error", "one\ntwo%", {"file": "a:b.py", "line": "3"})]

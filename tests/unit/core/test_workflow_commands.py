"""Nothing that a child prints is obeyed by the runner that shows it."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.hostile import hostile

from assay.core.workflow_commands import Level, annotation, calm, quoted

TOKEN = "k3J9_x-f00dfeedbeef"

texts = st.one_of(st.text(), hostile, st.text(st.sampled_from("#[:\r\n\x1b\x00a")))


def obeyed(log: str) -> list[str]:
    """The commands that a runner would find in a log: it reads lines that end at CR, LF or both, and stops while it is told to."""
    found, stopped = [], ""
    for line in re.split(r"\r\n|\r|\n", log):
        command = re.match(r"\s*::([^: ]+)[^:]*::(.*)", line)
        old = re.search(r"##\[([^\] ]+)", line)
        name = command[1] if command else old[1] if old else ""
        if stopped:
            stopped = "" if name.casefold() == stopped.casefold() else stopped
        elif command and name == "stop-commands":
            stopped = command[2]
        elif name:
            found.append(name)
    assert stopped == "", "the log stays stopped"
    return found


def test_a_quotation_stands_between_stop_and_go() -> None:
    assert quoted("one\ntwo", TOKEN) == f"::stop-commands::{TOKEN}\none\ntwo\n::{TOKEN}::\n"
    assert quoted("one\n", TOKEN) == f"::stop-commands::{TOKEN}\none\n::{TOKEN}::\n"
    assert quoted("", TOKEN) == f"::stop-commands::{TOKEN}\n::{TOKEN}::\n"


@pytest.mark.parametrize(
    "text",
    [
        "::error::boom",
        "  ::set-output name=a::b",
        "x\r::error::boom",
        "##[error]boom",
        "text ##[group]x",
        "###[error]x",
        "#\x1b[0m#[error]x",
        "::stop-commands::other",
        "::add-mask::e",
    ],
)
def test_known_tricks_are_not_obeyed(text: str) -> None:
    assert obeyed(f"::notice::before\n{quoted(text, TOKEN)}::notice::after\n") == ["notice", "notice"]


@given(texts)
def test_nothing_quoted_is_obeyed(text: str) -> None:
    log = quoted(text, TOKEN)
    assert obeyed(log) == []
    assert "##[" not in log
    assert log.endswith(f"\n::{TOKEN}::\n")


@given(texts)
def test_no_control_character_is_left(text: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", calm(text))


@given(texts)
def test_calming_is_done_once(text: str) -> None:
    assert calm(calm(text)) == calm(text)


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"], exclude_characters="#")))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert calm(f"{text}\t{text}\n") == f"{text}\t{text}\n"


def test_controls_can_be_seen() -> None:
    assert calm("\x1b[31m\x00\x7f\u202e\x9b") == "␛[31m␀␡\ufffd\ufffd"
    assert calm("a\r\nb\rc") == "a\nb\nc"


@pytest.mark.parametrize("text", [TOKEN, f"::{TOKEN}::", f"x{TOKEN.upper()}y", f"a\n{TOKEN.swapcase()}"])
def test_a_token_that_the_text_knows_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="occurs in the text"):
        quoted(text, TOKEN)


@pytest.mark.parametrize("token", ["", "short", "a" * 15, "a" * 20 + "\n", "a" * 20 + "::", "é" * 20, "pause-logging "])
def test_a_token_that_is_none_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="at least 16"):
        quoted("x", token)


def test_an_annotation_is_one_command() -> None:
    assert annotation(Level.ERROR, "boom") == "::error::boom\n"
    got = annotation(Level.WARNING, "50% of\nit, a: b", title="a,b: c%", file="src/x y.py", line=3)
    assert got == "::warning file=src/x y.py,line=3,title=a%2Cb%3A c%25::50%25 of%0Ait, a: b\n"


@given(texts, texts, texts)
def test_an_annotation_stays_one_command_whatever_is_in_it(message: str, title: str, file: str) -> None:
    got = annotation(Level.NOTICE, message, title=title, file=file)
    assert got.count("\n") == 1
    assert obeyed(got) == ["notice"]
    assert "##[" not in got


@given(texts, texts)
def test_an_annotation_can_be_read_back(message: str, title: str) -> None:
    assume(title)
    found = re.fullmatch(r"::notice title=([^:,\r\n]*)::([^\r\n]*)\n", annotation(Level.NOTICE, message, title=title))
    assert found is not None
    assert decoded(found[1]) == calm(title)
    assert decoded(found[2]) == calm(message)


def decoded(text: str) -> str:
    """As the runner does."""
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text

"""Whatever a stranger writes shows as text and does nothing."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile import TRICKS, hostile, kinds, prose, shown, tokens

from assay.core import escape

TEXT_ONLY = {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "code_inline"}
TABLE = "| a | b |\n| --- | --- |\n| {cell} | end |\n"
MENTION = re.compile(r"@[A-Za-z0-9]")
REFERENCE = re.compile(r"#[0-9]|(?i:\bgh-[0-9])")
LINK = re.compile(r"://|(?i:\bwww\.)")


def acts(text: str) -> list[str]:
    """What GitHub would still act upon in the text of a page."""
    return [pattern.pattern for pattern in (MENTION, REFERENCE, LINK) if pattern.search(text)]


@given(hostile)
def test_an_inline_text_is_nothing_but_text_and_code(text: str) -> None:
    assert kinds(escape.inline(text)) <= TEXT_ONLY


@given(hostile)
def test_an_inline_text_has_no_raw_html_and_nothing_that_notifies_or_links(text: str) -> None:
    written = escape.inline(text)
    assert not set("<>|[]\n\r") & set(written)
    assert acts(prose(written)) == []


@given(hostile)
def test_a_table_keeps_its_two_cells_whatever_stands_in_one(text: str) -> None:
    cells = [token for token in tokens(TABLE.format(cell=escape.inline(text))) if token.type == "td_open"]
    assert len(cells) == 2


@given(hostile)
def test_a_list_item_stays_one_item_without_blocks_inside(text: str) -> None:
    allowed = TEXT_ONLY | {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}
    page = [token.type for token in tokens(f"- {escape.inline(text)}\n- end\n")]
    assert set(page) <= allowed
    assert page.count("list_item_open") == 2


@given(hostile)
def test_a_name_is_a_code_span_or_text(text: str) -> None:
    written = escape.name(text)
    assert kinds(written) <= TEXT_ONLY
    assert not set("<>|\n\r") & set(written)


@given(st.lists(hostile, max_size=5))
def test_a_fence_holds_whatever_is_in_it(lines: list[str]) -> None:
    page = [token for token in tokens(f"{escape.fence(lines)}\n\nend\n") if token.type != "text"]
    assert [token.type for token in page] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert page[2].content == "end"


@given(st.lists(hostile, max_size=5))
def test_no_place_lets_a_marker_be_forged(lines: list[str]) -> None:
    forged = "<!-- assay:report -->"
    for written in (escape.fence([*lines, forged]), escape.inline("".join([*lines, forged])), escape.name("".join([*lines, forged]))):
        assert "<!--" not in written


@given(hostile)
def test_plain_text_is_one_line_without_controls_or_workflow_commands(text: str) -> None:
    written = escape.plain(text)
    assert all(unicodedata.category(sign) not in {"Cc", "Cf", "Zl", "Zp", "Cs"} for sign in written)
    assert not written.startswith("::")
    assert "##[" not in written


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789 .,;%()'", max_size=40))
def test_ordinary_prose_is_shown_as_it_is(text: str) -> None:
    assert shown(escape.inline(f"the {text}")) == " ".join(f"the {text}".split())


@pytest.mark.parametrize("trick", TRICKS)
def test_each_known_trick_is_tame_in_every_place(trick: str) -> None:
    for written in (escape.inline(trick), escape.name(f"x{trick}")):
        assert kinds(written) <= TEXT_ONLY
    assert acts(prose(escape.inline(trick))) == []


@pytest.mark.parametrize(
    "form",
    ["@octocat", "&#64;octocat", "&#x40;octocat", "&commat;octocat", "&amp;#64;octocat", "&amp;amp;commat;octocat", "&\u200b#64;octocat"],
)
def test_a_mention_is_broken_in_each_of_its_forms(form: str) -> None:
    assert escape.inline(form) == "@\u200boctocat"


@pytest.mark.parametrize("name", ["val_loss", "tok/s", "p99.9", "std::sort", "a-b+c=d"])
def test_a_usual_name_stays_as_it_is_in_a_code_span(name: str) -> None:
    assert escape.name(name) == f"`{name}`"


def test_a_harmless_code_span_stays_one_and_an_unfinished_one_becomes_text() -> None:
    assert escape.inline("raise `repeats.max` now") == "raise `repeats.max` now"
    assert escape.inline("`a` `b") == "`a` &#96;b"
    assert escape.inline("`<b>`") == "&#96;&lt;b&gt;&#96;"
    assert escape.inline("`a``b`") == "&#96;a&#96;&#96;b&#96;"


def test_an_identifier_in_a_sentence_keeps_its_underscores() -> None:
    assert escape.inline("val_loss of run_3") == "val_loss of run_3"


@pytest.mark.parametrize(("text", "shortened"), [("abcdef", "abcdef"), ("abcdefg", "abcde…"), ("abcd  g", "abcd…")])
def test_a_long_text_ends_with_an_ellipsis(text: str, shortened: str) -> None:
    assert escape.shorten(text, 6) == shortened


def test_a_text_is_cut_before_it_is_escaped_so_no_entity_is_torn() -> None:
    assert escape.inline("<" * 50, 10) == "&lt;" * 9 + "…"


def test_what_is_no_commit_id_is_escaped_like_any_text() -> None:
    assert escape.short_sha("a1b2c3d" + "0" * 33) == "a1b2c3d"
    assert escape.short_sha("<b>@x") == "&lt;b&gt;@\u200bx"


def test_a_fence_is_longer_than_the_longest_run_of_backticks() -> None:
    assert escape.fence(["a ````` b"]).startswith("``````text\n")


def test_output_keeps_its_indentation_and_loses_its_colours() -> None:
    assert escape.visible_lines(["\x1b[31m\tred\x1b[0m", "two\rthree"]) == ["    red", "two", "three"]


@pytest.mark.parametrize("sequence", ["\x1b[31m", "\x9b31m", "\x1b]0;title\x07", "\x1b]8;;https://x\x1b\\", "\x1bP1\x1b\\", "\x1bc"])
def test_a_terminal_sequence_leaves_nothing(sequence: str) -> None:
    assert escape.clean(f"a{sequence}b") == "ab"


@pytest.mark.parametrize("unfinished", ["\x1b]0;title", "\x1bPdata", "\x1b["])
def test_an_unfinished_sequence_hides_no_other_line(unfinished: str) -> None:
    assert escape.clean(f"a{unfinished}\nthe second line").endswith("the second line")

"""The strict part of YAML, and its complaints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.yaml_problems import YamlError, bare
from assay.core.yaml_tree import MAX_DEPTH, Listing, Reading, Scalar, Table, read_tree


def value(text: str) -> object:
    root = read_tree(f"key: {text}\n").root
    assert isinstance(root, Table)
    node = root.entries["key"]
    assert isinstance(node, Scalar)
    return node.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 3),
        ("-7", -7),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("False", False),
        ("", None),
        ("~", None),
        ("null", None),
        ('"3"', "3"),
        ("'true'", "true"),
        ('""', ""),
    ],
)
def test_a_scalar_has_the_value_of_the_core_schema(text: str, expected: object) -> None:
    found = value(text)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    "text", ["on", "off", "yes", "no", "y", "1_000", "1:30", "2024-01-31", ".inf", ".nan", "010", "0x10", "1" * 30, "1e999"]
)
def test_what_older_yaml_made_something_else_of_stays_text(text: str) -> None:
    assert value(text) == text


def test_every_node_knows_its_line() -> None:
    root = read_tree("a: 1\nb:\n  - x\n  -\n    c: {d: 2}\n").root
    assert isinstance(root, Table)
    assert root.lines == {"a": 1, "b": 2}
    items = root.entries["b"]
    assert isinstance(items, Listing)
    inner = items.items[1]
    assert isinstance(inner, Table)
    assert inner.lines == {"c": 5}


def test_a_key_that_stands_twice_is_told_with_both_lines_and_the_first_stays() -> None:
    reading = read_tree("a: 1\nb: 2\na: 3\n")
    assert [(one.line, one.text) for one in reading.problems] == [(3, 'the key "a" stands twice, first on line 1')]
    assert isinstance(reading.root, Table)
    assert reading.root.entries["a"] == Scalar("1", plain=True, line=1)


@pytest.mark.parametrize("key", ["1", "true", "~", "1.5"])
def test_a_key_that_is_no_text_is_told(key: str) -> None:
    assert [one.text for one in read_tree(f"{key}: x\n").problems] == [f"the key {key} is not a text: put it in quotes"]


def test_on_is_a_key_like_any_other() -> None:
    root = read_tree("on: x\n").root
    assert isinstance(root, Table)
    assert list(root.entries) == ["on"]


BOMB = "a: &a [x, x]\n" + "".join(
    f"{'abcdefghij'[i]}: &{'abcdefghij'[i]} [{', '.join(['*' + 'abcdefghij'[i - 1]] * 9)}]\n" for i in range(1, 10)
)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "the file is empty"),
        ("# only this\n", 1, "the file is empty"),
        ("a: 1\n---\nb: 1\n", 2, "a second document begins here"),
        ("%YAML 1.1\n---\na: 1\n", 1, "directives such as %YAML are not taken"),
        ("a: 1\nb: *a\n", 2, "the alias *a is not taken"),
        ("a: 1\nb: &x 1\n", 2, "the anchor &x is not taken"),
        (BOMB, 1, "the anchor &a is not taken"),
        ("a: 1\nb: !!python/object:os.system x\n", 2, "the tag "),
        ("a: !x\n", 1, "the tag "),
        ("a:\n  <<: {b: 1}\n", 2, "merge keys (<<) are not taken"),
        ("? [a]\n: 1\n", 1, "a list or a mapping stands where a key is expected"),
        ("a: {b}: c\n", 1, "line 1"),
        ("[" * 20_000, 1, f"is nested more than {MAX_DEPTH} deep"),
        ("{a: " * 16_000, 1, f"is nested more than {MAX_DEPTH} deep"),
        ("- " * 30_000, 1, f"is nested more than {MAX_DEPTH} deep"),
        ("a: 1\n" * 20_000, 1, "the file is over 64 KiB"),
        ("ä" * 40_000, 1, "the file is over 64 KiB"),
        ("a: 1\n\tb: 2\n", 2, "a tab stands where YAML wants blanks"),
        ("a: 1\nb: @x\n", 2, "quote text that begins with @"),
        ("a: 1\nb: b: c\n", 2, 'quote text that holds a colon and a blank: "b: b: c"'),
        ("ignore:\n- **/*.md\n", 2, 'quote a pattern that begins with *, as in "**/*.md"'),
        ("a: 1\nb: [x, y\nc: 1\n", 3, "the list opened on line 2 has no closing ]"),
        ("a: {x: 1\n", 2, "the mapping opened on line 1 has no closing }"),
        ("a: [\n", 2, "a value is missing here"),
        ("a: 'x\n", 2, "the quote opened on line 1 is never closed"),
        ("a:\n  b: 1\n c: 1\n", 3, "the line does not fit the indentation above it"),
        ("a: 1\nword\n", 3, "neither a key with a colon nor an item of a list"),
        ("a: \x07\n", 1, "the character U+0007 is not allowed"),
        ("a: 1\nb: \ud800\n", 2, "the character U+D800 is not allowed"),
        ('a: 1\nb: "\\U00110000"\n', 2, "an escape names no character"),
        ('a: 1\nb: "\\ud800"\n', 2, "an escape names half a character"),
        ('a: "\\q"\n', 1, "is not valid YAML"),
    ],
    ids=lambda one: one[:24] if isinstance(one, str) else str(one),
)
def test_what_cannot_be_read_is_said_plainly_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(YamlError) as raised:
        read_tree(text)
    assert said in str(raised.value)
    assert raised.value.line == line


FRAGMENTS = st.sampled_from(
    [
        "a",
        ":",
        " ",
        "\n",
        "- ",
        "  ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        '"',
        "&",
        "*",
        "!",
        "|",
        ">",
        "#",
        "?",
        "%",
        "\\U0011",
        "\t",
        "1",
        "---",
        "...",
    ]
)


def outcome(text: str) -> Reading | YamlError:
    try:
        return read_tree(text)
    except YamlError as error:
        return error


@given(st.lists(FRAGMENTS, max_size=40).map("".join) | st.text(max_size=60))
def test_any_text_is_a_tree_or_a_plain_complaint(text: str) -> None:
    found = outcome(text)
    if isinstance(found, YamlError):
        assert found.text
        assert 1 <= found.line <= len(text.splitlines()) + 2
    else:
        assert isinstance(found.root, Scalar | Listing | Table)


@given(st.text(max_size=400))
def test_foreign_text_is_quoted_on_one_bounded_line(text: str) -> None:
    shown = bare(text)
    assert len(shown) <= 60
    assert shown.isprintable()

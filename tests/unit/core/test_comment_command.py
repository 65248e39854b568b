"""Comments: which lines of them order something, and what exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.comment_command import Command, Malformed, Verb, parse_comment, usages
from assay.core.comment_lines import TRIGGER, commands_in

SHA = "0123456789abcdef0123456789abcdef01234567"
RUN = "/experiment run"


@pytest.mark.parametrize(
    "body",
    [
        RUN,
        f"{RUN}\r\n",
        f"Faster now.\r\n\r\n{RUN}\r\n\r\nThanks!",
        f"Looks good!\n{RUN}",
        f"See `this` and `that`\n{RUN}",
        f"A \\` alone and a ` alone\n{RUN}",
        f"```\ncode\n```\n{RUN}",
        f"~~~\n```\n~~~\n{RUN}",
        f"> quoted\n\n{RUN}",
        f"<!-- a note -->\n\n{RUN}",
        f"see <b>this</b>\n{RUN}",
        f"see [this](https://example.org)\n{RUN}",
        f"<details>\n\na log\n</details>\n\n{RUN}",
        f"<details><summary>x</summary></details>\n\n{RUN}",
        f"Write `<!--` there\n{RUN}",
        f"- a point\n{RUN}",
        f"1. one\n   ```\n   code\n   ```\n\n{RUN}",
        f"a < b, Vec<int> and x <y\n\n{RUN}",
        f"- a point\n- [ ] another\n\n{RUN}",
        "/experiment\trun ",
    ],
)
def test_a_line_in_the_open_is_a_command(body: str) -> None:
    assert parse_comment(body) == Command(Verb.RUN)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "run",
        "/experimental run",
        "/experiments",
        "/Experiment run",
        f"Say {RUN}",
        f" {RUN}",
        f"    {RUN}",
        f"> {RUN}",
        f"> they wrote:\n{RUN}",
        f"```\n{RUN}\n```",
        f"```sh\n{RUN}",
        f"~~~\n{RUN}\n```\n{RUN}\n~~~",
        f"````\n```\n{RUN}\n````",
        f"`\n{RUN}\n`",
        f"\\` `\n{RUN}\n`",
        f"say ``\n{RUN}\n`` to start",
        f"<!--\n{RUN}\n-->",
        f"text <!-- and\n\n{RUN}\n\n-->",
        f"<pre>\n\n{RUN}\n</pre>",
        f'<a title="\n{RUN}\n">x</a>',
        f'<a title=">\n{RUN}\n">x</a>',
        f'[x](y "\n{RUN}\n")',
        f'[x]: y "\n{RUN}\n"',
        f"<?php\n\n{RUN}\n\n?>",
        f"<!DOCTYPE\n\n{RUN}\n\n>",
        f"<![CDATA[\n\n{RUN}\n\n]]>",
        f'<div title="\n\n{RUN}\n\n">',
        f"[a\n{RUN}\nb]: /url",
        f"x\r~~~\n{RUN}\n~~~",
        f"<details>\n\n{RUN}\n\n</details>",
        f"<DETAILS open><summary>a log</summary>\n<details>\n</details>\n\n{RUN}\n</details>",
        f"</details><details>\n\n{RUN}\n",
        f"<div hidden>\n\n{RUN}\n</div>",
        f"<template>\n\n{RUN}\n</template>",
        f"<blockquote>\n\n{RUN}\n</blockquote>",
        f"they said <q>\n\n{RUN}\n</q>",
        f"<del>\n\n{RUN}\n</del>",
        f"<code>\n\n{RUN}\n</code>",
        f"\ufeff{RUN}",
        f"\u200b{RUN}",
        RUN.replace("e", "\u0435", 1),
        RUN.replace("/", "\u2215", 1),
        RUN.replace("/", "\uff0f", 1),
        RUN.replace(" ", "\u00a0"),
        f"text\x85{RUN}",
        f"text\u2029{RUN}",
        f"text\f{RUN}",
        f"text\r{RUN}",
        f"text\v{RUN}",
        f"text\u2028{RUN}",
    ],
)
def test_what_is_shown_quoted_or_hidden_is_none(body: str) -> None:
    assert parse_comment(body) is None


def test_all_that_a_run_takes() -> None:
    body = f"{RUN} train eval vs=origin/main model=gpt2-small precision=bf16 seeds=1,2 repeats=5 sha={SHA} --no-reuse"
    wanted = Command(Verb.RUN, ("train", "eval"), "origin/main", "gpt2-small", "bf16", (1, 2), 5, SHA, no_reuse=True)
    assert parse_comment(body) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (f"keep sha={SHA}", Command(Verb.KEEP, sha=SHA)),
        (f"approve {SHA}", Command(Verb.APPROVE, sha=SHA)),
        ("grant 5", Command(Verb.GRANT, grant=5)),
        ("queue", Command(Verb.QUEUE)),
        ("queue add a b seeds=3", Command(Verb.QUEUE, ("a", "b"), seeds=(3,), queue="add")),
        *((verb, Command(Verb(verb))) for verb in ("status", "next", "keep", "discard", "cancel", "analyse", "review", "finalize", "help")),
    ],
)
def test_the_other_commands(line: str, wanted: Command) -> None:
    assert parse_comment(f"{TRIGGER} {line}") == wanted


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "names nothing"),
        ("rnu", "Did you mean “run”"),
        ("run seed=1", "Did you mean “seeds”"),
        ("run seeds=1 seeds=2", "twice"),
        ("run seeds=1,1", "twice"),
        ("run seeds=", "seed"),
        ("run seeds=1,,2", "seed"),
        ("run seeds=²", "seed"),
        ("run seeds=99999999999", "seed"),
        ("run a a", "twice"),
        ("run sha = 1", "no blank may stand"),
        ("run a =b", "blank"),
        (f"run sha={SHA[:10]}", "40 digits"),
        (f"run sha={SHA.upper()}", "40 digits"),
        ("run repeats=1", "from 2"),
        ("run --no-resue", "--no-reuse"),
        ("run --upload-pack=x", "--upload-pack"),
        ("run vs=--upload-pack=x", "commit, branch or tag"),
        ("run vs=-x", "commit, branch or tag"),
        ("run vs=a..b", "commit, branch or tag"),
        ("run $(touch /tmp/x); id", "not the name of a benchmark"),
        ('run named= quoted arg" note="with \\"quoted value', "named"),
        ('run (; priority="high")', "takes no “priority”"),
        ("run ../../etc", "name of a benchmark"),
        ("run a\0b", "name of a benchmark"),
        ("approve", "one full commit id"),
        (f"approve {SHA} {SHA}", "one full commit id"),
        ("grant", "one number"),
        ("grant -1", "takes no"),
        ("grant 1e9", "number of runs"),
        ("status now", "takes no “now”"),
        ("queue drop", "knows no “drop”"),
        ("queue add", "Nothing is named"),
    ],
)
def test_a_wrong_command_says_what_is_valid(line: str, says: str) -> None:
    got = parse_comment(f"{TRIGGER} {line}".rstrip())
    assert isinstance(got, Malformed)
    assert says in got.problem
    assert got.usage


def test_two_commands_are_none() -> None:
    got = parse_comment(f"{RUN}\n\n{TRIGGER} keep")
    assert isinstance(got, Malformed)
    assert "2 commands" in got.problem


@given(st.text(alphabet="`<>![]():-~ \n\r\"'\\ax/experiment run=", max_size=200))
def test_no_answer_of_ours_can_be_taken_for_a_command(body: str) -> None:
    got = parse_comment(body)
    if isinstance(got, Malformed):
        assert not commands_in("\n".join((got.problem, *got.usage)))


@given(st.text(max_size=300), st.sampled_from(["```", "~~~", "`````"]))
def test_nothing_inside_a_fence_orders_anything(text: str, fence: str) -> None:
    inside = text.replace("`", "'").replace("~", "-")
    assert parse_comment(f"{fence}\n{inside}\n{RUN}\n{fence}") is None


@given(st.lists(st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8), max_size=6))
def test_what_is_read_is_said_again_in_full(words: list[str]) -> None:
    got = parse_comment(" ".join([RUN, *words]))
    assert isinstance(got, Malformed) or got == Command(Verb.RUN, tuple(words))


def test_a_hostile_comment_of_the_largest_size_costs_no_more_than_its_length() -> None:
    units = (
        "<a",
        "`",
        "` ``\n",
        "``\n/experiment\n",
        '<a title="',
        "[x](",
        "> \n",
        "<!--",
        "\\`",
        "```\n",
        "[",
        "](",
        "<a hidde",
        "<q>",
        "$$",
        "<?",
    )
    for body in ((unit * 65_536)[:65_535] + end for unit in units for end in ("", ")", "]", ">", "`")):
        assert not isinstance(parse_comment(body), Command)


def test_the_forms_name_every_command() -> None:
    assert [form.split()[0] for form in usages()] == [verb.value for verb in Verb]
    assert not any(TRIGGER in form for form in usages())

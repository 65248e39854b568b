"""The help of every verb: an example that could be typed, --json, and the few verbs to begin with before all others."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup
from typer.testing import CliRunner

from assay.cli.commands import app
from assay.core.loop.walk import WALK

TO_BEGIN_WITH = {"check", "compare", "reuse", "experiment", "status", "init", "doctor", "demo"}
READS_ITS_WORDS_ITSELF = {"metrics"}


def root() -> TyperGroup:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def verbs(group: TyperGroup, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each verb that does something, with the words that lead to it."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from verbs(command, (*above, name))
        elif not command.hidden:
            yield (*above, name), command


VERBS = dict(verbs(root()))
IDS = [" ".join(words) for words in VERBS]


def example_of(words: tuple[str, ...]) -> list[str]:
    """The words that the example gives to the verb."""
    done = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "1000", "TERM": "dumb"})
    assert done.exit_code == 0
    found = re.search(rf"Example.*?\bassay ({' '.join(words)}\b[^\n|│]*)", done.stdout)
    assert found, f"no example of `assay {' '.join(words)}` in its help"
    own = re.split(r",? (?:or without|&&) ", found[1])[0]
    return shlex.split(own)[len(words) :]


@pytest.mark.parametrize("words", VERBS, ids=IDS)
def test_the_help_of_a_verb_has_an_example_with_options_that_it_has(words: tuple[str, ...]) -> None:
    given = example_of(words)
    own = given[: given.index("--")] if "--" in given else given
    if words[0] not in READS_ITS_WORDS_ITSELF:
        options = {option for parameter in VERBS[words].params for option in parameter.opts}
        assert {word for word in own if word.startswith("--")} <= options


@pytest.mark.parametrize("words", VERBS, ids=IDS)
def test_every_verb_but_the_action_takes_json(words: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "1000", "TERM": "dumb"}).stdout
    assert ("--json" in shown) == (words != ("action",))


def test_the_verbs_to_begin_with_stand_before_the_panels() -> None:
    group = root()
    assert {name for name, one in group.commands.items() if not getattr(one, "rich_help_panel", None)} == TO_BEGIN_WITH


def test_every_way_that_the_walk_names_leads_to_a_verb() -> None:
    for way in WALK:
        words = tuple(shlex.split(way.command)[1:])
        verb = next((words[:count] for count in (2, 1) if words[:count] in VERBS), None)
        assert verb, way.command

"""A command loads what it uses and no more: starting is much of what a short one costs."""

import re

import pytest
from tests.e2e.conftest import World

REMOTE = {"git", "github", "requests", "assay.adapters.github", "assay.adapters.store_branch", "assay.core.comment_command"}
"""For GitHub, and for a store on a branch."""
SHOWN = {"rich"}
"""For a terminal, and for help."""
LARGE = {"numpy", "scipy"}
CONFIGURED = {"pydantic", "yaml", "jinja2"}
ANALYSED = {"asyncio", "assay.app.analyse", "assay.core.fusion.digest"}


def loaded(world: World, *words: str) -> set[str]:
    """The modules that a command loads."""
    done = world.assay(*words, env={"PYTHONPROFILEIMPORTTIME": "1"})
    found = set(re.findall(r"^import time:.*\| +(\S+)$", done.err, re.MULTILINE))
    assert "assay" in found
    return found


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        (("check",), REMOTE | SHOWN | LARGE | {"assay.core.compaction", "assay.core.handover"}),
        (("metrics", "metrics.txt"), REMOTE | SHOWN | LARGE | CONFIGURED | ANALYSED | {"typer"}),
        (("compare", "metrics.txt"), REMOTE | SHOWN | LARGE | ANALYSED | {"yaml", "jinja2"}),
        (("schema",), REMOTE | SHOWN | LARGE | ANALYSED | {"jinja2"}),
        (("--version",), REMOTE | SHOWN | LARGE | CONFIGURED | ANALYSED | {"typer", "dataclasses", "typing", "re"}),
    ],
)
def test_a_command_loads_nothing_that_it_does_not_use(world: World, words: tuple[str, ...], unused: set[str]) -> None:
    world.project()
    world.change()
    assert loaded(world, *words) & unused == set()


def test_a_check_without_analyses_loads_none_of_their_modules(world: World) -> None:
    world.project()
    world.repo.commit({".github/assay.yml": world.repo.root.joinpath(".github/assay.yml").read_text() + "fusion: {enabled: false}\n"})
    assert loaded(world, "check", "--base", "HEAD~1", "--no-reuse") & ANALYSED == set()

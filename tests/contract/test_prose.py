"""README and CONTRIBUTING agree with the command, the Makefile, the errors and the config."""

import re
import shlex
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from assay import errors
from assay.cli.commands import app
from assay.core.config import Benchmark, Config
from assay.core.config_text import parse_config

ROOT = Path(__file__).parents[2]
PAGES = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/adr/README.md"),
    *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")),
)
README = (ROOT / "README.md").read_text(encoding="utf-8")


def options_of_verbs() -> dict[str, set[str]]:
    """The option names of each verb that the help shows."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    shown = {name: command for name, command in group.commands.items() if not command.hidden}
    return {name: options_of(command) for name, command in shown.items()}


def options_of(command: Any) -> set[str]:
    """The options of a verb, and of what stands below it."""
    below = command.commands.values() if isinstance(command, TyperGroup) else ()
    own = {option for parameter in command.params for option in parameter.opts}
    return own.union(*(options_of(one) for one in below))


def named_commands(text: str) -> list[list[str]]:
    """The words after `assay` wherever a page shows a command, in a block or between backticks."""
    shown = re.findall(r"^    (assay .*)$|`(assay [^`]*)`", text, re.MULTILINE)
    return [shlex.split(block or inline)[1:] for block, inline in shown]


def table_after(heading: str) -> list[list[str]]:
    """The rows of the first table below a heading of the README."""
    section = README.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


def test_every_verb_of_the_command_stands_in_the_readme() -> None:
    assert {words[0] for words in named_commands(README) if words} == options_of_verbs().keys()


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_shows_exists_with_its_options(page: str) -> None:
    for verb, *words in named_commands((ROOT / page).read_text(encoding="utf-8")):
        own = words[: words.index("--")] if "--" in words else words  # behind it stands somebody else's command
        assert {word for word in own if word.startswith("--")} <= options_of_verbs()[verb] | {"--help"}, verb


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^    |`)make ([a-z]+)", text, re.MULTILINE)) <= targets


def test_make_without_a_target_lists_all_of_them() -> None:
    shown = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony
    assert re.findall(r"^  make ([a-z]+)  ", shown, re.MULTILINE) == phony[1].split()


def test_the_readme_has_every_exit_code() -> None:
    raised = {one.exit_code for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.AssayError)}
    assert {int(row[0]) for row in table_after("Exit codes")} == {0, 1} | raised


def test_every_config_in_the_readme_is_valid() -> None:
    configs = re.findall(r"^```yaml\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert configs
    for text in configs:
        assert parse_config(text, "README.md").benchmarks


def fragments_of_configs() -> list[tuple[str, str]]:
    """Page and text of each YAML block in docs/ that begins with a key of the config, or of a benchmark."""
    pages = [(page.name, page.read_text(encoding="utf-8")) for page in sorted((ROOT / "docs").glob("*.md"))]
    blocks = [(name, block) for name, text in pages for block in re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)]
    return [(name, block) for name, block in blocks if block.partition(":")[0] in {*Config.model_fields, *Benchmark.model_fields}]


def test_every_part_of_a_config_that_a_page_shows_is_valid() -> None:
    fragments = fragments_of_configs()
    assert {"gpu.md", "queue.md", "fusion.md", "budgets.md", "cluster.md"} <= {name for name, _ in fragments}
    for name, block in fragments:
        own = block if block.partition(":")[0] in Config.model_fields else ""
        inner = textwrap.indent("run: x\nmetric: {name: m, better: lower}\n" + ("" if own else block), "    ")
        whole = own if "benchmarks:" in own else f"{own}benchmarks:\n  a:\n{inner}"
        assert parse_config(whole if "version:" in whole else f"version: 1\n{whole}", name).benchmarks


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_to_files(page: str) -> None:
    path = ROOT / page
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (path.parent / link).exists()] == []


def test_every_decision_record_is_in_the_index() -> None:
    folder = ROOT / "docs" / "adr"
    listed = re.findall(r"\((\d{4}-[^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"))
    assert listed == sorted(path.name for path in folder.glob("0*.md"))

"""docs/configuration.md says what the code does."""

import re
from pathlib import Path

from assay.core.config_docs import EXAMPLE, configuration_page
from assay.core.config_schema import config_schema
from assay.core.config_text import parse_config

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
REWRITE = """python -c "from assay.core.config_docs import configuration_page as p; print(p(), end='')" > docs/configuration.md"""


def test_the_page_is_what_the_schema_makes() -> None:
    assert PAGE.read_text(encoding="utf-8") == configuration_page(), f"run: {REWRITE}"


def test_the_example_of_the_page_is_a_sound_config() -> None:
    shown = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    assert shown[1] == EXAMPLE
    assert list(parse_config(shown[1]).benchmarks) == ["pretrain-tiny", "tokenizer"]


def test_every_key_has_a_row() -> None:
    page = PAGE.read_text(encoding="utf-8")
    schema = config_schema()
    for section in [schema, *schema["$defs"].values()]:
        for key in section.get("properties", {}):
            assert f"| `{key}` |" in page


def test_every_link_leads_to_a_heading() -> None:
    page = PAGE.read_text(encoding="utf-8")
    headings = {re.sub(r"[^a-z0-9_ -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.*)$", page, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]*)\)", page)) <= headings


def test_every_example_of_a_key_is_one_line_of_yaml_that_the_key_takes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    benchmarks = page.split("## `benchmarks.NAME`\n")[1].split("\n## ")[0]
    examples = dict(re.findall(r"`(\w+): ([^`|]+)` \|$", benchmarks, re.MULTILINE))
    assert len(examples) > 15
    examples |= {"metric": "{name: t, better: lower}", "batch": "{size: 1}"}
    lines = "".join(f"    {key}: {value}\n" for key, value in examples.items())
    assert parse_config(f"version: 1\nbenchmarks:\n  b:\n{lines}").benchmarks["b"].seeds == (13, 42, 123)

"""The templates that a report needs are those that ship, installed or not, and they only arrange words."""

import tomllib
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from assay.adapters.templates import PackageTemplates
from assay.core.render import TEMPLATES
from assay.errors import InfrastructureError

ROOT = Path(__file__).parents[2]


def wheel_layout(root: Path) -> Path:
    """The package folder as the wheel's own build settings lay it out: what is forced in, copied to where it is mapped."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source, target in wheel["force-include"].items():
        for path in (ROOT / source).rglob("*.j2"):
            copy = root / target / path.relative_to(ROOT / source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    return root / "assay"


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_loads_from_a_checkout(name: str) -> None:
    assert PackageTemplates().load(name)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_loads_from_the_layout_of_the_wheel(name: str, tmp_path: Path) -> None:
    assert PackageTemplates(wheel_layout(tmp_path)).load(name) == (ROOT / "templates" / name).read_text()


def test_the_installed_folder_wins_over_one_beside_it(tmp_path: Path) -> None:
    package = wheel_layout(tmp_path / "lib")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / TEMPLATES[0]).write_text("stale")
    assert PackageTemplates(package).load(TEMPLATES[0]) != "stale"


def test_a_missing_template_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"comment\.md\.j2") as caught:
        PackageTemplates(tmp_path / "a" / "b").load("comment.md.j2")
    assert caught.value.hint


def test_every_report_template_of_the_repository_is_asked_for() -> None:
    assert {path.name for path in (ROOT / "templates").glob("*.j2")} >= set(TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_only_loops_chooses_and_includes(name: str) -> None:
    tree = Environment(autoescape=True).parse(PackageTemplates().load(name))
    forbidden = (
        nodes.Add,
        nodes.Sub,
        nodes.Mul,
        nodes.Div,
        nodes.Compare,
        nodes.Filter,
        nodes.Call,
        nodes.Assign,
        nodes.Concat,
        nodes.Macro,
    )
    assert [found for kind in forbidden for found in tree.find_all(kind)] == []

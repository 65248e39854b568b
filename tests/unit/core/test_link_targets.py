"""Files that are read through symbolic links bear on a benchmark as the links do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.config import Benchmark
from assay.core.link_targets import reached
from assay.core.model import Rung
from assay.core.window import IGNORED, Classifier


@pytest.mark.parametrize(
    ("links", "start", "found"),
    [
        ({"src/a": "../docs/a"}, ["src/a"], {"docs/a"}),
        ({"src/a": "b", "src/b": "../docs/x"}, ["src/a"], {"src/b", "docs/x"}),
        ({"src": "docs/lib", "docs/lib/l": "../more"}, ["src"], {"docs/lib", "docs/lib/l", "docs/more"}),
        ({"bench": "tools"}, ["bench/run.sh"], {"bench", "tools", "tools/run.sh"}),
        ({"a": "b", "b": "a"}, ["a"], {"b"}),
        ({"a": "/etc/passwd", "b": "../../x", "c": "./d//e/."}, ["a", "b", "c"], {"d/e"}),
        ({"a": "."}, ["a"], set()),
        ({"a": "../x"}, ["a"], set()),
        ({"a0": "x", "a": "docs"}, ["a"], {"docs"}),
    ],
)
def test_what_links_lead_to(links: dict[str, str], start: list[str], found: set[str]) -> None:
    assert set(reached(links, start)) == found


PATHS = st.lists(st.sampled_from(("a", "b", "..")), min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(PATHS, PATHS, max_size=6), st.lists(PATHS, max_size=3))
def test_links_in_circles_come_to_an_end(links: dict[str, str], start: list[str]) -> None:
    assert set(start).isdisjoint(reached(links, start))


def test_a_link_into_itself_comes_to_an_end() -> None:
    assert len(reached({"a": "a/b"}, ["a"])) == 40


BENCHMARK = Benchmark.model_validate(
    {"name": "b", "run": "sh tool/run.sh", "watch": {"code": ["src/**"], "harness": ["bench/**"], "model": ["models/**"]}}
)
PLAIN = Classifier.of_benchmark(BENCHMARK, ("docs/**", "**/*.md", "tool"))


def test_an_ignored_file_counts_as_the_link_through_which_it_is_read() -> None:
    links = {"src/data": "../docs/data", "bench/x": "../docs/lib", "docs/own": "elsewhere", "tool": "docs/tool"}
    through = PLAIN.through(links)
    assert [PLAIN.of_path(path) for path in ("docs/data", "docs/lib/x")] == [IGNORED, IGNORED]
    assert through.of_path("docs/data") is Rung.CODE
    assert [through.of_path(path) for path in ("docs/lib/x", "docs/lib/y.md", "docs/tool/run.sh")] == [Rung.HARNESS] * 3
    assert [through.of_path(path) for path in ("docs/elsewhere", "docs/data2", "README.md")] == [IGNORED] * 3
    assert through.rules != PLAIN.rules


def test_links_that_reach_nothing_ignored_change_no_rules() -> None:
    assert PLAIN.through({"docs/latest": "v1", "src/a": "b", "src/out": "../../x"}) is PLAIN


def test_many_links_are_followed_in_no_time() -> None:
    links = {f"src/{index}": f"{index + 1}" for index in range(5000)}
    assert PLAIN.through(links) is PLAIN

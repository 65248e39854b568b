"""Which paths bear on a benchmark, and what is said of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.config import Benchmark, Watch
from assay.core.config_text import parse_config
from assay.core.globs import Globs
from assay.core.model import Rung
from assay.core.tree import Change, TreeFile
from assay.core.window import IGNORED, SHOWN, Classifier, Standing, reasons_of, relevant

WATCH = Watch(
    code=("src/**",),
    harness=("bench/**", "src/timing.py"),
    model=("models/**",),
    config=("configs/**",),
    environment=("requirements*.txt", "Dockerfile"),
)
IGNORE = ("docs/**", "**/*.md", "LICENSE*")
WATCHED = Classifier(WATCH, IGNORE)


def standings(*paths: str, watch: Watch | None = WATCH, ignore: tuple[str, ...] = IGNORE) -> list[Standing]:
    classifier = Classifier(watch, ignore)
    return [classifier.of_path(path) for path in paths]


def test_each_group_is_a_rung_of_its_own() -> None:
    paths = ["src/a.py", "bench/run.py", "models/m.py", "configs/c.toml", "Dockerfile"]
    assert standings(*paths) == [Rung.CODE, Rung.HARNESS, Rung.MODEL, Rung.CONFIG, Rung.ENVIRONMENT]


def test_watch_wins_over_ignore() -> None:
    assert standings("src/README.md", "README.md") == [Rung.CODE, IGNORED]


def test_a_path_in_no_group_and_not_ignored_is_unclassified() -> None:
    assert standings("tools/new.sh") == [Rung.UNCLASSIFIED]


def test_without_watch_everything_counts_that_is_not_ignored() -> None:
    assert standings("src/a.py", "docs/x.html", watch=None) == [Rung.UNCLASSIFIED, IGNORED]


def test_the_harness_goes_before_the_code_it_lies_in() -> None:
    assert standings("src/timing.py") == [Rung.HARNESS]


def test_the_text_of_the_harness_counts_also_where_it_is_ignored() -> None:
    given = parse_config(
        "version: 1\nbenchmarks:\n  b:\n    run: OMP_NUM_THREADS=1 ./run.sh --out x 'a b.py'\n    workdir: tools\n"
        "    metric: {name: loss, better: lower}\n    watch: {code: ['src/**']}\nignore: ['tools/**', 'docs/**']\n"
    )
    classifier = Classifier.of(given, given.benchmarks["b"])
    assert [classifier.of_path(path) for path in ("tools/run.sh", "tools/a b.py")] == [Rung.HARNESS] * 2
    assert classifier.of_path("tools/other.sh") is Rung.HARNESS  # it runs in there, and whatever it reads need not be named
    assert {classifier.of_path(path) for path in ("docs/run.sh", "toolsmith/x.md")} <= {IGNORED, Rung.UNCLASSIFIED}
    assert classifier.rules != Classifier(given.benchmarks["b"].watch, given.ignore).rules


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("run", "sh -c 'sh docs/bench.sh'"),
        ("run", "true&&sh docs/bench.sh;"),
        ("run", "bench --script=docs/bench.sh"),
        ("run", "make -fdocs/bench.sh"),
        ("run", "bench <docs/bench.sh"),
        ("run", 'sh "$PWD"/docs/bench.sh'),
        ("run", "cd src && sh ../docs/bench.sh"),
        ("run", "cd docs && sh bench.sh"),
        ("run", "cat docs/*.sh | sh"),
        ("run", "bench docs"),
        ("setup", "sh docs/bench.sh"),
        ("checks", "sh docs/bench.sh"),
    ],
)
def test_a_file_that_a_command_names_in_whatever_way_is_never_ignored(key: str, command: str) -> None:
    benchmark = Benchmark.model_validate({"name": "b", "run": "bench", "watch": {"code": ["src/**"]}} | {key: command})
    assert Classifier.of_benchmark(benchmark, ("docs/**", "**/*.md")).of_path("docs/bench.sh") is Rung.HARNESS


def test_modules_and_variables_name_files_too() -> None:
    benchmark = Benchmark.model_validate({"name": "b", "run": "python -m docs.bench.run", "env": {"set": {"CONF": "docs/x.yml"}}})
    classifier = Classifier.of_benchmark(benchmark, ("docs/**", "**/*.md"))
    assert [classifier.of_path(path) for path in ("docs/bench/run.py", "docs/bench/run/__main__.py", "docs/x.yml")] == [Rung.HARNESS] * 3
    assert classifier.of_path("docs/bench/other.py") is IGNORED


def test_a_folder_that_is_named_counts_only_where_all_of_it_is_ignored() -> None:
    benchmark = Benchmark.model_validate({"name": "b", "run": "pytest bench", "watch": {"harness": ["bench/**/*.py"]}})
    classifier = Classifier.of_benchmark(benchmark, ("docs/**", "**/*.md"))
    assert [classifier.of_path(path) for path in ("bench/README.md", "docs/x")] == [IGNORED, IGNORED]


def test_an_ignored_submodule_that_a_command_reaches_into_is_harness() -> None:
    benchmark = Benchmark.model_validate({"name": "b", "run": "sh vendor/tool/run.sh", "watch": {"code": ["src/**"]}})
    classifier = Classifier.of_benchmark(benchmark, ("vendor/**",))
    assert classifier.standing(Change("vendor/tool", "160000", "160000")) is Rung.HARNESS
    assert classifier.standing(Change("vendor/other", "160000", "160000")) is IGNORED


def test_a_tree_of_any_depth_is_classified() -> None:
    deep = "/".join("d" * 2000)
    assert [standings(f"docs/{deep}"), standings(deep)] == [[IGNORED], [Rung.UNCLASSIFIED]]
    assert Globs(("docs/**",)).matches(f"docs/{deep}")


def test_a_command_whose_files_are_watched_anyway_changes_no_rules() -> None:
    watch, ignore = Watch(code=("src/**",), harness=("bench/**",)), ("docs/**",)
    assert Classifier(watch, ignore, ("python", "bench/run.py", "src/x.py")).rules == Classifier(watch, ignore).rules
    assert Classifier(watch, ignore, ("src/x.py",)).of_path("src/x.py") is Rung.CODE


def test_a_path_that_cannot_be_judged_is_never_ignored() -> None:
    assert standings("evil.md\n", "docs/" + "x" * 5000) == [Rung.UNCLASSIFIED, Rung.UNCLASSIFIED]


def test_names_that_differ_in_case_alone_are_two_names() -> None:
    assert standings("SRC/a.py", "Docs/x.html") == [Rung.UNCLASSIFIED, Rung.UNCLASSIFIED]


def test_what_a_group_takes_back_falls_to_the_next() -> None:
    watch = Watch(code=("src/**", "!src/gen/**"), config=("src/gen/*.ini",))
    assert standings("src/a.py", "src/gen/a.ini", "src/gen/a.py", watch=watch) == [Rung.CODE, Rung.CONFIG, Rung.UNCLASSIFIED]


@pytest.mark.parametrize(
    ("path", "watch", "ignore", "standing"),
    [
        ("vendor/lib", Watch(code=("vendor/lib/**",)), ("vendor",), Rung.CODE),
        ("vendor/lib", Watch(code=("**/*.cu",)), ("vendor/",), Rung.CODE),
        ("vendor/lib", Watch(code=("src/**",)), ("vendor/",), IGNORED),
        ("vendor/lib", Watch(code=("src/**",)), ("vendor/lib",), IGNORED),
        ("vendor/lib", Watch(code=("src/**",)), (), Rung.UNCLASSIFIED),
        ("vendor/lib", None, ("vendor/**",), IGNORED),
        ("vendor/lib", None, ("vendor/lib/*.md",), Rung.UNCLASSIFIED),
    ],
)
def test_a_submodule_counts_as_every_file_that_it_may_hold(path: str, watch: Watch | None, ignore: tuple[str, ...], standing: str) -> None:
    classifier = Classifier(watch, ignore)
    assert classifier.standing(Change(path, "160000", "160000")) == standing
    assert classifier.standing(TreeFile(path, f"160000 commit {'a' * 40}\t{path}".encode())) == standing


def test_a_link_counts_as_whatever_it_leads_to() -> None:
    assert WATCHED.standing(Change("bench", "120000", "120000")) is Rung.HARNESS
    assert WATCHED.standing(Change("src", "120000", "120000")) is Rung.HARNESS, "it may hold src/timing.py"
    assert WATCHED.standing(Change("docs", "000000", "120000")) is Rung.ENVIRONMENT, "it may hold a Dockerfile"
    assert WATCHED.standing(Change("src")) is Rung.UNCLASSIFIED


def test_only_what_bears_on_the_benchmark_is_listed_in_the_order_given() -> None:
    text = "version: 1\nbenchmarks:\n  b:\n    run: x\n    metric: {name: t, better: lower}\n    watch: {code: [src/**]}\n"
    config = parse_config(text)
    changes = tuple(map(Change, ("z.bin", "docs/a.html", "src/a.py", "NOTES.md")))
    found = relevant(changes, Classifier.of(config, config.benchmarks["b"]))
    assert found == ((Change("z.bin"), Rung.UNCLASSIFIED), (Change("src/a.py"), Rung.CODE))


def test_all_rungs_are_asked_and_each_names_its_paths() -> None:
    changes = [Change("Makefile"), Change("bench/x.py", "000000"), Change("src/a", "100644", "100755"), Change("src/b", "160000", "160000")]
    assert [(one.rung, one.detail) for one in reasons_of(changes, WATCHED)] == [
        (Rung.CODE, "2 changed paths in watch.code: src/a (mode 644 → 755), src/b (submodule)"),
        (Rung.HARNESS, "1 changed path in watch.harness: bench/x.py (added)"),
        (Rung.UNCLASSIFIED, "1 changed path which no watch group and no ignore pattern covers: Makefile"),
    ]


def test_the_first_paths_are_named_and_the_rest_is_counted() -> None:
    (reason,) = reasons_of([Change(f"src/{number:03}.py") for number in range(SHOWN + 7)], WATCHED)
    assert reason.detail.startswith("27 changed paths in watch.code: src/000.py, src/001.py")
    assert reason.detail.endswith("src/019.py and 7 more")


def test_a_long_list_of_paths_is_classified_whole() -> None:
    paths = [f"lib/part{number}/file.py" for number in range(20_000)]
    assert set(standings(*paths)) == {Rung.UNCLASSIFIED}


def test_other_patterns_are_other_rules() -> None:
    assert Classifier(WATCH, IGNORE).rules == WATCHED.rules
    assert len({one.rules for one in (WATCHED, Classifier(None, IGNORE), Classifier(WATCH, ("docs/**",)))}) == 3


PATHS = st.lists(
    st.sampled_from(["src", "bench", "docs", "configs", "models", "a.md", "x.py", "Dockerfile", "LICENSE", "timing.py", "é", "b\n"]),
    min_size=1,
    max_size=4,
).map("/".join)
MODES = st.sampled_from(["100644", "100755", "120000", "160000", "000000"])
CHANGES = st.lists(st.builds(Change, PATHS, MODES, MODES), max_size=12)


@given(CHANGES, CHANGES)
def test_a_path_more_takes_no_rung_back(some: list[Change], more: list[Change]) -> None:
    before = {reason.rung for reason in reasons_of(some, WATCHED)}
    assert before <= {reason.rung for reason in reasons_of([*some, *more], WATCHED)}


@given(CHANGES)
def test_a_path_is_either_ignored_or_a_reason(changes: list[Change]) -> None:
    ignored = all(WATCHED.standing(one) is IGNORED for one in changes)
    assert ignored == (not reasons_of(changes, WATCHED))


PARTS = st.sampled_from(["a", "b", "*", "a*", "*b", "a*b", "?", "[ab]c", "**", "ab.c", "*.c", r"\*", "abc"])
PATTERNS = st.lists(
    st.builds(
        lambda back, top, parts, end: f"{back}{top}{'/'.join(parts)}{end}",
        *map(st.sampled_from, (["", "", "!"], ["", "", "/"])),
        st.lists(PARTS, min_size=1, max_size=3),
        st.sampled_from(["", "", "/"]),
    ),
    max_size=4,
)
NAMES = st.lists(st.sampled_from(["a", "b", "ab", "abc", "ab.c", "x.c", "*", "bc"]), min_size=1, max_size=4).map("/".join)


@given(st.fixed_dictionaries(dict.fromkeys(("harness", "config", "code"), PATTERNS)), PATTERNS, st.lists(NAMES, max_size=8))
def test_a_path_has_the_standing_of_the_first_group_that_covers_it(
    groups: dict[str, list[str]], ignore: list[str], paths: list[str]
) -> None:
    watch = Watch.model_construct(None, model=(), environment=(), **groups)
    classifier = Classifier(watch, tuple(ignore))
    order = [(Rung(name), Globs(groups[name])) for name in ("harness", "config", "code")]
    for path in paths:
        rung = next((rung for rung, globs in order if globs.matches(path)), None)
        assert classifier.of_path(path) == (rung or (IGNORED if Globs(ignore).matches(path) else Rung.UNCLASSIFIED))

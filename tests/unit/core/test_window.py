"""Which paths bear on a benchmark."""

from assay.core.config import Watch
from assay.core.config_text import parse_config
from assay.core.model import Rung
from assay.core.window import IGNORED, classify, relevant_paths

WATCH = Watch(
    code=("src/**",),
    harness=("bench/**", "src/timing.py"),
    model=("models/**",),
    config=("configs/**",),
    environment=("requirements*.txt", "Dockerfile"),
)
IGNORE = ("docs/**", "**/*.md", "LICENSE*")


def test_each_group_is_a_rung_of_its_own() -> None:
    paths = ["src/a.py", "bench/run.py", "models/m.py", "configs/c.toml", "Dockerfile"]
    assert list(classify(paths, WATCH, IGNORE).values()) == [Rung.CODE, Rung.HARNESS, Rung.MODEL, Rung.CONFIG, Rung.ENVIRONMENT]


def test_watch_wins_over_ignore() -> None:
    assert classify(["src/README.md", "README.md"], WATCH, IGNORE) == {"src/README.md": Rung.CODE, "README.md": IGNORED}


def test_a_path_in_no_group_and_not_ignored_is_unclassified() -> None:
    assert classify(["tools/new.sh"], WATCH, IGNORE) == {"tools/new.sh": Rung.UNCLASSIFIED}


def test_without_watch_everything_counts_that_is_not_ignored() -> None:
    assert classify(["src/a.py", "docs/x.html"], None, IGNORE) == {"src/a.py": Rung.UNCLASSIFIED, "docs/x.html": IGNORED}


def test_the_harness_goes_before_the_code_it_lies_in() -> None:
    assert classify(["src/timing.py"], WATCH, IGNORE) == {"src/timing.py": Rung.HARNESS}


def test_a_path_with_a_line_break_is_never_ignored() -> None:
    assert classify(["evil.md\n"], WATCH, IGNORE) == {"evil.md\n": Rung.UNCLASSIFIED}


def test_only_what_bears_on_the_benchmark_is_listed_in_the_order_given() -> None:
    text = "version: 1\nbenchmarks:\n  b:\n    run: x\n    metric: {name: t, better: lower}\n    watch: {code: [src/**]}\n"
    config = parse_config(text)
    paths = ("z.bin", "docs/a.html", "src/a.py", "NOTES.md")
    assert relevant_paths(paths, config, config.benchmarks["b"]) == (("z.bin", Rung.UNCLASSIFIED), ("src/a.py", Rung.CODE))


def test_a_long_list_of_paths_is_classified_whole() -> None:
    paths = [f"lib/part{number}/file.py" for number in range(20_000)]
    standing = classify(paths, WATCH, IGNORE)
    assert len(standing) == 20_000
    assert set(standing.values()) == {Rung.UNCLASSIFIED}

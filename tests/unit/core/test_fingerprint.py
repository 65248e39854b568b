"""Fingerprints: equal where and only where every file that matters is the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.config import Watch
from assay.core.fingerprint import FINGERPRINTED, Fingerprints, fingerprints_of
from assay.core.model import Rung
from assay.core.tree import Change, TreeFile
from assay.core.window import Classifier, reasons_of

WATCH = Watch(code=("src/**",), harness=("bench/**",), config=("configs/**",))
WATCHED = Classifier(WATCH, ("docs/**", "**/*.md"))

Tree = dict[str, tuple[str, str]]


def files(tree: Tree) -> list[TreeFile]:
    return [TreeFile(path, f"{mode} blob {blob}\t{path}".encode()) for path, (mode, blob) in sorted(tree.items())]


def prints(tree: Tree, classifier: Classifier = WATCHED) -> Fingerprints:
    return fingerprints_of(files(tree), classifier)


def differing(one: Tree, other: Tree) -> tuple[Rung, ...] | None:
    return prints(one).differing(prints(other))


TREE: Tree = {"src/a": ("100644", "1"), "bench/b": ("100644", "2"), "docs/d": ("100644", "3"), "Makefile": ("100644", "4")}


def test_content_mode_and_name_of_watched_files_count() -> None:
    for change in ({"src/a": ("100644", "9")}, {"src/a": ("100755", "1")}, {"src/b": ("100644", "1")}):
        assert differing(TREE, TREE | change) == (Rung.CODE,)
    moved = {"src/c" if path == "src/a" else path: facts for path, facts in TREE.items()}
    assert differing(TREE, moved) == (Rung.CODE,)


def test_ignored_files_do_not_count() -> None:
    assert differing(TREE, TREE | {"docs/d": ("100644", "9"), "docs/e": ("100644", "9")}) == ()


def test_what_no_group_watches_is_a_group_too() -> None:
    assert differing(TREE, TREE | {"Makefile": ("100644", "9")}) == (Rung.UNCLASSIFIED,)


def test_other_patterns_cannot_be_held_together() -> None:
    assert prints(TREE).differing(prints(TREE, Classifier(WATCH, ("docs/**",)))) is None


def test_two_names_that_print_alike_are_two_names() -> None:
    raw = fingerprints_of([TreeFile("src/\\xff", b"100644 blob 1\tsrc/\xff")], WATCHED)
    typed = fingerprints_of([TreeFile("src/\\xff", b"100644 blob 1\tsrc/\\xff")], WATCHED)
    assert raw.differing(typed) == (Rung.CODE,)


PATHS = st.lists(st.sampled_from(["src", "bench", "docs", "configs", "lib", "a.md", "x"]), min_size=1, max_size=3).map("/".join)
MODES = st.sampled_from(["100644", "100755", "120000", "160000"])
TREES = st.dictionaries(PATHS, st.tuples(MODES, st.sampled_from(["1", "2"])), max_size=8)


def changes_between(one: Tree, other: Tree) -> list[Change]:
    absent = ("000000", "")
    differ = sorted(path for path in {*one, *other} if one.get(path) != other.get(path))
    return [Change(path, one.get(path, absent)[0], other.get(path, absent)[0]) for path in differ]


@given(TREES, TREES)
def test_both_proofs_agree(one: Tree, other: Tree) -> None:
    """The window fires a rung where, and only where, a fingerprint differs: they share nothing but the patterns."""
    assert bool(reasons_of(changes_between(one, other), WATCHED)) == bool(differing(one, other))


@given(TREES, TREES)
def test_one_hash_stands_for_all_of_them(one: Tree, other: Tree) -> None:
    assert (prints(one).content == prints(other).content) == (differing(one, other) == ())


def test_every_group_that_a_window_knows_has_a_fingerprint() -> None:
    assert set(FINGERPRINTED) == set(Rung) - {Rung.EVIDENCE, Rung.FORCED}
    assert {rung.value for rung in FINGERPRINTED} | {"rules", "content"} == set(Fingerprints.model_fields)


def test_a_content_that_is_not_that_of_the_groups_is_refused() -> None:
    forged = prints(TREE).model_dump() | {"code": "0" * 64}
    with pytest.raises(ValueError, match="not that of the groups"):
        Fingerprints.model_validate(forged)

"""Path patterns, held to what git itself says of them."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from assay.core.globs import Globs, pattern_problem

PATHS = (
    "src/model.py",
    "src/deep/er/kernel.cu",
    "bench/run.py",
    "README.md",
    "docs/index.html",
    "docs/api/README.md",
    "LICENSE",
    "LICENSE-MIT",
    "lib/LICENSE.txt",
    "requirements.txt",
    "sub/requirements-dev.txt",
    "Dockerfile",
    "data/a b.bin",
    "src/#odd.py",
    "build",
)
LISTS = (
    ("src/**",),
    ("**/*.md",),
    ("*.md", "!README.md"),
    ("docs/", "!docs/api/"),
    ("/LICENSE*",),
    ("LICENSE*",),
    ("requirements*.txt", "Dockerfile"),
    ("**/requirements*.txt",),
    ("src/**/*.cu",),
    ("data",),
    ("[bR]*",),
    ("build/",),
    ("src/[!#]*.py",),
    (r"src/\#odd.py",),
    ("**",),
    (),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("globs")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def ignored_by_git(repository: Path, patterns: tuple[str, ...]) -> set[str]:
    for path in PATHS:
        file = repository / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    exclude = repository / ".git" / "info" / "exclude"
    exclude.write_text("".join(f"{pattern}\n" for pattern in patterns), encoding="utf-8")
    command = ["git", "-C", str(repository), "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(command, input="\0".join(PATHS).encode(), capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return {name.decode() for name in done.stdout.split(b"\x00") if name}


@pytest.mark.parametrize("patterns", LISTS, ids=" ".join)
def test_patterns_cover_what_git_ignores(repository: Path, patterns: tuple[str, ...]) -> None:
    globs = Globs(patterns)
    # git does not look into an ignored folder for an exception to it; a list of paths has no folders to skip
    expected = ignored_by_git(repository, patterns) - ({"docs/api/README.md"} if "!docs/api/" in patterns else set())
    assert {path for path in PATHS if globs.matches(path)} == expected


@pytest.mark.parametrize("path", ["notes.md\n", "a\nb.md", "x/" * 3000 + "a.md"])
def test_a_path_that_cannot_be_judged_matches_nothing(path: str) -> None:
    assert not Globs(("**",)).matches(path)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("", "is an empty pattern"),
        ("!", "is an empty pattern"),
        ("  ", "is an empty pattern"),
        ("#x", "begins with #"),
        (" a", "begins or ends with a blank"),
        ("a\\", "has a backslash with nothing"),
        ("\\/b", "has a backslash with nothing"),
        ("./src", "never matches"),
        ("../x", "leads out"),
        ("/", "names no file"),
        ("a//b", "an empty part between two /"),
        ("a[b", r"has a \[ that opens no plain set"),
        (r"[\-a]", r"has a \[ that opens no plain set"),
        ("[!]", r"has a \[ that opens no plain set"),
        ("[a&&b]", "has a doubled sign"),
        ("[z-a]", "runs backwards"),
        ("a\x00b", "control character"),
        ("a" * 300, "more than 256 characters"),
        ("*a*b*c*d", "more than 3 stars"),
        ("**/a/**/b/**/c/**", r"more than 3 parts \*\*"),
    ],
)
def test_a_pattern_that_would_silently_match_nothing_is_refused(pattern: str, problem: str) -> None:
    found = pattern_problem(pattern)
    assert found is not None
    assert re.search(problem, found)


@pytest.mark.parametrize(
    "pattern", ["src/**", "**/*.md", "LICENSE*", "!keep", "/top", "dir/", "[a-z]*.py", "[!a]x", r"\#x", r"a\[b", "a b", "**", "ä/*"]
)
def test_a_sound_pattern_is_taken(pattern: str) -> None:
    assert pattern_problem(pattern) is None


def judged_alike(pattern: str) -> bool:
    """Whether the documentation of git leaves no doubt: `**` in a part of more than two stars, or beside other signs, is left out.

    So is `**/` at the end, which git takes for the folders below alone and the other implementation for files too.
    """
    return (
        pattern_problem(pattern) is None
        and not pattern.endswith("**/")
        and all(part in ("**", part.replace("**", "")) for part in pattern.lstrip("!").split("/"))
    )


PARTS = st.sampled_from(["a", "b", "ab", "*", "?", "a*", "*b", "*a*b", "[ab]", "[!a]", "[a-c]b", "**", "a.b", r"\*", r"\[a"])
PATTERNS = st.builds(
    "{}{}{}".format, st.sampled_from(["", "/"]), st.lists(PARTS, min_size=1, max_size=3).map("/".join), st.sampled_from(["", "/"])
)
NAMES = st.sampled_from(["a", "b", "c", "ab", "aab", "cb", "a.b", "*", "[a", "bb"])


@given(st.lists(PATTERNS.filter(judged_alike), max_size=4), st.lists(NAMES, min_size=1, max_size=4).map("/".join))
def test_paths_are_judged_as_another_implementation_of_gitignore_judges_them(patterns: list[str], path: str) -> None:
    assert Globs(patterns).matches(path) == GitIgnoreSpec.from_lines(patterns, backend="simple").match_file(path)


@given(st.lists(PATTERNS.filter(judged_alike), max_size=3), st.lists(NAMES, min_size=1, max_size=3).map("/".join), NAMES)
def test_what_is_settled_of_a_folder_holds_for_all_below_it(patterns: list[str], folder: str, name: str) -> None:
    globs = Globs(patterns)
    settled = globs.folder(folder).settled
    if settled is not None:
        assert globs.matches(f"{folder}/{name}") == settled
        assert globs.matches(f"{folder}/{name}/{name}") == settled


@given(st.text(alphabet=r"ab/*?[]!-\#. ^&|~:", max_size=12))
def test_every_pattern_that_is_taken_can_be_matched(pattern: str) -> None:
    if pattern_problem(pattern) is None:
        assert Globs((pattern,)).matches("a/b") in (True, False)


def test_two_stars_and_a_slash_at_the_end_cover_folders_as_git_has_them() -> None:
    globs = Globs(("a/**/",))
    assert (globs.matches("a/b"), globs.matches("a/b/c")) == (False, True)  # as `git check-ignore` answers


def test_a_hostile_name_takes_no_long_time_to_judge() -> None:
    assert not Globs(("*a*a*ab",)).matches("a" * 4000)
    assert Globs(("*a*a*ab",)).matches("a" * 4000 + "b")

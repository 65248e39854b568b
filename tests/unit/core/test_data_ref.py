"""Which names a data branch may have."""

import subprocess

import pytest
from hypothesis import given
from hypothesis.strategies import text

from assay.core.data_ref import DEFAULT, data_ref, short
from assay.errors import UsageError


@pytest.mark.parametrize(
    ("name", "ref"),
    [
        (DEFAULT, "refs/heads/assay-data"),
        ("team/perf/data", "refs/heads/team/perf/data"),
        ("refs/assay/data", "refs/assay/data"),
        ("refs/heads/x", "refs/heads/x"),
        ("v1.2_data", "refs/heads/v1.2_data"),
    ],
)
def test_a_short_name_is_a_branch_and_a_full_ref_is_itself(name: str, ref: str) -> None:
    assert data_ref(name) == ref


@pytest.mark.parametrize(
    "name",
    [
        *("", "HEAD", "-x", "--upload-pack=x", "a/-b", "a..b", "a//b", "/a", "a/", "a.lock", "a/b.lock/c", ".a", "a/.b", "a."),
        *("a b", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "a@{0}", "@", "a\n", "a\x7f", "ä", "$(x)", "refs/", "refs/x", "refs/heads/"),
        *("refs/tags/x", "refs/remotes/origin/x", "refs/pull/1/head", "refs/replace/x", "refs/stash/x", "x" * 300),
    ],
)
def test_unsafe_and_taken_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be kept on"):
        data_ref(name)


def test_the_user_s_own_branches_are_refused() -> None:
    with pytest.raises(UsageError, match="`main`: that branch holds your own work"):
        data_ref("main", ["refs/heads/main"])
    assert data_ref("mainly", ["refs/heads/main"]) == "refs/heads/mainly"


@given(name=text(max_size=30))
def test_what_is_accepted_is_always_a_plain_ref(name: str) -> None:
    try:
        ref = data_ref(name)
    except UsageError:
        return
    assert ref.startswith("refs/")
    assert ref.isascii()
    assert not any(character in ref for character in " ~^:?*[\\@{\n")


def test_git_accepts_what_we_accept() -> None:
    for name in (DEFAULT, "a/b-c_d.e", "refs/assay/data", "0", "x" * 180):
        assert subprocess.run(["git", "check-ref-format", data_ref(name)], check=False).returncode == 0


def test_people_see_branches_by_their_short_name() -> None:
    assert (short("refs/heads/a/b"), short("refs/assay/data")) == ("a/b", "refs/assay/data")

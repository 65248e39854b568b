"""Which kept runs go into which branch, by themselves and by a plan."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments import Story

from assay.core.data_ref import is_safe_ref
from assay.core.experiment_errors import NoKeptRunsError, PlanError
from assay.core.finalize_plan import MAX_SLUG, GroupWish, parse_plan, plan_groups, slug


def kept(story: Story, group: str | None = None, commit: str | None = None) -> str:
    sha = commit or f"{story.made:040x}"
    return story.tried(1, "keep", asi={"group": group} if group else {}, commit=sha)


def test_runs_group_by_segment() -> None:
    story = Story.begin()
    first = [kept(story) for _ in range(3)]
    story.segment()
    second = [kept(story) for _ in range(3)]
    groups = plan_groups(story.state).groups
    assert [(one.title, list(one.runs)) for one in groups] == [("Segment 1", first), ("Segment 2", second)]
    assert [one.branch.rpartition("/")[2] for one in groups] == ["segment-1-1", "segment-2-2"]


def test_a_named_group_crosses_segments() -> None:
    story = Story.begin()
    one = kept(story, " Latency ")
    story.segment()
    two = kept(story, "Latency")
    (group,) = plan_groups(story.state).groups
    assert (group.title, group.runs) == ("Latency", (one, two))


def test_a_run_without_a_commit_is_named_and_in_no_group() -> None:
    story = Story.begin()
    orphan, one = story.tried(1, "keep"), kept(story)
    plan = plan_groups(story.state)
    assert [group.runs for group in plan.groups] == [(one,)]
    assert any(orphan in warning for warning in plan.warnings)


def test_without_any_commit_there_is_no_plan() -> None:
    story = Story.begin()
    story.tried(1, "keep")
    with pytest.raises(NoKeptRunsError):
        plan_groups(story.state)


def test_a_plan_decides_the_order_and_what_it_leaves_out_is_named() -> None:
    story = Story.begin()
    one, two, three = (kept(story) for _ in range(3))
    plan = plan_groups(story.state, (GroupWish(None, None, (three, one)),))
    assert [group.runs for group in plan.groups] == [(three, one)]
    assert any(two in warning for warning in plan.warnings)


@pytest.mark.parametrize("wishes", [(("a", "run-nobody"),), (("a", "ONE"), ("b", "ONE")), (("same", "ONE"), ("same", "TWO"))])
def test_a_plan_that_cannot_be_is_refused(wishes: tuple[tuple[str, str], ...]) -> None:
    story = Story.begin()
    ids = {"ONE": kept(story), "TWO": kept(story)}
    with pytest.raises(PlanError):
        plan_groups(story.state, tuple(GroupWish(None, branch, (ids.get(run, run),)) for branch, run in wishes))


@pytest.mark.parametrize("branch", ["../main", "-x", "a b", "a..b", "a.lock", "refs\nheads"])
def test_a_branch_with_an_unsafe_name_is_refused(branch: str) -> None:
    story = Story.begin()
    run = kept(story)
    with pytest.raises(PlanError, match="safe name"):
        plan_groups(story.state, (GroupWish(None, branch, (run,)),))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"groups": []}',
        '{"groups": [{"runs": []}]}',
        '{"groups": [{"runs": [1]}]}',
        '{"groups": [{"runs": ["a"], "titel": "x"}]}',
        '{"groups": [{"runs": ["a"], "title": ""}]}',
        '{"groups": [{"runs": ["a"]}], "more": 1}',
        '{"groups": [{"runs": ["a"], "runs": ["b"]}]}',
    ],
)
def test_a_plan_file_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(PlanError):
        parse_plan(text)


def test_a_plan_file_is_read() -> None:
    text = json.dumps({"groups": [{"title": "Tiling", "branch": "tiling", "runs": ["a", "b"]}, {"runs": ["c"]}]})
    assert parse_plan(text) == (GroupWish("Tiling", "tiling", ("a", "b")), GroupWish(None, None, ("c",)))


@pytest.mark.parametrize(
    ("title", "name"), [("Bigger tiles!", "bigger-tiles"), ("速く", "group"), ("-", "group"), ("a" * 39 + " b", "a" * 39)]
)
def test_a_title_becomes_a_part_of_a_name(title: str, name: str) -> None:
    assert slug(title) == name


@given(st.text())
def test_any_title_becomes_a_safe_name(title: str) -> None:
    assert is_safe_ref(f"refs/heads/experiment/x/{slug(title)}-1")
    assert len(slug(title)) <= MAX_SLUG

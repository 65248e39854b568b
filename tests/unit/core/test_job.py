"""The job as its variables tell."""

import pytest

from assay.core.job import Job, read_job
from assay.errors import UsageError

NEEDED = {
    "GITHUB_EVENT_NAME": "push",
    "GITHUB_EVENT_PATH": "/github/workflow/event.json",
    "GITHUB_REPOSITORY": "ada/lab",
    "GITHUB_WORKSPACE": "/github/workspace",
}


def test_what_is_needed_is_enough() -> None:
    assert read_job(NEEDED) == Job(
        "push", "/github/workflow/event.json", "ada/lab", "/github/workspace", "https://api.github.com", "", hosted=False
    )


def test_a_server_of_ones_own_and_the_page_of_the_run() -> None:
    more = {"GITHUB_API_URL": "https://git.example/api/v3/", "GITHUB_SERVER_URL": "https://git.example", "GITHUB_RUN_ID": "12"}
    job = read_job({**NEEDED, **more})
    assert (job.api_url, job.run_url) == ("https://git.example/api/v3", "https://git.example/ada/lab/actions/runs/12")


@pytest.mark.parametrize(("said", "hosted"), [("github-hosted", True), ("self-hosted", False), ("", False), ("GitHub-hosted", False)])
def test_only_a_runner_that_says_so_is_hosted(said: str, hosted: bool) -> None:
    assert read_job({**NEEDED, "RUNNER_ENVIRONMENT": said}).hosted is hosted


@pytest.mark.parametrize("name", NEEDED)
def test_each_missing_variable_is_named(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is not set") as caught:
        read_job({**NEEDED, name: ""})
    assert "assay check" in caught.value.hint


def test_outside_of_a_job_all_of_them_are_named() -> None:
    with pytest.raises(UsageError, match=f"{', '.join(NEEDED)} are not set"):
        read_job({})


@pytest.mark.parametrize(
    "name", ["git@github.com:owner/repo", "https://github.com/owner/repo", "owner", "owner/", "owner/a/b", "-x/y", "o w/n"]
)
def test_a_repository_that_is_an_address_is_told_before_any_request(name: str) -> None:
    with pytest.raises(UsageError, match="OWNER/NAME"):
        read_job({**NEEDED, "GITHUB_REPOSITORY": name})

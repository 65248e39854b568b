"""The fixture fails a test whose requests were wrong, and fails clearly where GitHub's description is missing."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[3]
CONFTEST = "from tests.fakes.github.fixtures import hub as hub\n"


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.syspath_prepend(str(ROOT))
    pytester.makeconftest(CONFTEST)
    return pytester


def test_a_test_with_a_wrong_request_fails_at_its_end(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import urllib.error, urllib.request
        import pytest

        def test_wrong(hub):
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(hub.url + "/rate_limit?fast=1")

        def test_right(hub):
            urllib.request.urlopen(hub.url + "/rate_limit").close()
        """
    )
    done = suite.runpytest_inprocess("-p", "no:cacheprovider")
    done.assert_outcomes(passed=2, errors=1)
    done.stdout.fnmatch_lines(["*query parameter 'fast' is not in the description*"])


def test_without_the_description_a_test_fails_and_says_what_to_run(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.makepyfile("def test_any(hub):\n    pass\n")
    monkeypatch.setattr("tests.fakes.github.openapi.CACHE", suite.path / "nothing")
    monkeypatch.setattr("tests.fakes.github.openapi.load", uncached())
    done = suite.runpytest_inprocess("-p", "no:cacheprovider")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*run .ci/openapi*"])


def uncached() -> object:
    from tests.fakes.github import openapi

    return openapi.load.__wrapped__

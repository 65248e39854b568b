"""URLs of remotes: what git may be told, and where a credential goes."""

import base64

import pytest

from assay.adapters.store_branch.delivery import HASTY, Patience
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.outcomes import Outcome
from assay.adapters.store_branch.remote import Credentials, Remote

TOKEN = Credentials("secret-token-0123456789")


@pytest.mark.parametrize(
    ("url", "clean", "protocol"),
    [
        ("https://github.com/o/r", "https://github.com/o/r", "https"),
        ("https://ada@github.com/o/r", "https://github.com/o/r", "https"),
        ("https://ada:pw@host:8443/o/r", "https://host:8443/o/r", "https"),
        ("http://localhost:80/r", "http://localhost:80/r", "http"),
        ("ssh://git@host:22/o/r", "ssh://git@host:22/o/r", "ssh"),
        ("git@github.com:o/r.git", "git@github.com:o/r.git", "ssh"),
        ("host:r", "host:r", "ssh"),
        ("file:///srv/r.git", "file:///srv/r.git", "file"),
        ("/srv/r.git", "/srv/r.git", "file"),
        ("../r.git", "/top/../r.git", "file"),
        ("./a:b", "/top/a:b", "file"),
    ],
)
def test_a_url_is_read_as_git_reads_it(url: str, clean: str, protocol: str) -> None:
    remote = Remote.parse(url, "/top")
    assert (remote.url, remote.protocol) == (clean, protocol)
    assert remote.variables["GIT_CONFIG_VALUE_0"] == clean
    assert f"protocol.{protocol}.allow" in remote.variables.values()


@pytest.mark.parametrize("url", ["ssh://git@host/r", "git@host:r", "/srv/r.git", "file:///srv/r.git"])
def test_a_token_goes_over_http_only(url: str) -> None:
    remote = Remote.parse(url, "/", TOKEN)
    assert remote.header is None
    assert TOKEN.token not in str(remote.variables)


def test_a_token_is_bound_to_the_very_url() -> None:
    variables = Remote.parse("https://github.com/o/r", "/", TOKEN).variables
    (number,) = (key.rpartition("_")[2] for key, value in variables.items() if value == "http.https://github.com/o/r.extraHeader")
    header = variables[f"GIT_CONFIG_VALUE_{number}"]
    assert base64.b64decode(header.rpartition(" ")[2]).decode() == f"x-access-token:{TOKEN.token}"
    assert variables["GIT_CONFIG_COUNT"] == "3"


@pytest.mark.parametrize(
    ("url", "pair"),
    [
        ("https://ada:p%40ss@host/r", "ada:p@ss"),
        ("https://ghp_0123456789abcdefghij@host/r", "ghp_0123456789abcdefghij:"),
        ("https://ada@host/r", None),
        ("https://host/r", None),
    ],
)
def test_what_a_url_holds_becomes_a_header(url: str, pair: str | None) -> None:
    header = Remote.parse(url, "/").header
    assert (base64.b64decode(header.rpartition(" ")[2]).decode() if header else None) == pair


def test_neither_form_of_a_credential_survives_in_a_text() -> None:
    remote = Remote.parse("https://github.com/o/r", "/", TOKEN)
    encoded = TOKEN.header.rpartition(" ")[2]
    text = remote.redacted(f"a {TOKEN.token} b {encoded} c https://u:p@host/x d")
    assert text == "a *** b *** c https://***@host/x d"
    assert TOKEN.token not in repr(remote) + repr(TOKEN)


def test_races_are_tried_many_times_silence_a_few_and_refusals_not_at_all() -> None:
    patience = Patience()
    race, silence, refusal = (Outcome(kind) for kind in (Kind.RACE, Kind.UNREACHABLE, Kind.REFUSED))
    assert all(patience.wait(race, tries, 0.0) is not None for tries in range(1, 100))
    assert all(patience.wait(race, tries, 1e6) is not None for tries in range(1, 8))
    assert patience.wait(race, 100, 1e6) is None
    assert patience.wait(silence, 1, 0.0) == patience.silence_s
    assert patience.wait(silence, patience.silences, 0.0) is None
    assert patience.wait(refusal, 1, 0.0) is None
    assert HASTY.wait(silence, 1, 0.0) is None


def test_waits_double_up_to_a_bound() -> None:
    patience = Patience(shortest_s=0.1, longest_s=1.0)
    waits = [patience.wait(Outcome(Kind.RACE), tries, 0.0) for tries in range(1, 8)]
    assert waits == [0.2, 0.4, 0.8, 1.0, 1.0, 1.0, 1.0]

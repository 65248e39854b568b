"""No secret goes to an analyst: by its shape, by the name before it, or because it is known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.fusion.redact import MARK, redact

SHAPES = (
    "ghp_" + "a1B2" * 9,
    "ghs_" + "a1B2" * 9,
    "github_pat_" + "a1B2_" * 10,
    "glpat-" + "a1B2" * 5,
    "sk-proj-" + "a1B2" * 10,
    "sk-ant-api03-" + "a1B2" * 10,
    "hf_" + "a1B2" * 8,
    "AKIA" + "A1B2" * 4,
    "AIza" + "a1B2" * 9,
    "xoxb-" + "a1b2-" * 5,
    "npm_" + "a1B2" * 9,
    "pypi-" + "a1B2" * 12,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
)


@pytest.mark.parametrize("secret", SHAPES)
def test_what_has_the_shape_of_a_secret_goes(secret: str) -> None:
    assert redact(f"before {secret} after") == f"before {MARK} after"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("API_KEY=abcdef123", f"API_KEY={MARK}"),
        ("export DB_PASSWORD: 'hunter22'", f"export DB_PASSWORD: '{MARK}'"),
        ('{"client_secret": "abcd1234"}', f'{{"client_secret": "{MARK}"}}'),
        ("Authorization: Bearer abcdefghijkl", f"Authorization: {MARK} {MARK}"),
        ("git clone https://me:pass1@host/x", f"git clone https://{MARK}@host/x"),
    ],
)
def test_what_is_called_a_secret_goes(text: str, left: str) -> None:
    assert redact(text).count(MARK) >= 1
    assert not any(word in redact(text) for word in ("abcdef123", "hunter22", "abcd1234", "abcdefghijkl", "pass1"))


@pytest.mark.parametrize(
    "text",
    [
        "tokens per second: 51208",
        "val_loss=3.304 after 200 steps",
        "the commit a1b2c3d44444 of 2025-03-01",
        "skip the key frame",
        "sk-learn 1.4",
    ],
)
def test_ordinary_lines_stay(text: str) -> None:
    assert redact(text) == text


@settings(deadline=None)
@given(st.text(max_size=50), st.text(alphabet="abcdefghijkXYZ0123_", min_size=6, max_size=30), st.text(max_size=50))
def test_a_known_value_is_nowhere_left(before: str, secret: str, after: str) -> None:
    assert secret not in redact(before + secret + after, [secret]).replace(MARK, "")


@settings(deadline=None)
@given(st.text(alphabet="aA1_-=:.@/ \"'tokensecrgh", max_size=4096))
def test_no_text_takes_long(text: str) -> None:
    assert isinstance(redact(text), str)

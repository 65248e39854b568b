"""ASI, messages of commits, and which paths a keep leaves out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments import Story

from assay.core.asi import MAX_KEYS, asi_of_output, asi_of_words
from assay.core.experiment_errors import OutcomeRefusedError
from assay.core.experiment_messages import keep_message
from assay.core.keepable import KeepRules


def test_asi_lines_are_found_wherever_a_line_begins() -> None:
    text = "step 1\nASI hypothesis=larger tiles = better\r\n  ASI group=a\nnoASI x=1\nASI bad key=1\nASI =2\nASI group=b\n"
    assert asi_of_output(text) == {"hypothesis": "larger tiles = better", "group": "b"}


def test_asi_of_an_output_is_bounded() -> None:
    found = asi_of_output("".join(f"ASI k{number}={'v' * 5000}\n" for number in range(500)))
    assert len(found) == MAX_KEYS
    assert max(map(len, found.values())) <= 2000


@given(st.text())
def test_any_output_can_be_asked_for_asi(text: str) -> None:
    assert all(key.isascii() and "\n" not in value for key, value in asi_of_output(text).items())


@pytest.mark.parametrize("word", ["", "novalue", "=x", "two words=x", "1a=x"])
def test_a_word_that_is_no_key_and_value_is_refused(word: str) -> None:
    with pytest.raises(OutcomeRefusedError, match="key=value"):
        asi_of_words([word])


def test_a_message_of_ours_names_session_and_run_and_has_trailers() -> None:
    story = Story.begin()
    run = story.run("METRIC loss=1.5 (nats)\n")
    message = keep_message(story.journal.id, story.state.trials[0].stored, None)
    assert message.splitlines()[0] == f"experiment({story.journal.id}): keep {run}"
    assert f"Assay-Run: {run}" in message.splitlines()
    assert "Assay-Metric: loss=1.5 nats" in message.splitlines()


@pytest.mark.parametrize("given_text", ["", " \n", "a\0b", "x" * 70_000])
def test_a_message_that_git_could_not_keep_is_refused(given_text: str) -> None:
    story = Story.begin()
    story.run()
    with pytest.raises(OutcomeRefusedError, match="--message"):
        keep_message(story.journal.id, story.state.trials[0].stored, given_text)


RULES = KeepRules(("src/**", "*.md"), 100)


@pytest.mark.parametrize(
    "path", [".env", "src/.env.production", "src/key.pem", "src/ID_RSA", "src/.ssh/config", "src/.aws/credentials", "src/secrets.yaml"]
)
def test_what_looks_like_a_secret_is_left_out(path: str) -> None:
    assert KeepRules(("**",), 100).objection(path, 1)


@pytest.mark.parametrize("path", ["src/model.py", "README.md", "src/.env.example", "src/keys.py", "src/with\nline end.py"])
def test_what_is_allowed_is_committed(path: str) -> None:
    assert RULES.objection(path, 100) is None


@pytest.mark.parametrize(
    ("path", "size", "word"), [("lib/x.py", 1, "git.allow"), ("src/big.bin", 101, "git.max_file"), (".assay/store/x", 1, "own")]
)
def test_what_is_left_out_has_a_reason(path: str, size: int, word: str) -> None:
    assert word in (RULES.objection(path, size) or "")


def test_what_is_named_is_committed_but_never_what_is_our_own() -> None:
    rules = KeepRules((), 0, (".env", ".assay/x"))
    assert rules.objection(".env", 10) is None
    assert rules.objection(".assay/x", 1)

"""The inputs of the action as the runner hands them over."""

import pytest

from assay.core.inputs import CommentWhen, ForkRule, Inputs, Mode, parse_inputs, stricter
from assay.errors import UsageError


def test_nothing_given_is_every_default() -> None:
    assert parse_inputs({}) == Inputs()
    assert parse_inputs({"INPUT_MODE": "", "INPUT_FAIL-ON": " ", "INPUT_NO-REUSE": ""}) == Inputs()


@pytest.mark.parametrize("spell", [lambda name: f"INPUT_{name.upper()}", lambda name: f"INPUT_{name.upper().replace('-', '_')}"])
def test_both_spellings_of_a_name_are_read(spell: object) -> None:
    assert callable(spell)
    given = {
        "github-token": "t0ken",
        "mode": "auto",
        "bot-login": "lab[bot]",
        "config": "./ci/assay.yml",
        "benchmark": "one, two\nthree one",
        "base": "main",
        "head": "HEAD~1",
        "no-reuse": "True",
        "fail-on": "regressed,undecided",
        "data-branch": "refs/assay/data",
        "comment": "on-alert",
        "allow-forks": "allow",
        "working-directory": "code/",
    }
    assert parse_inputs({spell(name): value for name, value in given.items()}) == Inputs(
        token="t0ken",
        mode=Mode.AUTO,
        bot_login="lab[bot]",
        config="ci/assay.yml",
        benchmarks=("one", "two", "three"),
        base="main",
        head="HEAD~1",
        no_reuse=True,
        fail_on=("regressed", "undecided"),
        data_branch="refs/assay/data",
        comment=CommentWhen.ON_ALERT,
        allow_forks=ForkRule.ALLOW,
        working_directory="code",
    )


def test_the_runner_s_own_spelling_wins_unless_it_is_empty() -> None:
    assert parse_inputs({"INPUT_FAIL-ON": "errored", "INPUT_FAIL_ON": "undecided"}).fail_on == ("errored",)
    assert parse_inputs({"INPUT_FAIL-ON": "", "INPUT_FAIL_ON": "undecided"}).fail_on == ("undecided",)


def test_the_token_is_never_shown() -> None:
    assert "s3cret" not in repr(parse_inputs({"INPUT_GITHUB-TOKEN": "s3cret"}))


@pytest.mark.parametrize(
    ("name", "value", "near"),
    [
        ("MODE", "autos", "auto"),
        ("COMMENT", "onchange", "on-change"),
        ("ALLOW-FORKS", "allowed", "allow"),
        ("FAIL-ON", "regressed,undecidd", "undecided"),
        ("NO-REUSE", "tru", "true"),
    ],
)
def test_an_unknown_value_is_refused_with_the_nearest_valid_one(name: str, value: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"The input {name.lower()} does not know") as caught:
        parse_inputs({f"INPUT_{name}": value})
    assert f"Did you mean {near}?" in caught.value.hint


def test_a_value_like_no_other_is_refused_with_all_of_them() -> None:
    with pytest.raises(UsageError) as caught:
        parse_inputs({"INPUT_COMMENT": "::error::x"})
    assert caught.value.hint == "It takes: always, on-change, on-alert."


@pytest.mark.parametrize("value", ["/etc/assay.yml", "../assay.yml", ".git/config", "a\\b", "~/x"])
@pytest.mark.parametrize("name", ["CONFIG", "WORKING-DIRECTORY"])
def test_a_path_out_of_the_checkout_is_refused(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"The input {name.lower()}"):
        parse_inputs({f"INPUT_{name}": value})


@pytest.mark.parametrize("one", ForkRule)
@pytest.mark.parametrize("other", ForkRule)
def test_of_two_rules_for_forks_the_stricter_holds(one: ForkRule, other: ForkRule) -> None:
    held = stricter(one, other)
    assert held is stricter(other, one)
    assert held is (ForkRule.DENY if ForkRule.DENY in (one, other) else ForkRule.SHA if ForkRule.SHA in (one, other) else ForkRule.ALLOW)

"""The environment of a child is an allow-list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.environment import child_environment, refuse_credentials, why_withheld
from assay.errors import UsageError

OWN = {"HOME": "/run/home", "TMPDIR": "/run/tmp", "TMP": "/run/tmp", "TEMP": "/run/tmp"}

CANARIES = [
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "INPUT_GITHUB-TOKEN",
    "INPUT_MODE",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_RUNTIME_URL",
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "GITHUB_ENV",
    "GITHUB_PATH",
    "GITHUB_OUTPUT",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_EVENT_PATH",
    "RUNNER_TEMP",
    "RUNNER_TRACKING_ID",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "AWS_SECRET_ACCESS_KEY",
    "HF_TOKEN",
    "WANDB_API_KEY",
    "NPM_AUTH",
    "DB_PASSWORD",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "my_token",
    "myToken",
    "CUDA_TOKEN",
    "NVIDIA_API_KEY",
    "CONDA_TOKEN",
    "LC_SECRET",
]

names = st.one_of(
    st.sampled_from(CANARIES), st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters="_"), min_size=1)
)
environments = st.dictionaries(names, st.text(max_size=5), max_size=12)


def environment(parent: dict[str, str], **settings: object) -> dict[str, str]:
    return child_environment(parent, home="/run/home", tmp="/run/tmp", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        "LANG",
        "LC_ALL",
        "TZ",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "DYLD_LIBRARY_PATH",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_HOME",
        "NVIDIA_VISIBLE_DEVICES",
        "ROCM_PATH",
        "HIP_VISIBLE_DEVICES",
        "HSA_OVERRIDE_GFX_VERSION",
        "ROCR_VISIBLE_DEVICES",
        "PYENV_ROOT",
        "PYENV_VERSION",
        "RUSTUP_HOME",
    ],
)
def test_what_a_program_needs_comes_through(name: str) -> None:
    assert environment({name: "x"})[name] == "x"


@pytest.mark.parametrize(
    "name", ["VIRTUAL_ENV", "PYTHONPATH", "USER", "CI", "HF_HOME", "OMP_NUM_THREADS", "XDG_RUNTIME_DIR", "ASSAY_X", "lang"]
)
def test_what_was_not_thought_of_stays_out(name: str) -> None:
    assert name not in environment({name: "x"})


def test_its_own_folders_replace_those_of_the_parent() -> None:
    parent = dict.fromkeys(OWN, "/theirs")
    assert environment(parent) == OWN | {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def test_a_path_of_its_own_comes_first_whatever_else_is_set() -> None:
    assert environment({"PATH": "/bin"})["PATH"] == "/bin"
    assert environment({"PATH": "/bin"}, path_prefix=("/env/bin", "/tools"))["PATH"] == "/env/bin:/tools:/bin"
    assert environment({"PATH": "/bin"}, assigned={"PATH": "/mine"}, path_prefix=("/env/bin",))["PATH"] == "/env/bin:/mine"


def test_what_is_passed_comes_through_and_what_is_missing_is_no_variable() -> None:
    got = environment({"HF_HOME": "/cache", "OTHER": "x"}, passed=("HF_HOME", "MISSING"))
    assert got["HF_HOME"] == "/cache"
    assert not {"OTHER", "MISSING"} & set(got)


def test_of_one_name_the_nearest_to_the_author_wins() -> None:
    parent = {"A": "parent", "B": "parent", "C": "parent"}
    got = environment(parent, passed=("A", "B", "C"), extra={"B": "extra", "C": "extra"}, assigned={"C": "assigned", "HOME": "/mine"})
    assert [got[name] for name in ("A", "B", "C", "HOME")] == ["parent", "extra", "assigned", "/mine"]


@pytest.mark.parametrize("name", CANARIES)
def test_a_credential_cannot_be_asked_for(name: str) -> None:
    with pytest.raises(UsageError, match="no benchmark may see") as caught:
        environment({name: "sekret"}, passed=("HF_HOME", name))
    assert name in caught.value.message
    assert "HF_HOME" not in caught.value.message
    assert "sekret" not in caught.value.message
    assert caught.value.hint


def test_every_refused_name_is_told_with_its_reason() -> None:
    with pytest.raises(UsageError) as caught:
        refuse_credentials(["A_TOKEN", "OMP_NUM_THREADS", "RUNNER_TEMP", "GITHUB_SHA"])
    assert "A_TOKEN (it looks like the name of a credential)" in caught.value.message
    assert "RUNNER_TEMP (RUNNER_* belongs to the job), GITHUB_SHA (GITHUB_* belongs to the job)" in caught.value.message


@pytest.mark.parametrize("name", ["INPUT_MODE", "ACTIONS_RUNTIME_URL", "github_output", "DOCKER_HOST"])
def test_what_steers_the_job_is_withheld(name: str) -> None:
    assert why_withheld(name).endswith("_* belongs to the job")


HARMLESS = ["TOKENIZERS_PARALLELISM", "MAX_TOKENS", "HF_HOME", "KEYBOARD", "GIT_AUTHOR_NAME", "MONKEY", "PWD", "INPUTS", "MY_INPUT_DIR"]


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_name_is_not_taken_for_a_credential(name: str) -> None:
    assert why_withheld(name) == ""
    refuse_credentials([name])


@given(environments)
def test_no_credential_ever_comes_through_by_itself(parent: dict[str, str]) -> None:
    got = environment(parent)
    assert not [name for name in got if why_withheld(name)]
    assert all(got[name] == parent[name] for name in set(got) - set(OWN) - {"PATH"})


@given(environments, st.lists(names, max_size=4))
def test_what_comes_through_was_asked_for_or_is_common(parent: dict[str, str], passed: list[str]) -> None:
    allowed = [name for name in passed if not why_withheld(name)]
    assert set(environment(parent, passed=allowed)) == set(environment(parent)) | (set(allowed) & set(parent))


@given(environments, st.lists(names, max_size=4))
def test_a_list_is_refused_exactly_if_one_of_its_names_is(parent: dict[str, str], passed: list[str]) -> None:
    try:
        environment(parent, passed=passed)
    except UsageError:
        assert any(why_withheld(name) for name in passed)
    else:
        assert not any(why_withheld(name) for name in passed)

"""Names of variables that no benchmark may see."""

import pytest

from assay.core.credentials import belongs_to_runner, looks_like_credential


@pytest.mark.parametrize(
    "name",
    [
        "HF_TOKEN",
        "GITHUB_TOKEN",
        "gh_token",
        "WANDB_API_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AZURE_CLIENT_SECRET",
        "DB_PASSWORD",
        "SMTP_PASS",
        "MYSQL_PWD",
        "PGPASSWORD",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "SSH_AUTH_SOCK",
        "GH_PAT",
        "KUBECONFIG",
        "NETRC",
        "SENTRY_DSN",
        "OPENAIAPIKEY",
        "hfToken",
        "API_TOKENS",
        "API_KEY2",
        "TOKEN",
    ],
)
def test_a_name_of_a_credential_is_known(name: str) -> None:
    assert looks_like_credential(name)


@pytest.mark.parametrize(
    "name",
    [
        "HF_HOME",
        "TOKENIZERS_PARALLELISM",
        "MAX_TOKENS",
        "NUM_NEW_TOKENS",
        "OMP_NUM_THREADS",
        "MONKEYPATCH",
        "KEYBOARD_LAYOUT",
        "COMPASS_DIR",
        "PATH",
        "PWD",
        "OLDPWD",
        "CUDA_VISIBLE_DEVICES",
        "SSL_CERT_FILE",
        "PATTERN",
    ],
)
def test_a_harmless_name_is_left_alone(name: str) -> None:
    assert not looks_like_credential(name)


@pytest.mark.parametrize(
    "name", ["INPUT_MODE", "ACTIONS_RUNTIME_URL", "GITHUB_ENV", "github_output", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP", "DOCKER_HOST"]
)
def test_what_steers_the_runner_is_known(name: str) -> None:
    assert belongs_to_runner(name)


@pytest.mark.parametrize("name", ["STATE_DICT", "INPUTS", "GITHUB_SHA", "MY_INPUT_DIR"])
def test_what_does_not_steer_the_runner_is_left_alone(name: str) -> None:
    assert not belongs_to_runner(name)

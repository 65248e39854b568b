"""Names of variables that no benchmark may see."""

import pytest

from assay.core.credentials import looks_like_credential


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

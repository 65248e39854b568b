"""What GitHub's answers about people and uploads are taken for, where the answer is unusual. `responses` stands where the network would."""

from collections.abc import Iterator
from typing import Any

import pytest
import responses

from assay.adapters.github import questions
from assay.adapters.github.client import Patience, Time
from assay.adapters.github.forge import GitHubForge
from assay.core.forge_facts import Permission
from assay.core.http_waits import Limits
from assay.errors import ForgeError

API = "https://api.github.test:443"
REPO = f"{API}/repos/ada/lab"
PERMISSION = f"{REPO}/collaborators/bob/permission"
STORAGE = "https://storage.test/zip"


@pytest.fixture
def mock() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock() as found:
        yield found


@pytest.fixture
def forge(mock: responses.RequestsMock) -> GitHubForge:
    clock = Time(now=lambda: 1000.0, sleep=lambda _: None, chance=lambda: 0.0)
    patience = Patience(limits=Limits(tries=1), between_writes_s=0)
    return GitHubForge("t0ken", "ada/lab", api_url=API, bot_login="github-actions[bot]", patience=patience, clock=clock)


@pytest.mark.parametrize(
    ("permission", "role", "wanted"),
    [
        ("admin", "admin", Permission.ADMIN),
        ("write", "maintain", Permission.WRITE),
        ("write", "release captain", Permission.WRITE),
        ("read", "triage", Permission.READ),
        ("read", "admin", Permission.READ),
        ("none", "write", Permission.NONE),
    ],
)
def test_rights_are_what_permission_says_whatever_a_role_is_called(
    mock: responses.RequestsMock, forge: GitHubForge, permission: str, role: str, wanted: Permission
) -> None:
    mock.get(PERMISSION, json={"permission": permission, "role_name": role, "user": {"login": "bob"}})
    assert forge.permission_of("bob") is wanted


@pytest.mark.parametrize(
    "answer",
    [
        {"json": {"permission": "owner"}},
        {"json": {"permission": "ADMIN"}},
        {"json": {"permission": ["admin"]}},
        {"json": {"permission": None}},
        {"json": {"role_name": "admin"}},
        {"json": []},
        {"body": "no json"},
        {"json": {"message": "Not Found"}, "status": 404},
        {"json": {"message": "Forbidden"}, "status": 403},
        {"json": {"message": "Server Error"}, "status": 502},
    ],
)
def test_an_answer_that_names_no_right_is_an_error_and_never_a_right(
    mock: responses.RequestsMock, forge: GitHubForge, answer: dict[str, Any]
) -> None:
    mock.get(PERMISSION, **answer)
    with pytest.raises(ForgeError):
        forge.permission_of("bob")


def listed(mock: responses.RequestsMock, *artifacts: tuple[int, str]) -> None:
    found = [
        {"id": number, "name": name, "expired": False, "archive_download_url": f"{REPO}/actions/artifacts/{number}/zip"}
        for number, name in artifacts
    ]
    mock.get(f"{REPO}/actions/runs/5", json={"id": 5, "artifacts_url": f"{REPO}/actions/runs/5/artifacts"})
    mock.get(f"{REPO}/actions/runs/5/artifacts", json={"total_count": len(found), "artifacts": found})


def stored(mock: responses.RequestsMock, number: int, content: bytes) -> None:
    mock.get(f"{REPO}/actions/artifacts/{number}/zip", status=302, headers={"Location": f"{STORAGE}/{number}"})
    mock.get(f"{STORAGE}/{number}", body=content)


def test_of_artifacts_with_one_name_that_of_the_last_attempt_counts(mock: responses.RequestsMock, forge: GitHubForge) -> None:
    listed(mock, (9, "assay-bench"), (7, "assay-bench"), (8, "other"))
    stored(mock, 9, b"new")
    assert forge.artifacts(5, "assay-") == {"assay-bench": b"new"}
    (download,) = [call.request for call in mock.calls if (call.request.url or "").startswith(STORAGE)]
    assert "Authorization" not in download.headers


def test_artifacts_that_are_too_much_together_are_not_held(
    mock: responses.RequestsMock, forge: GitHubForge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "MAX_TOTAL_BYTES", 10)
    listed(mock, (1, "assay-a"), (2, "assay-b"))
    stored(mock, 1, b"x" * 6)
    stored(mock, 2, b"x" * 6)
    with pytest.raises(ForgeError, match="artifacts of run 5"):
        forge.artifacts(5, "assay-")

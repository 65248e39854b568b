"""Check runs, commit statuses, workflow runs and artifacts as GitHub's API gives them."""

from tests.fakes.github.model import Artifact, CheckRun, Status, WorkflowRun, stamp
from tests.fakes.github.repository import Repository
from tests.fakes.github.shapes.commits import api, page
from tests.fakes.github.shapes.people import Json, app, repository, user


def check_run(repo: Repository, one: CheckRun) -> Json:
    url = api(repo, f"check-runs/{one.id}")
    html = page(repo, f"runs/{one.id}")
    return {
        "id": one.id,
        "node_id": f"CR_{one.id}",
        "name": one.name,
        "head_sha": one.head_sha,
        "external_id": one.external_id,
        "url": url,
        "html_url": html,
        "details_url": one.details_url or html,
        "status": one.status,
        "conclusion": one.conclusion,
        "started_at": one.started_at,
        "completed_at": one.completed_at,
        "output": {
            "title": one.title,
            "summary": one.summary,
            "text": one.text,
            "annotations_count": len(one.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": one.app.id},
        "app": app(repo.hub, one.app),
        "pull_requests": [],
    }


def annotation(repo: Repository, run: CheckRun, one: dict[str, object]) -> Json:
    optional = {name: one.get(name) for name in ("start_column", "end_column", "title", "raw_details")}
    return {**one, **optional, "blob_href": page(repo, f"blob/{run.head_sha}/{one['path']}")}


def status(repo: Repository, one: Status) -> Json:
    return {
        "url": api(repo, f"statuses/{one.sha}"),
        "id": one.id,
        "node_id": f"S_{one.id}",
        "avatar_url": f"{repo.hub.server_url}/avatars/u/{one.user.id}",
        "state": one.state,
        "context": one.context,
        "description": one.description,
        "target_url": one.target_url,
        "creator": user(repo.hub, one.user),
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.created_at),
    }


def workflow_run(repo: Repository, one: WorkflowRun) -> Json:
    """A run of a workflow. Its pull requests are empty for a head in a fork, as they are on GitHub."""
    head = repo.hub.repositories.get(one.head_repository)
    url, moment = api(repo, f"actions/runs/{one.id}"), "2026-01-01T00:00:00Z"
    return {
        "id": one.id,
        "name": one.name,
        "node_id": f"WR_{one.id}",
        "path": one.path,
        "run_number": 1,
        "run_attempt": one.run_attempt,
        "event": one.event,
        "status": one.status,
        "conclusion": one.conclusion,
        "workflow_id": 1,
        "check_suite_id": 1,
        "head_branch": one.head_branch,
        "head_sha": one.head_sha,
        "display_title": one.name,
        "url": url,
        "html_url": page(repo, f"actions/runs/{one.id}"),
        "artifacts_url": f"{url}/artifacts",
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "created_at": moment,
        "updated_at": moment,
        "run_started_at": moment,
        "actor": user(repo.hub, one.actor),
        "triggering_actor": user(repo.hub, one.actor),
        "repository": repository(repo.hub, repo),
        "head_repository": repository(repo.hub, head) if head else None,
        "pull_requests": _pulls_of(repo, one),
    }


def _pulls_of(repo: Repository, one: WorkflowRun) -> list[Json]:
    if one.head_repository != repo.full_name:
        return []
    side = {"id": repo.id, "url": api(repo, "").rstrip("/"), "name": repo.name}
    return [
        {
            "id": 100_000 + pull.number,
            "number": pull.number,
            "url": api(repo, f"pulls/{pull.number}"),
            "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": side},
            "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": side},
        }
        for pull in repo.pulls.values()
        if pull.head is repo and pull.head_sha == one.head_sha
    ]


def artifact(repo: Repository, one: Artifact) -> Json:
    url, moment = api(repo, f"actions/artifacts/{one.id}"), stamp(one.created_at)
    run = repo.workflow_runs[one.run]
    return {
        "id": one.id,
        "node_id": f"AR_{one.id}",
        "name": one.name,
        "size_in_bytes": len(one.content),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": False,
        "created_at": moment,
        "expires_at": None,
        "updated_at": moment,
        "workflow_run": {"id": run.id, "repository_id": repo.id, "head_branch": run.head_branch, "head_sha": run.head_sha},
    }

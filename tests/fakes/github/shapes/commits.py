"""Refs, branches, commits and comparisons as GitHub's API gives them."""

from tests.fakes.github.git import Change, Commit, Signature
from tests.fakes.github.protection import RULE_TYPES, Style
from tests.fakes.github.repository import Repository
from tests.fakes.github.shapes.people import Json


def api(repo: Repository, path: str) -> str:
    return f"{repo.hub.url}/repos/{repo.full_name}/{path}"


def page(repo: Repository, path: str) -> str:
    """The address of a page for people."""
    return f"{repo.hub.server_url}/{repo.full_name}/{path}"


def ref(repo: Repository, name: str, sha: str) -> Json:
    """A ref; `name` in full."""
    url = api(repo, f"git/{name}")
    return {
        "ref": name,
        "node_id": f"REF_{name}",
        "url": url,
        "object": {"type": "commit", "sha": sha, "url": api(repo, f"git/commits/{sha}")},
    }


def branch(repo: Repository, name: str, sha: str) -> Json:
    protected = f"refs/heads/{name}" in repo.protections
    return {"name": name, "commit": {"sha": sha, "url": api(repo, f"commits/{sha}")}, "protected": protected}


def whole_branch(repo: Repository, name: str, sha: str) -> Json:
    """A branch with its commit, as it is given when asked for by name."""
    links = {"self": api(repo, f"branches/{name}"), "html": page(repo, f"tree/{name}")}
    url = api(repo, f"branches/{name}/protection")
    tip = commit(repo, repo.git.commit(sha))
    return {**branch(repo, name, sha), "commit": tip, "_links": links, "protection": _protection(repo, name), "protection_url": url}


def _protection(repo: Repository, name: str) -> Json:
    """What everybody may see of the classic protection. GitHub says nothing of rulesets there."""
    checks = list(repo.required_checks.get(name, ()))
    found = repo.protections.get(f"refs/heads/{name}")
    if not checks and (found is None or found.style is not Style.CLASSIC):
        return {"enabled": False, "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []}}
    level = "non_admins" if checks else "off"
    shown = [{"context": one, "app_id": None} for one in checks]
    return {"enabled": True, "required_status_checks": {"enforcement_level": level, "contexts": checks, "checks": shown}}


def rules(repo: Repository, name: str) -> list[Json]:
    """The rules that rulesets have for a branch, with the ruleset that each is from."""
    found = repo.protections.get(f"refs/heads/{name}")
    kinds = [RULE_TYPES[one] for one in found.rules] if found and found.style is Style.RULESET else []
    source = {"ruleset_source_type": "Repository", "ruleset_source": repo.full_name, "ruleset_id": 42}
    listed: list[Json] = [{"type": kind, **source} for kind in kinds]
    if contexts := repo.ruled_checks.get(name):
        wanted = {"required_status_checks": [{"context": one} for one in contexts], "strict_required_status_checks_policy": False}
        listed.append({"type": "required_status_checks", "parameters": wanted, **source})
    return listed


def commit(repo: Repository, one: Commit) -> Json:
    """A commit, without its files. Its people are not matched with users."""
    url = api(repo, f"commits/{one.sha}")
    return {
        "sha": one.sha,
        "node_id": f"C_{one.sha}",
        "url": url,
        "html_url": page(repo, f"commit/{one.sha}"),
        "comments_url": f"{url}/comments",
        "commit": {
            "author": _signature(one.author),
            "committer": _signature(one.committer),
            "message": one.message,
            "tree": {"sha": one.tree, "url": api(repo, f"git/trees/{one.tree}")},
            "url": api(repo, f"git/commits/{one.sha}"),
            "comment_count": 0,
            "verification": {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None},
        },
        "author": None,
        "committer": None,
        "parents": [{"sha": sha, "url": api(repo, f"commits/{sha}"), "html_url": page(repo, f"commit/{sha}")} for sha in one.parents],
    }


def whole_commit(repo: Repository, one: Commit) -> Json:
    """A commit with its files, against its first parent."""
    changes = repo.git.changes(one.parents[0], one.sha) if one.parents else []
    added, removed = sum(change.added for change in changes), sum(change.removed for change in changes)
    stats = {"additions": added, "deletions": removed, "total": added + removed}
    return {**commit(repo, one), "stats": stats, "files": [changed_file(repo, one.sha, change) for change in changes]}


def _signature(one: Signature) -> Json:
    return {"name": one.name, "email": one.email, "date": one.date.replace("+00:00", "Z")}


def changed_file(repo: Repository, sha: str, one: Change) -> Json:
    found: Json = {
        "sha": one.blob,
        "filename": one.path,
        "status": one.status,
        "additions": one.added,
        "deletions": one.removed,
        "changes": one.added + one.removed,
        "blob_url": page(repo, f"blob/{sha}/{one.path}"),
        "raw_url": page(repo, f"raw/{sha}/{one.path}"),
        "contents_url": f"{api(repo, f'contents/{one.path}')}?ref={sha}",
    }
    return found if one.previous is None else {**found, "previous_filename": one.previous}

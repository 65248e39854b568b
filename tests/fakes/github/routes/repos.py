"""Repositories, their branches and what files they hold."""

import base64

from tests.fakes.github.git import Commit
from tests.fakes.github.messages import Answer, ApiError, Call, not_found
from tests.fakes.github.paging import paged
from tests.fakes.github.permissions import read
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import commits, people
from tests.fakes.github.shapes.people import Json

_FILE_LIMIT = 1024 * 1024


@route("GET", "/repos/{owner}/{repo}", read())
def repository(call: Call) -> Answer:
    return Answer(200, people.repository(call.hub, call.repo, call.token))


@route("GET", "/repos/{owner}/{repo}/branches", read("contents"))
def branches(call: Call) -> Answer:
    found = [(name.removeprefix("refs/heads/"), sha) for name, sha in call.repo.git.refs("refs/heads").items()]
    if "protected" in call.query:
        found = [one for one in found if (f"refs/heads/{one[0]}" in call.repo.protections) == (call.query["protected"] == "true")]
    return paged(call, found, lambda one: commits.branch(call.repo, *one))


@route("GET", "/repos/{owner}/{repo}/branches/{branch}", read("contents"))
def branch(call: Call) -> Answer:
    sha = call.repo.git.branch(call.params["branch"])
    if sha is None:
        raise ApiError(404, "Branch not found")
    return Answer(200, commits.whole_branch(call.repo, call.params["branch"], sha))


@route("GET", "/repos/{owner}/{repo}/rules/branches/{branch}", read())
def rules_of_branch(call: Call) -> Answer:
    return Answer(200, commits.rules(call.repo, call.params["branch"]))


@route("GET", "/repos/{owner}/{repo}/contents/{path}", read("contents"))
def contents(call: Call) -> Answer:
    """A file, or the listing of a folder. Raw content where that is accepted."""
    ref, path = call.query.get("ref", call.repo.default_branch), call.params["path"].rstrip("/")
    sha = call.repo.git.resolve(ref)
    if sha is None:
        raise ApiError(404, f"No commit found for the ref {ref}")
    found = call.repo.git.read(sha, path)
    if found is None:
        raise not_found()
    kind, blob, content = found
    if kind == "tree":
        return Answer(200, [_entry(call, ref, path, line) for line in content.decode().split("\0") if line])
    if "raw" in call.headers.get("accept", ""):
        return Answer(200, raw=content, headers={"Content-Type": "application/vnd.github.raw; charset=utf-8"})
    return Answer(200, _file(call, ref, path, blob, content))


def _entry(call: Call, ref: str, folder: str, line: str) -> Json:
    meta, _, name = line.partition("\t")
    mode, kind, sha, size = meta.split()
    path = f"{folder}/{name}".lstrip("/")
    kind = "symlink" if mode == "120000" else {"tree": "dir", "commit": "submodule"}.get(kind, "file")
    return _common(call, ref, path, sha, kind, 0 if size == "-" else int(size))


def _file(call: Call, ref: str, path: str, sha: str, content: bytes) -> Json:
    """A file with its content, which GitHub leaves out above a megabyte."""
    small = len(content) <= _FILE_LIMIT
    text = base64.encodebytes(content).decode() if small else ""
    return {**_common(call, ref, path, sha, "file", len(content)), "encoding": "base64" if small else "none", "content": text}


def _common(call: Call, ref: str, path: str, sha: str, kind: str, size: int) -> Json:
    url = f"{commits.api(call.repo, f'contents/{path}')}?ref={ref}"
    git = commits.api(call.repo, f"git/blobs/{sha}")
    html = commits.page(call.repo, f"blob/{ref}/{path}")
    links = {"self": url, "git": git, "html": html}
    name = path.rpartition("/")[2]
    shape: Json = {"type": kind, "name": name, "path": path, "sha": sha, "size": size, "url": url, "git_url": git, "html_url": html}
    return {**shape, "download_url": commits.page(call.repo, f"raw/{ref}/{path}"), "_links": links}


def commit_of(call: Call, name: str) -> Commit:
    """The commit that a parameter names. Raises ApiError as GitHub does for one that is not there."""
    sha = call.repo.git.resolve(call.params[name])
    if sha is None:
        raise ApiError(422, f"No commit found for SHA: {call.params[name]}")
    return call.repo.git.commit(sha)

"""Repositories, their branches and what files they hold."""

import base64

from tests.fakes.github.git import Commit
from tests.fakes.github.messages import Answer, ApiError, Call, not_found
from tests.fakes.github.paging import paged
from tests.fakes.github.permissions import read, write
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


@route("PUT", "/repos/{owner}/{repo}/contents/{path}", write("contents"))
def put_contents(call: Call) -> Answer:
    """Write a file by one commit. Who replaces one has to say which."""
    branch, path = call.body.get("branch", call.repo.default_branch), call.params["path"]
    if call.repo.git.branch(branch) is None:
        raise ApiError(404, f"Branch {branch} not found")
    ref = f"refs/heads/{branch}"
    if ref in call.repo.protections and call.caller.login not in call.repo.protections[ref].bypass:
        raise ApiError(409, "Repository rule violations found")
    there = call.repo.git.read(branch, path)
    given = call.body.get("sha")
    if there and given is None:
        raise ApiError(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
    if given is not None and (there is None or there[1] != given):
        raise ApiError(409, f"{path} does not match {given}")
    sha = call.repo.git.write(branch, path, base64.b64decode(call.body["content"]), call.body["message"])
    _, blob, content = call.repo.git.read(branch, path) or ("", "", b"")
    shown = commits.commit(call.repo, call.repo.git.commit(sha))
    inner: Json = shown["commit"]  # type: ignore[assignment]
    made = {**{name: inner[name] for name in ("author", "committer", "message")}, "sha": sha, "html_url": shown["html_url"]}
    return Answer(200 if there else 201, {"content": _common(call, branch, path, blob, "file", len(content)), "commit": made})


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

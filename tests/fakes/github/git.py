"""A real bare repository, asked and changed by git itself, so that the API, clones and pushes agree."""

import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    # the server may run as root over folders of another account
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    **{
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "GitHub"), ("EMAIL", "noreply@github.com"))
    },
}
SETTINGS = """\
[http]
	receivepack = true
[receive]
	hideRefs = refs/pull
	autogc = false
[gc]
	auto = 0
[uploadpack]
	allowAnySHA1InWant = true
	allowFilter = true
"""
_COMMIT = "%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%aI%x1f%cn%x1f%ce%x1f%cI%x1f%B"


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    email: str
    date: str


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True, slots=True)
class Change:
    """A file that differs between two commits, as git numbers it; `-` for the lines of a binary file is 0."""

    status: str
    path: str
    previous: str | None
    blob: str
    added: int
    removed: int


class BareRepository:
    """The git side of one repository on the fake."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, source: Path | None) -> None:
        """Make the folder, with all branches and tags of a local repository if one is given."""
        self.path.mkdir(parents=True)
        self.run("init", "-q", "--bare", "--template=", "-b", "main")
        with (self.path / "config").open("a", encoding="utf-8") as config:
            config.write(SETTINGS)
        if source is not None:
            self.run("fetch", "-q", str(source), "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")

    def attempt(self, *words: str, env: Mapping[str, str] | None = None) -> tuple[int, str]:
        """The exit code and the output of a git command."""
        done = subprocess.run(
            ["git", *words], check=False, cwd=self.path, env={**ENVIRONMENT, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> str:
        code, out = self.attempt(*words, env=env)
        if code:
            raise RuntimeError(f"git {' '.join(words)} in {self.path} failed with {code}")
        return out.removesuffix("\n")

    def refs(self, prefix: str = "") -> dict[str, str]:
        """Ref names to what they point at, in git's order."""
        lines = self.run("for-each-ref", "--format=%(refname) %(objectname)", *([prefix] if prefix else []))
        return dict(line.split(" ", 1) for line in lines.splitlines())

    def branch(self, name: str) -> str | None:
        return self.resolve(f"refs/heads/{name}")

    def resolve(self, name: str) -> str | None:
        """The commit that a sha, a branch, a tag or `heads/…` names."""
        if name.startswith("-"):
            return None
        places = (name,) if name.startswith("refs/") else (f"refs/heads/{name}", f"refs/tags/{name}", f"refs/{name}", name)
        for place in places:
            code, out = self.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{place}^{{commit}}")
            if code == 0:
                return out.strip()
        return None

    def commit(self, sha: str) -> Commit:
        return self.log(sha, "-1")[0]

    def log(self, *words: str) -> list[Commit]:
        """Commits as `git log` orders them."""
        records = self.run("log", "-z", f"--format={_COMMIT}", *words).split("\0")
        return [_commit(record) for record in records if record]

    def merge_base(self, one: str, other: str) -> str | None:
        code, out = self.attempt("merge-base", one, other)
        return out.strip() if code == 0 else None

    def count(self, span: str) -> int:
        return int(self.run("rev-list", "--count", span))

    def is_ancestor(self, one: str, other: str) -> bool:
        return self.attempt("merge-base", "--is-ancestor", one, other)[0] == 0

    def changes(self, base: str, head: str) -> list[Change]:
        """The files that differ, moves found."""
        raw = self.run("diff-tree", "-r", "-M", "-z", "--raw", base, head).split("\0")
        lines = self._line_counts(base, head)
        return [_change(meta, paths, lines) for meta, paths in _raw_entries(raw)]

    def _line_counts(self, base: str, head: str) -> dict[str, tuple[int, int]]:
        counted = {}
        for line in self.run("diff-tree", "-r", "-M", "--numstat", "--no-renames", "-z", base, head).split("\0"):
            if line:
                added, removed, path = line.split("\t", 2)
                counted[path] = (_number(added), _number(removed))
        return counted

    def read(self, commit: str, path: str) -> tuple[str, str, bytes] | None:
        """Kind, id and content of what a commit has at a path; a tree's content is its listing."""
        code, sha = self.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{path}")
        if code:
            return None
        kind = self.run("cat-file", "-t", sha.strip())
        words = ["ls-tree", "-z", "-l", sha.strip()] if kind == "tree" else ["cat-file", kind, sha.strip()]
        done = subprocess.run(["git", *words], check=True, cwd=self.path, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True)
        return kind, sha.strip(), done.stdout

    def take(self, other: "BareRepository", sha: str) -> None:
        """Fetch a commit of another repository, as GitHub's forks share their objects."""
        if other.path != self.path:
            self.run("fetch", "-q", "--no-tags", str(other.path), sha)

    def merge(self, base: str, head: str, message: str) -> str | None:
        """A merge commit on no branch; None for a conflict."""
        code, out = self.attempt("merge-tree", "--write-tree", base, head)
        if code:
            return None
        return self.run("commit-tree", out.split()[0], "-p", base, "-p", head, "-m", message)

    def write(self, branch: str, path: str, content: bytes, message: str) -> str:
        """One commit more on a branch, in which a file has this content."""
        tip = self.run("rev-parse", f"refs/heads/{branch}")
        done = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"], check=True, cwd=self.path, env=ENVIRONMENT, input=content, capture_output=True
        )
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": f"{folder}/index"}
            self.run("read-tree", tip, env=index)
            self.run("update-index", "--add", "--cacheinfo", f"100644,{done.stdout.decode().strip()},{path}", env=index)
            tree = self.run("write-tree", env=index)
        sha = self.run("commit-tree", tree, "-p", tip, "-m", message)
        self.set_ref(f"refs/heads/{branch}", sha)
        return sha

    def set_ref(self, ref: str, sha: str) -> None:
        self.run("update-ref", ref, sha)

    def delete_ref(self, ref: str) -> None:
        self.run("update-ref", "-d", ref)


def _commit(record: str) -> Commit:
    sha, tree, parents, *people, message = record.split("\x1f", 9)
    return Commit(sha.strip(), tree, tuple(parents.split()), Signature(*people[:3]), Signature(*people[3:]), message.rstrip("\n"))


def _raw_entries(fields: list[str]) -> list[tuple[str, list[str]]]:
    """Pairs of a raw line's meta data and its one or two paths."""
    entries, rest = [], iter(field for field in fields if field)
    for meta in rest:
        moved = meta.split(" ")[4][0] in "RC"
        entries.append((meta, [next(rest) for _ in range(2 if moved else 1)]))
    return entries


def _change(meta: str, paths: list[str], lines: Mapping[str, tuple[int, int]]) -> Change:
    *_, old, new, letter = meta.split(" ")
    status = {"A": "added", "D": "removed", "R": "renamed", "C": "copied"}.get(letter[0], "modified")
    added, removed = lines.get(paths[-1], (0, 0))
    blob = old if letter[0] == "D" else new
    previous = paths[0] if len(paths) > 1 else None
    return Change(status, paths[-1], previous, blob, added, removed)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0

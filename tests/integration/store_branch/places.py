"""A bare remote and clones of ours beside it, for tests and for the processes that they start."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.repositories import ISOLATED

import assay
from assay.adapters.store_branch import BranchStore, Credentials
from assay.adapters.store_branch.delivery import Patience

REF = "refs/heads/assay-data"
HERE = Path(__file__).parent
QUICK = Patience(races=12, race_s=180.0, silences=2, shortest_s=0.01, longest_s=5.0, silence_s=0.01)
"""Waits short enough for a test; as many tries as in earnest."""


def git(where: Path, *words: str, feed: bytes | None = None) -> str:
    """What git prints in a repository, bare or not."""
    env = {"PATH": os.environ["PATH"], **ISOLATED}
    done = subprocess.run(["git", "-C", str(where), *words], env=env, input=feed, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().removesuffix("\n")


def bare(where: Path, *options: str) -> Path:
    """A bare repository as a remote."""
    where.mkdir(parents=True)
    git(where, "init", "-q", "--bare", "-b", "main", *options)
    return where


def open_store(
    remote: Path | str,
    clone: Path,
    ref: str = REF,
    *,
    warn: Callable[[str], None] = lambda _: None,
    patience: Patience = QUICK,
    fresh_s: float = 0.0,
    credentials: Credentials | None = None,
    object_format: str = "sha1",
) -> BranchStore:
    """The store as a clone of the remote would have it. Every read fetches, unless `fresh_s` says otherwise."""
    return BranchStore(
        str(remote),
        ref,
        git_dir=clone / "assay" / "store.git",
        outbox=clone / "assay" / "outbox",
        index=clone / "assay" / "index.sqlite3",
        warn=warn,
        patience=patience,
        fresh_s=fresh_s,
        credentials=credentials,
        object_format=object_format,
    )


def writer(remote: Path, clone: Path, *words: str) -> subprocess.Popen[bytes]:
    """A process that writes runs: see `write_records.py`."""
    sources = str(Path(assay.__file__).parents[1])
    checkout = str(HERE.parents[2])
    command = [sys.executable, str(HERE / "write_records.py"), str(remote), str(clone), *words]
    env = {"PYTHONPATH": f"{sources}:{checkout}", "PATH": os.environ["PATH"], "HOME": str(clone.parent), **ISOLATED}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


def waiting(clone: Path) -> list[str]:
    """The names of the records in an outbox."""
    return sorted(path.name for path in (clone / "assay" / "outbox").rglob("*.json"))


def listed(remote: Path, ref: str = REF) -> list[str]:
    """The names of the records on the remote's branch."""
    names = git(remote, "ls-tree", "-r", "--name-only", ref).splitlines()
    return sorted(name.rpartition("/")[2] for name in names if name.endswith(".json"))


def put(remote: Path, files: Mapping[str, bytes | tuple[str, str] | None], ref: str = REF) -> str:
    """Commit files to the remote's branch by hand; a pair is a mode and an object id, None removes. The new tip."""
    index = {"GIT_INDEX_FILE": str(remote / "test-index")}
    env = {"PATH": os.environ["PATH"], **ISOLATED, **index}

    def run(*words: str, feed: bytes = b"") -> str:
        done = subprocess.run(["git", "-C", str(remote), *words], env=env, input=feed, capture_output=True, check=True)
        return done.stdout.decode().strip()

    known = subprocess.run(["git", "-C", str(remote), "rev-parse", "-q", "--verify", ref], env=env, capture_output=True, check=False)
    parent = known.stdout.decode().strip()
    run("read-tree", *([parent] if parent else ["--empty"]))
    for path, content in files.items():
        if content is None:
            run("update-index", "--index-info", feed=f"0 {'0' * 40}\t{path}\n".encode())
            continue
        mode, blob = content if isinstance(content, tuple) else ("100644", run("hash-object", "-w", "--stdin", feed=content))
        run("update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}")
    commit = run("commit-tree", "-m", "by hand", *(["-p", parent] if parent else []), run("write-tree"))
    run("update-ref", ref, commit)
    return commit


def hook(remote: Path, name: str, script: str) -> None:
    """A hook of the remote."""
    file = remote / "hooks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)

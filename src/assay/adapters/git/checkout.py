"""Lays a commit out on disk from a private repository that borrows the user's objects and nothing else.

`git worktree add` in the user's repository would write there: an entry in its list of worktrees, refs, the user's hooks and
filters running. A repository of our own that names the user's object folder as its alternate leaves no trace, not even when
we are killed half-way, and no driver, hook or alias of the user's configuration exists in it.
"""

import os
import shutil
from pathlib import Path

from assay.adapters.git.command import Answer, on_private
from assay.adapters.git.failures import failure
from assay.core.values import dataclass
from assay.errors import InfrastructureError

_CONFIG = """\
[core]
\trepositoryFormatVersion = {version}
\tbare = false
\tfileMode = true
\tlogAllRefUpdates = false
\thooksPath = /dev/null
\tfsmonitor = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""
_SHA256 = "[extensions]\n\tobjectFormat = sha256\n"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the user's objects are: the object folder, the file that marks where a shallow history ends, the kind of hash."""

    objects: str
    shallow: str
    object_format: str


def lay_out(source: Source, sha: str, folder: str, tags: bytes) -> None:
    """Check `sha` out in `folder`. `tags` are lines of `sha SP refname`, for tools that take a version from them."""
    git_dir = str(Path(folder).with_name("git"))
    try:
        Path(folder).mkdir(parents=True)
        make_repository(Path(git_dir), source, sha, tags)
        answer = on_private(git_dir, folder).ask("read-tree", "--reset", "-u", sha)
        if answer.ok:
            Path(folder, ".git").write_bytes(b"gitdir: " + os.fsencode(git_dir) + b"\n")
    except OSError as error:
        what = f"Checking out {sha[:12]} failed: {error.strerror or error} ({error.filename})."
        raise InfrastructureError(what, hint="See that the temporary folder (TMPDIR) is writable and has space.") from error
    if not answer.ok:
        raise failure(answer, f"Checking out {sha[:12]}", objects=source.objects)


def ask_apart(source: Source, sha: str, *words: str) -> Answer:
    """What git answers in a passing repository of ours: whatever foreign code has written into the user's `.git` is not read.

    Raises InfrastructureError where git refuses or the disk does.
    """
    from tempfile import TemporaryDirectory  # no verb needs it at its start

    try:
        with TemporaryDirectory(prefix="assay-git-") as folder:
            make_repository(Path(folder, "git"), source, sha, b"")
            answer = on_private(str(Path(folder, "git")), folder).ask(*words)
    except OSError as error:
        what = f"Git cannot be prepared in the temporary folder: {error.strerror or error} ({error.filename})."
        raise InfrastructureError(what, hint="See that TMPDIR is writable and has space.") from error
    if not answer.ok:
        raise failure(answer, "Reading the repository", objects=source.objects)
    return answer


def make_repository(git_dir: Path, source: Source, sha: str, tags: bytes) -> None:
    """What `git init` and `git checkout --detach` would leave, written by hand: both sides save two processes each."""
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (git_dir / folder).mkdir(parents=True)
    sha256 = source.object_format == "sha256"
    (git_dir / "config").write_text(_CONFIG.format(version=int(sha256)) + (_SHA256 if sha256 else ""))
    (git_dir / "HEAD").write_text(sha + "\n")
    (git_dir / "packed-refs").write_bytes(tags)
    (git_dir / "objects/info/alternates").write_bytes(os.fsencode(source.objects) + b"\n")
    if Path(source.shallow).exists():
        shutil.copyfile(source.shallow, git_dir / "shallow")

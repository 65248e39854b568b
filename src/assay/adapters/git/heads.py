"""Moving what is checked out to another commit, only from where it is known to be."""

import os

from assay.adapters.git.dot_git import DotGit
from assay.adapters.git.private_view import PrivateView
from assay.core.escape import plain
from assay.core.experiment_errors import HeadMovedError, TreeBusyError


def move_head(view: PrivateView, old: str, new: str, reason: str) -> None:
    """Let the checked out branch, or a detached HEAD, name another commit. Raises HeadMovedError where it no longer names `old`."""
    head = view.dot_git.head()
    if not head.startswith("refs/"):
        _move_detached(view.dot_git, old, new)
        return
    answer = view.ask("update-ref", "--create-reflog", "-m", reason, head, new, old, variables=dict(view.words.identity))
    if not answer.ok:
        said = plain(answer.err.strip(), 300)
        raise HeadMovedError(
            f"The branch {plain(head.removeprefix('refs/heads/'))} could not be moved: {said}", hint="Run the command again."
        )


def _move_detached(dot_git: DotGit, old: str, new: str) -> None:
    file, lock = dot_git.own / "HEAD", dot_git.own / "HEAD.lock"
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except FileExistsError as error:
        raise TreeBusyError("Another git command holds HEAD.lock.", hint="Wait for it. If no git runs there, remove that file.") from error
    try:
        os.write(descriptor, f"{new}\n".encode())
        os.fsync(descriptor)
        if dot_git.head() != old:
            raise HeadMovedError("HEAD has moved meanwhile.", hint="Run the command again.")
        lock.replace(file)
    finally:
        os.close(descriptor)
        lock.unlink(missing_ok=True)

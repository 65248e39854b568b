"""Our own bare repository beside the user's: a copy of the data branch that may be thrown away at any moment.

Code of a pull request may have run where this folder lies. So nothing in it is believed but objects, which have their hash for a
name, and everything that could start a program or lead git elsewhere is put right each time before git is called.
"""

import errno
import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from assay.adapters import atomic_file, trees
from assay.adapters.git.command import Answer, GitCommand, on_bare
from assay.adapters.store_branch.remote import Remote
from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import InfrastructureError

STALE_LOCK_S = 20.0
"""No git of ours holds a lock file that long: the one that made it was killed."""

_CONFIG = """\
[core]
\trepositoryFormatVersion = {version}
\tbare = true
\tlogAllRefUpdates = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\tfsync = none
[gc]
\tautoDetach = false
[maintenance]
\tautoDetach = false
[http]
\tlowSpeedLimit = 1000
\tlowSpeedTime = 30
"""
_SHA256 = "[extensions]\n\tobjectFormat = sha256\n"
_LOOSE_IN_SAMPLE = 27
_GC_S = 120.0
_PATIENCE_S = 900.0
_POLL_S = (0.005, 0.03)
_FOLDERS = ("objects/info", "objects/pack", "refs/assay/tips", "info")
_MISLEADING = ("commondir", "config.worktree", "hooks", "info/attributes", "info/grafts", "objects/info/alternates")
_LOCKS = ("*.lock", "refs/**/*.lock", "objects/info/*.lock")
_TALKATIVE = (
    *("GIT_TRACE", "GIT_TRACE_CURL", "GIT_TRACE_PACKET", "GIT_TRACE_SETUP", "GIT_CURL_VERBOSE", "GIT_TRACE_REDACT"),
    *("GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF", "GIT_TRACE2_ENV_VARS", "GIT_TRACE2_CONFIG_PARAMS", "SSH_ASKPASS"),
)
"""They would write the credential down, or ask a person for one."""


class DamagedError(InfrastructureError):
    """Our copy does not answer as a sound repository would. It can be fetched anew."""


@dataclass(frozen=True, slots=True)
class PrivateRepository:
    """The bare repository at `folder`; `object_format` is sha1 or sha256, as in the user's repository."""

    folder: Path
    object_format: str = "sha1"

    @contextmanager
    def held(self, unless: Callable[[], bool] = lambda: False) -> Iterator[bool]:
        """Have it alone, ready for use; false where `unless` came true while another process had it, and then it is not held.

        The lock goes with the process that holds it, however that ends. Raises InfrastructureError where the folder cannot be made,
        something else stands in its place, or nobody lets go of it for far longer than any transfer takes.
        """
        try:
            atomic_file.make_folders(self.folder.parent.parent, self.folder.parent.name)
            descriptor = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            free = self._waited_for(descriptor, unless)
            if free:
                self._prepare()
            yield free
        finally:
            os.close(descriptor)

    def git(self, remote: Remote | None = None) -> GitCommand:
        """Git on this repository, with the remote and its credential where it is to talk to one."""
        variables = {"GIT_ASKPASS": "", "GIT_CONFIG_COUNT": "0"} | dict(remote.variables if remote else {})
        if remote and remote.protocol == "ssh" and not {"GIT_SSH", "GIT_SSH_COMMAND"} & os.environ.keys():
            variables["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes -o ConnectTimeout=20"
        return on_bare(str(self.folder), variables=variables, dropped=_TALKATIVE)

    def ask(self, *words: str, feed: bytes | None = None) -> Answer:
        """A question to the copy alone. Raises DamagedError where it has no good answer."""
        answer = self.git().ask(*words, feed=feed)
        if not answer.ok:
            said = plain(answer.err or f"exit status {answer.status}", 300)
            raise DamagedError(
                f"The copy of the data branch in {self.folder} is damaged: `git {words[0]}` said: {said}",
                hint="Remove that folder; it is fetched again.",
            )
        return answer

    def pour(self, *words: str, feed: bytes) -> AbstractContextManager[BinaryIO]:
        """The output of a question as it comes. What is damaged ends it early, which whoever reads has to see."""
        return self.git().pour(*words, feed=feed)

    def discard(self) -> None:
        """Throw the copy away and begin a new one. To be called while it is held."""
        if not trees.remove(self.folder):
            raise self._unusable(OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), str(self.folder)))
        self._prepare()

    def sweep(self, older_than_s: float = STALE_LOCK_S) -> None:
        """Remove lock files that a killed git left. To be called while it is held."""
        limit = time.time() - older_than_s
        for pattern in _LOCKS:
            for lock in self.folder.glob(pattern):
                try:
                    if lock.lstat().st_mtime < limit:
                        lock.unlink()
                except FileNotFoundError:  # its git was only slow
                    continue

    def tidy(self) -> None:
        """Let git pack its objects where many lie loose, judged as git itself does it but without a process."""
        sample = self.folder / "objects" / "17"
        if sample.is_dir() and sum(1 for _ in sample.iterdir()) > _LOOSE_IN_SAMPLE:
            self.git().ask("gc", "--auto", "--quiet", within_s=_GC_S)

    def _waited_for(self, descriptor: int, unless: Callable[[], bool]) -> bool:
        """Poll, for a waiting process has to see when another has done its work for it."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if unless():
                    return False
            else:
                return True
            if time.monotonic() > deadline:
                what = f"Another command has been working on the data branch in {self.folder} for a quarter of an hour."
                raise InfrastructureError(what, hint="End it, and run the command again; what was measured is kept.")
            time.sleep(random.uniform(*_POLL_S))  # noqa: S311 - chance against marching in step, not against anybody

    @property
    def _lock_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.lock")

    def _prepare(self) -> None:
        try:
            for folder in _FOLDERS:
                atomic_file.make_folders(self.folder.parent, self.folder.name, *folder.split("/"))
            for name in _MISLEADING:
                _remove(self.folder / name)
            sha256 = self.object_format == "sha256"
            _put(self.folder / "config", (_CONFIG.format(version=int(sha256)) + (_SHA256 if sha256 else "")).encode())
            _put(self.folder / "HEAD", b"ref: refs/heads/none\n")
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> InfrastructureError:
        what = f"The folder {self.folder}, where Assay works on the data branch, cannot be used: {error.strerror or error}."
        return InfrastructureError(what, hint="Free the disk or the folder's permissions, or name another store with --store dir:PATH.")


def _put(file: Path, content: bytes) -> None:
    if file.is_symlink() or not file.is_file() or file.read_bytes() != content:
        _remove(file)
        atomic_file.replace(file, content)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        trees.remove(path)
    else:
        path.unlink(missing_ok=True)

"""A git folder of ours on the user's repository: the same objects and refs, and nothing of its configuration, hooks and filters.

It lives for one command. Objects go straight into the user's object folder and refs are moved by git under its own locks,
through links to where the user keeps them; the index is a copy, which is put in its place when the work is done.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from assay.adapters.git.command import CONFIG_VARIABLES, LOCAL_VARIABLES, OURS_ALONE, QUIET, Answer, GitCommand
from assay.adapters.git.dot_git import DotGit
from assay.adapters.git.failures import failure
from assay.adapters.git.own_words import OwnWords, read_own_words
from assay.adapters.git.user_index import IndexLock, index_lock
from assay.core.values import dataclass
from assay.errors import InfrastructureError

_CONFIG = """\
[core]
\trepositoryFormatVersion = {version}
\tbare = false
\tlogAllRefUpdates = {logs}
\thooksPath = /dev/null
\tfsmonitor = false
\tuntrackedCache = false
\tsplitIndex = false
\tcommitGraph = false
\tattributesFile = /dev/null
\texcludesFile = {excludes}
{core}[gc]
\tauto = 0
[maintenance]
\tauto = false
[commit]
\tgpgSign = false
[merge]
\trenames = false
"""
_SHA256 = "[extensions]\n\tobjectFormat = sha256\n"
_OURS_IGNORED = "/.assay/\n"
_AS_IT_IS = "* -text -ident -filter -working-tree-encoding\n"
_MAX_EXCLUDES = 2**20


@dataclass(frozen=True, slots=True)
class PrivateView:
    """Git on the user's repository, deaf to it. `tree` is the working tree, `index` at first a copy of the user's index."""

    dot_git: DotGit
    folder: Path
    words: OwnWords
    tree: Path
    index: Path

    def ask(
        self, *words: str, feed: bytes | None = None, variables: Mapping[str, str] | None = None, within_s: float | None = None
    ) -> Answer:
        """What git answers, good or bad; it is killed after so many seconds."""
        ours = {"GIT_OBJECT_DIRECTORY": str(self.dot_git.common / "objects"), "GIT_INDEX_FILE": str(self.index)}
        env = QUIET | OURS_ALONE | ours | dict(variables or {})
        options = (f"--git-dir={self.folder}", f"--work-tree={self.tree}", "-C", str(self.tree))
        return GitCommand(options, env, LOCAL_VARIABLES + CONFIG_VARIABLES).ask(*words, feed=feed, within_s=within_s)

    def do(self, *words: str, feed: bytes | None = None, variables: Mapping[str, str] | None = None) -> Answer:
        """What git answers. Raises InfrastructureError for a bad answer."""
        answer = self.ask(*words, feed=feed, variables=variables)
        if not answer.ok:
            raise failure(answer, "Working on the repository", objects=str(self.dot_git.common / "objects"))
        return answer

    def list(self, *words: str, feed: bytes | None = None) -> tuple[bytes, ...]:
        """The parts of an answer that git ends with NUL each."""
        return tuple(self.do(*words, feed=feed).out.split(b"\0")[:-1])

    def commit(self, tree: str, parents: tuple[str, ...], message: str, *, at: str | None = None) -> str:
        """A commit of a tree. No ref is moved and no hook is run; the message is data."""
        flags = [word for parent in parents for word in ("-p", parent)]
        variables = dict(self.words.identity) | ({"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {})
        encoded = message.encode("utf-8", "replace")
        return self.do("commit-tree", tree, *flags, "-F", "-", feed=encoded, variables=variables).line

    def with_index(self, tree: str, name: str) -> "PrivateView":
        """The same with an index of that name, which holds a tree and knows nothing of files."""
        other = replace(self, index=self.folder / name)
        other.do("read-tree", tree)
        return other

    @contextmanager
    def bytes_as_they_are(self) -> Iterator[None]:
        """No line ends are converted and no keywords are filled in while this lasts: what is saved is what is there."""
        file = self.folder / "info" / "attributes"
        file.write_text(_AS_IT_IS)
        try:
            yield
        finally:
            file.unlink()


@contextmanager
def private_view(dot_git: DotGit) -> Iterator[PrivateView]:
    """A view for one piece of work. Raises InfrastructureError where the temporary folder cannot be used."""
    try:
        with tempfile.TemporaryDirectory(prefix="assay-git-") as name:
            folder = Path(name)
            words = read_own_words(dot_git)
            _fill(folder, dot_git, words)
            view = PrivateView(dot_git, folder, words, dot_git.root, folder / "index")
            if not view.index.exists():  # or all that is ignored and yet tracked would count as deleted
                view.ask("read-tree", "HEAD")
            yield view
    except OSError as error:
        what = f"Git cannot be prepared in the temporary folder: {error.strerror or error} ({error.filename})."
        raise InfrastructureError(what, hint="See that TMPDIR is writable and has space.") from error


@contextmanager
def locked_view(dot_git: DotGit) -> Iterator[tuple[PrivateView, IndexLock]]:
    """A view whose index nobody else changes meanwhile, and the right to put it in the place of the user's."""
    with index_lock(dot_git) as lock, private_view(dot_git) as view:
        yield view, lock


def _fill(folder: Path, dot_git: DotGit, words: OwnWords) -> None:
    common, own = dot_git.common, dot_git.own
    (folder / "info").mkdir()
    (folder / "refs").symlink_to(common / "refs")
    (folder / "packed-refs").symlink_to(common / "packed-refs")
    (folder / "objects").symlink_to(common / "objects")
    logs = (common / "logs" / "refs").is_dir() and (own / "logs").is_dir()
    if logs:
        (folder / "logs").mkdir()
        (folder / "logs" / "refs").symlink_to(common / "logs" / "refs")
        (folder / "logs" / "HEAD").symlink_to(own / "logs" / "HEAD")
    head = dot_git.head()
    (folder / "HEAD").write_text(f"ref: {head}\n" if head.startswith("refs/") else f"{head}\n", encoding="utf-8", errors="surrogateescape")
    core = "".join(f"\t{key} = {value}\n" for key, value in words.core.items())
    config = _CONFIG.format(version=int(words.sha256), logs="true" if logs else "false", excludes=words.excludes, core=core)
    (folder / "config").write_text(config + (_SHA256 if words.sha256 else ""), encoding="utf-8", errors="surrogateescape")
    (folder / "info" / "exclude").write_bytes(_bounded(common / "info" / "exclude") + b"\n" + _OURS_IGNORED.encode())
    for name in ("shallow",):
        if (common / name).is_file():
            shutil.copyfile(common / name, folder / name)
    for file in (own / "index", *own.glob("sharedindex.*")):
        if file.is_file() and not file.is_symlink():
            shutil.copy2(file, folder / file.name)


def _bounded(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_MAX_EXCLUDES)
    except OSError:
        return b""


def path_of(raw: bytes) -> str:
    """A path of git's as text, whatever its bytes are."""
    return os.fsdecode(raw)

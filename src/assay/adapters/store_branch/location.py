"""Where a user's repository keeps its data branch: the remote, the ref, and the folders of ours beside git's own."""

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from assay.adapters.git.command import GitCommand, in_folder
from assay.adapters.git.dot_git import DotGit
from assay.adapters.git.failures import no_repository
from assay.adapters.git.own_words import read_own_words
from assay.adapters.store_branch.remote import Credentials
from assay.adapters.store_branch.store import BranchStore
from assay.core.data_ref import DEFAULT, data_ref
from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import UsageError

TOKENS = (
    "ASSAY_PUSH_TOKEN",
    "INPUT_PUSH-TOKEN",
    "INPUT_PUSH_TOKEN",
    "INPUT_GITHUB-TOKEN",
    "INPUT_GITHUB_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
)
"""Variables that may hold a token that may write, the strongest first."""

_GITHUB = "https://github.com"


@dataclass(frozen=True, slots=True)
class BranchPlace:
    """What `BranchStore` has to know, found out once from the user's repository, before any foreign code has run."""

    remote: str
    ref: str
    folder: Path
    object_format: str

    @property
    def outbox(self) -> Path:
        """Where records wait. Git's own cleaning never touches it."""
        return self.folder / "outbox"

    def open(self, credentials: Credentials | None = None, warn: Callable[[str], None] = lambda _: None) -> BranchStore:
        """The store that is kept there."""
        return BranchStore(
            self.remote,
            self.ref,
            git_dir=self.folder / "store.git",
            outbox=self.outbox,
            index=self.folder / "index.sqlite3",
            credentials=credentials,
            object_format=self.object_format,
            warn=warn,
        )


def locate(folder: str, name: str = DEFAULT, trusted: tuple[str, ...] = ()) -> BranchPlace:
    """The data branch of the repository around a folder; `name` is a short branch name or a full ref.

    Of `trusted` folders it does not matter who owns them.

    Raises UsageError without a repository, without a remote `origin`, and for a ref that is unsafe or holds the user's work.
    """
    git = in_folder(folder, trusted)
    facts = git.ask("rev-parse", "--path-format=absolute", "--show-object-format", "--git-common-dir")
    object_format, _, common = facts.line.partition("\n")
    if not facts.ok or "\n" in common:
        raise no_repository(facts, folder)
    ref = data_ref(name or DEFAULT, _taken(git))
    return BranchPlace(_origin(git, folder), ref, Path(common, "assay"), object_format)


def locate_from_files(dot_git: DotGit, name: str = DEFAULT) -> BranchPlace:
    """The same for a tree in which foreign code may have run: git is not asked there, its files are read.

    Rewriting of URLs (`url.….insteadOf`) is not known then. Raises UsageError as `locate` does.
    """
    words = read_own_words(dot_git)
    if not words.origin:
        raise _no_origin(str(dot_git.root))
    ref = data_ref(name or DEFAULT, dot_git.work_refs())
    remote = str(dot_git.root / words.origin) if _is_path(words.origin) else words.origin
    return BranchPlace(remote, ref, dot_git.common / "assay", "sha256" if words.sha256 else "sha1")


def token_for(remote: str, environ: Mapping[str, str]) -> Credentials | None:
    """The token of the environment, if it belongs to the forge that the remote is on. It is sent nowhere else."""
    ours, theirs = urlsplit(environ.get("GITHUB_SERVER_URL") or _GITHUB), urlsplit(remote)
    same = theirs.scheme == ours.scheme and theirs.netloc.rpartition("@")[2].lower() == ours.netloc.lower()
    token = next((value for variable in TOKENS if (value := environ.get(variable, "").strip())), "")
    return Credentials(token) if same and token else None


def _origin(git: GitCommand, folder: str) -> str:
    answer = git.ask("remote", "get-url", "origin")
    if not answer.ok or not answer.line:
        raise _no_origin(folder)
    url = answer.line
    top = git.ask("rev-parse", "--path-format=absolute", "--show-toplevel")
    return str(Path(top.line if top.ok else folder, url)) if _is_path(url) else url


def _no_origin(folder: str) -> UsageError:
    return UsageError(
        f"The repository around {plain(folder)} has no remote `origin`, so it has no place for a data branch.",
        hint="Add one with `git remote add origin URL`, or keep the store in a folder with --store dir:PATH.",
    )


def _is_path(url: str) -> bool:
    return "://" not in url and (":" not in url or "/" in url.split(":")[0])


def _taken(git: GitCommand) -> tuple[str, ...]:
    """The refs that hold the user's work: the current branch, and the default branch as far as this clone knows it."""
    current = git.ask("symbolic-ref", "--quiet", "HEAD")
    default = git.ask("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    found = [current.line] if current.ok else []
    found += [default.line.replace("refs/remotes/origin/", "refs/heads/", 1)] if default.ok else []
    return tuple(found)

"""The user's repository behind the port Repo: it is asked, never changed."""

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Self, TypeVar

from assay.adapters.git.bundle import write_bundle
from assay.adapters.git.checkout import Source, ask_apart, lay_out
from assay.adapters.git.command import Answer, GitCommand, in_folder
from assay.adapters.git.failures import FETCH_ALL, failure, no_repository
from assay.adapters.git.objects import CommitObject, Listing, TreeEntry, changes_in, contents_in, files_in, lines_in, links_in, path_text
from assay.core.escape import plain
from assay.core.tree import Change, LineCounts, TreeFile
from assay.errors import InfrastructureError, UsageError

T = TypeVar("T")

_FACTS = (
    *("--is-bare-repository", "--is-shallow-repository", "--show-object-format"),
    *("--path-format=absolute", "--git-path", "objects", "--git-path", "shallow", "--show-toplevel"),
)
_DEFAULTS = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")
# every option that a config or a .gitmodules could turn the other way is given, so that no change can hide
_DIFF = ("-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
_FULL_SHA = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")


class GitRepo:
    """Satisfies `assay.ports.Repo`. What it learns of a commit it keeps, for a commit never changes."""

    def __init__(self, root: str, source: Source, *, shallow: bool, trusted: tuple[str, ...] = ()) -> None:
        self._root = root
        self._source = source
        self._shallow = shallow
        self._git: GitCommand = in_folder(root, trusted)
        self._commits: dict[str, CommitObject] = {}
        self._listings: dict[str, Listing] = {}
        self._trees: dict[str, Answer] = {}
        self._links: dict[str, Mapping[str, str]] = {}
        self._changed: dict[tuple[str, str], tuple[Change, ...]] = {}
        self._tags: bytes | None = None
        self._dirty: bool | None = None

    @classmethod
    def discover(cls, cwd: str, trusted: tuple[str, ...] = ()) -> Self:
        """The repository whose working tree holds this folder. Of `trusted` folders it does not matter who owns them.

        Raises UsageError where there is none, InfrastructureError where git is missing or refuses to read it.
        """
        if not Path(cwd).is_dir():
            raise UsageError(f"There is no folder {plain(cwd)}, so no git repository either.", hint="cd into your repository.")
        answer = in_folder(cwd, trusted).ask("rev-parse", *_FACTS)
        if not answer.ok:
            raise no_repository(answer, cwd)
        facts = answer.line.split("\n")
        if len(facts) != 6:
            raise UsageError(f"The path of the git repository at {plain(cwd)} has a line break in it.", hint="Rename the folder.")
        _, shallow, object_format, objects, shallow_file, root = facts
        return cls(root, Source(objects, shallow_file, object_format), shallow=shallow == "true", trusted=trusted)

    @property
    def root(self) -> str:
        return self._root

    @property
    def shallow(self) -> bool:
        return self._shallow

    def tracks(self, path: str) -> bool:
        """Whether the index holds a file at or below that path."""
        return bool(self._read("ls-files", "-z", "--", path).out)

    def resolve(self, ref: str) -> str:
        found = self._found(ref) if ref and "\0" not in ref and "\n" not in ref else None
        if found is None:
            raise self._unresolved(ref)
        return found

    def merge_base(self, one: str, other: str) -> str:
        answer = self._git.ask("merge-base", "--end-of-options", one, other)
        if answer.ok:
            return answer.line
        if answer.status != 1:
            raise self._failure(answer, f"Finding the merge base of {_short(one)} and {_short(other)}")
        what = f"{_short(one)} and {_short(other)} have no common ancestor"
        if self._shallow:
            raise InfrastructureError(f"{what} in this shallow clone: its history ends before they meet.", hint=FETCH_ALL)
        raise InfrastructureError(f"{what}: their histories are unrelated.", hint="Name a base that head descends from with --base REF.")

    def default_branch(self) -> str | None:
        answer = self._read("for-each-ref", "--format=%(refname)%00%(symref:short)%00%(refname:short)", *_DEFAULTS)
        rows = [line.split("\0") for line in answer.line.split("\n") if line]
        found = {name: target or short for name, target, short in rows}
        return next((found[name] for name in _DEFAULTS if name in found), None)

    def first_parent(self, commit: str) -> str | None:
        parents = self._commit(commit).parents
        if not parents or self._git.ask("cat-file", "-e", f"{parents[0]}^{{commit}}").ok:
            return parents[0] if parents else None
        if self._shallow:
            raise InfrastructureError(f"This shallow clone ends at {_short(commit)}: the commit before it is not there.", hint=FETCH_ALL)
        raise InfrastructureError(
            f"The parent of {_short(commit)} is missing from this repository.", hint="Run `git fsck`, then fetch again."
        )

    def branch_of(self, ref: str) -> str | None:
        if _FULL_SHA.fullmatch(ref):  # to git it is that commit, also where a branch has such a name
            return None
        answer = self._verify(ref, "--symbolic-full-name")
        return answer.line.removeprefix("refs/heads/") if answer.ok and answer.line.startswith("refs/heads/") else None

    def tree(self, commit: str) -> str:
        return self._commit(commit).tree

    def subject(self, commit: str) -> str:
        return self._commit(commit).subject

    def changes(self, base: str, head: str) -> tuple[Change, ...]:
        pair = self._sha(base), self._sha(head)
        if pair not in self._changed:
            self._changed[pair] = _parsed(changes_in, self._read("diff-tree", *_DIFF, "--raw", "--no-abbrev", "--end-of-options", *pair))
        return self._changed[pair]

    def line_counts(self, base: str, head: str) -> LineCounts:
        """Asked of a repository of ours, since this is asked after foreign code has run."""
        words = ("diff-tree", *_DIFF, "--numstat", "--end-of-options", self._sha(base), self._sha(head))
        return dict(_parsed(lines_in, ask_apart(self._source, self._sha(head), *words)))

    def tree_files(self, commit: str) -> tuple[TreeFile, ...]:
        return _parsed(files_in, self._tree(self._sha(commit)))

    def links(self, commit: str) -> Mapping[str, str]:
        sha = self._sha(commit)
        if sha not in self._links:
            found = _parsed(links_in, self._tree(sha))
            asked = b"".join(blob + b"\n" for _, blob in found)
            texts = _parsed(contents_in, self._git.ask("cat-file", "--batch", feed=asked)) if found else ()
            if len(texts) != len(found):
                raise InfrastructureError(f"The links of {_short(sha)} cannot be read.", hint="Run `git fsck`, then try again.")
            self._links[sha] = {path: path_text(text) for (path, _), text in zip(found, texts, strict=True)}
        return self._links[sha]

    def blobs(self, commit: str, names: tuple[str, ...]) -> Mapping[str, str]:
        top = self._listing(commit).top
        return {name: blob for name, blob in sorted(top.items()) if any(fnmatch.fnmatchcase(name, pattern) for pattern in names)}

    def submodules(self, commit: str) -> tuple[str, ...]:
        return self._listing(commit).submodules

    def lfs_pointers(self, commit: str) -> bool:
        if not self._listing(commit).has_attributes:
            return False
        sha = self._sha(commit)
        answer = self._git.ask("grep", "-q", "--no-textconv", "-e", "filter=lfs", sha, "--", ":(top,glob)**/.gitattributes")
        if answer.status > 1:
            raise self._failure(answer, f"Reading the attributes of {_short(sha)}")
        return answer.ok

    def read_file(self, commit: str, path: str, limit: int) -> bytes | None:
        sha = self._sha(commit)
        listed = self._read("ls-tree", "-z", "--full-tree", "--long", sha, "--", path).out.split(b"\0")
        entry = next((one for one in map(TreeEntry.parse, listed[:-1]) if one.path == path), None)
        if entry is None:
            return None
        if not entry.regular:
            raise UsageError(f"{plain(path)} of {_short(sha)} is not a regular file.", hint="Put the file itself there.")
        if entry.size > limit:
            raise InfrastructureError(f"{plain(path)} of {_short(sha)} has {entry.size} bytes, more than {limit}.", hint="Make it smaller.")
        return self._read("cat-file", "blob", entry.id).out

    def first_parents(self, commit: str, limit: int) -> tuple[str, ...]:
        words = ("--first-parent", f"--max-count={limit + 1}", "--end-of-options", self._sha(commit))
        return tuple(self._read("rev-list", *words).line.split("\n")[1:])

    def is_dirty(self) -> bool:
        """As the port says, of the moment when it was first asked.

        Git compares through the filters of the user's configuration, into which foreign code could have put its own since.
        """
        if self._dirty is None:
            options = ("--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=dirty", "--no-renames")
            self._dirty = bool(self._read("status", *options).out)
        return self._dirty

    def checkout(self, commit: str, folder: str) -> Mapping[str, str]:
        """Lay a commit out in `folder`, which must not exist; its private repository becomes the folder `git` beside it.

        The ids of the blobs that were laid out, by path.
        Raises InfrastructureError where the commit is incomplete here or the disk refuses.
        """
        if self._tags is None:
            self._tags = self._read("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags").out
        lay_out(self._source, self._sha(commit), folder, self._tags)
        return self._listing(commit).files()

    def bundle(self, commits: Mapping[str, str], file: str) -> None:
        """Pack commits, as the refs `refs/assay/NAME`, into a file. Raises InfrastructureError where one is incomplete here."""
        write_bundle(self._source, {name: self._sha(commit) for name, commit in commits.items()}, file)

    def _found(self, ref: str) -> str | None:
        """The sha of the commit that a ref names, None where there is none. What the commit holds comes with it, and is kept."""
        answer = self._git.ask("cat-file", "--batch", feed=os.fsencode(f"{ref}^{{commit}}\n"))
        header, _, content = answer.out.partition(b"\n")
        match header.split(b" "):
            case [name, b"commit", _] if answer.ok and _FULL_SHA.fullmatch(sha := os.fsdecode(name)):
                self._commits[sha] = CommitObject.parse(content)
                return sha
        return None

    def _sha(self, commit: str) -> str:
        return commit if _FULL_SHA.fullmatch(commit) else self.resolve(commit)

    def _commit(self, commit: str) -> CommitObject:
        sha = self._sha(commit)
        if sha not in self._commits:
            self._commits[sha] = CommitObject.parse(self._read("cat-file", "commit", sha).out)
        return self._commits[sha]

    def _listing(self, commit: str) -> Listing:
        sha = self._sha(commit)
        if sha not in self._listings:
            self._listings[sha] = Listing.parse(self._tree(sha).out)
        return self._listings[sha]

    def _tree(self, sha: str) -> Answer:
        """The list of all files of a commit."""
        if sha not in self._trees:
            self._trees[sha] = self._read("ls-tree", "-r", "-z", "--full-tree", sha)
        return self._trees[sha]

    def _verify(self, expression: str, *options: str) -> Answer:
        return self._git.ask("rev-parse", "--verify", "--quiet", *options, "--end-of-options", expression)

    def _read(self, *words: str) -> Answer:
        answer = self._git.ask(*words)
        if not answer.ok:
            raise self._failure(answer, "Reading the repository")
        return answer

    def _failure(self, answer: Answer, what: str) -> InfrastructureError:
        return failure(answer, what, objects=self._source.objects)

    def _unresolved(self, ref: str) -> UsageError:
        shown = plain(ref) or "(empty)"
        if not self._verify("HEAD^{commit}").ok:
            what = f"Git knows no commit `{shown}`: this repository has no commit yet, or HEAD names a branch that has none."
            return UsageError(what, hint="Make the first commit: git add -A && git commit")
        if self._shallow:
            return UsageError(f"Git knows no commit `{shown}` in this shallow clone.", hint=f"See whether the name is right. {FETCH_ALL}")
        if remote := self._elsewhere(ref):
            return UsageError(f"Git knows no commit `{shown}`.", hint=f"There is `{plain(remote)}`; name it so, or fetch the branch.")
        return UsageError(
            f"Git knows no commit `{shown}`.", hint="See whether the name is right; `git fetch origin` brings what is only there."
        )

    def _elsewhere(self, ref: str) -> str | None:
        """The same branch name on a remote, for a hint."""
        if not re.fullmatch(r"[\w./-]+", ref):
            return None
        answer = self._git.ask("for-each-ref", "--count=1", "--format=%(refname:short)", f"refs/remotes/*/{ref}")
        return answer.line or None


def _short(commit: str) -> str:
    return plain(commit)[:12]


def _parsed(parse: Callable[[bytes], Iterable[T]], answer: Answer) -> tuple[T, ...]:
    try:
        return tuple(parse(answer.out))
    except ValueError as error:  # a list that may lack its end is no list
        raise InfrastructureError(f"What `git {answer.words[0]}` printed is {error}.", hint="Run `git fsck`, then try again.") from error

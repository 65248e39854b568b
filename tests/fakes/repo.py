"""A repository of canned answers that remembers what it was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.core.tree import Change, LineCounts, Lines, TreeFile
from assay.errors import AssayError, UsageError


@dataclass(slots=True)
class FakeRepo:
    """Satisfies `ports.Repo`. `refs` maps names to shas; a sha in `parents` is known as well. `calls` has each question."""

    root: str = "/repository"
    refs: dict[str, str] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    base: str | AssayError = ""
    default: str | None = None
    paths: tuple[str, ...] = ()
    windows: dict[tuple[str, str], tuple[str, ...] | AssayError] = field(default_factory=dict)
    lines: dict[str, Lines | None] | AssayError = field(default_factory=dict)
    listings: dict[str, dict[str, str]] = field(default_factory=dict)
    trees: dict[str, str] = field(default_factory=dict)
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    modules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)
    lfs: frozenset[str] = frozenset()
    contents: dict[tuple[str, str], bytes] = field(default_factory=dict)
    dirty: bool = False
    calls: list[tuple[str, ...]] = field(default_factory=list)

    def resolve(self, ref: str) -> str:
        self.calls.append(("resolve", ref))
        if ref in self.refs or ref in self.parents:
            return self.refs.get(ref, ref)
        raise UsageError(f"Git knows no commit `{ref}`.", hint="See whether the name is right.")

    def merge_base(self, one: str, other: str) -> str:
        self.calls.append(("merge_base", one, other))
        if isinstance(self.base, AssayError):
            raise self.base
        return self.base or one

    def default_branch(self) -> str | None:
        self.calls.append(("default_branch",))
        return self.default

    def first_parent(self, commit: str) -> str | None:
        self.calls.append(("first_parent", commit))
        return self.parents.get(commit)

    def branch_of(self, ref: str) -> str | None:
        self.calls.append(("branch_of", ref))
        return self.branches.get(ref)

    def tree(self, commit: str) -> str:
        self.calls.append(("tree", commit))
        return self.trees.get(commit, "f" * 40)

    def changes(self, base: str, head: str) -> tuple[Change, ...]:
        """Those of `windows`, else `paths` between any two commits that differ."""
        self.calls.append(("changes", base, head))
        found = self.windows.get((base, head), self.paths)
        if isinstance(found, AssayError):
            raise found
        return tuple(Change(path) for path in found) if base != head else ()

    def line_counts(self, base: str, head: str) -> LineCounts:
        """Two lines more and one less in each path that differs, unless `lines` says otherwise."""
        self.calls.append(("line_counts", base, head))
        if isinstance(self.lines, AssayError):
            raise self.lines
        return self.lines or {one.path: Lines(2, 1) for one in self.changes(base, head)}

    def tree_files(self, commit: str) -> tuple[TreeFile, ...]:
        """Those of `listings`, else one file of watched code that is another at each commit."""
        self.calls.append(("tree_files", commit))
        files = self.listings.get(commit, {"src/x.py": commit})
        return tuple(TreeFile(path, f"100644 blob {blob}\t{path}".encode()) for path, blob in sorted(files.items()))

    def links(self, commit: str) -> Mapping[str, str]:
        return {}

    def blobs(self, commit: str, names: tuple[str, ...]) -> Mapping[str, str]:
        self.calls.append(("blobs", commit, *names))
        return self.files.get(commit, {})

    def submodules(self, commit: str) -> tuple[str, ...]:
        self.calls.append(("submodules", commit))
        return self.modules.get(commit, ())

    def subject(self, commit: str) -> str:
        self.calls.append(("subject", commit))
        return self.subjects.get(commit, "A change")

    def lfs_pointers(self, commit: str) -> bool:
        self.calls.append(("lfs_pointers", commit))
        return commit in self.lfs

    def read_file(self, commit: str, path: str, limit: int) -> bytes | None:
        self.calls.append(("read_file", commit, path))
        return self.contents.get((commit, path))

    def first_parents(self, commit: str, limit: int) -> tuple[str, ...]:
        self.calls.append(("first_parents", commit))
        found: list[str] = []
        while len(found) < limit and (commit := self.parents.get(commit) or ""):
            found.append(commit)
        return tuple(found)

    def is_dirty(self) -> bool:
        self.calls.append(("is_dirty",))
        return self.dirty

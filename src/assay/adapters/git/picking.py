"""Picks commits onto a base in an index of ours: no branch is checked out and no file of the user's is written."""

import re
import tempfile
from pathlib import Path

from assay.adapters.git.private_view import PrivateView, path_of
from assay.adapters.git.tree_state import Entry, changes, put, write_tree
from assay.core.effects import BranchWish
from assay.core.escape import plain
from assay.core.experiment_errors import CherryPickConflictError
from assay.core.globs import Globs
from assay.core.keepable import covers

_CARRIED = re.compile(rb"^(?:author|committer|encoding) .*\n", re.MULTILINE)
_REGULAR = ("100644", "100755")
_STAGES = (1, 2, 3)


class Picker:
    """Makes the commits of branches on a base."""

    def __init__(self, view: PrivateView, base: str, preserve: Globs) -> None:
        self._view = view
        self._base = base
        self._preserve = preserve

    def pick(self, wish: BranchWish) -> str:
        """The tip of a branch: the base and its commits, with their authors, dates and messages, what is preserved left out.

        A commit that changes nothing there is left out, too. Raises CherryPickConflictError, which names branch and commit.
        """
        tip = self._base
        for commit in wish.commits:
            tree = self._merged(wish, commit, tip)
            if tree != self._tree_of(tip):
                tip = self._made(commit, tree, tip)
        return tip

    def _merged(self, wish: BranchWish, commit: str, tip: str) -> str:
        """The tree that has the tip's content and the commit's change."""
        parent, child = self._without_preserved(f"{commit}^"), self._without_preserved(commit)
        merging = self._view.with_index(tip, "picking")
        merging.do("read-tree", "-m", "-i", "--aggressive", parent, tip, child)
        for path, stages in _unmerged(merging).items():
            entry = _merged_file(merging, stages)
            if entry is None:
                raise CherryPickConflictError(
                    f"The kept commit {commit[:12]} of the group “{plain(wish.title, 60)}” does not apply by itself: "
                    f"{plain(path, 100)} was changed by others before.",
                    hint="Put it behind the commits that it builds on, into one group, with --plan-file FILE.",
                )
            put(merging, {path: Entry()})
            put(merging, {path: entry})
        return write_tree(merging)

    def _without_preserved(self, commit: str) -> str:
        """The tree of a commit with the base's content in all paths that are preserved."""
        theirs = {one.path: one.old for one in changes(self._view, self._base, commit) if covers(self._preserve, one.path)}
        if not theirs:
            return self._tree_of(commit)
        stripped = self._view.with_index(commit, "stripped")
        put(stripped, theirs)
        return write_tree(stripped)

    def _tree_of(self, commit: str) -> str:
        return self._view.do("rev-parse", f"{commit}^{{tree}}").line

    def _made(self, commit: str, tree: str, parent: str) -> str:
        """The commit once more, on another parent. Made again, it is the same object: its dates are those that it had."""
        headers, _, message = self._view.do("cat-file", "commit", commit).out.partition(b"\n\n")
        carried = b"".join(_CARRIED.findall(headers + b"\n"))
        raw = f"tree {tree}\nparent {parent}\n".encode() + carried + b"\n" + message
        return self._view.do("hash-object", "-t", "commit", "-w", "--stdin", feed=raw).line


def _unmerged(view: PrivateView) -> dict[str, dict[int, Entry]]:
    """The paths that git could not merge by their ids alone, with what each side has."""
    found: dict[str, dict[int, Entry]] = {}
    for row in view.list("ls-files", "-u", "-z"):
        facts, _, path = row.partition(b"\t")
        mode, blob, stage = facts.decode("ascii").split(" ")
        found.setdefault(path_of(path), {})[int(stage)] = Entry(mode, blob)
    return found


def _merged_file(view: PrivateView, stages: dict[int, Entry]) -> Entry | None:
    """One file out of both sides' changes, None where they conflict or where it is no plain file on all sides."""
    if set(stages) != set(_STAGES) or any(one.mode not in _REGULAR for one in stages.values()):
        return None
    with tempfile.TemporaryDirectory(dir=view.folder) as folder:
        for stage, entry in stages.items():
            Path(folder, str(stage)).write_bytes(view.do("cat-file", "blob", entry.blob).out)
        base, ours, theirs = (str(Path(folder, str(stage))) for stage in _STAGES)
        merged = view.ask("merge-file", "-p", "-q", ours, base, theirs)
    if not merged.ok:
        return None
    blob = view.do("hash-object", "-w", "--stdin", feed=merged.out).line
    return Entry(stages[3].mode if stages[3].mode != stages[1].mode else stages[2].mode, blob)

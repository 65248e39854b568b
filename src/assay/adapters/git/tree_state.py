"""What a working tree holds, as a tree object: read by git through a view of ours, into a copy of the index."""

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from assay.adapters.git.dot_git import find_dot_git
from assay.adapters.git.private_view import PrivateView, path_of
from assay.core.escape import plain
from assay.core.experiment_errors import GitNotConfiguredError, TreeBusyError
from assay.core.values import dataclass

_GONE = b"000000"
_GITLINK = b"160000"
NO_FILTER = ("unspecified", "unset")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a tree: its mode and its object. Both are empty where there is none."""

    mode: str = ""
    blob: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A path in which two trees differ."""

    path: str
    old: Entry
    new: Entry


@dataclass(frozen=True, slots=True)
class Dirt:
    """What is not as the index has it: changed and deleted tracked files, new files, and folders that are repositories themselves.

    `hidden` are changed files at which the user has told git not to look (`update-index --skip-worktree`), `modules` submodules
    that are elsewhere than the index has them, or gone, or something else.
    """

    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    untracked: tuple[str, ...]
    nested: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


def look(view: PrivateView) -> Dirt:
    """Compare the tree with our copy of the index. Raises TreeBusyError in the middle of a merge or the like."""
    if doing := view.dot_git.in_progress:
        raise TreeBusyError(f"The tree is in the middle of {doing}.", hint="Finish it, or abort it, and run the command again.")
    view.ask("update-index", "-q", "--really-refresh", "--ignore-submodules")
    changed, deleted = _differing(view)
    if strange := next((path for path in changed if _is_special(view.tree / path)), None):
        what = f"{plain(strange)} is a pipe, a socket or a device now, which git cannot hold."
        raise TreeBusyError(what, hint="Remove it, and run the command again.")
    listed = view.list("ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard")
    found = [path_of(raw[2:]) for raw in listed if raw.startswith(b"?")]
    ours = [path for path in found if not path.startswith(".assay/")]
    nested = tuple(path for path in ours if path.endswith("/"))
    hidden = _hidden(view, dict(_tracked(raw) for raw in listed if raw.startswith(b"S")))
    links = dict(_tracked(raw) for raw in listed if raw.startswith(b"H 160000 "))
    modules = tuple(path for path, one in links.items() if not _as_pinned(view.tree / path, one.blob))
    return Dirt(tuple(changed), tuple(deleted), tuple(path for path in ours if not path.endswith("/")), nested, hidden, modules)


def _tracked(row: bytes) -> tuple[str, Entry]:
    """A line of `ls-files -t --stage` for a tracked file."""
    facts, _, path = row.partition(b"\t")
    _, mode, blob, _ = facts.split(b" ")
    return path_of(path), _entry(mode, blob)


def _as_pinned(folder: Path, commit: str) -> bool:
    """Whether a submodule is at that commit, or was never fetched: by its files, for no git of ours starts in it."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    if not os.path.lexists(folder / ".git"):
        return not any(folder.iterdir())
    try:
        found = find_dot_git(str(folder))
        return found.root == folder and found.commit() == commit
    except GitNotConfiguredError:
        return False


def _differing(view: PrivateView) -> tuple[list[str], list[str]]:
    """The tracked files that have changed, and those that are gone."""
    options = ("-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    parts = view.list("diff-files", *options)
    changed: list[str] = []
    deleted: list[str] = []
    for facts, path in zip(parts[::2], parts[1::2], strict=True):
        status = facts.rpartition(b" ")[2]
        if status.startswith(b"U"):
            raise TreeBusyError(f"{plain(path_of(path))} has an unsolved conflict.", hint="Solve it, and run the command again.")
        (deleted if status.startswith(b"D") else changed).append(path_of(path))
    return changed, deleted


def _hidden(view: PrivateView, entries: Mapping[str, Entry]) -> tuple[str, ...]:
    """Those of the files that git is not to look at which have changed, seen through an index in which it may."""
    if not entries:
        return ()
    other = replace(view, index=view.folder / "seeing")
    shutil.copyfile(view.index, other.index)
    put(other, entries)
    other.ask("update-index", "-q", "--refresh", "--ignore-submodules")  # by content, for what was just put there has no times
    return tuple(path for path in _differing(other)[0] if path in entries)


def _is_special(file: Path) -> bool:
    return not file.is_symlink() and file.exists() and not file.is_file() and not file.is_dir()


def take_in(view: PrivateView, paths: Iterable[str], deleted: Iterable[str] = ()) -> None:
    """Bring our copy of the index to what the tree holds at these paths."""
    remove(view, deleted)
    feed = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
    if feed:
        view.do("update-index", "--add", "--remove", "--replace", "-z", "--stdin", feed=feed)


def remove(view: PrivateView, paths: Iterable[str]) -> None:
    """Take paths out of our copy of the index."""
    put(view, {path: Entry() for path in paths})


def put(view: PrivateView, entries: Mapping[str, Entry]) -> None:
    """Set entries of our copy of the index, whatever the tree holds. An empty entry removes the path."""
    nowhere = "0" * (64 if view.words.sha256 else 40)
    rows = sorted(entries.items(), key=lambda item: item[1].mode != "")  # removals first: they may make room
    feed = b"".join(
        f"{one.mode or '0'} {one.blob or nowhere}\t".encode() + path.encode("utf-8", "surrogateescape") + b"\0" for path, one in rows
    )
    if feed:
        view.do("update-index", "-z", "--index-info", feed=feed)


def write_tree(view: PrivateView) -> str:
    """The tree of our copy of the index."""
    return view.do("write-tree").line


def changes(view: PrivateView, old: str, new: str) -> tuple[Change, ...]:
    """The paths in which two trees or commits differ, both sides of a move."""
    options = ("-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
    parts = view.list("diff-tree", *options, "--end-of-options", old, new)
    return tuple(_change(facts, path) for facts, path in zip(parts[::2], parts[1::2], strict=True))


def _change(facts: bytes, path: bytes) -> Change:
    old_mode, new_mode, old, new, _ = facts.removeprefix(b":").split(b" ")
    return Change(path_of(path), _entry(old_mode, old), _entry(new_mode, new))


def _entry(mode: bytes, blob: bytes) -> Entry:
    return Entry() if mode == _GONE else Entry(mode.decode("ascii"), blob.decode("ascii"))


def filtered(view: PrivateView, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the paths that a filter of the user's would have to be run on, such as Git LFS."""
    feed = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
    parts = view.list("check-attr", "-z", "--stdin", "filter", feed=feed) if feed else ()
    rows = zip(parts[::3], parts[2::3], strict=True)
    return tuple(path_of(path) for path, value in rows if value.decode("utf-8", "replace") not in NO_FILTER)


def sizes(root: Path, paths: Iterable[str]) -> dict[str, int]:
    """Bytes of the regular files among these paths."""
    found = {}
    for path in paths:
        file = root / path
        if file.is_file() and not file.is_symlink():
            found[path] = file.lstat().st_size
    return found


def blob_sizes(view: PrivateView, entries: Iterable[Entry]) -> dict[str, int]:
    """Bytes of the files that are objects already, by the object's id."""
    wanted = {one.blob for one in entries if one.mode and one.mode != _GITLINK.decode()}
    if not wanted:
        return {}
    feed = "".join(f"{blob}\n" for blob in sorted(wanted)).encode()
    rows = (line.split() for line in view.do("cat-file", "--batch-check=%(objectname) %(objectsize)", feed=feed).out.splitlines())
    return {words[0].decode(): int(words[1]) for words in rows if len(words) == 2 and words[1].isdigit()}

"""Takes a working tree back to a baseline without losing a byte.

Everything that will change is first saved as a commit under `refs/assay/discarded/`. Then git itself moves the tree from what
it is to what it shall be: it looks at all of it before it touches anything, and refuses where something it does not know
stands in the way. No stash is made and nothing is merged.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from assay.adapters.git.heads import move_head
from assay.adapters.git.keep import head_commit
from assay.adapters.git.private_view import PrivateView
from assay.adapters.git.tree_state import Change, Dirt, Entry, changes, filtered, look, put, take_in, write_tree
from assay.adapters.git.user_index import IndexLock
from assay.core.effects import RestoreBaseline
from assay.core.escape import plain
from assay.core.experiment_errors import RestoreConflictError
from assay.core.globs import Globs
from assay.core.keepable import covers
from assay.core.tree_facts import Restored
from assay.core.values import dataclass

REFS = "refs/assay/discarded"
_MAX_SAVES = 50
_NOT_RACY_S = 5.0


@dataclass(frozen=True, slots=True)
class _Plan:
    """From what is there to what shall be. `kept` are the preserved paths, with what the tree has there, or shall have."""

    here: str
    there: str
    kept: dict[str, Entry]
    back: dict[str, Entry]


def restore(view: PrivateView, lock: IndexLock, wish: RestoreBaseline, looks_secret: Callable[[str], bool]) -> Restored:
    """Bring the tree back. Doing it again, also after it was killed half-way, ends in the same tree and loses nothing.

    Raises RestoreConflictError, with everything as it was, where it cannot be done without loss.
    """
    baseline = _ancestor(view, wish.baseline)
    head = head_commit(view) or ""
    dirt = look(view)
    staged = write_tree(view)
    preserve = Globs(wish.preserve)
    mine = [path for path in dirt.untracked if covers(preserve, path) or not (path in wish.spared or looks_secret(path))]
    here = _as_it_is(view, dirt, mine)
    plan = _plan(view, here, baseline, head, preserve)
    saved = _save(view, wish, head, staged, here, baseline)
    _move_tree(view, plan)
    put(view, plan.back)
    view.ask("update-index", "-q", "--refresh", "--ignore-submodules")
    if head != baseline:
        move_head(view, head, baseline, f"assay: restore after {wish.run}")
    lock.install(view.index)
    spared = [path for path in dirt.untracked if path not in mine]
    return Restored(baseline, saved, tuple(sorted(plan.kept)), (*spared, *dirt.hidden, *dirt.modules, *dirt.nested))


def _ancestor(view: PrivateView, name: str) -> str:
    """The commit of that name, which has to lie behind HEAD."""
    found = view.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not found.ok or len(found.line) not in (40, 64):
        raise RestoreConflictError(
            f"Git knows no commit {plain(name, 80)}, so the tree cannot go back to it.", hint="Name the baseline by its sha."
        )
    if not view.ask("merge-base", "--is-ancestor", found.line, "HEAD").ok:
        what = f"The baseline {found.line[:12]} is no ancestor of HEAD, so going back to it would take away what no run has made."
        raise RestoreConflictError(what, hint="Name a commit that the branch has grown from.")
    return found.line


def _as_it_is(view: PrivateView, dirt: Dirt, mine: Iterable[str]) -> str:
    with view.bytes_as_they_are():
        take_in(view, (*dirt.changed, *mine), dirt.deleted)
        tree = write_tree(view)
    # git compares the content of a file as old as the index once more, but by then with line ends converted
    later = view.index.stat().st_mtime + _NOT_RACY_S
    os.utime(view.index, (later, later))
    return tree


def _plan(view: PrivateView, here: str, baseline: str, head: str, preserve: Globs) -> _Plan:
    differing = changes(view, here, baseline)
    preserved = {one.path: one for one in differing if covers(preserve, one.path)}
    committed = {one.path: one.new for one in changes(view, baseline, head)}
    kept = {path: _newest(view.tree, one, committed) for path, one in preserved.items()}
    if blocked := [path for path, entry in kept.items() if entry.mode and _in_the_way(path, differing, preserved)]:
        raise _conflict(blocked, "is preserved, and the baseline has something else in its place")
    target = view.with_index(baseline, "target")
    put(target, kept)
    there = write_tree(target)
    moved = changes(view, here, there)
    if through := filtered(view, [one.path for one in moved]):
        raise _conflict(through, "goes through a filter such as Git LFS, which Assay does not run")
    if obstacles := sorted(set(_obstacles(view.tree, moved))):
        raise _conflict(obstacles, "is where the baseline has a file, and is not the run's to overwrite")
    return _Plan(here, there, {path: one for path, one in kept.items() if one.mode}, {path: one.new for path, one in preserved.items()})


def _newest(root: Path, change: Change, committed: dict[str, Entry]) -> Entry:
    """What a preserved path shall hold: what it holds, else what HEAD has, else what the baseline has."""
    if change.old.mode or os.path.lexists(root / change.path):
        return change.old  # nothing of git's where it is an ignored file, and so git leaves it alone
    return committed[change.path] if committed.get(change.path, Entry()).mode else change.new


def _in_the_way(path: str, differing: Iterable[Change], preserved: dict[str, Change]) -> bool:
    """Whether the baseline has a file where this path needs a folder, or the other way round."""
    wanted = (one.path for one in differing if one.new.mode and one.path not in preserved)
    return any(path.startswith(f"{one}/") or one.startswith(f"{path}/") for one in wanted)


def _obstacles(root: Path, moved: Iterable[Change]) -> Iterator[str]:
    """What stands where a file will be created and is no file that goes: git would overwrite it where a pattern ignores it."""
    removed = {one.path for one in moved if not one.new.mode}
    for one in moved:
        if one.old.mode:
            continue
        parents = [str(parent) for parent in PurePosixPath(one.path).parents]
        if not removed.isdisjoint(parents):  # what is below a file or a link that goes is not ours to look at
            continue
        yield from (path for path in parents if _is_no_folder(root / path))
        if (root / one.path).is_dir() and not (root / one.path).is_symlink():
            yield from (path for path in _files_below(root, one.path) if path not in removed)
        elif os.path.lexists(root / one.path):
            yield one.path


def _is_no_folder(path: Path) -> bool:
    return path.is_symlink() or (path.exists() and not path.is_dir())


def _files_below(root: Path, folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(root / folder):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        yield from (Path(parent, name).relative_to(root).as_posix() for name in (*names, *links))


def _save(view: PrivateView, wish: RestoreBaseline, head: str, staged: str, here: str, baseline: str) -> str | None:
    """Keep what is there under a ref of its own; None where that is nothing. What an earlier try has saved is not saved again."""
    if head == baseline and not changes(view, here, baseline) and not changes(view, staged, baseline):
        return _saved_before(view, wish.run)
    for number in range(1, _MAX_SAVES):
        ref = f"{REFS}/{wish.run}" + (f".{number}" if number > 1 else "")
        found = view.ask("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        if found.ok and _holds(view, found.line, here, baseline):
            return ref
        if not found.ok:
            index = (
                (view.commit(staged, (head,), f"assay: the index before {wish.run}\n"),) if _only_staged(view, head, staged, here) else ()
            )
            commit = view.commit(here, (head, *index), wish.message)
            view.do("update-ref", ref, commit, "0" * len(commit))
            return ref
    raise _conflict([wish.run], f"has been saved {_MAX_SAVES} times already")


def _only_staged(view: PrivateView, head: str, staged: str, here: str) -> bool:
    """Whether the index holds something that neither HEAD nor the tree has."""
    return not {one.path for one in changes(view, head, staged)}.isdisjoint(one.path for one in changes(view, staged, here))


def _saved_before(view: PrivateView, run: str) -> str | None:
    ref = f"{REFS}/{run}"
    return ref if view.ask("rev-parse", "--verify", "--quiet", ref).ok else None


def _holds(view: PrivateView, saved: str, here: str, baseline: str) -> bool:
    """Whether all that differs from the baseline now is in a commit that was saved before."""
    before = {one.path: one.new for one in changes(view, baseline, saved)}
    return all(before.get(one.path) == one.new for one in changes(view, baseline, here))


def _move_tree(view: PrivateView, plan: _Plan) -> None:
    """Let git take the tree from one to the other. Where it fails half-way, all is put back."""
    answer = view.ask("read-tree", "-m", "-u", plan.here, plan.there)
    if answer.ok:
        return
    for one in changes(view, plan.here, plan.there):
        if not one.old.mode:  # git has seen that nothing was there
            (view.tree / one.path).unlink(missing_ok=True)
    with view.bytes_as_they_are():
        back = view.ask("checkout-index", "-f", "-a", "-q")
    said = plain(answer.err.strip().removeprefix("error: "), 400)
    more = "" if back.ok else f" Putting the tree back failed too: {plain(back.err.strip(), 200)}"
    raise RestoreConflictError(
        f"The tree cannot go back to its baseline without losing something: {said}{more}",
        hint="Move what is named out of the way, or commit it, and log the run again. Nothing was changed.",
    )


def _conflict(paths: Iterable[str], why: str) -> RestoreConflictError:
    names = [plain(path, 100) for path in paths]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return RestoreConflictError(
        f"The tree cannot go back to its baseline: {', '.join(names[:5])}{more} {why}.",
        hint="Put that right by hand and log the run again. Nothing was changed.",
    )

"""What a run left as a tree object, and the commit that keeps it."""

from collections.abc import Callable

from assay.adapters.git.heads import move_head
from assay.adapters.git.private_view import PrivateView
from assay.adapters.git.tree_state import blob_sizes, changes, filtered, look, put, sizes, take_in, write_tree
from assay.adapters.git.user_index import IndexLock
from assay.core.effects import KeepChange
from assay.core.experiment_errors import TreeMovedError
from assay.core.experiment_messages import RUN_TRAILER
from assay.core.keepable import SPARED, KeepRules, LeftOut
from assay.core.tree_facts import Kept, Snapshot

FILTERED = "it goes through a filter such as Git LFS, which Assay does not run: commit it yourself"
NESTED = "it is a repository of its own"


def head_commit(view: PrivateView) -> str | None:
    """The commit that is checked out, None before the first one."""
    answer = view.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return answer.line if answer.ok else None


def snapshot(view: PrivateView, head: str, rules: KeepRules, spared: frozenset[str] = frozenset()) -> Snapshot:
    """The tree as a keep would commit it, without the new files that are `spared`.

    Nothing of the user's is changed; objects are written that nobody may ever need.
    """
    dirt = look(view)
    present = (*dirt.changed, *dirt.untracked)
    large = sizes(view.tree, present)
    left = {path: why for path in (*present, *dirt.deleted) if (why := rules.objection(path, large.get(path, 0)))}
    left |= {path: SPARED for path in dirt.untracked if path in spared and path not in left}
    left |= dict.fromkeys(filtered(view, [path for path in present if path not in left]), FILTERED)
    take_in(view, [path for path in present if path not in left], [path for path in dirt.deleted if path not in left])
    tree = write_tree(view)
    taken = {one.path: one for one in changes(view, head, tree)}
    weighed = blob_sizes(view, [one.new for one in taken.values()])
    staged = {path: why for path, one in taken.items() if (why := left.get(path) or rules.objection(path, weighed.get(one.new.blob, 0)))}
    if staged:  # the user has put it into the index, and it stays out of the commit all the same
        put(view, {path: taken[path].old for path in staged})
        left |= staged
        tree = write_tree(view)
    nested = [LeftOut(path, NESTED) for path in dirt.nested]
    return Snapshot(tree, (*(LeftOut(path, why) for path, why in sorted(left.items())), *nested))


def keep(view: PrivateView, lock: IndexLock, wish: KeepChange) -> Kept:
    """Commit the tree of a run, unless `head` has that tree already. A commit that was made before is found again.

    One that the user has made of that very tree since the run is as good.

    Raises TreeMovedError where the branch is no longer where the run found it.
    """
    now = head_commit(view)
    tree = _with_included(view, wish)
    if now is not None and now != wish.head and _is_ours(view, now, wish, tree):
        return Kept(now, _install(view, lock, tree))
    if now is not None and now != wish.head and _is_the_user_s(view, wish, tree):
        return Kept(now, left_in_tree(view))
    if now is None or now != wish.head:
        raise TreeMovedError(
            f"HEAD was {wish.head[:12]} when {wish.run} ran and is {(now or 'nowhere')[:12]} now, so what it measured cannot be committed.",
            hint="Check the commit out that it ran on, or run again.",
        )
    if view.do("rev-parse", f"{now}^{{tree}}").line == tree:
        return Kept(None, left_in_tree(view))
    commit = view.commit(tree, (now,), wish.message)
    remaining = _install(view, lock, tree, lambda: move_head(view, now, commit, f"assay: keep {wish.run}"))
    return Kept(commit, remaining)


def _with_included(view: PrivateView, wish: KeepChange) -> str:
    """The tree of the run, with the files that were named besides, as they are now."""
    if not wish.include:
        return wish.tree
    other = view.with_index(wish.tree, "included")
    take_in(other, wish.include)
    return write_tree(other)


def _is_ours(view: PrivateView, commit: str, wish: KeepChange, tree: str) -> bool:
    """Whether a commit is the one that this wish makes: an earlier command made it and was killed before it could say so."""
    headers, _, message = view.do("cat-file", "commit", commit).out.partition(b"\n\n")
    first = f"tree {tree}\nparent {wish.head}\nauthor ".encode()
    return headers.startswith(first) and f"\n{RUN_TRAILER}: {wish.run}\n".encode() in message


def _is_the_user_s(view: PrivateView, wish: KeepChange, tree: str) -> bool:
    """Whether what is checked out has grown from the commit of the run and has the tree that the run left."""
    grown = view.ask("merge-base", "--is-ancestor", wish.head, "HEAD").ok
    return grown and view.do("rev-parse", "HEAD^{tree}").line == tree


def _install(view: PrivateView, lock: IndexLock, tree: str, move: Callable[[], None] = lambda: None) -> tuple[str, ...]:
    """Make the user's index that of a tree. Files that differ from it stay as they are; their paths."""
    view.do("read-tree", "-m", "-i", tree)
    remaining = left_in_tree(view)
    move()
    lock.install(view.index)
    return remaining


def left_in_tree(view: PrivateView) -> tuple[str, ...]:
    """The paths that differ from our copy of the index, new files among them."""
    dirt = look(view)
    return tuple(sorted((*dirt.changed, *dirt.deleted, *dirt.untracked, *dirt.hidden, *dirt.modules)))

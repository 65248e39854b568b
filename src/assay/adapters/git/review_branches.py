"""Review branches out of kept commits: picked one by one onto the merge base, in an index of ours and without any files.

Nothing of the user's is moved: not what is checked out, not the index, not the tree. The branches appear all at once, when all
of them have been made and proved to add up.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import takewhile

from assay.adapters.git.dot_git import DotGit
from assay.adapters.git.picking import Picker
from assay.adapters.git.private_view import PrivateView, private_view
from assay.adapters.git.tree_state import changes, put, write_tree
from assay.core.effects import BranchWish, MakeBranches
from assay.core.escape import plain
from assay.core.experiment_errors import BranchExistsError, MergeBaseError, PlanError
from assay.core.globs import Globs
from assay.core.keepable import covers
from assay.core.tree_facts import Made
from assay.core.values import dataclass

_DEFAULTS = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")
_SHOWN = 5
_MAX_BEHIND = 1000


class GitBranchMaker:
    """Satisfies `experiment_ports.BranchMaker`."""

    def __init__(self, dot_git: DotGit) -> None:
        self._dot_git = dot_git

    def preview(self, effect: MakeBranches) -> Made:
        with private_view(self._dot_git) as view:
            work = _Work(view, effect)
            return Made(work.base, {}, (), tuple(work.shared()))

    def make(self, effect: MakeBranches) -> Made:
        with private_view(self._dot_git) as view:
            work = _Work(view, effect)
            if shared := list(work.shared()):
                raise PlanError(" ".join(shared), hint="Put what belongs together into one group with --plan-file FILE.")
            tips = work.pick()
            warnings = work.prove(tips)
            return Made(work.base, tips, _create(view, tips), tuple(warnings))

    def unmake(self, made: Made) -> None:
        with private_view(self._dot_git) as view:
            feed = "".join(f"delete refs/heads/{name} {made.tips[name]}\n" for name in made.created)
            view.ask("update-ref", "--stdin", feed=feed.encode())


@dataclass(frozen=True, slots=True)
class _Files:
    """The paths that the commits of a branch change, those that are preserved left out."""

    wish: BranchWish
    paths: frozenset[str]


class _Work:
    """One attempt at making branches."""

    def __init__(self, view: PrivateView, effect: MakeBranches) -> None:
        self.view = view
        self.effect = effect
        self.preserve = Globs(effect.preserve)
        self.heads = self._heads(effect.branches)
        self.base = _merge_base(view, effect.integration, self.heads)
        self.branches = tuple(replace(one, commits=tuple(self._with_those_behind(one))) for one in effect.branches)
        self.files = tuple(_Files(one, frozenset(self._paths(one))) for one in self.branches)

    def _heads(self, branches: Iterable[BranchWish]) -> tuple[str, ...]:
        """Those of all commits that lie behind no other one: a single one, unless a restore went back behind a keep."""
        commits = [commit for one in branches for commit in one.commits]
        for commit in commits:
            if not self.view.ask("cat-file", "-e", f"{commit}^{{commit}}").ok:
                raise PlanError(f"The kept commit {commit[:12]} is no longer in this repository.", hint="Fetch it, or leave its run out.")
        return tuple(self.view.do("merge-base", "--independent", *commits).line.split("\n"))

    def _with_those_behind(self, wish: BranchWish) -> Iterable[str]:
        """The kept commits of a branch, each behind the ones that were made for the same run."""
        bounds = frozenset(self.effect.bounds)
        for commit in wish.commits:
            chain = self.view.do("rev-list", "--first-parent", f"--max-count={_MAX_BEHIND}", commit).line.split("\n")
            own = (commit, *takewhile(lambda one: one not in bounds, chain[1:]))
            yield from reversed(own) if len(own) < len(chain) else (commit,)

    def _paths(self, wish: BranchWish) -> Iterable[str]:
        for commit in wish.commits:
            parent = self.view.ask("rev-parse", "--verify", "--quiet", f"{commit}^")
            if not parent.ok:
                raise PlanError(f"The kept commit {commit[:12]} has no parent.", hint="Leave its run out of the plan.")
            yield from (one.path for one in changes(self.view, parent.line, commit) if not covers(self.preserve, one.path))

    def shared(self) -> Iterable[str]:
        """Sentences on branches that share files."""
        for number, one in enumerate(self.files):
            for other in self.files[number + 1 :]:
                if both := sorted(one.paths & other.paths):
                    yield f"The groups “{one.wish.title}” and “{other.wish.title}” both change {_named(both)}."

    def pick(self) -> dict[str, str]:
        """The tips of all branches."""
        picker = Picker(self.view, self.base, self.preserve)
        return {one.name: picker.pick(one) for one in self.branches}

    def prove(self, tips: Mapping[str, str]) -> list[str]:
        """Raise PlanError unless all branches together have what the last kept commit has; sentences on what none of them has."""
        if len(self.heads) > 1:
            return ["The kept commits lie on several lines, so what they give together has never been measured."]
        together = self.view.with_index(self.base, "union")
        for tip in tips.values():
            put(together, {one.path: one.new for one in changes(self.view, self.base, tip)})
        mine = frozenset[str]().union(*(one.paths for one in self.files))
        differing = changes(self.view, write_tree(together), self.heads[0])
        missing = [one.path for one in differing if not covers(self.preserve, one.path)]
        if wrong := [path for path in missing if path in mine]:
            what = f"The branches together do not have what was measured: {_named(wrong)} differs."
            raise PlanError(what, hint="A commit that is in no group has changed it too: keep that change as a run, or plan other groups.")
        empty = [name for name, tip in tips.items() if tip == self.base]
        said = [
            f"The branch {name} would be empty: all of it is in {plain(self.effect.integration or 'the main branch')}." for name in empty
        ]
        return said + ([f"In no branch, for no kept run has changed it: {_named(missing)}."] if missing else [])


def _merge_base(view: PrivateView, integration: str | None, heads: tuple[str, ...]) -> str:
    candidates = (f"refs/heads/{integration}", f"refs/remotes/origin/{integration}", integration) if integration else _DEFAULTS
    found = next(
        (name for name in candidates if view.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").ok), None
    )
    if found is None:
        shown = f"the branch {plain(integration, 80)}" if integration else "a main branch"
        raise MergeBaseError(
            f"Git knows no commit of {shown}.", hint="Name the branch that the work is to go into: --integration-branch NAME"
        )
    answer = view.ask("merge-base", "--octopus", "--end-of-options", found, *heads)
    if not answer.ok:
        raise MergeBaseError(
            f"The kept commits and {plain(found, 80)} have no common ancestor here.",
            hint="Fetch the whole history, or name another branch.",
        )
    return answer.line


def _create(view: PrivateView, tips: Mapping[str, str]) -> tuple[str, ...]:
    """Make all branches in one step; those that are new."""
    there = {name: view.ask("rev-parse", "--verify", "--quiet", f"refs/heads/{name}") for name in tips}
    taken = [name for name, answer in there.items() if answer.ok and answer.line != tips[name]]
    if taken:
        raise BranchExistsError(f"The branch {taken[0]} exists already.", hint=f"Rename or delete it: git branch -m {taken[0]} NAME")
    fresh = [name for name, answer in there.items() if not answer.ok]
    feed = "".join(f"create refs/heads/{name} {tips[name]}\n" for name in fresh)
    answer = view.ask("update-ref", "--create-reflog", "-m", "assay: finalize", "--stdin", feed=feed.encode())
    if not answer.ok:
        raise BranchExistsError(f"The branches could not be made: {plain(answer.err.strip(), 300)}", hint="Rename what stands in the way.")
    return tuple(fresh)


def _named(paths: list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(plain(path, 100) for path in paths[:_SHOWN]) + more

"""Writing to a branch on the forge: one commit on what stands there, pushed without force, or nothing at all."""

from dataclasses import dataclass

from assay.adapters.git.dot_git import DotGit
from assay.adapters.git.private_view import PrivateView, private_view
from assay.adapters.git.tree_state import changes, put, write_tree
from assay.adapters.store_branch.outcome_signs import Kind
from assay.adapters.store_branch.outcomes import of_push
from assay.adapters.store_branch.remote import NAME, Remote
from assay.core.data_ref import is_safe_ref
from assay.core.effects import RestoreCommit
from assay.core.escape import plain
from assay.core.experiment_errors import HeadMovedError, RestoreConflictError
from assay.core.globs import Globs
from assay.core.keepable import covers
from assay.errors import InfrastructureError, UsageError

PUSH_S = 120.0


@dataclass(frozen=True, slots=True)
class RemoteBranchWriter:
    """Satisfies `experiment_ports.BranchWriter` for a checkout that has the commits, and its remote."""

    dot_git: DotGit
    remote: Remote

    def restore(self, effect: RestoreCommit) -> str:
        """As the port says. Done again, it finds its own commit: that has the dates of the head, so it is the same object."""
        ref = f"refs/heads/{effect.branch}"
        if not is_safe_ref(ref):
            raise UsageError(
                f"{plain(effect.branch, 80)} is no safe name of a branch.", hint="Name a branch of letters, digits, - _ . and /."
            )
        with private_view(self.dot_git) as view:
            tree = restored_tree(view, effect)
            if view.do("rev-parse", f"{effect.head}^{{tree}}").line == tree:
                return effect.head
            commit = self._commit(view, effect, tree)
            if self._tip(view, ref) == commit:
                return commit
            self._require_head(view, ref, effect)
            self._push(view, commit, ref, effect)
            return commit

    def grown_from(self, commit: str, head: str) -> bool:
        """As the port says, by a git that is deaf to what foreign code may have put into the checkout."""
        with private_view(self.dot_git) as view:
            return view.ask("merge-base", "--is-ancestor", commit, head).ok

    def _commit(self, view: PrivateView, effect: RestoreCommit, tree: str) -> str:
        return view.commit(tree, (effect.head,), effect.message, at=view.do("show", "-s", "--format=%cI", effect.head).line)

    def _tip(self, view: PrivateView, ref: str) -> str:
        answer = view.ask("ls-remote", NAME, ref, variables=self.remote.variables, within_s=PUSH_S)
        if not answer.ok:
            said = self.remote.redacted(plain(answer.err.strip(), 300))
            raise InfrastructureError(f"The remote did not answer: {said}", hint="See whether `git ls-remote origin` works there.")
        return answer.out.decode("utf-8", "replace").partition("\t")[0]

    def _require_head(self, view: PrivateView, ref: str, effect: RestoreCommit) -> None:
        if self._tip(view, ref) != effect.head:
            raise _moved(effect)

    def _push(self, view: PrivateView, commit: str, ref: str, effect: RestoreCommit) -> None:
        options = ("--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no")
        answer = view.ask("push", *options, NAME, f"{commit}:{ref}", variables=self.remote.variables, within_s=PUSH_S)
        outcome = of_push(answer.status, answer.out.decode("utf-8", "replace"), answer.err, late=answer.late)
        if outcome.kind is Kind.RACE:
            raise _moved(effect)
        if outcome.kind is not Kind.DONE:
            why = self.remote.redacted(outcome.reason)
            raise InfrastructureError(f"The branch {plain(effect.branch, 80)} was not restored: {why}.", hint=outcome.hint)


def restored_tree(view: PrivateView, effect: RestoreCommit) -> str:
    """The baseline's tree with what is preserved as the head has it. Raises RestoreConflictError where both cannot be."""
    preserve = Globs(effect.preserve)
    newest = {one.path: one.new for one in changes(view, effect.baseline, effect.head) if one.new.mode and covers(preserve, one.path)}
    target = view.with_index(effect.baseline, "target")
    put(target, newest)
    tree = write_tree(target)
    if lost := [one.path for one in changes(view, effect.baseline, tree) if one.path not in newest]:
        what = f"{plain(lost[0], 100)} of the baseline and what is preserved of the head cannot both be there."
        raise RestoreConflictError(what, hint="Change `git.preserve`, or restore the branch by hand.")
    return tree


def _moved(effect: RestoreCommit) -> HeadMovedError:
    what = f"The branch {plain(effect.branch, 80)} is no longer at {effect.head[:12]}, so nothing was written to it."
    return HeadMovedError(what, hint="Its new head is checked by itself.")

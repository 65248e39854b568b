"""Which branches on the forge Assay may write to. Not knowing is a reason not to."""

from collections.abc import Iterable

from assay.core.escape import plain
from assay.core.globs import Globs
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class BranchFacts:
    """What the forge says of a branch; None stands for what it did not say."""

    name: str
    same_repository: bool | None
    is_default: bool | None
    is_protected: bool | None
    requires_checks: bool | None


def write_objection(facts: BranchFacts, experiment_branches: Iterable[str], *, has_push_token: bool) -> str | None:
    """Why a branch is not written to, None where it may be.

    A commit that the job's own token pushes starts no workflow, so a check that the branch requires would never come.
    """
    name = plain(facts.name, 80)
    if not Globs(experiment_branches).matches(facts.name):
        return f"{name} is no experiment branch"
    if facts.same_repository is not True:
        return f"{name} is not a branch of this repository"
    if facts.is_default is not False:
        return f"{name} is the default branch, or may be"
    if facts.is_protected is not False:
        return f"{name} is protected, or may be"
    if facts.requires_checks is not False and not has_push_token:
        return f"{name} requires checks, or may, which a commit by the job's own token would not start: give a push-token"
    return None

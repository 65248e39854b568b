"""Which two commits a check is about."""

from assay.core.values import dataclass
from assay.errors import UsageError
from assay.ports import Repo


@dataclass(frozen=True, slots=True)
class Commits:
    """Base and head as full shas, the branch that head stands for, and what a person should know of the choice."""

    base: str
    head: str
    branch: str | None
    remarks: tuple[str, ...] = ()


def resolve(repo: Repo, base: str | None, head: str) -> Commits:
    """The merge base of `base` and head, and head.

    Without a base it is the default branch; on the default branch itself, the commit before head.
    Raises UsageError for an unknown ref, InfrastructureError where a shallow history ends too early.
    """
    tip = repo.resolve(head)
    branch = repo.branch_of(head)
    remarks = []
    if repo.is_dirty():
        remarks.append("The working tree has uncommitted changes, which are not measured: commits are. Only the config is read from there.")
    if base is not None:
        named = repo.resolve(base)
        start = repo.merge_base(named, tip)
        if start != named:
            remarks.append(f"Base is {start[:10]}, where head left {base}.")
        return Commits(start, tip, branch, tuple(remarks))
    start, remark = _default_base(repo, tip)
    return Commits(start, tip, branch, (*remarks, remark))


def _default_base(repo: Repo, head: str) -> tuple[str, str]:
    default = repo.default_branch()
    if default is not None:
        start = repo.merge_base(repo.resolve(default), head)
        if start != head:
            return start, f"Base is {start[:10]}, where head left {default}."
    parent = repo.first_parent(head)
    if parent is None:
        raise UsageError(
            f"Head {head[:10]} is the first commit of its history, so there is nothing to judge it against.",
            hint="Commit your change, then check it: the commit before it becomes the base. Or name one with --base REF.",
        )
    where = f"is part of {default}" if default else "has no default branch beside it"
    return parent, f"Base is {parent[:10]}, the commit before head, for head {where}."

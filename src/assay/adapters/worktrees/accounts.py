"""Who the processes of a side run as, what of the job's they can use then, and handing the side to them."""

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from assay.adapters import trees
from assay.core.escape import plain
from assay.core.process import Account
from assay.core.values import dataclass
from assay.errors import UsageError

AccountChoice = Callable[[Sequence[str]], tuple[Account | None, str]]
"""Given the paths that a child has to use: the account it can run as, or None and why not, in one sentence (empty: no need)."""

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Access:
    """The account, if it is another than ours, and what follows from it.

    `variables` of the job's environment that have to be others; `notes` are sentences for the report.
    """

    account: Account | None
    choose: AccountChoice
    variables: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def may_keep(self, folder: Path) -> bool:
        """Whether the processes can keep files in that folder of the user's."""
        if self.account is None:
            return True
        return self.choose([str(folder)])[0] is not None and _may_write(self.account, folder)


def access(choose: AccountChoice, needed: Sequence[str], path: str, *, insist: bool) -> Access:
    """The account that can use all that is `needed`, and PATH without what it cannot use; else nobody but ourselves.

    Raises UsageError instead where somebody insists on another account than root.
    """
    account, why_not = choose(needed)
    if account is None and why_not and insist:
        raise UsageError(why_not, hint="Open it to that account, start Assay as an ordinary user, or allow it with ASSAY_ROOT=allow.")
    if account is None:
        return Access(None, choose, notes=(why_not,) if why_not else ())
    folders = [folder for folder in path.split(":") if folder]
    closed = [folder for folder in folders if choose([folder])[0] is None]
    if not closed:
        return Access(account, choose)
    left_out = ", ".join(plain(folder) for folder in closed[:_SHOWN]) + (", …" if len(closed) > _SHOWN else "")
    note = f"PATH is without {left_out}, for benchmarks run as another account, which cannot use it."
    return Access(account, choose, {"PATH": ":".join(folder for folder in folders if folder not in closed)}, (note,))


def _may_write(account: Account, folder: Path) -> bool:
    """Whether the mode bits let this account make files in that folder."""
    status = folder.stat()
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IWUSR)
    return bool(status.st_mode & (stat.S_IWGRP if status.st_gid == account.gid else stat.S_IWOTH))


def hand_over(folder: Path, account: Account) -> None:
    """Give a folder and all in it to the account. Links change hands themselves, not what they point to."""
    for visit in trees.visits(folder):
        for name in visit.entered:
            os.chown(name, account.uid, account.gid, dir_fd=visit.folder, follow_symlinks=False)

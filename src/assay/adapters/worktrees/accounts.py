"""Handing a side to the account that its processes run as."""

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.adapters import trees
from assay.core.process import Account

AccountChoice = Callable[[Sequence[str]], tuple[Account | None, str]]
"""Given the paths that a child has to use: the account it can run as, or None and why not, in one sentence (empty: no need)."""


def may_write(account: Account, folder: Path) -> bool:
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

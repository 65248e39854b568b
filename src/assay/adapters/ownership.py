"""Files that a container's root made in somebody else's checkout, given back: else the next job there cannot even clean up."""

import os
import stat
from pathlib import Path

from assay.adapters import trees


def give_back(owned: Path, *made: Path) -> int:
    """Let whoever owns `owned` own all that is in the folders `made` too, and what leads there from it; how many entries changed hands.

    Does nothing unless we are root. No link is followed, and a file with a second name elsewhere is left alone. What
    cannot be changed is passed over: this is the last thing that happens.
    """
    if os.geteuid() != 0 or not owned.is_dir():
        return 0
    facts = owned.stat()
    inside = [folder for folder in made if folder.is_dir() and _leads_straight(owned, folder)]
    return sum(_give(owned, folder, facts.st_uid, facts.st_gid) for folder in inside)


def _leads_straight(owned: Path, folder: Path) -> bool:
    """Whether a folder is below `owned` without any link on the way."""
    return folder.resolve() == owned.resolve() / folder.relative_to(owned) if folder.is_relative_to(owned) else False


def _give(owned: Path, root: Path, uid: int, gid: int) -> int:
    between = [one for one in root.parents if one.is_relative_to(owned) and one != owned]
    led = sum(_change(str(one), None, uid, gid) for one in between)
    return led + sum(_change(name, visit.folder, uid, gid) for visit in trees.visits(root) for name in visit.entered)


def _change(name: str, folder: int | None, uid: int, gid: int) -> int:
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        shared = stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1
        if shared or (facts.st_uid, facts.st_gid) == (uid, gid):
            return 0
        os.chown(name, uid, gid, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return 0
    return 1

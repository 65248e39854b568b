"""Where Assay keeps what is its own: in the checkout, or beside it where that cannot be written to."""

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InfrastructureError

if TYPE_CHECKING:
    from assay.ports import Observer

FOLDER = ".assay"


@cache
def own_folder(root: str) -> Path:
    """`.assay` of a checkout. Of one that is read-only, the same in the user's state, else in a temporary folder.

    Which of them it is depends on the checkout's path and on permissions alone, so that the next command finds it again.
    """
    inside = Path(root, FOLDER)
    if os.access(inside if inside.is_dir() else root, os.W_OK | os.X_OK):
        return inside
    name = f"{Path(root).name}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:12]}"
    for above in _elsewhere():
        folder = above / name
        if _made(folder):
            return folder
    return inside  # whoever writes there says what is wrong


def say_where(root: str, observer: "Observer") -> None:
    """Tell of a folder that is not where people look for it."""
    from assay.core.events import Remark

    folder = own_folder(root)
    if folder != Path(root, FOLDER):
        observer.note(Remark(f"{root} cannot be written to, so what Assay keeps is in {folder}."))


def _elsewhere() -> tuple[Path, ...]:
    found = []
    state = os.environ.get("XDG_STATE_HOME", "")
    if state.startswith("/"):
        found.append(Path(state, "assay"))
    home = os.environ.get("HOME", "")
    if home.startswith("/"):
        found.append(Path(home, ".local", "state", "assay"))
    return (*found, Path(tempfile.gettempdir(), f"assay-state-{os.geteuid()}").absolute())


def _made(folder: Path) -> bool:
    """Whether it is there and ours alone: in a temporary folder anybody may have made one of that name."""
    from assay.adapters.process.lock_folder import own_folder as make_own

    try:
        for one in (folder.parent, folder):
            make_own(one)
    except InfrastructureError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)

"""Where the hook scripts of an experiment loop lie in a tree."""

import os
import stat
from pathlib import Path

from assay.core.experiment import HookName

FOLDERS = (".auto/hooks", "autoresearch.hooks")


class HookScripts:
    """Finds them. Without `allowed` there are none, whatever lies in the tree."""

    def __init__(self, root: Path, *, allowed: bool) -> None:
        self._root = root
        self._allowed = allowed

    def find(self, hook: HookName) -> str | None:
        """The script of that hook: a regular file that may be executed, and no link."""
        files = (self._root / folder / f"{hook}.sh" for folder in FOLDERS) if self._allowed else ()
        return next((str(file) for file in files if _executable(file)), None)


def _executable(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.lstat().st_mode) and os.access(file, os.X_OK)
    except OSError:
        return False

"""Which store a command writes to."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.ports import Store


def store_on_github(home: Path) -> "Store":
    """The store of a job on GitHub. `home` is the folder `.assay` of the checkout."""
    from assay.adapters.store_directory import DirectoryStore

    return DirectoryStore(home / "store")

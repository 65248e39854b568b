"""Fingerprints of the places that a setup could change for both sides at once."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def fingerprints(folders: Iterable[Path]) -> dict[str, str]:
    """A digest of each folder's entries, by its path."""
    return {str(folder): _digest(folder) for folder in folders if folder.is_dir()}


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name != "__pycache__":
            digest.update(os.fsencode(entry.name) + b"\0" + _shape(entry) + b"\0")
    return digest.hexdigest()


def _shape(entry: "os.DirEntry[str]") -> bytes:
    """What tells that something was installed. Compiling modules on first import changes a package's folder too, and is none."""
    if entry.is_dir(follow_symlinks=False) and not entry.name.endswith((".dist-info", ".egg-info")):
        return b"folder"
    try:
        if entry.name.endswith(".pth"):
            return Path(entry.path).read_bytes()
        status = entry.stat(follow_symlinks=False)
    except OSError as error:  # a dangling link, or gone since it was listed
        return b"error %d" % (error.errno or 0)
    return b"%d %d %d" % (status.st_mode, status.st_size, status.st_mtime_ns)

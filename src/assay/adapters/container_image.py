"""Which image we run in: its digest where the job tells it, else what its system packages are."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from assay.core.model import NONE, UNKNOWN

DIGEST_VARIABLE = "ASSAY_IMAGE_DIGEST"

_MARKS = (".dockerenv", "run/.containerenv", "run/systemd/container")
_SIGNS = ("docker", "kubepods", "containerd", "libpod", "lxc")
_PACKAGE_LISTS = (
    "etc/os-release",
    "var/lib/dpkg/status",
    "lib/apk/db/installed",
    "usr/lib/sysimage/rpm/rpmdb.sqlite",
    "var/lib/rpm/rpmdb.sqlite",
    "var/lib/rpm/Packages",
)


def image_digest(root: Path, environ: Mapping[str, str]) -> str:
    """The identity of the image below a root folder, `none` outside containers.

    No container can see its own digest. Without the variable the answer is `packages:` and a hash over the system's
    lists of installed packages, which is equal where the system is; `unknown` where there is no such list.
    """
    told = environ.get(DIGEST_VARIABLE, "").strip()
    if told:
        return told
    return _package_hash(root) if _in_container(root, environ) else NONE


def _in_container(root: Path, environ: Mapping[str, str]) -> bool:
    if environ.get("container") or any((root / mark).exists() for mark in _MARKS):
        return True
    try:
        groups = (root / "proc/1/cgroup").read_text(errors="replace")
    except OSError:
        return False
    return any(sign in groups for sign in _SIGNS)


def _package_hash(root: Path) -> str:
    total = hashlib.sha256()
    found = False
    for name in _PACKAGE_LISTS:
        path = root / name
        try:
            with path.open("rb") as file:
                total.update(f"{name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
        except FileNotFoundError:
            continue
        except OSError:
            return UNKNOWN
        found = found or name != _PACKAGE_LISTS[0]
    return f"packages:{total.hexdigest()[:32]}" if found else UNKNOWN

"""Which ref a store may be kept on: one of its own, with a name that no git takes for anything else."""

import re
from collections.abc import Collection

from assay.core.escape import plain
from assay.errors import UsageError

DEFAULT = "assay-data"

_HEADS = "refs/heads/"
_CHARACTERS = re.compile(r"[A-Za-z0-9_./-]+")
_TAKEN = ("refs/tags/", "refs/remotes/", "refs/pull/", "refs/merge-requests/", "refs/replace/", "refs/stash", "refs/bisect/")
_MAX = 200
_HINT = "Name a branch of its own, such as assay-data, or a full ref such as refs/assay/data."


def data_ref(name: str, taken: Collection[str] = ()) -> str:
    """The full ref that a name stands for: `assay-data` is `refs/heads/assay-data`, `refs/assay/data` is itself.

    `taken` are full refs that hold the user's own work. Raises UsageError for one of these, and for an unsafe name.
    """
    ref = name if name.startswith("refs/") else f"{_HEADS}{name}"
    if not name or name == "HEAD" or not is_safe_ref(ref):
        raise UsageError(f"A store cannot be kept on `{plain(name, 100) or '(empty)'}`: that is no safe name of a ref.", hint=_HINT)
    if ref.startswith(_TAKEN):
        raise UsageError(f"A store cannot be kept on `{ref}`: git or the forge keeps something else there.", hint=_HINT)
    if ref in taken:
        raise UsageError(f"A store cannot be kept on `{short(ref)}`: that branch holds your own work.", hint=_HINT)
    return ref


def short(ref: str) -> str:
    """A ref as people call it."""
    return ref.removeprefix(_HEADS)


def is_safe_ref(ref: str) -> bool:
    """Narrower than git's own rule, so that a name means the same in a shell, in a URL and on every file system."""
    if not _CHARACTERS.fullmatch(ref) or len(ref) > _MAX:
        return False
    parts = ref.split("/")
    return len(parts) > 2 and all(_is_safe_part(part) for part in parts)


def _is_safe_part(part: str) -> bool:
    return bool(part) and part[0] not in ".-" and not part.endswith((".", ".lock")) and ".." not in part

"""What a failed git process means to a person."""

from pathlib import Path

from assay.adapters.git.command import Answer
from assay.core.escape import plain
from assay.errors import InfrastructureError, UsageError

_MISSING = (
    "unable to read",
    "missing blob",
    "missing tree",
    "could not fetch",
    "not allowed",
    "promisor",
    "bad object",
    "could not get object",
)
FETCH_ALL = "`git fetch --unshallow` brings the rest; with actions/checkout set `fetch-depth: 0`."
FETCH_CONTENT = "Bring the missing content with `git fetch --refetch --no-filter`, or clone (actions/checkout) without a `filter`."


def failure(answer: Answer, what: str, *, objects: str | None = None) -> InfrastructureError:
    """The error for an answer that should have been good. `what` says what was asked for; `objects` is the object folder."""
    said = plain(answer.err.strip() or f"exit status {answer.status}", 400)
    return InfrastructureError(f"{what} failed: `git {answer.words[0]}` said: {said}", hint=_hint(answer.err, objects))


def _hint(said: str, objects: str | None) -> str:
    if "No space left" in said or "Disk quota" in said:
        return "Free some space, or point TMPDIR to a disk that has some."
    if objects is not None and any(sign in said for sign in _MISSING) and is_partial(objects):
        return f"This is a partial clone that lacks objects of that commit. {FETCH_CONTENT}"
    return "Run `git fsck` in your repository; if it is sound, the message above says what stood in the way."


def is_partial(objects: str) -> bool:
    """Whether the clone was made with a filter, so that git would fetch missing objects when they are needed."""
    return any(Path(objects, "pack").glob("*.promisor"))


def no_repository(answer: Answer, cwd: str) -> UsageError | InfrastructureError:
    """Why no working tree was found from this folder."""
    where = plain(cwd)
    if "dubious ownership" in answer.err:
        return InfrastructureError(
            f"Git does not trust the repository around {where}, for another user owns it.",
            hint="If you do, run: git config --global --add safe.directory " + where,
        )
    if "work tree" in answer.err or answer.out.startswith(b"true\n"):
        return UsageError(
            f"{where} is inside a bare git repository or a `.git` folder, which has no working tree.",
            hint="cd into a clone that has its files checked out, and run the command again.",
        )
    if "not a git repository" in answer.err:
        return UsageError(
            f"No git repository was found: neither {where} nor a folder above it is one.",
            hint="cd into your repository, or make one here: git init && git add -A && git commit",
        )
    return failure(answer, f"Looking for a git repository in {where}")

"""What the token of a job may do, as GitHub answers it, and what is missing."""

from collections.abc import Iterator

from assay.core.checkup import Finding, State
from assay.core.values import dataclass

_USES = (
    ("contents", "contents", "the data branch, where results are kept"),
    ("checks", "checks", "the check run of each benchmark"),
    ("comments", "pull-requests", "the comment"),
)


@dataclass(frozen=True, slots=True)
class Rights:
    """What GitHub said to a token. None is what it did not tell; `problem` is why nothing could be asked at all, in a sentence."""

    repository: str
    problem: str = ""
    known: bool = True
    seen: bool = True
    contents: bool | None = None
    checks: bool | None = None
    comments: bool | None = None


def of_token(rights: Rights) -> Iterator[Finding]:
    """Findings on a token, one for each right that Assay uses; the token itself is in none."""
    if rights.problem:
        yield Finding(
            "token", State.UNKNOWN, f"What the token may do was not told: {rights.problem}", "Look at GITHUB_API_URL and the network."
        )
    elif not rights.known:
        mend = "Give the step `env: {GITHUB_TOKEN: ${{ github.token }}}`, or a new one."
        yield Finding("token", State.FAIL, "GitHub does not know the token: it is wrong, revoked or over.", mend)
    elif not rights.seen:
        what = f"The token does not see {rights.repository}."
        yield Finding("token", State.FAIL, what, "Give the job `permissions: {contents: read}` at least, and the token of this repository.")
    else:
        yield from _rights(rights)


def _rights(rights: Rights) -> Iterator[Finding]:
    allowed = []
    for name, permission, use in _USES:
        may = getattr(rights, name)
        if may is False:
            mend = f"Add `{permission}: write` to the job's permissions. The token of a fork's pull request never has it."
            yield Finding("token", State.WARN, f"The token may not write `{permission}`: {use}.", mend)
        elif may:
            allowed.append(permission)
    if allowed:
        yield Finding("token", State.OK, f"The token may write {', '.join(allowed)}.")

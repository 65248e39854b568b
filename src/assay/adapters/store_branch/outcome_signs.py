"""The words by which git and the forges say why a transfer failed, and what a person has to change.

Collected from git's own source (in English) and from what GitHub, GitLab and Gitea answer.
"""

import re
from enum import StrEnum

from assay.core.values import dataclass


class Kind(StrEnum):
    """Ends of a transfer. Only `race` and `busy` are cured by trying again at once, `unreachable` perhaps by waiting."""

    DONE = "done"
    RACE = "race"
    BUSY = "busy"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    ABSENT = "absent"
    DAMAGED = "damaged"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Sign:
    """Words of git or of a server, and what they mean."""

    kind: Kind
    reason: str
    hint: str
    pattern: re.Pattern[str]


def _sign(kind: Kind, reason: str, hint: str, *words: str) -> Sign:
    return Sign(kind, reason, hint, re.compile("|".join(words), re.IGNORECASE))


_RIGHTS_HINT = (
    "Give the job `permissions: contents: write`, or a token that may write (`push-token`); on a fork's pull request no token may. "
    "Outside GitHub use an SSH URL, or set GITHUB_TOKEN."
)
_RULES_HINT = (
    "Take the data branch out of the rules, let the App of `push-token` bypass them, or name a ref that they do not cover with "
    "`data-branch: refs/assay/data`."
)
_SIGNATURE_HINT = f"Assay's data commits are not signed. {_RULES_HINT}"
_HOOK_HINT = "See what the hook says above; let it pass the data branch, or name another ref with `data-branch`."
OTHER_REF_HINT = "Name another ref with `data-branch` (or --store branch:NAME), such as refs/assay/data."

SIGNS = (
    _sign(
        Kind.REFUSED,
        "a branch of that name stands in the way of a folder of branches, or the other way round",
        OTHER_REF_HINT,
        r"exists; cannot create",
        r"directory/file conflict",
        r"refname conflict",
    ),
    _sign(
        Kind.REFUSED, "the commits would have to be signed", _SIGNATURE_HINT, r"verified signatures?", r"must be signed", r"unsigned commit"
    ),
    _sign(
        Kind.REFUSED,
        "a file is larger than the server takes",
        "Ask for a higher limit, or run `assay store compact` and look for a run with absurdly much output.",
        r"GH001",
        r"exceeds .*(?:file size|size) limit",
        r"pack exceeds maximum allowed size",
        r"(?:error|HTTP)[: ]+413",
    ),
    _sign(
        Kind.REFUSED,
        "branch protection or a ruleset forbids it",
        _RULES_HINT,
        r"GH006",
        r"GH013",
        r"protected branch",
        r"rule violations",
        r"cannot be updated by",
        r"changes must be made through a (?:pull|merge) request",
        r"not allowed to push code to protected",
    ),
    _sign(
        Kind.REFUSED,
        "the repository is archived or read-only",
        "Unarchive it, or name another store with --store.",
        r"archived",
        r"is read-only",
    ),
    _sign(
        Kind.REFUSED,
        "the server takes nothing from a shallow clone",
        "Let the server accept it (receive.shallowUpdate), or name another store with --store.",
        r"shallow update not allowed",
    ),
    _sign(Kind.REFUSED, "a hook of the server declined it", _HOOK_HINT, r"hook declined"),
    _sign(
        Kind.REFUSED,
        "the server does not allow that ref",
        OTHER_REF_HINT,
        r"hidden ref",
        r"funny refname",
        r"branch is currently checked out",
        r"refusing to (?:create|update)",
        r"refusing to allow",
        r"prohibited",
    ),
    _sign(
        Kind.REFUSED,
        "a disk is full or a folder may not be written",
        "Free the disk, or let this account write in the folder that git names.",
        r"no space left",
        r"disk quota",
        r"read-only file system",
        r"insufficient permission for adding",
        r"unable to create temporary",
        r"unable to migrate objects",
        r"unable to create .*permission denied",
        r"could not open .*permission denied",
    ),
    _sign(
        Kind.REFUSED,
        "another user owns the remote's folder, so git does not trust it",
        "If you do, run: git config --system --add safe.directory PATH, with the path that git names.",
        r"dubious ownership",
    ),
    _sign(
        Kind.REFUSED,
        "the token or key is not accepted, or may not do this",
        _RIGHTS_HINT,
        r"returned error: (?:401|403)",
        r"authentication (?:failed|required)",
        r"could not read (?:username|password)",
        r"permission (?:to .* )?denied",
        r"write access .*not granted",
        r"not allowed to (?:push|upload)",
        r"access denied",
        r"host key verification failed",
        r"resource not accessible",
        r"marked as read only",
    ),
    _sign(
        Kind.REFUSED,
        "there is no such repository, or the token may not see it",
        f"See whether `git remote get-url origin` is right. {_RIGHTS_HINT}",
        r"repository .*not found",
        r"returned error: 404",
        r"does not appear to be a git repository",
        r"not a git repository",
        r"repository .* does not exist",
    ),
    _sign(
        Kind.REFUSED,
        "a certificate or a proxy of the connection is not accepted",
        "See whether `git fetch origin` works on this machine.",
        r"certificate",
        r"returned error: 407",
    ),
    _sign(
        Kind.RACE,
        "another writer was faster",
        "Run the command again.",
        r"fetch first",
        r"non-fast-forward",
        r"stale info",
        r"cannot lock ref",
        r"failed to update ref",
        r"failed to lock",
        r"incorrect old value",
        r"reference already exists",
        r"unable to create .*\.lock'?: file exists",
        r"but expected",
    ),
    _sign(
        Kind.UNREACHABLE,
        "the remote cannot be reached",
        "See whether `git fetch origin` works on this machine; the next command tries again.",
        r"could not resolve",
        r"couldn't (?:resolve|connect)",
        r"connection (?:refused|reset|timed out|closed)",
        r"failed to connect",
        r"network is (?:unreachable|down)",
        r"no route to host",
        r"returned error: (?:5\d\d|429|408)",
        r"timed? ?out",
        r"too slow",
        r"hung up",
        r"early eof",
        r"rpc failed",
        r"unexpected disconnect",
        r"empty reply",
        r"remote failed to report status",
        r"\b(?:ssl|tls|gnutls_\w+)\b",
        r"temporary failure",
        r"internal server error",
        r"service unavailable",
        r"kex_exchange",
        r"broken pipe",
    ),
    _sign(
        Kind.DAMAGED,
        "our copy of the data branch is damaged",
        "Remove the folder that the message names; it is only a copy.",
        r"bad object",
        r"unable to read",
        r"object file .* is empty",
        r"loose object .* is corrupt",
        r"missing (?:blob|tree|commit)",
        r"invalid (?:sha1|object)",
        r"unresolved deltas?",
        r"could not parse",
        r"index-pack failed",
        r"did not send all necessary",
        r"reference broken",
    ),
)
"""In the order in which they are looked for: what is more particular comes first, and a refusal before a race."""

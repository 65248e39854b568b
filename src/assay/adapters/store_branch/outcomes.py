"""What git's answer to a fetch or a push means: whether to try again, and what a person has to change otherwise.

Pure text in, value out. The status that git prints for machines is believed first; what a server says in prose may be anybody's.
"""

import re

from assay.adapters.store_branch.outcome_signs import SIGNS, Kind
from assay.core.escape import plain
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a transfer ended, in a sentence, and what to do about it."""

    kind: Kind
    reason: str = ""
    hint: str = ""


_OWN_LOCK = re.compile(r"^(?:fatal|error): unable to create '[^']*\.lock': file exists", re.IGNORECASE | re.MULTILINE)
_NO_REF = re.compile(r"^fatal: couldn't find remote ref ", re.IGNORECASE | re.MULTILINE)
_OTHER_HASH = re.compile(r"^fatal: mismatched algorithms", re.IGNORECASE | re.MULTILINE)
_STATUS = re.compile(r"^([ +*=!-])\t[^\t]*\t(.*)$", re.MULTILINE)
_LATE = Outcome(
    Kind.UNREACHABLE,
    "the remote did not answer in time",
    "See whether `git fetch origin` works on this machine; the next command tries again.",
)


def of_fetch(status: int, said: str, *, late: bool = False) -> Outcome:
    """What a fetch came to. `said` is what git wrote to its standard error, in English."""
    if status == 0:
        return Outcome(Kind.DONE)
    if late:
        return _LATE
    if _NO_REF.search(said):
        return Outcome(Kind.ABSENT)
    if _OTHER_HASH.search(said):
        return Outcome(Kind.REFUSED, "the remote names objects by another hash than this repository", "Clone the repository anew.")
    if _OWN_LOCK.search(said):
        return Outcome(Kind.BUSY, "another git works on our copy of the data branch", "Run the command again.")
    return _by_words(said)


def of_push(status: int, printed: str, said: str, *, late: bool = False) -> Outcome:
    """What a push of one ref came to. `printed` is the output of `--porcelain`, `said` the standard error."""
    if late:
        return _LATE
    flag, summary = next(iter(_STATUS.findall(printed)), ("", ""))
    if status == 0 and flag in (" ", "*", "="):
        return Outcome(Kind.DONE)
    if flag != "!":
        return _by_words(said)
    by_status = _by_words(summary)
    if by_status.kind is Kind.RACE and summary.startswith("[rejected]"):
        return by_status  # our own git's word
    by_prose = _by_words(said)
    return by_prose if by_prose.kind is Kind.REFUSED or by_status.kind is Kind.UNKNOWN else _with_prose(by_status, said)


def _by_words(said: str) -> Outcome:
    for sign in SIGNS:
        if sign.pattern.search(said):
            return Outcome(sign.kind, _quoted(sign.reason, said), sign.hint)
    return Outcome(Kind.UNKNOWN, _quoted("git failed in a way that we do not know", said), "The message says what stood in the way.")


def _with_prose(outcome: Outcome, said: str) -> Outcome:
    return Outcome(outcome.kind, _quoted(outcome.reason.partition(" (git: ")[0], said), outcome.hint)


def _quoted(reason: str, said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith(("To ", "hint:", "Done"))]
    text = plain(" ".join(lines), 240)
    return f"{reason} (git: {text})" if text else reason

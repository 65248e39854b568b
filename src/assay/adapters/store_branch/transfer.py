"""Fetching the data branch and pushing to it: one ref, as little as can be, never forced."""

import hashlib
import re

from assay.adapters.git.command import Answer
from assay.adapters.store_branch.outcome_signs import OTHER_REF_HINT, Kind
from assay.adapters.store_branch.outcomes import Outcome, of_fetch, of_push
from assay.adapters.store_branch.private_repository import PrivateRepository
from assay.adapters.store_branch.remote import NAME, Remote
from assay.core.values import dataclass

FIRST_CONTACT_S = 40.0
FIRST_FETCH_S = 900.0
FETCH_S = 120.0
PUSH_S = 120.0

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Transfer:
    """One ref of one remote, and the private ref under which our copy keeps what was fetched last."""

    repository: PrivateRepository
    remote: Remote
    ref: str

    @property
    def tracking(self) -> str:
        place = "\0".join((self.remote.url, self.ref))
        return f"refs/assay/tips/{hashlib.sha256(place.encode()).hexdigest()[:20]}"

    def tip(self) -> str | None:
        """The commit that was fetched or pushed last, None where there was none."""
        loose = self.repository.folder / self.tracking
        if loose.is_file() and _SHA.fullmatch(text := loose.read_text(errors="replace").strip()):
            return text
        answer = self.repository.git().ask("rev-parse", "--verify", "--quiet", f"{self.tracking}^{{commit}}")
        return answer.line if answer.ok else None

    def fetch(self, at_most_s: float = FIRST_FETCH_S) -> Outcome:
        """Bring our copy up to date. A ref that the remote does not have is `absent`, and then has no tip here either.

        Each process of git is killed after its own limit, and after `at_most_s` seconds at the latest.
        """
        known = self.tip() is not None
        if not known and (outcome := self._first_contact(min(FIRST_CONTACT_S, at_most_s))).kind is not Kind.DONE:
            return outcome
        options = (
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-show-forced-updates",
            "--no-auto-maintenance",
        )
        # only at first: later the few commits since then are less work for the server than finding out what depth one is
        depth = () if known else ("--depth=1",)
        limit = min(FETCH_S if known else FIRST_FETCH_S, at_most_s)
        answer = self._ask("fetch", *options, *depth, NAME, f"+{self.ref}:{self.tracking}", within_s=limit)
        self.repository.tidy()
        outcome = self._clean(of_fetch(answer.status, answer.err, late=answer.late))
        if outcome.kind is Kind.ABSENT and known:
            self.repository.ask("update-ref", "-d", self.tracking)
        return outcome

    def push(self, commit: str, at_most_s: float = PUSH_S) -> Outcome:
        """Offer a commit whose parent is the tip. The remote takes it only if nobody was faster."""
        options = ("--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no")
        answer = self._ask("push", *options, NAME, f"{commit}:{self.ref}", within_s=min(PUSH_S, at_most_s))
        printed = answer.out.decode("utf-8", "replace")
        outcome = self._clean(of_push(answer.status, printed, answer.err, late=answer.late))
        if outcome.kind is Kind.DONE:
            self.repository.ask("update-ref", self.tracking, commit)
        return outcome

    def _first_contact(self, limit: float) -> Outcome:
        """Ask a small question first: whether the remote answers at all, has the ref, and calls it its main one."""
        answer = self._ask("ls-remote", "--symref", NAME, "HEAD", self.ref, within_s=limit)
        if not answer.ok:
            return self._clean(of_fetch(answer.status, answer.err, late=answer.late))
        rows = answer.out.decode("utf-8", "replace").splitlines()
        if f"ref: {self.ref}\tHEAD" in rows:
            return Outcome(Kind.REFUSED, "it is the default branch of the remote", OTHER_REF_HINT)
        return Outcome(Kind.DONE if any(row.endswith(f"\t{self.ref}") for row in rows) else Kind.ABSENT)

    def _ask(self, *words: str, within_s: float) -> Answer:
        return self.repository.git(self.remote).ask(*words, within_s=within_s)

    def _clean(self, outcome: Outcome) -> Outcome:
        return Outcome(outcome.kind, self.remote.redacted(outcome.reason), outcome.hint)

"""A write is a function of the tip: fetch, compute, commit, push; where another writer was faster, the same again after a while."""

import random
import time
from collections.abc import Callable

from assay.adapters.store_branch.edit import Edit, commit, stranger
from assay.adapters.store_branch.outcome_signs import OTHER_REF_HINT, Kind
from assay.adapters.store_branch.outcomes import Outcome
from assay.adapters.store_branch.private_repository import DamagedError, PrivateRepository
from assay.adapters.store_branch.snapshot import Snapshot
from assay.adapters.store_branch.transfer import FIRST_FETCH_S, Transfer
from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import AssayError

Change = Callable[[Snapshot], Edit]
"""What to write, given what is there. It is asked again for each new tip."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a delivery tries. A lost race means that somebody else got on, so it is worth more tries than silence is.

    After `races` lost races it goes on until `race_s` seconds are over. Waits are chance up to a bound that doubles. No call of git
    takes longer than `call_s` seconds.
    """

    races: int = 12
    race_s: float = 180.0
    silences: int = 3
    shortest_s: float = 0.05
    longest_s: float = 5.0
    silence_s: float = 1.0
    call_s: float = FIRST_FETCH_S

    def wait(self, outcome: Outcome, tries: int, since_s: float) -> float | None:
        """The bound of the wait after so many tries that ended like this, None where it is time to give up."""
        if outcome.kind in (Kind.RACE, Kind.BUSY):
            hopeless = tries >= self.races and since_s >= self.race_s
            return None if hopeless else min(self.longest_s, self.shortest_s * 2 ** min(tries, 10))
        if outcome.kind in (Kind.UNREACHABLE, Kind.UNKNOWN):
            return None if tries >= self.silences else self.silence_s * 2 ** (tries - 1)
        return None


OURS_S = 3.0
"""How long after a push of ours the next one is tried without asking for the tip."""

HASTY = Patience(races=2, race_s=0.0, silences=1, call_s=1.5)
"""For a process that has been told to end."""


class Deliverer:
    """Writes to one data branch. `now` gives the seconds since 1970 for commits; `sleep` and `chance` are for the waits."""

    def __init__(
        self,
        repository: PrivateRepository,
        transfer: Transfer,
        patience: Patience,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._repository = repository
        self._transfer = transfer
        self._patience = patience
        self._now = now
        self._sleep = sleep
        self._chance = chance
        self._ours_until = 0.0
        self._ours = False

    def deliver(self, change: Change, patience: Patience | None = None) -> Outcome:
        """Write the change. To be called while the repository is held."""
        patience = patience or self._patience
        began = time.monotonic()
        tries: dict[Kind, int] = {}
        while True:
            outcome = self._attempted(change, patience.call_s)
            tries[outcome.kind] = tries.get(outcome.kind, 0) + 1
            if outcome.kind is Kind.DAMAGED and tries[Kind.DAMAGED] == 1:
                self._repository.discard()
                continue
            wait = patience.wait(outcome, tries[outcome.kind], time.monotonic() - began)
            if wait is None:
                return outcome
            self._sleep(wait * self._chance())
            self._repository.sweep()

    def _attempted(self, change: Change, call_s: float) -> Outcome:
        try:
            return self._attempt(change, call_s)
        except DamagedError as error:
            return Outcome(Kind.DAMAGED, error.message.rstrip("."), error.hint)

    def _attempt(self, change: Change, call_s: float) -> Outcome:
        fetched = self._fetched(call_s)
        if fetched.kind not in (Kind.DONE, Kind.ABSENT):
            return fetched
        snapshot = Snapshot(self._repository, self._transfer.tip())
        try:
            edit = change(snapshot)
        except AssayError:
            if self._certain():
                raise
            return self._attempt(change, call_s)
        if edit.is_empty:
            return Outcome(Kind.DONE) if self._certain() else self._attempt(change, call_s)
        if not self._ours and (name := stranger(snapshot)):
            return Outcome(Kind.REFUSED, f"it holds files that are no store's, such as {plain(name, 60)}", OTHER_REF_HINT)
        self._ours = True
        outcome = self._transfer.push(commit(self._repository, snapshot.tip, edit, int(self._now())), call_s)
        self._ours_until = time.monotonic() + OURS_S if outcome.kind is Kind.DONE else 0.0
        return outcome

    def _certain(self) -> bool:
        """Whether the tip was asked for just now. If not, the next look asks: nothing is refused, or left undone, for what may be old."""
        known, self._ours_until = time.monotonic() >= self._ours_until, 0.0
        return known

    def _fetched(self, call_s: float) -> Outcome:
        """Right after a push of ours its commit is most likely still the tip. Should it not be, the push is refused."""
        return Outcome(Kind.DONE) if time.monotonic() < self._ours_until else self._transfer.fetch(call_s)

"""How the attempts at a benchmark stand: used and left, the checkpoint of every fifth, the strikes on what must not break."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from assay.core.advice import Complexity
from assay.core.attempts.entry import AttemptEntry, AttemptResult, AttemptStage, Diagnosis
from assay.core.globs import Globs
from assay.core.numbers import count
from assay.core.values import dataclass

if TYPE_CHECKING:
    from assay.core.config_sections import AttemptsConfig

CHECKPOINT_EVERY = 5

ALLOWED: dict[Complexity, dict[AttemptStage, int]] = {
    Complexity.LIGHT: dict(zip(AttemptStage, (10, 8, 8, 10), strict=True)),
    Complexity.MEDIUM: dict(zip(AttemptStage, (20, 12, 12, 15), strict=True)),
    Complexity.HEAVY: dict(zip(AttemptStage, (30, 20, 20, 20), strict=True)),
}
"""How many attempts a stage may take: what is dear is thought about longer, and needs more of them to come right."""


class Action(StrEnum):
    """What a checkpoint asks for."""

    CONTINUE = "continue"
    LOCATE = "locate the bug exactly before the next edit"
    REVERT = "go back to the last version that worked, and try another way"
    ENVIRONMENT = "mend the environment first"
    DIAGNOSE = "find out whether it is a bug, the direction or the environment"
    RECHECK = "hold the invariant against its definition again"
    RELAX = "relax or clamp as little as possible"
    STOP = "stop, and let a person choose"


_BY_DIAGNOSIS = {
    Diagnosis.BUG: Action.LOCATE,
    Diagnosis.DIRECTION: Action.REVERT,
    Diagnosis.ENVIRONMENT: Action.ENVIRONMENT,
    Diagnosis.UNCLEAR: Action.DIAGNOSE,
}


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many attempts the stage may take, and why so many."""

    stage: AttemptStage
    complexity: Complexity
    attempts: int
    reason: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where it stands. `checkpoint` is what the last fifth attempt asks for, None before the first five."""

    allowance: Allowance
    used: int
    granted: int
    strikes: int
    strikes_allowed: int
    checkpoint: Action | None
    next_action: Action
    latest: tuple[AttemptEntry, ...] = field(default=())

    @property
    def left(self) -> int:
        return max(0, self.allowance.attempts + self.granted - self.used)

    @property
    def broken(self) -> bool:
        """Whether the breaker is open: nothing starts by itself any more."""
        return self.strikes >= self.strikes_allowed

    @property
    def stopped(self) -> str:
        """Why nothing starts by itself any more; empty where it may."""
        if self.broken:
            return f"{count(self.strikes, 'attempt')} in a row failed on what was declared an invariant"
        if not self.left:
            return f"all {self.used} attempts of the stage {self.allowance.stage} are used up"
        return ""


def allowance(limits: "AttemptsConfig", rank: Complexity, why: str) -> Allowance:
    """What the config grants a stage, by the complexity that it names or that was inferred."""
    stage = AttemptStage(limits.stage)
    named = None if limits.complexity == "auto" else Complexity(limits.complexity)
    most = limits.limit if limits.limit is not None else ALLOWED[named or rank][stage]
    if limits.limit is not None:
        return Allowance(stage, named or rank, most, "the config gives the number")
    return Allowance(stage, named or rank, most, "the config says how complex it is" if named else why)


def standing(entries: Iterable[AttemptEntry], allowed: Allowance, strikes_allowed: int) -> Standing:
    """From the records of one benchmark and subject, the oldest first. Those of other stages count for the strikes alone."""
    known = tuple(sorted(entries, key=lambda one: one.attempt_id))
    own = [one for one in known if one.kind == "attempt" and one.stage is allowed.stage]
    granted = sum(one.granted for one in known if one.kind == "grant")
    strikes = strikes_of(known)
    checkpoint = _checkpoint(own) if len(own) >= CHECKPOINT_EVERY else None
    found = Standing(allowed, len(own), granted, strikes, strikes_allowed, checkpoint, Action.CONTINUE, tuple(own[-CHECKPOINT_EVERY:]))
    return Standing(allowed, len(own), granted, strikes, strikes_allowed, checkpoint, _next(found), found.latest)


def strikes_of(entries: Iterable[AttemptEntry]) -> int:
    """How many of the latest attempts that touch an invariant have failed, since one did not, or somebody granted more."""
    strikes = 0
    for one in entries:
        if one.kind == "grant":
            strikes = 0
        elif one.touched:
            strikes = strikes + 1 if one.result is AttemptResult.FAILED else 0
    return strikes


def touched_of(limits: "AttemptsConfig", paths: Iterable[str], said: str) -> tuple[str, ...]:
    """The declared invariants that a change touches: patterns that one of its paths matches, and tags that stand in `[…]` in its text."""
    changed = tuple(paths)
    patterns = [one for one in limits.invariants.paths if any(Globs((one,)).matches(path) for path in changed)]
    return (*patterns, *(tag for tag in limits.invariants.tags if f"[{tag}]" in said))


def _next(found: Standing) -> Action:
    if found.stopped:
        return Action.STOP
    if found.strikes:
        return Action.RECHECK if found.strikes == 1 else Action.RELAX
    due = found.used and found.used % CHECKPOINT_EVERY == 0
    return found.checkpoint if due and found.checkpoint else Action.CONTINUE


def _checkpoint(own: list[AttemptEntry]) -> Action:
    """What the last full five of them say: any progress goes on; else by what was found out most often."""
    end = len(own) // CHECKPOINT_EVERY * CHECKPOINT_EVERY
    five = own[end - CHECKPOINT_EVERY : end]
    if any(one.result is AttemptResult.PROGRESS for one in five):
        return Action.CONTINUE
    found = Counter(one.diagnosis or Diagnosis.UNCLEAR for one in five)
    known = Counter({name: times for name, times in found.items() if name is not Diagnosis.UNCLEAR})
    return _BY_DIAGNOSIS[(known or found).most_common(1)[0][0]]

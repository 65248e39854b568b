"""What a command hands to the order of work: the adapters behind their ports."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from assay.core.values import dataclass
from assay.ports import Clock, Machine, Observer, Repo, Runner, Store
from assay.worktree_ports import Worktrees


@dataclass(frozen=True, slots=True)
class House:
    """One of each port. `logs` makes the folder for the output of a session's processes, given its id.

    `variables` is the environment of the job; `supervision` says what keeps processes from outliving their run on this system.
    """

    repo: Repo
    worktrees: Callable[[], AbstractContextManager[Worktrees]]
    runner: Runner
    store: Store
    machine: Machine
    clock: Clock
    observer: Observer
    logs: Callable[[str], str]
    supervision: str
    variables: Mapping[str, str]

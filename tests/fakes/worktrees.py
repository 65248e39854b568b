"""Worktrees that exist in name only, with canned answers about what surrounds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from assay.core.config import Benchmark
from assay.core.model import Side
from assay.errors import AssayError
from assay.worktree_ports import Worktree


@dataclass(slots=True)
class FakeWorktrees:
    """Satisfies `worktree_ports.Worktrees`, and is its own context. `states` are handed out one a call, the last one for ever.

    `refusal` is raised instead of preparing a side. `trespasses` are found after every process, `changed` are the files of
    both sides that differ in the end. `calls` has each call, `open` whether the context is.
    """

    root: str = "/worktrees"
    states: list[Mapping[str, str]] = field(default_factory=lambda: [{}])
    foreign: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    refusal: AssayError | None = None
    notes: tuple[str, ...] = ()
    trespasses: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    calls: list[tuple[str, ...]] = field(default_factory=list)
    open: bool = False

    def __enter__(self) -> Self:
        self.open = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.open = False

    def prepare(self, side: Side, commit: str, benchmark: Benchmark) -> Worktree:
        self.calls.append(("prepare", side, commit, benchmark.name))
        if self.refusal is not None:
            raise self.refusal
        root = f"{self.root}/{benchmark.name}/{side}"
        return Worktree(side, commit, root, root, {"PATH": "/usr/bin", "HOME": f"{root}/home"}, None, self.notes)

    def enter(self, worktree: Worktree) -> None:
        self.calls.append(("enter", worktree.root))

    def leave(self, worktree: Worktree) -> tuple[str, ...]:
        self.calls.append(("leave", worktree.root))
        return self.trespasses

    def changed_files(self, worktree: Worktree) -> tuple[str, ...]:
        return self.changed

    def shared_state(self) -> Mapping[str, str]:
        self.calls.append(("shared_state",))
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    def foreign_editables(self, worktree: Worktree) -> tuple[str, ...]:
        self.calls.append(("foreign_editables", worktree.root))
        return self.foreign

    def input_identities(self, benchmark: Benchmark) -> Mapping[str, str]:
        self.calls.append(("input_identities", benchmark.name))
        return {text: self.inputs.get(text, "missing") for text in benchmark.inputs}

"""Errors written for a person: what happened, where, and what to do next; each class is one exit code.

The private cause is chained with `raise … from error` and goes to the debug log only, never to a report.
"""

from typing import ClassVar


class AssayError(Exception):
    """An expected failure.

    `message` says what happened and where; `hint` says what to do next. Both may be shown to anybody.
    """

    exit_code: ClassVar[int] = 70

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AssayError):
    """The command, its arguments, its input or the config cannot be acted upon as given."""

    exit_code = 2


class UnfitCommitError(UsageError):
    """A commit lacks what a benchmark needs of its tree. Of the base that is no mistake: it may be older than the benchmark."""


class NothingMeasuredError(AssayError):
    """Something was due and no measurement came of it."""

    exit_code = 3


class InfrastructureError(AssayError):
    """Git, GitHub, the disk or the runner failed, not the benchmark."""

    exit_code = 4


class ForgeError(InfrastructureError):
    """The forge refused or did not answer.

    `denied` is true where the token lacks a permission, `refused` where what was asked can never be done; no retry cures either.
    """

    def __init__(self, message: str, *, hint: str = "", denied: bool = False, refused: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.denied = denied
        self.refused = refused


class CancelledError(AssayError):
    """Somebody asked for an end before the work was done."""

    exit_code = 130

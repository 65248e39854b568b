"""What a benchmark could find of ours and of the checkout's, put out of its reach as far as that goes."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.ports import Observer

_OF_THE_JOB = ("ACTIONS_", "INPUT_")


def refuses_root(environ: Mapping[str, str]) -> bool:
    """Whether whoever set up this machine would rather have no check than one whose benchmarks run as root."""
    said = environ.get("ASSAY_ROOT", "")
    if said not in ("", "allow", "refuse"):
        raise UsageError(f"ASSAY_ROOT is allow or refuse, not {said!r}.", hint="Leave it out, and such a check is warned of.")
    return said == "refuse"


def take_cover(stack: ExitStack, root: str, observer: "Observer", *, own_variables: bool) -> None:
    """Where benchmarks may run as another account, close to it what the checkout's configuration holds of credentials.

    And where they may have to run as root, forget those of our own environment, which root can read whatever we do;
    `own_variables` says that nothing of ours needs them any more. For anybody but root neither is of any use.
    """
    if os.geteuid() != 0:
        return
    guard_checkout(stack, root, (), observer)
    if own_variables:
        from assay.adapters.process.secrets import forget
        from assay.core.credentials import looks_like_credential

        forget(os.environ, [name for name in os.environ if looks_like_credential(name) or name.startswith(_OF_THE_JOB)])


def guard_checkout(stack: ExitStack, root: str, trusted: tuple[str, ...], observer: "Observer") -> None:
    """Warn of what checkout left in reach of a benchmark, and close it to benchmarks that run as somebody else."""
    from assay.adapters.git.persisted import credential_files, out_of_reach
    from assay.core.events import Remark

    found = credential_files(root, trusted)
    for path in found:
        observer.note(Remark(f"The checkout keeps a credential in {path}, where a benchmark may find it. Set persist-credentials: false."))
    stack.enter_context(out_of_reach(found))

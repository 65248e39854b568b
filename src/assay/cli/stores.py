"""The store of a job on GitHub."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.adapters.store_branch import BranchStore

PUSH_TOKENS = ("ASSAY_PUSH_TOKEN", "INPUT_PUSH-TOKEN", "INPUT_PUSH_TOKEN")
TOKENS = (*PUSH_TOKENS, "INPUT_GITHUB-TOKEN", "INPUT_GITHUB_TOKEN")
"""Variables of a job that may hold a token which can write to the data branch, the strongest first."""


def tokens_in(environ: Mapping[str, str]) -> Mapping[str, str]:
    """What of a job's environment the data branch is written with, before all of it is forgotten."""
    names = ("GITHUB_SERVER_URL", *TOKENS)
    return {name: environ[name] for name in names if name in environ}


@dataclass(slots=True)
class JobStore:
    """The data branch, and what it had to say: `told` is for the report, and goes to the log at once."""

    store: "BranchStore"
    told: list[str] = field(default_factory=list)

    @contextmanager
    def batch(self) -> Iterator[list[str]]:
        """What is stored inside goes out in one commit at the end; the list has then what became of that."""
        with self.store.batch():
            yield self.told


def store_on_github(root: str, branch: str, trusted: tuple[str, ...], tokens: Mapping[str, str]) -> JobStore:
    """The data branch on the checkout's `origin`. Raises UsageError for a ref that is none to keep a store on."""
    from assay.adapters.store_branch import locate, token_for
    from assay.adapters.terminal import LineObserver
    from assay.core.events import Remark

    told: list[str] = []
    log = LineObserver(sys.stderr)

    def warn(text: str) -> None:
        told.append(text)
        log.note(Remark(text))

    place = locate(root, branch, trusted)
    store = place.open(token_for(place.remote, tokens), warn)
    store.flush()  # what an earlier job could not send is evidence for this one, and for others
    return JobStore(store, told)

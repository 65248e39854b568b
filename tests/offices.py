"""An office over fakes, for tests of what comments order."""

from typing import Any, NoReturn

from tests.fakes.clock import FakeClock
from tests.fakes.forge import FakeForge
from tests.fakes.repo import FakeRepo
from tests.fakes.store import FakeStore

from assay.app.office import Office
from assay.core.inputs import Inputs


def office_of(forge: FakeForge, repo: FakeRepo, store: FakeStore, clock: FakeClock, **parts: Any) -> Office:
    """An office with all commits in its clone, in which nothing can be measured; `parts` stand in for what a test needs otherwise."""
    given: dict[str, Any] = {
        "forge": forge,
        "repo": repo,
        "inputs": Inputs(token="t0ken"),
        "bring": lambda _: None,
        "store": lambda: store,
        "clock": clock,
        "house": _unused,
        "bureau": _unused,
        "report": _unused,
        "queue": _unused,
        "pulls": _unused,
    }
    return Office(**{**given, **parts})


def _unused(*_: object) -> NoReturn:
    raise AssertionError("a handler asked for what this test does not give it")

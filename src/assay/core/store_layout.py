"""Where things stand in a store, as POSIX paths from its root: the same on a data branch and in a directory."""

from assay.core.ids import is_id, moment_of

RUNS = "runs"
DECISIONS = "decisions"
INVALIDATED = "invalidated"

RUN_PREFIX = "run"
DECISION_PREFIX = "dec"


def run_path(run_id: str) -> str:
    """The file of one envelope. Raises ValueError where the text is no run's id."""
    return _by_month(RUNS, RUN_PREFIX, run_id)


def decision_path(decision_id: str) -> str:
    """The file of one decision. Raises ValueError where the text is no decision's id."""
    return _by_month(DECISIONS, DECISION_PREFIX, decision_id)


def tombstone_path(run_id: str) -> str:
    """The file whose presence hides a run. Raises ValueError where the text is no run's id."""
    return f"{INVALIDATED}/{_checked(RUN_PREFIX, run_id)}.json"


def _by_month(folder: str, prefix: str, text: str) -> str:
    made = moment_of(_checked(prefix, text))
    return f"{folder}/{made:%Y}/{made:%m}/{text}.json"


def _checked(prefix: str, text: str) -> str:
    if not is_id(prefix, text):
        raise ValueError(f"{text!r} is not an id that begins with {prefix}-")
    return text

"""Where things stand in a store, as POSIX paths from its root: the same on a data branch and in a directory."""

import re

from assay.core.ids import is_id, moment_of

RUNS = "runs"
DECISIONS = "decisions"
INVALIDATED = "invalidated"
SESSIONS = "sessions"
SPEND = "spend"
COMMENTS = "comments"
OPEN = "open"
OWED = "owed"
SETTLED = "settled"
"""Stands in outboxes alone: what it names is to be removed from the store."""
ANALYSES = "analyses"
LEDGER = "ledger"
ATTEMPTS = "attempts"
README = "README.md"
QUEUE = "queue.json"
TOP = frozenset({RUNS, DECISIONS, INVALIDATED, README, SESSIONS, SPEND, COMMENTS, OPEN, OWED, ANALYSES, LEDGER, QUEUE, ATTEMPTS})
"""All names at the top of a store."""

RUN_PREFIX = "run"
DECISION_PREFIX = "dec"
SPEND_PREFIX = "spd"
SESSION_PREFIX = "exp"
LEDGER_PREFIX = "led"
ATTEMPT_PREFIX = "att"

CLAIMS = f"{LEDGER}/claims.json"
"""The file that says who is at a task just now."""

ANALYSIS_PREFIX = "ana"

ANALYSIS_FILES = ("evaluation.json", "merged.md", "manifest.json")
"""What a store keeps of an analysis, in the order of writing: where the manifest is, the others are too."""

_POINTER = re.compile(r"comments/[1-9][0-9]{0,18}\.json")
_LOOSE_END = re.compile(r"open/run-[0-9A-Z]{26}\.json|owed/(?:check-[0-9a-f]{20}|comment-[1-9][0-9]{0,18})\.json")
_LEDGER = re.compile(r"ledger/[0-9]{4}-(?:0[1-9]|1[0-2])\.jsonl")
_PACKED = re.compile(r"runs/([0-9]{4}-(?:0[1-9]|1[0-2]))\.jsonl")
_SINGLE = re.compile(r"(runs|decisions|spend|attempts)/([0-9]{4})/(0[1-9]|1[0-2])/((?:run|dec|spd|att)-[0-9A-Z]{26})\.json")


def run_path(run_id: str) -> str:
    """The file of one envelope. Raises ValueError where the text is no run's id."""
    return _by_month(RUNS, RUN_PREFIX, run_id)


def decision_path(decision_id: str) -> str:
    """The file of one decision. Raises ValueError where the text is no decision's id."""
    return _by_month(DECISIONS, DECISION_PREFIX, decision_id)


def spend_path(spend_id: str) -> str:
    """The file of one record of what was spent. Raises ValueError where the text is none's id."""
    return _by_month(SPEND, SPEND_PREFIX, spend_id)


def attempt_path(attempt_id: str) -> str:
    """The file of one attempt's record. Raises ValueError where the text is none's id."""
    return _by_month(ATTEMPTS, ATTEMPT_PREFIX, attempt_id)


def pointer_path(pull: int) -> str:
    """The file that says where our comment on a pull request stands."""
    return f"{COMMENTS}/{pull}.json"


def is_pointer(path: str) -> bool:
    """Whether a path is that of such a file."""
    return _POINTER.fullmatch(path) is not None


def open_path(run_id: str) -> str:
    """The file that says that a run was begun. Raises ValueError where the text is no run's id."""
    return f"{OPEN}/{_checked(RUN_PREFIX, run_id)}.json"


def owed_path(kind: str, key: str) -> str:
    """The file of a report that is still to be posted; `kind` is check or comment."""
    return f"{OWED}/{kind}-{key}.json"


def is_loose_end(path: str) -> bool:
    """Whether a path is that of something begun or owed."""
    return _LOOSE_END.fullmatch(path) is not None


def settled_path(path: str) -> str:
    """Where an outbox keeps the word that the loose end at `path` is tied up."""
    return f"{SETTLED}/{path.rpartition('/')[2]}"


def tombstone_path(run_id: str) -> str:
    """The file whose presence hides a run. Raises ValueError where the text is no run's id."""
    return f"{INVALIDATED}/{_checked(RUN_PREFIX, run_id)}.json"


def hidden_run(path: str) -> str | None:
    """The run that a tombstone of that path hides, None for any other path."""
    folder, _, name = path.rpartition("/")
    run_id = name.removesuffix(".json")
    return run_id if folder == INVALIDATED and name.endswith(".json") and is_id(RUN_PREFIX, run_id) else None


def is_queue(path: str) -> bool:
    """Whether a path is that of the queue."""
    return path == QUEUE


def session_path(session_id: str) -> str:
    """The file of one session. Raises ValueError where the text is no session's id."""
    return f"{SESSIONS}/{_checked(SESSION_PREFIX, session_id)}.jsonl"


def session_of(path: str) -> str | None:
    """The id of the session whose file a path is, None for any other path."""
    folder, _, name = path.partition("/")
    found = name.removesuffix(".jsonl")
    return found if folder == SESSIONS and name != found and is_id(SESSION_PREFIX, found) else None


def ledger_path(month: str) -> str:
    """The file of a month's attempts; a month is written `2025-03`."""
    return f"{LEDGER}/{month}.jsonl"


def is_ledger(path: str) -> bool:
    """Whether a path is that of a month's attempts, or of the claims."""
    return path == CLAIMS or is_ledger_month(path)


def is_ledger_month(path: str) -> bool:
    """Whether a path is that of a month's attempts."""
    return _LEDGER.fullmatch(path) is not None


def analysis_path(analysis_id: str, name: str) -> str:
    """One file of an analysis. Raises ValueError where the text is no analysis's id, or a store keeps no such file."""
    if name not in ANALYSIS_FILES:
        raise ValueError(f"a store keeps no {name!r} of an analysis")
    return f"{ANALYSES}/{_checked(ANALYSIS_PREFIX, analysis_id)}/{name}"


def analysis_of(path: str) -> tuple[str, str] | None:
    """The id of the analysis and the name of the file that a path is, None for any other path."""
    folder, _, rest = path.partition("/")
    found, _, name = rest.partition("/")
    return (found, name) if folder == ANALYSES and name in ANALYSIS_FILES and is_id(ANALYSIS_PREFIX, found) else None


def packed_path(month: str) -> str:
    """The file that holds a month's runs once it is closed; a month is written `2025-03`."""
    return f"{RUNS}/{month}.jsonl"


def packed_month(path: str) -> str | None:
    """The month whose runs a path holds packed, None for any other path."""
    found = _PACKED.fullmatch(path)
    return found[1] if found else None


def single_month(path: str) -> str | None:
    """The month that a file of one run belongs to by its place, None where no run is kept at such a place."""
    found = _SINGLE.fullmatch(path)
    return f"{found[2]}-{found[3]}" if found and found[1] == RUNS else None


def may_hold_one(path: str) -> bool:
    """Whether a path has the form of one run's or one decision's file. Whether it is theirs, only their id can tell."""
    return _SINGLE.fullmatch(path) is not None


def month_of(run_id: str) -> str:
    """The month that a run belongs to, such as `2025-03`. Raises ValueError where the text is no run's id."""
    return f"{moment_of(_checked(RUN_PREFIX, run_id)):%Y-%m}"


def _by_month(folder: str, prefix: str, text: str) -> str:
    made = moment_of(_checked(prefix, text))
    return f"{folder}/{made:%Y}/{made:%m}/{text}.json"


def _checked(prefix: str, text: str) -> str:
    if not is_id(prefix, text):
        raise ValueError(f"{text!r} is not an id that begins with {prefix}-")
    return text

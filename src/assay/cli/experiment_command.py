"""`assay experiment`: what its verbs do with the laboratory, and what they print."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from assay.cli.experiment_house import config_at, laboratory
from assay.core.values import dataclass
from assay.errors import AssayError, UsageError

if TYPE_CHECKING:
    from assay.app.laboratory import Laboratory
    from assay.core.experiment import ConfigPayload
    from assay.core.model import Outcome

Answer = tuple[Mapping[str, object], str]
"""The document for `--json`, and the text for a person."""

ERRORED = 1
_MAX_FILE = 64 * 2**20


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The options of `experiment init` as they were typed."""

    name: str
    metric: str
    better: str
    unit: str | None = None
    max_iterations: int | None = None
    project: str | None = None
    working_dir: str | None = None
    rules: str | None = None
    ideas: str | None = None
    tags: tuple[str, ...] = ()
    checks: str | None = None


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `experiment run` as they were typed."""

    session: str
    command: tuple[str, ...]
    timeout: str | None = None
    env: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The options of `experiment log` as they were typed."""

    session: str
    run: str
    outcome: str
    description: str | None = None
    asi: tuple[str, ...] = ()
    baseline: str | None = None
    message: str | None = None
    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FinalizeOptions:
    """The options of `experiment finalize` as they were typed."""

    session: str
    integration: str | None = None
    dry_run: bool = False
    plan_file: str | None = None
    summary: str | None = None


def init(options: InitOptions, store: str, *, as_json: bool) -> int:
    """Create a session or begin its next segment."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment import begin

        begun = begin(lab, _text(options.name, "--name"), options.project, _config(lab, options))
        journal, mode = begun.journal, "created" if begun.created else "new-segment"
        what = "Created" if begun.created else f"Began segment {journal.segment} of"
        return ({"session": journal.id, "segment": journal.segment, "mode": mode}, f"{what} {journal.id}"), 0

    return _answered(work, store, as_json=as_json)


def run(options: RunOptions, store: str, *, as_json: bool) -> int:
    """Run a command for a session; 1 where it errored or its checks failed."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment_run import RunRequest
        from assay.app.experiment_run import run as run_command
        from assay.cli.experiment_words import ran_json, ran_text
        from assay.core.process import DEFAULT_TIMEOUT_S

        timeout_s = _duration(options.timeout) if options.timeout else DEFAULT_TIMEOUT_S
        ran = run_command(lab, RunRequest(options.session, options.command, timeout_s, _variables(options.env)))
        return (ran_json(ran), ran_text(ran)), 0 if ran.good else ERRORED

    return _answered(work, store, as_json=as_json)


def log(options: LogOptions, store: str, *, as_json: bool) -> int:
    """Give a run its outcome, in git and in the session."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment_log import LogRequest
        from assay.app.experiment_log import log as log_outcome
        from assay.cli.experiment_words import logged_json, logged_text
        from assay.core.asi import asi_of_words

        asked = LogRequest(
            options.session,
            options.run,
            _outcome(options.outcome),
            options.description,
            asi_of_words(options.asi),
            options.baseline or None,
            options.message,
            options.include,
        )
        result = log_outcome(lab, asked)
        return (logged_json(result), logged_text(result)), 0

    return _answered(work, store, as_json=as_json)


def finalize(options: FinalizeOptions, store: str, *, as_json: bool) -> int:
    """Turn the kept runs of a session into review branches."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.finalize import FinalizeRequest
        from assay.app.finalize import finalize as end_session
        from assay.cli.experiment_words import finalized_json, finalized_text
        from assay.core.finalize_plan import parse_plan

        wishes = parse_plan(_file(options.plan_file)) if options.plan_file else None
        asked = FinalizeRequest(options.session, options.integration or None, wishes, options.summary, options.dry_run)
        result = end_session(lab, asked)
        return (finalized_json(result), finalized_text(result)), 0

    return _answered(work, store, as_json=as_json)


def status(session: str, store: str, *, as_json: bool) -> int:
    """How a session stands."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment import status as status_of
        from assay.cli.experiment_words import status_json, status_text

        standing = status_of(lab, session)
        return (status_json(standing), status_text(standing)), 0

    return _answered(work, store, as_json=as_json)


def cancel(handle: str, store: str, *, as_json: bool) -> int:
    """Ask for the end of a run, whichever process of this box it belongs to."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment import cancel as ask_for_the_end

        ask_for_the_end(lab, handle)
        return ({"handle": handle, "cancelled": True}, f"Asked {handle} to end."), 0

    return _answered(work, store, as_json=as_json)


def list_sessions(status: str | None, project: str | None, tag: str | None, search: str | None, store: str, *, as_json: bool) -> int:
    """The sessions of a store, newest first."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment import Filter, listed
        from assay.cli.experiment_words import list_text, summary_json
        from assay.core.experiment import SessionStatus

        if status is not None and status not in tuple(SessionStatus):
            raise UsageError(f"--status does not know {status!r}.", hint=f"It is one of: {', '.join(SessionStatus)}.")
        found = listed(lab, Filter(SessionStatus(status) if status else None, project, tag, search))
        return ({"sessions": [summary_json(one) for one in found]}, list_text(found)), 0

    return _answered(work, store, as_json=as_json)


def archive(session: str, store: str, *, as_json: bool) -> int:
    """Put a session away."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment import archive as put_away

        journal = put_away(lab, session)
        return ({"session": journal.id, "status": journal.header.status.value}, f"Archived {journal.id}"), 0

    return _answered(work, store, as_json=as_json)


def import_ledger(file: str, name: str | None, project: str | None, store: str, *, as_json: bool) -> int:
    """Make a session of the ledger of another loop."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment_exchange import take_in
        from assay.core.experiment_state import SessionState

        journal = take_in(lab, _file(file), file, _text(name, "--name") if name else None, project)
        count, segments = len(SessionState(journal).trials), journal.segment
        text = f"Imported {count} runs in {segments} segments as {journal.id}"
        return ({"session": journal.id, "segment": segments, "mode": "created", "runs": count}, text), 0

    return _answered(work, store, as_json=as_json)


def export_ledger(session: str, out: str | None, store: str, *, as_json: bool) -> int:
    """Write a session as JSON lines, to standard output or to a file."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from pathlib import Path

        from assay.app.experiment_exchange import give_out

        text = give_out(lab, session)
        if out is None:
            return ({"session": session, "lines": text.splitlines()}, text.removesuffix("\n")), 0
        try:
            Path(out).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{out}: {error.strerror}", hint="Name a file that can be written.") from error
        return ({"session": session, "file": out, "lines": len(text.splitlines())}, f"Wrote {out}"), 0

    return _answered(work, store, as_json=as_json)


def _answered(work: "Callable[[Laboratory], tuple[Answer, int]]", store: str, *, as_json: bool) -> int:
    """Do the work and print its answer; with `--json` an error is a document, too, and is raised all the same."""
    from assay.adapters.terminal import LineObserver

    try:
        with ExitStack() as stack:
            (document, text), code = work(laboratory(stack, store, LineObserver(sys.stderr)))
    except AssayError as error:
        if as_json:
            told = {"code": getattr(error, "code", _code_of(error)), "message": error.message, "hint": error.hint}
            sys.stdout.write(_json({"error": told}))
        raise
    sys.stdout.write(_json(document) if as_json else f"{text}\n")
    return code


def _code_of(error: AssayError) -> str:
    return {2: "usage", 3: "nothing_measured", 4: "infrastructure", 130: "cancelled"}.get(error.exit_code, "error")


def _json(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _config(lab: "Laboratory", options: InitOptions) -> "ConfigPayload":
    from assay.core.config_types import check_metric_name
    from assay.core.experiment import ConfigPayload
    from assay.core.model import Direction

    if options.better not in tuple(Direction):
        raise UsageError(f"--better is lower or higher, not {options.better!r}.", hint="Say `--better lower` for times and losses.")
    if options.max_iterations is not None and options.max_iterations < 1:
        raise UsageError("--max-iterations is at least 1.", hint="Leave it out for no limit.")
    return ConfigPayload(
        metric=_checked(check_metric_name, options.metric, "--metric"),
        direction=Direction(options.better),
        unit=_text(options.unit, "--unit") if options.unit else None,
        max_iterations=options.max_iterations,
        rules=options.rules,
        ideas=options.ideas,
        working_dir=_inside(options.working_dir) if options.working_dir else None,
        tags=tuple(_text(tag, "--tag") for tag in options.tags),
        checks=options.checks or _checks_of_config(lab, options.metric),
    )


def _checks_of_config(lab: "Laboratory", metric: str) -> str | None:
    """The checks of the benchmark in the config that is judged by this metric, if there is exactly one."""
    config = config_at(lab.tree.root) if lab.tree else None
    mine = [one for one in config.benchmarks.values() if one.metric and one.metric.name == metric] if config else []
    return mine[0].checks if len(mine) == 1 else None


def _inside(text: str) -> str:
    from pathlib import PurePosixPath

    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts:
        raise UsageError(f"--working-dir is {text!r}, which leads out of the repository.", hint="Give it relative to its top folder.")
    return str(path)


def _file(name: str) -> str:
    """The text of a file that the user names. Raises UsageError where it cannot be read."""
    from pathlib import Path

    try:
        with Path(name).open("rb") as stream:
            data = stream.read(_MAX_FILE + 1)
        if len(data) > _MAX_FILE:
            raise ValueError(f"larger than {_MAX_FILE} bytes")
        return data.decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{name}: {reason}", hint="Name a text file that you may read.") from error


def _outcome(text: str) -> "Outcome":
    from assay.core.model import Outcome

    if text not in tuple(Outcome):
        raise UsageError(f"--outcome does not know {text!r}.", hint=f"It is one of: {', '.join(Outcome)}.")
    return Outcome(text)


def _duration(text: str) -> float:
    from assay.core.units import parse_duration

    try:
        return parse_duration(float(text) if text.replace(".", "", 1).isdigit() else text)
    except ValueError as error:
        raise UsageError(f"--timeout {text!r} {error}.", hint="Such as --timeout 10m") from error


def _variables(words: Iterable[str]) -> dict[str, str]:
    found = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.isidentifier() or "\0" in value:
            raise UsageError(f"--env takes NAME=VALUE, not {word!r}.", hint="For example --env OMP_NUM_THREADS=1")
        found[name] = value
    return found


def _text(text: str, option: str) -> str:
    from assay.core.config_types import check_text

    return _checked(check_text, text, option)


def _checked(check: Callable[[str], str], text: str, option: str) -> str:
    try:
        return check(text)
    except ValueError as error:
        raise UsageError(f"{option} {text[:80]!r} {error}.", hint=f"Give {option} another value.") from error

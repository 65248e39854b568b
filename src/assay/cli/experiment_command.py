"""`assay experiment`: what its verbs do with the laboratory, and what they print."""

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from assay.cli.experiment_house import laboratory
from assay.cli.experiment_options import (
    FinalizeOptions,
    InitOptions,
    LogOptions,
    RunOptions,
    duration,
    file_text,
    one_line,
    outcome,
    segment_config,
    variables,
)
from assay.errors import AssayError, UsageError

if TYPE_CHECKING:
    from assay.app.laboratory import Laboratory

Answer = tuple[Mapping[str, object], str]
"""The document for `--json`, and the text for a person."""

ERRORED = 1


def init(options: InitOptions, store: str, *, as_json: bool) -> int:
    """Create a session or begin its next segment."""

    def work(lab: "Laboratory") -> tuple[Answer, int]:
        from assay.app.experiment import begin

        begun = begin(lab, one_line(options.name, "--name"), options.project, segment_config(lab, options))
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

        timeout_s = duration(options.timeout) if options.timeout else DEFAULT_TIMEOUT_S
        ran = run_command(lab, RunRequest(options.session, options.command, timeout_s, variables(options.env)))
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
            outcome(options.outcome),
            options.description,
            asi_of_words(options.asi),
            options.baseline or None,
            options.message,
            options.include,
            options.as_baseline,
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

        wishes = parse_plan(file_text(options.plan_file)) if options.plan_file else None
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

        journal = take_in(lab, file_text(file), file, one_line(name, "--name") if name else None, project)
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

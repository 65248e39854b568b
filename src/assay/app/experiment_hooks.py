"""Hook scripts of the experiment loop: bounded, in the environment of a benchmark, never able to stop the loop, always recorded."""

import json
from collections.abc import Mapping

from assay.app.laboratory import Laboratory, find_session
from assay.core.experiment import HookName, HookPayload, Journal
from assay.core.experiment_state import SessionState
from assay.core.model import Completed
from assay.core.process import Argv, ProcessRequest
from assay.experiment_ports import SessionBook

TIMEOUT_S = 30.0
MAX_MESSAGE = 8192
VARIABLE = "ASSAY_EVENT"
"""Holds what a hook is told, as JSON."""


def told_to(hook: HookName, state: SessionState, run: str) -> Mapping[str, str]:
    """The variable that tells a hook of the run, and how the session stands."""
    config, best, trial = state.config, state.best, state.find(run)
    event = {
        "event": hook.value,
        "run": run,
        "outcome": trial.newest.status.value if trial else None,
        "value": trial.value if trial else None,
        "session": {
            "id": state.journal.id,
            "segment": state.segment,
            "metric": config.metric,
            "unit": config.unit,
            "better": config.direction.value,
            "best": best.value if best else None,
            "baseline": state.baseline.value if state.baseline else None,
            "runs": len(state.here),
            "max_iterations": config.max_iterations,
        },
    }
    return {VARIABLE: json.dumps(event, ensure_ascii=True, sort_keys=True)}


def after_log(lab: Laboratory, journal: Journal, run: str) -> HookPayload | None:
    """Run the hook after a run was logged, where there is one."""
    script = lab.hooks(HookName.AFTER)
    if script is None:
        return None
    with lab.environment({}) as env:
        request = ProcessRequest(
            command=Argv((script,)),
            cwd=lab.tree.root if lab.tree else lab.folder,
            env={**env, **told_to(HookName.AFTER, SessionState(journal), run)},
            log_file=f"{lab.logs(run)}/after.log",
            timeout_s=TIMEOUT_S,
        )
        done = lab.runner.submit(request).wait()
    return record_hook(lab, journal.id, HookName.AFTER, done)


def record_hook(lab: Laboratory, session: str, hook: HookName, done: Completed) -> HookPayload:
    """Store how a hook has ended; what it printed is a message to whoever drives the loop."""
    payload = HookPayload(
        hook=hook,
        exit_code=done.exit_code,
        duration_ms=max(0, round(done.duration_s * 1000)),
        timed_out=done.timed_out,
        message=done.stdout[-MAX_MESSAGE:],
        stderr=(done.stderr or done.detail)[-MAX_MESSAGE:],
    )
    mark = lab.mark()

    def edit(book: SessionBook) -> Journal:
        found = find_session(book, session)
        return found if found.has(mark.record_id) else found.plus(payload, mark.record_id, mark.now)

    lab.sessions.change(edit)
    return payload

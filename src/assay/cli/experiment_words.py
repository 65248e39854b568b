"""What `assay experiment` prints: documents for programs and a few lines for people."""

from collections.abc import Sequence

from assay.app.experiment import Standing
from assay.app.experiment_log import LogResult
from assay.app.experiment_run import Ran
from assay.app.finalize import Finalized
from assay.core import escape, numbers
from assay.core.experiment import HookPayload, MetricValue, RunPayload, record_json
from assay.core.experiment_confidence import confidence_words
from assay.core.experiment_messages import bring_back
from assay.core.experiment_state import SessionState, Trial

TAIL = 16_384
_MAX_WARNINGS = 100


def ran_json(ran: Ran) -> dict[str, object]:
    """The result of a run."""
    row, done = ran.row, ran.done
    primary = row.primary_metric if row else None
    return {
        "handle": ran.run,
        "status": "pending" if row and row.cause is None else "errored",
        "exit_code": done.exit_code,
        "cause": (row.cause if row else done.cause),
        "detail": row.detail if row else done.detail,
        "timed_out": done.timed_out,
        "primary_metric": _metric(primary) if primary else None,
        "secondary_metrics": [_metric(one) for one in row.secondary_metrics] if row else [],
        "parse_warnings": [{"line": one.line, "reason": one.reason, "text": one.text} for one in done.reading.warnings[:_MAX_WARNINGS]],
        "checks": row.checks.model_dump(mode="json") if row else None,
        "duration_ms": max(0, round(done.duration_s * 1000)),
        "stdout_tail": done.stdout[-TAIL:],
        "stderr_tail": done.stderr[-TAIL:],
        "log_file": done.log_file or None,
        "asi": row.asi if row else {},
        "hook": _hook(ran.hook),
    }


def ran_text(ran: Ran) -> str:
    """The result of a run for a person."""
    row = ran.row
    if row is None or row.cause is not None:
        why = row.detail if row else ran.done.detail
        return f"{ran.run}: errored, {escape.plain(why)}" + (f"\n  output: {ran.done.log_file}" if ran.done.log_file else "")
    checks = f", checks {row.checks.state}" if row.checks.state != "not configured" else ""
    following = f"assay experiment log --session {ran.session} --run {ran.run} --outcome keep|discard"
    return "\n".join([f"{ran.run}: {_shown(row.primary_metric)}{checks}", *_hook_lines(ran.hook), f"  next: {following}"])


def logged_json(result: LogResult) -> dict[str, object]:
    """What a log came to."""
    kept, restored = result.kept, result.restored
    ref = restored.discarded if restored else None
    return {
        "record": record_json(result.record),
        "commit": kept.commit if kept else None,
        "reverted_to": restored.baseline if restored else None,
        "preserved": list(restored.preserved) if restored else [],
        "discarded": ref,
        "bring_back": bring_back(ref) if ref else None,
        "notes": list(result.notes),
        "hook": _hook(result.hook),
    }


def logged_text(result: LogResult) -> str:
    """The same for a person."""
    row = result.record.payload
    assert isinstance(row, RunPayload)
    said = [f"{row.run}: {row.status}"]
    if row.commit:
        said.append(f"  commit {row.commit[:12]}")
    if row.reverted_to:
        said.append(f"  the tree is that of {row.reverted_to[:12]} again")
    return "\n".join([*said, *(f"  {escape.plain(note)}" for note in result.notes), *_hook_lines(result.hook)])


def finalized_json(result: Finalized) -> dict[str, object]:
    """What a session was turned into, or would be."""
    tips = result.made.tips
    return {
        "session": result.state.journal.id,
        "dry_run": result.dry_run,
        "base": result.made.base,
        "groups": [
            {"title": one.title, "branch": one.branch, "commits": list(one.commits), "runs": list(one.runs), "tip": tips.get(one.branch)}
            for one in result.plan.groups
        ],
        "kept": [one.run for one in result.state.kept],
        "discarded": [one.run for one in result.state.discarded],
        "warnings": list(result.warnings),
    }


def finalized_text(result: Finalized) -> str:
    """The same for a person."""
    verb = "Would make" if result.dry_run else "Made"
    lines = [f"{verb} {numbers.count(len(result.plan.groups), 'branch', 'branches')} from {result.made.base[:12]}:"]
    lines += [f"  {one.branch}  {one.title}, {numbers.count(len(one.commits), 'commit')}" for one in result.plan.groups]
    return "\n".join([*lines, *(f"  note: {escape.plain(warning)}" for warning in result.warnings)])


def status_json(standing: Standing) -> dict[str, object]:
    """How a session stands."""
    state = standing.state
    return {
        **summary_json(state),
        "queued": [one.handle for one in standing.live if not one.active],
        "active": [one.handle for one in standing.live if one.active],
        "unlogged": [one.run for one in state.trials if not one.settled],
        "unit": state.config.unit,
        "checks": state.config.checks,
        "rules": state.config.rules,
        "ideas": state.config.ideas,
        "runs": [_trial(one) for one in state.here],
    }


def summary_json(state: SessionState) -> dict[str, object]:
    """The facts of a session that a list shows."""
    header, config = state.journal.header, state.config
    return {
        "session": header.session,
        "name": header.name,
        "project": header.project,
        "status": header.status.value,
        "created_at": header.created_at,
        "updated_at": header.updated_at,
        "finalized_at": header.finalized_at,
        "segment": state.segment,
        "metric": config.metric,
        "better": config.direction.value,
        "tags": list(config.tags),
        "runs_in_segment": len(state.here),
        "max_iterations": config.max_iterations,
        "baseline_run": state.baseline.run if state.baseline else None,
        "best_run": state.best.run if state.best else None,
        "kept": [one.run for one in state.kept],
        "confidence": state.confidence,
    }


def status_text(standing: Standing) -> str:
    """The same for a person: the session, its best run, and its runs one a line."""
    state = standing.state
    header, config = state.journal.header, state.config
    limit = f" of {config.max_iterations}" if config.max_iterations else ""
    best = f"best {_shown(state.best.newest.primary_metric)} ({state.best.run})" if state.best else "nothing kept yet"
    lines = [
        f"{header.session}  {escape.plain(header.name, 60)}  {header.status}",
        f"  segment {state.segment}: {escape.plain(config.metric, 60)}, {config.direction} is better",
        f"  {len(state.here)}{limit} runs; {best}",
        f"  confidence: {confidence_words(state.confidence)}",
    ]
    lines += [f"  {'running' if one.active else 'queued'}: {one.handle}" for one in standing.live]
    return "\n".join([*lines, *(_row(one) for one in state.here)])


def list_text(states: Sequence[SessionState]) -> str:
    """Sessions one a line."""
    return "\n".join(map(_line, states)) or "There is no session yet."


def _line(state: SessionState) -> str:
    header, runs = state.journal.header, numbers.count(len(state.trials), "run")
    return f"{header.session}  {header.status:<10} {runs:>8}  {escape.plain(header.name, 60)}"


def _row(trial: Trial) -> str:
    row = trial.newest
    outcome = row.status if trial.final else ("not logged" if row.ended else "never ended")
    said = escape.plain(row.description or (row.detail if row.cause else ""), 60)
    return f"  {trial.run}  {outcome:<13} {_shown(row.primary_metric):<20} {said}".rstrip()


def _trial(trial: Trial) -> dict[str, object]:
    row = trial.newest
    return {
        "run": trial.run,
        "status": row.status.value,
        "logged": trial.final is not None,
        "ended": trial.stored.ended,
        "primary_metric": _metric(row.primary_metric) if row.primary_metric else None,
        "commit": row.commit,
        "discarded": row.discarded,
        "cause": row.cause,
        "description": row.description,
    }


def _hook(hook: HookPayload | None) -> dict[str, object] | None:
    return hook.model_dump(mode="json") if hook else None


def _hook_lines(hook: HookPayload | None) -> list[str]:
    """What a hook has to say: its output, or how it failed."""
    if hook is None:
        return []
    if hook.exit_code != 0:
        return [f"  the hook {hook.hook} failed: {escape.plain(hook.stderr or hook.message, 200)}"]
    return [f"  {hook.hook}: {line}" for line in escape.visible_lines(hook.message.splitlines()[:20])]


def _metric(metric: MetricValue) -> dict[str, object]:
    return {"name": metric.name, "value": metric.value, "unit": metric.unit}


def _shown(metric: MetricValue | None) -> str:
    if metric is None:
        return "no metric"
    unit = f" {escape.plain(metric.unit, 20)}" if metric.unit else ""
    return f"{escape.plain(metric.name, 60)} {numbers.number(metric.value)}{unit}"

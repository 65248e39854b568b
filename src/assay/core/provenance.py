"""Where a benchmark's numbers come from, in sentences: how they were measured, what was reused, what stopped reuse."""

from assay.core import escape, numbers
from assay.core.method_facts import method_facts
from assay.core.model import Side, Status
from assay.core.result import BenchmarkResult, CheckResult, ReuseVerdict, SideFacts

_REASONS_SHOWN = 6

_VIA = {
    "commit": ": it is the same commit",
    "window": ": nothing that matters to this benchmark has changed since",
    "fingerprint": ": all files that matter to this benchmark have equal contents",
}


def facts_of(one: BenchmarkResult, result: CheckResult) -> tuple[str, ...]:
    """How it was measured, a sentence each, as Markdown; empty where nothing ran and nothing was stored."""
    if one.status is Status.SKIPPED:
        return ()
    said = (
        _side(Side.BASE, one.base_run, result.base),
        _side(Side.HEAD, one.head_run, result.head),
        f"Machine: {escape.inline(one.machine)}" if one.machine else "",
        f"Policy: {escape.inline(one.policy, 40)}; correctness checks: {escape.inline(one.checks, 40)}",
        *method_facts(one, result),
        f"Time taken: {numbers.duration(one.duration_s)}" if one.duration_s is not None else "",
        _not_reused(one.reuse),
    )
    return tuple(line for line in said if line)


def reuse_of(one: BenchmarkResult) -> str:
    """The run that was reused: its id, its commit, its age and by which rule. Empty where nothing was."""
    if one.status is not Status.REUSED:
        return ""
    verdict = one.reuse
    run = (verdict.run_id if verdict else None) or one.run_id
    parts = [f"Reused: run {escape.name(run)}" if run else "Reused: a stored run"]
    if verdict and verdict.commit:
        parts.append(f"of commit {escape.short_sha(verdict.commit)}")
    age = f", {escape.inline(one.reused_age, 60)}" if one.reused_age else ""
    why = _VIA.get(verdict.via or "", "") if verdict else ""
    return f"{' '.join(parts)}{age}{why}. Nothing ran."


def _side(side: Side, facts: SideFacts | None, commit: str) -> str:
    if facts is None:
        return f"{side.value.capitalize()}: commit {escape.short_sha(commit)}"
    subject = f" “{escape.inline(facts.subject, 100)}”" if facts.subject else ""
    warmups = f" after {numbers.count(facts.warmups, 'warm-up')}" if facts.warmups else ""
    each = f", {numbers.duration(facts.mean_duration_s)} each" if facts.mean_duration_s is not None else ""
    run = f", run {escape.name(facts.run_id)}" if facts.run_id else ""
    processes = numbers.count(facts.processes, "process", "processes")
    return f"{side.value.capitalize()}: commit {escape.short_sha(facts.commit)}{subject}, {processes}{warmups}{each}{run}"


def _not_reused(verdict: ReuseVerdict | None) -> str:
    if verdict is None or verdict.reuse or not verdict.reasons:
        return ""
    shown = "; ".join(f"{reason.rung.value} ({escape.inline(reason.detail, 120)})" for reason in verdict.reasons[:_REASONS_SHOWN])
    more = len(verdict.reasons) - _REASONS_SHOWN
    return f"Not reused: {shown}" + (f" … and {more} more" if more > 0 else "")

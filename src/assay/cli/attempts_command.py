"""`assay attempts`: what its verbs do with the log of attempts, and what they print."""

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.app.attempts_log import Campaign
    from assay.core.attempts.standing import Standing
    from assay.core.config import Benchmark


@dataclass(frozen=True, slots=True)
class Place:
    """Which attempts are meant."""

    benchmark: str | None = None
    pull: int | None = None
    config: str | None = None
    store: str = "auto"


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The options of `assay attempts log` as they were typed."""

    change: str
    result: str
    diagnosis: str
    next_action: str = ""
    stage: str | None = None
    touches: tuple[str, ...] = ()
    run: str | None = None


def status(place: Place, *, as_json: bool) -> int:
    """How the attempts stand."""
    campaign, benchmark, _ = _opened(place)
    return _printed(standing_json(benchmark.name, found := campaign.standing(benchmark)), _text(benchmark.name, found), as_json=as_json)


def log(options: LogOptions, place: Place, *, as_json: bool) -> int:
    """Write down one attempt."""
    from assay.app.attempts_log import Tried, base_of, touched_by
    from assay.cli.queue_command import run_id
    from assay.core.attempts.entry import AttemptResult, AttemptStage, Diagnosis
    from assay.core.config_sections import AttemptsConfig

    campaign, benchmark, repo = _opened(place)
    head = repo.resolve("HEAD")
    found = touched_by(campaign.limits or AttemptsConfig(), repo, base_of(repo, head), head)
    tried = Tried(
        benchmark.name,
        options.change,
        _member(AttemptResult, options.result, "--result"),
        _member(Diagnosis, options.diagnosis, "--diagnosis"),
        options.next_action,
        tuple(dict.fromkeys((*found, *options.touches))),
        head,
        run_id(options.run),
    )
    stage = _member(AttemptStage, options.stage, "--stage") if options.stage else None
    entry = campaign.log(tried, _who(), stage)
    standing = campaign.standing(benchmark)
    document = {"attempt": entry.model_dump(mode="json", by_alias=True), **standing_json(benchmark.name, standing)}
    return _printed(document, _text(benchmark.name, standing), as_json=as_json)


def list_entries(place: Place, *, as_json: bool) -> int:
    """The log, the oldest first."""
    from assay.core.terminal_text import shown

    campaign, benchmark, _ = _opened(place)
    entries = campaign.entries(benchmark.name)
    rows = [
        f"{one.created_at}  {one.stage or 'grant'}: {one.change or one.granted}  {one.result or ''} {one.diagnosis or ''} {one.next_action}"
        for one in entries
    ]
    document = {"attempts": [one.model_dump(mode="json", by_alias=True) for one in entries]}
    return _printed(document, "\n".join(shown(row, 160).rstrip() for row in rows) or "There is no attempt yet.", as_json=as_json)


def grant(attempts: int, place: Place, *, as_json: bool) -> int:
    """Give more attempts."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        hint = "Give it at a terminal, or by the command `grant N` on the pull request."
        raise UsageError("A job cannot grant attempts to itself: that is for a maintainer.", hint=hint)
    campaign, benchmark, _ = _opened(place)
    campaign.grant(attempts, _who(), benchmark.name)
    return _printed(standing_json(benchmark.name, found := campaign.standing(benchmark)), _text(benchmark.name, found), as_json=as_json)


def standing_json(benchmark: str, found: "Standing") -> dict[str, Any]:
    """A standing as a document."""
    return {
        "benchmark": benchmark,
        "stage": found.allowance.stage.value,
        "complexity": found.allowance.complexity.value,
        "reason": found.allowance.reason,
        "recommended": found.allowance.attempts,
        "granted": found.granted,
        "used": found.used,
        "left": found.left,
        "strikes": found.strikes,
        "broken": found.broken,
        "checkpoint": found.checkpoint.value if found.checkpoint else None,
        "next_action": found.next_action.value,
        "stopped": found.stopped or None,
        "conclusion": "action_required" if found.stopped else None,
    }


def _text(benchmark: str, found: "Standing") -> str:
    allowed, strikes = found.allowance, f"{found.strikes} of {found.strikes_allowed} strikes"
    granted = f" and {found.granted} granted" if found.granted else ""
    lines = [
        f"{benchmark}: {found.used} attempts of the stage {allowed.stage} are used, {found.left} left; {strikes}.",
        f"It may have {allowed.attempts}{granted}, as {allowed.complexity}: {allowed.reason}.",
        f"Next: {found.next_action}.",
    ]
    return "\n".join([*lines, *([f"Nothing starts by itself any more: {found.stopped}."] if found.stopped else [])])


def _opened(place: Place) -> "tuple[Campaign, Benchmark, GitRepo]":
    from assay.adapters.clock import SystemClock
    from assay.adapters.config_file import read_config
    from assay.adapters.git import GitRepo
    from assay.app.attempts_log import Campaign
    from assay.app.check import choose
    from assay.cli.store_command import open_store
    from assay.core.attempts.entry import LOCAL

    folder = os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    repo = GitRepo.discover(folder)
    config = read_config(repo.root, place.config) if place.config else read_config(repo.root)
    if place.benchmark is None and len(config.benchmarks) > 1:
        raise UsageError("Which benchmark is meant?", hint=f"Name it with --benchmark: {', '.join(sorted(config.benchmarks))}.")
    (benchmark,) = choose(config, (place.benchmark,) if place.benchmark else ())
    subject = f"pull {place.pull}" if place.pull else LOCAL
    return Campaign(open_store(place.store, folder, os.environ), SystemClock(), config, subject), benchmark, repo


def _member(kind: Any, text: str, flag: str) -> Any:
    if text not in tuple(kind):
        raise UsageError(f"{flag} does not know {text[:60]!r}.", hint=f"It is one of: {', '.join(kind)}.")
    return kind(text)


def _who() -> str:
    return os.environ.get("GITHUB_ACTOR") or os.environ.get("USER") or os.environ.get("LOGNAME") or "unknown"


def _printed(document: Mapping[str, object], text: str, *, as_json: bool) -> int:
    rendered = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) if as_json else text
    sys.stdout.write(f"{rendered}\n")
    return 0

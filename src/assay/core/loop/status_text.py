"""The status report for people: one line a section, then the one next action. Markdown of the same facts is made of the same lines."""

from collections.abc import Iterator

from assay.core import escape
from assay.core.escape import plain
from assay.core.loop import status_json
from assay.core.loop.cells import SESSIONS_TO_LEARN
from assay.core.loop.status import Status
from assay.core.loop.vocabulary import CellState
from assay.core.numbers import count
from assay.core.result import ReuseVerdict

TITLE = "Control loop"
MAX_CELLS = 60
"""So many tasks are listed where anybody reads; JSON has all."""

_WIDTH = 10


def status_text(status: Status) -> str:
    """The report in lines. Foreign names are made harmless."""
    lines = [TITLE, *_facts(status), "", *action_lines(status)]
    return "\n".join(lines)


def next_text(status: Status) -> str:
    """The next action alone."""
    return "\n".join(action_lines(status))


def status_markdown(status: Status) -> str:
    """The same facts as Markdown for a page that anybody may read."""
    fenced = escape.fence(["", *_facts(status), ""][1:-1])
    return f"### {TITLE}: {status.action.kind.value}\n\n{fenced}\n\n{escape.fence(action_lines(status))}\n\n{_cells(status)}"


def action_lines(status: Status) -> list[str]:
    """The one next action, and the task that it is about."""
    action, following = status.action, status.next
    lines = [f"next action: {action.kind.value}", f"  command: {plain(action.command, 500)}", f"  detail : {plain(action.detail, 500)}"]
    if following:
        lines.append(f"  task   : {plain(following.task.id, 64)} ({following.task.value.value}, score {following.score:.3f})")
        lines.append(f"  why    : {plain(following.reason, 200)}")
    if following and following.task.acceptance:
        lines.append(f"  accept : {plain(following.task.acceptance, 200)}")
    return lines


def _facts(status: Status) -> Iterator[str]:
    parts = status.parts
    yield _line("generated", status.generated_at)
    yield _line("root", plain(parts.root, 200))
    yield ""
    yield _line("registry", _registry(status))
    yield _line("catalog", _catalog(status))
    yield _line("ledger", _ledger(status))
    yield _line("local", _local(status))
    yield _line("", _standing(status))
    if status.problem:
        yield _line("problem", plain(status.problem, 300))
    yield _line("authority", _authority(status))
    if verdict := status.verdict:
        yield _line("reuse", _reuse(verdict, status))


def _reuse(verdict: ReuseVerdict, status: Status) -> str:
    if not verdict.reuse:
        first = verdict.reasons[0].detail if verdict.reasons else "no run answers"
        return f"must run: {plain(first, 200)}"
    said = f"run {verdict.run_id or '-'} of commit {(verdict.commit or '-')[:12]} answers"
    if status.next is None or status.next.task.id in status.reused:
        return said
    sessions = status.next.history.sessions
    learning = f"its metric has {sessions} of {SESSIONS_TO_LEARN} sessions" if sessions < SESSIONS_TO_LEARN else "one in a few always is"
    return f"{said}; measured all the same, for {learning}"


def _line(name: str, text: str) -> str:
    return f"{name + ':' if name else '':<{_WIDTH}} {text or '-'}"


def _registry(status: Status) -> str:
    benchmarks = status.parts.config.benchmarks.values()
    needs = [need for one in benchmarks for need in (one.needs or ("offline",))]
    levels = [one.level for one in benchmarks]
    by_need = ", ".join(f"{name} {needs.count(name)}" for name in status_json.NEEDS if name in needs)
    by_level = ", ".join(f"{name} {levels.count(name)}" for name in status_json.LEVELS if name in levels)
    return f"{count(len(benchmarks), 'benchmark')}; {by_need}; {by_level}; manual {sum(one.manual for one in benchmarks)}"


def _catalog(status: Status) -> str:
    stored = status.parts.stored
    if stored.unreadable:
        path, why = stored.unreadable[0]
        return f"UNREADABLE at {plain(path, 120)}: {plain(why, 160)}"
    headers = stored.headers
    if not headers:
        return "no run is stored"
    last = max(headers, key=lambda one: (one.created, one.run_id))
    made = status_json.made_at(last)
    what = f"{plain(last.benchmark, 64)} on {plain(last.machine, 80)}, {plain(last.model, 40)}/{plain(last.precision, 20)}"
    machines = len({one.machine for one in headers})
    return f"{count(len(headers), 'run')} on {count(machines, 'machine')}; latest {made} {what}"


def _ledger(status: Status) -> str:
    rows, ahead = status.parts.ledger.rows, status.parts.ledger.ahead
    wrong = f"; {count(ahead, 'row')} left out, dated over a day ahead by a wrong clock" if ahead else ""
    if not rows:
        return f"no attempt yet ({plain(status.parts.ledger_at, 120)}){wrong}"
    last = rows[-1]
    gathered = sum(one.result.gathered for one in rows)
    newest = f"{last.created_at} {plain(last.task, 64)}: {last.result.value} on box {plain(last.box, 8)}"
    return f"{count(len(rows), 'row')}, {gathered} collected; last {newest}{wrong}"


def _local(status: Status) -> str:
    here = status.parts.here
    yes = {True: "yes", False: "no"}
    has = f"weights {yes[here.weights]}, datasets {yes[here.datasets]}, net {yes[here.net]}"
    gpus = f"{here.gpus} x {here.gpu}" if here.gpus else here.gpu
    names = f", credentials {', '.join(here.credentials)}" if here.credentials else ""
    return f"box {here.box[:8]} ({plain(here.machine, 80)}), gpu {gpus}, {has}{names}"


def _standing(status: Status) -> str:
    feasible = sum(one.feasible for one in status.cells)
    kinds = ((CellState.FRESH, "saturated"), (CellState.BLOCKED, "blocked"), *((one, one.value) for one in CellState))
    seen: dict[CellState, str] = {}
    for state, word in kinds:
        seen.setdefault(state, word)
    parts = (f"{status.count(state)} {word}" for state, word in seen.items() if status.count(state) or state in _ALWAYS)
    return f"{count(len(status.cells), 'task')}, {feasible} feasible; {', '.join(parts)}"


_ALWAYS = (CellState.FRESH, CellState.BLOCKED, CellState.DUE)


def _authority(status: Status) -> str:
    lag, published = status.lag, status.parts.published
    if lag.problem:
        return f"{plain(lag.problem, 200)}; {lag.newer} not published"
    return f"{plain(published.file or '-', 120)} goes up to {lag.through}; {lag.newer} newer"


def _cells(status: Status) -> str:
    rows = [f"| {escape.inline(one.task.id, 64)} | {one.state.value} | {escape.inline(one.reason, 200)} |" for one in status.cells]
    more = [f"| … | | and {len(rows) - MAX_CELLS} more |"] if len(rows) > MAX_CELLS else []
    return "\n".join(["| task | state | why |", "|---|---|---|", *rows[:MAX_CELLS], *more])

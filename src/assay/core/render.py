"""Renders a check's reports: the comment, the step summary, the check runs and the text for a terminal."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.core import escape, fit, wording
from assay.core.check_run import Annotation, CheckRun
from assay.core.plain_report import plain_report
from assay.core.result import BenchmarkResult, CheckResult
from assay.core.values import dataclass
from assay.core.view import MARKER, ReportView, benchmark_view, view
from assay.errors import AssayError

if TYPE_CHECKING:
    from jinja2 import Environment

COMMENT, SUMMARY = "comment.md.j2", "summary.md.j2"
CHECK_SUMMARY, CHECK_TEXT = "check_summary.md.j2", "check_text.md.j2"
TEMPLATES = (COMMENT, SUMMARY, CHECK_SUMMARY, CHECK_TEXT, "page.md.j2", "verdict.md.j2", "analysis.md.j2", "details.md.j2")
"""All templates of a report by name: what `render` wants to be given."""

CHECK_SCHEMA = "assay.check/1"

_FULL_REPORT = "Shortened to fit. The full report is in the file `summary.md`."
_FULL_RESULT = "Shortened to fit. All numbers are in the file `result.json`."


@dataclass(frozen=True, slots=True)
class Rendered:
    """The reports of one check. `check` is what check.json holds."""

    comment: str
    summary: str
    check: dict[str, object]
    terminal: str


def render(result: CheckResult, templates: Mapping[str, str], marker: str = MARKER) -> Rendered:
    """All reports of a check from the texts of `TEMPLATES`.

    Raises AssayError where the comment would not begin with the marker: it could never be found again.
    """
    environment = _environment(tuple(sorted(templates.items())))
    report = view(result, marker)
    comment = fit.fitted(report, fit.shorter_reports(_FULL_REPORT), _writer(environment, COMMENT), fit.characters, fit.COMMENT_CHARACTERS)
    if not comment.startswith(f"{marker}\n"):
        raise AssayError(f"the template {COMMENT} does not begin with {marker}", hint="Put `{{ view.marker }}` alone on its first line.")
    return Rendered(
        comment=comment,
        summary=fit.fitted(report, fit.shorter_reports(_FULL_RESULT), _writer(environment, SUMMARY), fit.utf8_bytes, fit.SUMMARY_BYTES),
        check={"schema": CHECK_SCHEMA, "checks": [_check_json(check_run(one, result, templates)) for one in result.benchmarks]},
        terminal=plain_report(result),
    )


@lru_cache(maxsize=1)
def _environment(templates: tuple[tuple[str, str], ...]) -> "Environment":
    from jinja2 import DictLoader, Environment, StrictUndefined  # a tenth of a second that only a report is worth

    return Environment(
        loader=DictLoader(dict(templates)),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - these are Markdown pages: the view is escaped for that, and HTML escapes would garble it
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


def _writer(environment: "Environment", name: str) -> Callable[[ReportView], str]:
    template = environment.get_template(name)
    return lambda report: template.render(view=report)


def check_name(benchmark: str, place: str = "") -> str:
    """What the check run of a benchmark is called, in a matrix with its machine."""
    return f"assay / {escape.plain(benchmark, 200)}" + (f" ({escape.plain(place, 100)})" if place else "")


def check_run(
    one: BenchmarkResult, result: CheckResult, templates: Mapping[str, str], annotations: tuple[Annotation, ...] = ()
) -> CheckRun:
    """The completed check run of one benchmark, within GitHub's limits."""
    environment = _environment(tuple(sorted(templates.items())))
    return CheckRun(
        name=check_name(one.name, one.place),
        head_sha=result.head,
        external_id=one.run_id or one.decision_id or "",
        conclusion=one.conclusion,
        title=wording.title(one),
        summary=_check_part(one, result, environment, CHECK_SUMMARY),
        text=_check_part(one, result, environment, CHECK_TEXT),
        annotations=annotations,
    )


def _check_json(check: CheckRun) -> dict[str, object]:
    """A check run as the API takes it, less the repository."""
    return {
        "name": check.name,
        "head_sha": check.head_sha,
        "external_id": check.external_id,
        "status": "completed",
        "conclusion": check.conclusion.value,
        "output": {"title": check.title, "summary": check.summary, "text": check.text, "annotations": []},
    }


def _check_part(one: BenchmarkResult, result: CheckResult, environment: "Environment", name: str) -> str:
    report = replace(view(replace(result, benchmarks=())), benchmarks=(benchmark_view(one, result),))
    return fit.fitted(report, fit.shorter_reports(_FULL_REPORT), _writer(environment, name), fit.utf8_bytes, fit.CHECK_BYTES)

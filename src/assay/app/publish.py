"""What a finished check leaves on GitHub: the comment, the page of the job, the files of the report, the outputs of the step."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.app.outlet import Kind, Outlet
from assay.core.effects import Effect, PostComment, UpdateComment, WriteOutput, WriteReport, WriteSummary
from assay.core.events import Remark
from assay.core.inputs import CommentWhen
from assay.core.job_outputs import outputs
from assay.core.model import Conclusion, Verdict
from assay.core.render import Rendered, check_name, render
from assay.core.result import CheckResult, as_json
from assay.core.values import dataclass
from assay.core.view import MARKER
from assay.core.wording import judged
from assay.ports import Observer

REPORTS = ("comment.md", "check.json", "summary.md", "result.json")
_ALERTS = (Conclusion.FAILURE, Conclusion.TIMED_OUT, Conclusion.ACTION_REQUIRED)


@dataclass(frozen=True, slots=True)
class Publication:
    """Where and how a result is published. `number` is the pull request's, None where there is none; `fork` is whether a fork's."""

    record: Callable[[Iterable[Effect]], tuple[str, ...]]
    templates: Mapping[str, str]
    outlet: Outlet
    observer: Observer
    number: int | None
    fork: bool
    when: CommentWhen
    result_file: str

    def publish(self, result: CheckResult, told: Sequence[str]) -> CheckResult:
        """Publish it; the result with the remarks that came of that. `told` is what could not be done before."""
        before = self._with(result, told)
        failures = self.record(self._comment(before, render(before, self.templates)))
        final = self._with(result, (*told, *failures))
        for remark in self._denied():
            self.observer.note(Remark(remark))
        rendered = render(final, self.templates)
        self.record([WriteSummary(rendered.summary), *_files(final, rendered)])
        self.record(WriteOutput(name, value) for name, value in self._outputs(final).items())
        return final

    def _with(self, result: CheckResult, told: Sequence[str]) -> CheckResult:
        return replace(result, remarks=tuple(dict.fromkeys((*result.remarks, *told, *self._denied()))))

    def _comment(self, result: CheckResult, rendered: Rendered) -> Iterator[Effect]:
        if self.number is not None:
            wanted = self.when is CommentWhen.ALWAYS or worth_a_comment(result, self.when)
            yield (PostComment if wanted else UpdateComment)(self.number, rendered.comment, MARKER)

    def _denied(self) -> Iterator[str]:
        """Why nothing was posted, once, and what would change that."""
        if self.outlet.denied:
            what = " and ".join({Kind.CHECKS: "check runs", Kind.COMMENT: "comments"}[kind] for kind in self.outlet.denied)
            yield f"No {what} could be written, for the job's token may not; the verdict stands here and in the exit code. {self._remedy()}"

    def _remedy(self) -> str:
        if self.fork:
            return "For a fork's pull request GitHub gives a token that can only read."
        wanted = ", ".join(f"{kind.value}: write" for kind in self.outlet.denied)
        return f"Give the job `permissions: {{contents: read, {wanted}}}`."

    def _outputs(self, result: CheckResult) -> Mapping[str, str]:
        posted = {one.name: self.outlet.checks.get(check_name(one.name, one.place)) for one in result.benchmarks}
        checks = {name: check.url for name, check in posted.items() if check}
        comment = self.outlet.comment.url if self.outlet.comment else ""
        return outputs(result, result_file=self.result_file, comment_url=comment, check_urls=checks)


def worth_a_comment(result: CheckResult, when: CommentWhen) -> bool:
    """Whether the result is an alert, or under `on-change` says that something changed or could not be told."""
    if any(one.conclusion in _ALERTS for one in result.benchmarks):
        return True
    changed = any(each.verdict is not Verdict.UNCHANGED for one in result.benchmarks for each in judged(one))
    return when is CommentWhen.ON_CHANGE and changed


def _files(result: CheckResult, rendered: Rendered) -> Iterator[Effect]:
    texts = (rendered.comment, _pretty(rendered.check), rendered.summary, _pretty(as_json(result)))
    return (WriteReport(name, text) for name, text in zip(REPORTS, texts, strict=True))


def _pretty(document: object) -> str:
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"

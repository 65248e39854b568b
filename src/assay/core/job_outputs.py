"""The outputs of the action's step, each a text; what does not exist is an empty one."""

from collections.abc import Mapping

from assay.core.model import Outcome, Status
from assay.core.result import SEVERITY, BenchmarkResult, CheckResult

NAMES = ("conclusion", "outcome", "reused", "run-id", "matrix", "result", "comment-url", "check-run-url")

_WORST_FIRST = (Outcome.ERRORED, Outcome.CHECKS_FAILED, Outcome.DISCARD, Outcome.PENDING, Outcome.KEEP, None)


def speaker(result: CheckResult) -> BenchmarkResult | None:
    """The benchmark that several together are judged by: of the worst conclusion, then outcome, the first in the config."""
    return min(result.benchmarks, key=lambda one: (SEVERITY.index(one.conclusion), _WORST_FIRST.index(one.outcome)), default=None)


def outputs(result: CheckResult, *, result_file: str, comment_url: str, check_urls: Mapping[str, str]) -> Mapping[str, str]:
    """All outputs. `check_urls` are those of check runs, by benchmark.

    With several benchmarks `conclusion` is the worst, and `outcome`, `run-id` and `check-run-url` are those of the benchmark
    it belongs to. `reused` is true where stored runs gave every answer, so that nothing ran.
    """
    one = speaker(result)
    statuses = {each.status for each in result.benchmarks}
    reused = Status.REUSED in statuses and statuses <= {Status.REUSED, Status.SKIPPED}
    said = {
        "conclusion": result.conclusion.value,
        "outcome": one.outcome.value if one and one.outcome else "",
        "reused": "true" if reused else "false",
        "run-id": (one.run_id or "") if one else "",
        "result": result_file,
        "comment-url": comment_url,
        "check-run-url": check_urls.get(one.name, "") if one else "",
    }
    return {name: said.get(name, "") for name in NAMES}

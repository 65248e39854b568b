"""The files that a repository begins with: a config, and the workflows that were asked for."""

import json
import re
from collections.abc import Mapping

from assay.core.config_types import check_metric_name
from assay.core.model import Direction
from assay.core.values import dataclass
from assay.errors import UsageError

CONFIG_TEMPLATE = "init/assay.yml"
WORKFLOWS: Mapping[str, tuple[str, ...]] = {
    "pull-request": ("pull-request.yml",),
    "comments": ("comments.yml",),
    "gpu-comments": ("gpu-comments.yml",),
    "forks": ("fork-run.yml", "fork-report.yml"),
    "merged": ("merged.yml",),
    "schedule": ("schedule.yml",),
}
"""What can be asked for, and the files that it takes."""

PLACEHOLDER = "OWNER/assay/run@0000000000000000000000000000000000000000"
_ACTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+@[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Starter:
    """What is known of the repository's benchmark; `action` is `owner/repository@sha`, None where the reader has yet to fill it in.

    Raises UsageError for an action without a full commit id.
    """

    run: str = "python bench.py"
    name: str = "bench"
    metric: str = "time_ms"
    better: Direction = Direction.LOWER
    action: str | None = None

    def __post_init__(self) -> None:
        if self.action is not None and not _ACTION.fullmatch(self.action):
            raise UsageError(
                f"--action is OWNER/REPOSITORY@COMMIT with a full commit id, not {self.action!r}.",
                hint="A branch or a tag can be moved by whoever owns it; take the commit that you have read.",
            )

    def config(self, template: str) -> str:
        """The text of `.github/assay.yml`. Raises UsageError for a metric that no METRIC line can name."""
        try:
            check_metric_name(self.metric)
        except ValueError as error:
            raise UsageError(f"“{self.metric}” {error}.", hint="Say --metric NAME, as in METRIC NAME=value.") from error
        values = {"NAME": self.name, "RUN": json.dumps(self.run, ensure_ascii=False), "METRIC": self.metric, "BETTER": self.better.value}
        for key, value in values.items():
            template = template.replace(f"@{key}@", value)
        return template

    def workflow(self, template: str) -> str:
        """The text of a workflow, with the action in place of the example's."""
        if self.action is None:
            return template
        repository, _, commit = self.action.partition("@")
        return template.replace(PLACEHOLDER, f"{repository}/run@{commit}")


def files_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """The workflow files of what was asked for. Raises UsageError, with what there is, for an unknown name."""
    for name in names:
        if name not in WORKFLOWS:
            raise UsageError(f"There is no workflow {name!r}.", hint=f"There are: {', '.join(WORKFLOWS)}.")
    return tuple(dict.fromkeys(file for name in names for file in WORKFLOWS[name]))

"""The stages of a check as GitHub sees them: a check run opened and closed for each benchmark, and what holds a decision open."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from assay.app.commits import Commits
from assay.app.question import Question
from assay.core.check_run import Annotation
from assay.core.command_paths import paths_named
from assay.core.config import Benchmark, Config
from assay.core.decide import Hold
from assay.core.effects import CloseCheck, Effect, OpenCheck
from assay.core.model import Rung
from assay.core.render import check_name, check_run
from assay.core.result import CheckResult
from assay.core.window import Classifier, relevant
from assay.errors import ForgeError
from assay.forge_ports import Forge
from assay.ports import Repo

MEASURING = "measuring"


@dataclass(slots=True)
class Desk:
    """Satisfies `app.stages.Stages` in a job. `annotations` go with the first check run that is closed, and with no other.

    `reviewed` tells whether somebody with rights has kept a benchmark's run of this very head. `doubts` collects what could not be
    done or learnt on the way.
    """

    question: Question
    config: Config
    config_file: str
    repo: Repo
    forge: Forge
    record: Callable[[Iterable[Effect]], tuple[str, ...]]
    templates: Mapping[str, str]
    annotations: tuple[Annotation, ...] = ()
    reviewed: Callable[[str], bool] = lambda _: False
    doubts: list[str] = field(default_factory=list)

    def opened(self, benchmark: Benchmark, commits: Commits, run_id: str) -> None:
        self.doubts += self.record([OpenCheck(check_name(benchmark.name), commits.head, run_id, MEASURING)])

    def concluded(self, result: CheckResult) -> None:
        (one,) = result.benchmarks
        notes, self.annotations = self.annotations, ()
        self.doubts += self.record([CloseCheck(check_run(one, result, self.templates, notes))])

    def hold(self, benchmark: Benchmark, commits: Commits) -> Hold:
        if self._moved():
            return Hold.SUPERSEDED
        if self.question.number is not None and self._judges_itself(benchmark, commits) and not self.reviewed(benchmark.name):
            return Hold.NEEDS_REVIEW
        return Hold.NONE

    def _moved(self) -> bool:
        """Whether the pull request has a newer head by now. An answer that cannot be had is told, and holds nothing."""
        if self.question.number is None or self.question.pinned is None:
            return False
        try:
            return self.forge.head_of(self.question.number) != self.question.pinned
        except ForgeError as error:
            self.doubts.append(f"Whether the pull request has a newer head by now could not be asked. {error.message}")
            return False

    def _judges_itself(self, benchmark: Benchmark, commits: Commits) -> bool:
        """Whether the change touches what it is judged by: the config, the harness, or files that the checks name."""
        changes = self.repo.changes(commits.base, commits.head)
        classifier = Classifier.of(self.config, benchmark).through(self.repo.links(commits.head))
        harness = any(rung is Rung.HARNESS for _, rung in relevant(changes, classifier))
        return harness or any(one.path == self.config_file or _within(one.path, checked_files(benchmark)) for one in changes)


def checked_files(benchmark: Benchmark) -> tuple[str, ...]:
    """What in the words of `checks` may be a path of the repository, seen from its top."""
    return paths_named(benchmark.checks or "", benchmark.workdir)


def _within(path: str, places: tuple[str, ...]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)

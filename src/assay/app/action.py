"""The way of a check on GitHub: the question of an event, checked with a check run each, and published whatever the forge allows."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.app.apply import Places, apply_all
from assay.app.attempts_on_forge import PullAttempts
from assay.app.check import Checked, CheckRequest, check_commits, choose
from assay.app.commits import Commits
from assay.app.desk import Desk
from assay.app.house import House
from assay.app.loose_ends import CatchUp, Keeper
from assay.app.order import NO_COMMAND, Order
from assay.app.outlet import Outlet
from assay.app.publish import Publication
from assay.app.pull_session import PullBook, Step, follow, ours, reviewed
from assay.app.question import Nothing, Question, commits_of
from assay.app.rules import Rules
from assay.app.split_plan import asked_of
from assay.app.split_report import Delivery, Report
from assay.app.stages import Refusal
from assay.core import escape
from assay.core.comment_command import Command
from assay.core.config import Config
from assay.core.effects import CloseCheck, Effect
from assay.core.envelope import Run
from assay.core.events import Remark
from assay.core.inputs import CommentWhen, ForkRule, Inputs, stricter
from assay.core.model import Conclusion, Status, Trust
from assay.core.result import BenchmarkResult, CheckResult
from assay.errors import AssayError, CancelledError, ForgeError
from assay.forge_ports import Forge, JobFiles
from assay.ports import Reports

if TYPE_CHECKING:  # not every job analyses something
    from assay.app.explain import Explainer

REFUSED = Refusal(
    "the code of a fork is not run on this self-hosted runner",
    "Have a maintainer read the change and give the command `run sha=COMMIT` in a comment, with the full id of the head; that needs "
    "`permissions.forks: sha` in the config and the input `allow-forks: sha`, both. Or run the job on a hosted runner.",
)


@dataclass(frozen=True, slots=True)
class Bureau:
    """What a job adds to a house: the forge (and one that does not wait, for the last word), its files, its templates.

    `hosted` is whether GitHub itself runs the job; `result_file` is result.json as later steps can find it. What is stored inside
    a `batch` goes out together; it gives the list that holds in the end what could not be done. `explainer` has the results analysed.
    Below the address `stored_at` people can read what is stored. `pulls` keeps the sessions of pull requests. With a `keeper`, what
    could not be posted is kept, and through `brisk`, which does not wait long, what earlier jobs have left is tied up.
    """

    forge: Forge
    hasty: Forge
    job: JobFiles
    reports: Reports
    templates: Mapping[str, str]
    hosted: bool
    result_file: str
    batch: Callable[[], AbstractContextManager[Sequence[str]]] = lambda: nullcontext(())
    explainer: "Explainer | None" = None
    stored_at: str = ""
    pulls: PullBook | None = None
    brisk: Forge | None = None
    keeper: Keeper | None = None


@dataclass(frozen=True, slots=True)
class Acted:
    """What came of it: the check with its decisions, and the result as published."""

    checked: Checked
    published: CheckResult


def act(
    order: Order, house: House, bureau: Bureau, forced_by: str | None, delivered: Callable[[tuple[str, ...]], Delivery] | None = None
) -> Acted | Nothing:
    """Check and publish. What is open on the forge is completed however it ends.

    With `delivered`, which gives the cells of the named benchmarks, nothing is run: the cells are merged and published.

    Raises what a check raises: UsageError, InfrastructureError, CancelledError.
    """
    names = tuple(one.name for one in choose(order.rules.config, order.inputs.benchmarks))
    commits = commits_of(order.question, house.repo, house.store, names)
    if isinstance(commits, Nothing):
        return commits
    delivery = delivered(names) if delivered else None
    outlet = Outlet(bureau.forge, house.store, keeper=bureau.keeper)
    way = _Way(order.question, order.rules, order.inputs, order.command, house, bureau, outlet, delivery)
    return way.walk(commits, forced_by)


@dataclass(frozen=True, slots=True)
class _Way:
    question: Question
    rules: Rules
    inputs: Inputs
    command: Command
    house: House
    bureau: Bureau
    outlet: Outlet
    delivery: Delivery | None

    def walk(self, commits: Commits, forced_by: str | None) -> Acted:
        desk = self._desk(commits)
        with self.bureau.batch() as told:
            self._catch_up()
            checked = self._checked(commits, forced_by, desk)
        self._attempts.count(checked, commits)
        followed = self._followed(checked, commits, stored=not told)
        checked = self._explained(checked)
        return Acted(checked, self._publication().publish(checked.result, (*told, *desk.doubts, *followed)))

    def _followed(self, checked: Checked, commits: Commits, *, stored: bool) -> tuple[str, ...]:
        """The token of a fork's own event can only read, and a comparison that somebody asked for by `vs=` is no step of a session."""
        question = self.question
        reading = question.trust is Trust.FORK and self.delivery is None and not question.vouched
        if self.bureau.pulls is None or reading or self.command.against:
            return ()
        step = Step(question, commits, self.rules.config, checked.result.benchmarks, question.into)
        known = {name: grounds.head_run for name, grounds in checked.grounds.items()}
        return follow(self.bureau.pulls, step, lambda one: known.get(one.name) or self._stored_run(one), stored=stored)

    def _stored_run(self, result: BenchmarkResult) -> Run | None:
        found = self.house.store.find_run(result.run_id) if result.run_id else None
        return found if isinstance(found, Run) else None

    def _catch_up(self) -> None:
        if self.bureau.keeper and self.bureau.brisk:
            for sentence in CatchUp(self.bureau.brisk, self.bureau.keeper, self.outlet.known, self.question.number).run():
                self.house.observer.note(Remark(sentence))

    def _explained(self, checked: Checked) -> Checked:
        """Once the decisions are stored and their check runs closed, for a model may take minutes; and whatever comes of it."""
        if self.bureau.explainer is None or all(one.status is Status.SKIPPED for one in checked.result.benchmarks):
            return checked
        found = self.bureau.explainer.explain(checked)
        for remark in found.remarks:
            self.house.observer.note(Remark(remark))
        if found.check:
            self._record([CloseCheck(found.check)])
        return found.checked

    def _checked(self, commits: Commits, forced_by: str | None, desk: Desk) -> Checked:
        """However it ends, the forge is told before the store is, which may take longer than a cancelled job has."""
        try:
            if self.delivery is None:
                return check_commits(self._request(commits, forced_by), commits, self.house, self._record, desk)
            return self._merged(commits, forced_by, self.delivery, desk)
        except BaseException as error:
            self.give_up(error)
            raise

    def _merged(self, commits: Commits, forced_by: str | None, delivery: Delivery, desk: Desk) -> Checked:
        asked = asked_of(
            self.question, self.rules.config, self.inputs, self.command, forced_by, self._idle(commits), self._attempts.stopped()
        )
        report = Report(self.house, self._record, desk, self.inputs.fail_on, self.rules.remarks, self.bureau.stored_at)
        return report.merge(asked, commits, delivery)

    def _record(self, effects: Iterable[Effect]) -> tuple[str, ...]:
        """Apply effects, and say in the log what could not be done."""
        failures = tuple(apply_all(effects, Places(self.house.store, self.bureau.reports, self.outlet, self.bureau.job)).failures)
        for failure in failures:
            self.house.observer.note(Remark(failure))
        return failures

    def give_up(self, error: BaseException) -> None:
        """Leave no check run open, whatever went wrong; what the forge says to that changes nothing any more."""
        cancelled = isinstance(error, CancelledError | KeyboardInterrupt)
        conclusion = Conclusion.CANCELLED if cancelled else Conclusion.FAILURE
        title = "cancelled" if cancelled else "not measured"
        summary = "The job was cancelled before there was a verdict." if cancelled else explained(error)
        try:
            self.outlet.abandon(self.bureau.hasty if cancelled else self.bureau.forge, conclusion, title, summary)
        except ForgeError as refused:
            self.house.observer.note(Remark(f"A check run could not be completed. {refused.message}"))

    def _idle(self, commits: Commits) -> str:
        return ours(self.bureau.pulls, self.question, self.rules.config, commits) if self.bureau.pulls else ""

    def _desk(self, commits: Commits) -> Desk:
        pulls, number = self.bureau.pulls, self.question.number
        return Desk(
            question=self.question,
            config=self.rules.config,
            config_file=self.inputs.config,
            repo=self.house.repo,
            forge=self.bureau.forge,
            record=self._record,
            templates=self.bureau.templates,
            annotations=self.rules.annotations,
            reviewed=lambda name: pulls is not None and number is not None and reviewed(pulls, number, name, commits.head),
        )

    def _request(self, commits: Commits, forced_by: str | None) -> CheckRequest:
        return CheckRequest(
            config=self.rules.config,
            base=commits.base,
            head=commits.head,
            benchmarks=self.inputs.benchmarks,
            fail_on=self.inputs.fail_on,
            forced_by=forced_by,
            reproduce=_reproduce(commits, self.inputs.benchmarks),
            remarks=self.rules.remarks,
            trust=self.question.trust,
            refusal=self._refusal(),
            idle=self._idle(commits),
            stored_at=self.bureau.stored_at,
            stopped=self._attempts.stopped() if self.command is NO_COMMAND else {},
        )

    @property
    def _attempts(self) -> PullAttempts:
        house = self.house
        return PullAttempts(
            self.rules.config, self.question.number, house.repo, house.store, house.clock, self.bureau.forge, house.observer
        )

    def _refusal(self) -> Refusal | None:
        question = self.question
        return refusal_of(question.trust, self.rules.config, self.inputs, hosted=self.bureau.hosted, vouched=question.vouched)

    def _publication(self) -> Publication:
        return Publication(
            record=self._record,
            observer=self.house.observer,
            templates=self.bureau.templates,
            outlet=self.outlet,
            number=self.question.number,
            fork=self.question.trust is Trust.FORK,
            when=self.inputs.comment or CommentWhen(self.rules.config.comment.when),
            result_file=self.bureau.result_file,
        )


def refusal_of(trust: Trust, config: Config, inputs: Inputs, *, hosted: bool, vouched: bool) -> Refusal | None:
    """Of a fork nothing runs on a runner of one's own, unless the config and the input both allow it, perhaps for a vouched head."""
    if hosted or trust is not Trust.FORK:
        return None
    rule = stricter(inputs.allow_forks, ForkRule(config.permissions.forks))
    return None if rule is ForkRule.ALLOW or (rule is ForkRule.SHA and vouched) else REFUSED


def explained(error: BaseException) -> str:
    """What went wrong, as Markdown for anybody. The cause of what is not meant for people stays in the log."""
    if not isinstance(error, AssayError):
        return "Assay failed by a mistake of its own, and nothing was decided. The log has more."
    lines = (*error.message.splitlines(), error.hint)
    return "\n\n".join(escape.inline(line, 1000) for line in lines if line)


def _reproduce(commits: Commits, names: tuple[str, ...]) -> str:
    words = ["assay", "check", "--base", commits.base, "--head", commits.head]
    return shlex.join([*words, *(word for name in names for word in ("--benchmark", name)), "--no-reuse"])

"""The attempts of a pull request: what may no longer be measured by itself, one attempt more, and the word to people when it stops."""

from collections.abc import Callable, Mapping

from assay.app.attempts_log import Campaign, newly_broken, touched_by, tried_in
from assay.app.check import Checked
from assay.app.commits import Commits
from assay.app.stages import Refusal
from assay.core.attempts.crisis import crisis_report
from assay.core.attempts.standing import Standing
from assay.core.config import Benchmark, Config
from assay.core.events import Remark
from assay.core.values import dataclass
from assay.errors import ForgeError, InfrastructureError
from assay.forge_ports import Forge
from assay.ports import Clock, Observer, Repo, Store


def campaign_of(config: Config, number: int | None, store: Store, clock: Clock) -> Campaign | None:
    """The attempts of a pull request; None where none are counted."""
    return None if config.attempts is None or number is None else Campaign(store, clock, config, f"pull {number}")


def stopped_in(campaign: Campaign | None) -> Mapping[str, Refusal]:
    """The benchmarks that a person has to let go on. Raises InfrastructureError where that cannot be known."""
    if campaign is None:
        return {}
    found = ((name, campaign.refusal(one)) for name, one in campaign.config.benchmarks.items())
    return {name: refusal for name, refusal in found if refusal is not None}


@dataclass(frozen=True, slots=True)
class PullAttempts:
    """Counts the attempts of one pull request, where the config wants them counted; of anything else none."""

    config: Config
    number: int | None
    repo: Repo
    store: Store
    clock: Clock
    forge: Forge
    observer: Observer

    @property
    def campaign(self) -> Campaign | None:
        return campaign_of(self.config, self.number, self.store, self.clock)

    def stopped(self) -> Mapping[str, Refusal]:
        """As `stopped_in` says."""
        return stopped_in(self.campaign)

    def count(self, checked: Checked, commits: Commits) -> None:
        """Write the attempt down, once a commit. What cannot be written or posted is told, and changes no decision."""
        if (campaign := self.campaign) is None:
            return
        for result in checked.result.benchmarks:
            try:
                self._count_one(campaign, self.config.benchmarks[result.name], checked, commits)
            except InfrastructureError as error:
                self.observer.note(Remark(f"The attempt at {result.name} could not be counted. {error.message}"))

    def _count_one(self, campaign: Campaign, benchmark: Benchmark, checked: Checked, commits: Commits) -> None:
        result = next(one for one in checked.result.benchmarks if one.name == benchmark.name)
        change = self.repo.subject(commits.head)
        tried = tried_in(result, change, commits.head, self._touched(commits))
        if tried is None or campaign.tried_at(benchmark.name, commits.head):
            return
        before = campaign.standing(benchmark)
        campaign.log(tried, "check")
        after = campaign.standing(benchmark)
        if newly_broken([before], [after]):
            self._cry_out(benchmark.name, campaign.subject, after)

    def _touched(self, commits: Commits) -> Callable[[], tuple[str, ...]]:
        limits = self.config.attempts
        return lambda: touched_by(limits, self.repo, commits.base, commits.head) if limits else ()

    def _cry_out(self, benchmark: str, subject: str, found: Standing) -> None:
        if self.number is None or self.config.attempts is None:
            return
        marker = f"<!-- assay:stopped key={benchmark} -->"
        number, label = self.number, self.config.attempts.label
        report = f"{marker}\n{crisis_report(benchmark, subject, found)}"
        self._tell(lambda: self.forge.upsert_comment(number, report, marker))
        self._tell(lambda: self.forge.label(number, label))

    def _tell(self, tell: Callable[[], object]) -> None:
        try:
            tell()
        except ForgeError as error:
            self.observer.note(Remark(f"That runs have stopped could not be told everywhere. {error.message}"))

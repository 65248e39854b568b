"""The budget of a job: what was spent is read from the store, and what is about to be is written there before anything runs."""

from assay.core.budget import Judge, Refusal, Spend, Spent, Wish, shortfall
from assay.core.config import Config
from assay.core.config_sections import Budget
from assay.core.model import Status
from assay.core.result import BenchmarkResult, CheckResult
from assay.core.store_layout import SPEND_PREFIX
from assay.core.timestamp import stamp
from assay.core.values import dataclass
from assay.ports import Clock
from assay.spend_ports import CommandStore


@dataclass(frozen=True, slots=True)
class Purse:
    """Spends what a store keeps account of."""

    store: CommandStore
    clock: Clock

    def take(self, limits: Budget, wish: Wish, against: Judge = lambda _: None) -> Refusal | None:
        """Reserve the runs of a wish, or say why they do not fit, or what else speaks `against` them, and what helps.

        Written before the run, so that one that is killed has been paid for. Raises InfrastructureError where it cannot be written.
        """
        spend = self._spend("runs", wish.pull, wish.by, runs=wish.runs, head=wish.head, command=wish.command, job=wish.job)
        return self.store.reserve(spend, lambda spent: against(spent) or shortfall(limits, spent, wish, self.clock.now()))

    def vouch(self, pull: int, by: str, head: str) -> None:
        """Write down that somebody stands for this head. Raises InfrastructureError where it cannot be written."""
        self.store.add_spend(self._spend("vouch", pull, by, head=head))

    def spent(self) -> Spent:
        """All that was ever spent, granted and vouched for."""
        return self.store.spent()

    def begun(self, job: int | None) -> Spend | None:
        """What a command took when this run of a workflow obeyed it, the last time; None where that is not on the account."""
        mine = (one for one in self.spent().records if one.kind == "runs" and job is not None and one.job == job)
        return max(mine, key=lambda one: one.spend_id, default=None)

    def grant(self, pull: int, by: str, runs: int) -> None:
        """Give a pull request more runs. Raises InfrastructureError where it cannot be written."""
        self.store.add_spend(self._spend("grant", pull, by, runs=runs))

    def gpu_used(self, pull: int, by: str, minutes: float) -> None:
        """Write down what runs took. Raises InfrastructureError where it cannot be written."""
        self.store.add_spend(self._spend("gpu", pull, by, minutes=minutes))

    def _spend(self, kind: str, pull: int, by: str, *, runs: int = 0, minutes: float = 0.0, **facts: str | int | None) -> Spend:
        return Spend.model_validate(
            {
                "schema": "assay.spend/1",
                "spend_id": self.clock.new_id(SPEND_PREFIX),
                "created_at": stamp(self.clock.now()),
                "kind": kind,
                "pull": pull,
                "by": by,
                "runs": runs,
                "gpu_minutes": minutes,
                **facts,
            }
        )


def gpu_minutes(config: Config, result: CheckResult, since_s: float = 0.0) -> float:
    """What the measured benchmarks took of GPUs: minutes of the session times the cards of a process.

    Of one that ended without telling how long it took, such as a cell that was cancelled, it may have been all of `since_s`, the
    seconds since the command was obeyed, as far as its own limit lets it.
    """
    known = ((config.benchmarks[one.name], one) for one in result.benchmarks if one.name in config.benchmarks)
    return sum(
        benchmark.gpus * _seconds(one, min(benchmark.max_time or since_s, config.policy.max_time, since_s)) / 60 for benchmark, one in known
    )


def _seconds(one: BenchmarkResult, most_s: float) -> float:
    if one.duration_s is not None:
        return one.duration_s
    return most_s if one.status is Status.FAILED else 0.0

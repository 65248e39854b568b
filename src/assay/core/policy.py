"""The resolved policy of one benchmark: what the config says, for this branch, as the decision table takes it."""

from collections.abc import Iterable

from assay.core.compare import METHOD
from assay.core.config import Benchmark, Config
from assay.core.decide import FailOn, Mode, Policy, policy_hash
from assay.core.globs import Globs
from assay.core.model import Conclusion, Direction
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Resolved:
    """The policy and the hash under which decisions made by it are stored."""

    policy: Policy
    hash: str


def mode_of(config: Config, branch: str | None) -> Mode:
    """Ratchet on an experiment branch, gate elsewhere, unless the config names one."""
    if config.policy.mode != "auto":
        return Mode(config.policy.mode)
    on_experiment = branch is not None and Globs(config.git.experiment_branches).matches(branch)
    return Mode.RATCHET if on_experiment else Mode.GATE


def resolve_policy(config: Config, branch: str | None, fail_on: Iterable[str] | None = None) -> Policy:
    """The policy for a head on this branch; `fail_on` stands in for the config's own list."""
    words = config.policy.fail_on if fail_on is None else fail_on
    return Policy(mode_of(config, branch), frozenset(map(FailOn, words)), Conclusion(config.policy.harness_change))


def resolved_for(policy: Policy, config: Config, benchmark: Benchmark, better: Direction | None = None) -> Resolved:
    """The same with the hash over everything that judges this benchmark's samples.

    `better` is the direction of a bare command's metric, which no config declares.
    """
    settings: dict[str, object] = {
        "alpha": config.policy.alpha,
        "method": METHOD,
        "confirm": config.policy.confirm,
        "workload": list(benchmark.workload),
        "metric": benchmark.metric.model_dump(mode="json") if benchmark.metric else {"better": better},
        "guards": {name: guard.model_dump(mode="json") for name, guard in sorted(benchmark.guards.items())},
        "secondary": {name: one.model_dump(mode="json") for name, one in sorted(benchmark.secondary.items())},
    }
    return Resolved(policy, policy_hash(policy, settings))

"""What a decision tells its reader to do next, and why a run was no measurement."""

from assay.core import numbers
from assay.core.comparison import Comparison, Undecided
from assay.core.model import Cause

NEXT = {
    "kept": "Nothing to do.",
    "harm excluded": "Nothing to do; raise `repeats.max` for a definite answer.",
    "not better": "Nothing to do: on this branch only improvements are kept.",
    "regressed": "Look for the cause in the change, or accept the loss on purpose by raising the limit in the config.",
    "guard lost": "Make the benchmark print the guard again, or take it out of the config.",
    "checks failed": "Make the checks pass; until they do, the numbers do not count.",
    "checks not run": "Make sure that the `checks` command can run, then run it again.",
    "superseded": "Wait for the run of the new head.",
    "needs review": "Have somebody with write access review that part and answer `/experiment keep sha=…` or `/experiment discard sha=…`.",
    "no baseline": "Nothing to do if it is new: this run can serve as the next baseline. Otherwise mend it on the base.",
    "not compared": "Run it again with a base that can be measured.",
}

ERRORS: dict[Cause, tuple[str, str]] = {
    Cause.EXIT: (
        "the benchmark failed on head: its command ended with an error",
        "Read the end of the output, mend the benchmark, and run it again.",
    ),
    Cause.SIGNAL: ("the benchmark failed on head: a signal killed it", "Read the end of the output, mend the crash, and run it again."),
    Cause.TIMEOUT: ("the benchmark timed out on head", "Find what hangs in the output, or raise `timeout` in the config."),
    Cause.OUT_OF_MEMORY: ("the benchmark ran out of memory on head", "Make it smaller (`batch`), or run it on a larger machine."),
    Cause.OUTPUT_LIMIT: ("the benchmark exceeded the output limit on head", "Print less, or raise `max_output` in the config."),
    Cause.CANCELLED: ("the run was cancelled", "Run it again when you need the answer."),
    Cause.NO_METRIC: (
        "head did not print the primary metric",
        "Make the benchmark print a line `METRIC name=value` with the name from the config.",
    ),
    Cause.NOT_STARTED: ("the benchmark could not be started on head", "Check that the command exists and that `setup` installs it."),
}

_STEPS = {
    Undecided.TIME: "Raise `max_time`, make the benchmark shorter, or accept the answer as it stands.",
    Undecided.MODES: "Find out what the two modes are (core, clock, memory layout) and pin it, or allow more samples (`repeats.max`).",
    Undecided.DRIFT: "Let the machine come to rest first, or measure base and head in turns.",
    Undecided.UNCONFIRMED: "Run it again, or allow more samples (`repeats.max`): the two sessions do not agree.",
    Undecided.SUITE: "Measure base and head side by side on one machine; then a shift that all share is the code's.",
    Undecided.ENVIRONMENT: "Measure both sides in one environment (`--no-reuse`).",
    Undecided.DISTURBED: "Let the GPU cool, or keep others off it, and run it again.",
    Undecided.WORKLOAD: "Make both sides do the same work, or leave the metric that counts it out of `workload`.",
    Undecided.NOT_MEASURED: "Make the benchmark print the metric, or take it out of the config.",
    Undecided.NO_BASELINE: NEXT["no baseline"],
    Undecided.NO_DIRECTION: "Say which way is better: `better: lower` in the config, `--better lower` with a bare command, or `higher`.",
    Undecided.NOT_ISOLATED: "Give each side its own packages (`setup: pip install -e .`); change nothing outside the worktree.",
    Undecided.NOT_COMPARABLE: "Choose a metric with one unit whose base is not zero, such as a total rather than a difference.",
}


PAIRS_WORTH_ASKING_FOR = 100
"""Beyond so many the advice to measure more is no help."""


def how_to_settle(comparison: Comparison) -> str:
    """What would bring an answer to an undecided comparison."""
    if comparison.undecided is not None and comparison.undecided is not Undecided.SAMPLES:
        return _STEPS[comparison.undecided]
    if comparison.more_pairs and comparison.more_pairs <= PAIRS_WORTH_ASKING_FOR:
        pairs = numbers.count(comparison.more_pairs, "more pair")
        return f"Allow about {pairs} (`repeats.max`, or more seeds), make the benchmark or the machine quieter, or accept the answer."
    return "Make the benchmark or the machine quieter, raise the limit that counts, or accept the answer as it stands."

"""The pilot of a benchmark: full runs begin only after it has printed its metric."""

import pytest
from tests.fakes.runner import completed
from tests.houses import HEAD, Lab, Script, config

from assay.core.config_text import parse_config
from assay.core.envelope import RunStatus
from assay.core.model import Cause, Completed, Conclusion, Outcome, Side, Status
from assay.errors import UsageError

BETTER = {"loss": [120]}, {"loss": [90]}
PILOT = "pilot: {run: ./pilot, timeout: 2m}"


def silent(_: int) -> Completed:
    return completed("ready\n")


def test_the_pilot_runs_first_and_once_and_then_everything_else() -> None:
    lab = Lab()
    one = lab.bench(Script(*BETTER), config(PILOT))
    assert lab.commands[0] == ("head", "./pilot")
    assert [command for _, command in lab.commands].count("./pilot") == 1
    assert one.outcome is Outcome.KEEP
    assert one.comparisons[0].relative_change == pytest.approx(-0.25)
    assert lab.runner.requests[0].timeout_s == 120


def test_without_the_metric_of_the_pilot_no_full_run_begins() -> None:
    lab = Lab()
    one = lab.bench(Script(*BETTER, ends={("./pilot", Side.HEAD): silent}), config(PILOT))
    assert lab.commands == [("head", "./pilot")]
    assert (one.status, one.outcome, one.conclusion) == (Status.FAILED, Outcome.ERRORED, Conclusion.FAILURE)
    assert one.reason.startswith("the pilot failed, so no full run began: it ended well but printed no metric loss")
    run = next(run for run in lab.store.stored.values() if run.commit == HEAD)
    assert (run.status, run.cause, run.samples) == (RunStatus.ERRORED, Cause.NO_METRIC, ())
    assert run.detail.startswith("pilot failed: ")


def test_a_scale_fills_the_command_of_the_pilot_and_is_one_in_full_runs() -> None:
    lab = Lab()
    lab.bench(Script(*BETTER), config("run: ./bench --part {scale}", "pilot: {scale: 10%}"))
    commands = [command for _, command in lab.commands]
    assert (commands[0], set(commands[1:])) == ("./bench --part 0.1", {"./bench --part 1"})


@pytest.mark.parametrize(
    ("pilot", "said"),
    [("{}", "a pilot has either"), ("{run: ./p, scale: 10%}", "a pilot has either"), ("{scale: 10%}", "put {scale} there")],
)
def test_a_pilot_that_could_not_run_is_an_error_of_the_config(pilot: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_config(f"version: 1\nbenchmarks:\n  b: {{run: ./b, metric: {{name: t, better: lower}}, pilot: {pilot}}}\n")
    assert said in caught.value.message

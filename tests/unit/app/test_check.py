"""The order of work over fakes: what is planned, run, decided and stored for each way a check can go."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from tests.fakes.machine import FakeMachine
from tests.fakes.runner import completed
from tests.fakes.worktrees import FakeWorktrees
from tests.houses import BASE, HEAD, Lab, Script, config

from assay.core.comparison import Undecided
from assay.core.config_text import adhoc_config
from assay.core.decide import FailOn, Mode
from assay.core.envelope import RunStatus
from assay.core.facts import PythonFacts
from assay.core.model import Cause, Completed, Conclusion, Direction, Outcome, Rung, Side, Status, Verdict
from assay.core.wording import standing
from assay.errors import CancelledError, InfrastructureError, UsageError

BETTER = Script({"loss": [120]}, {"loss": [90]})
SAME = Script({"loss": [100]}, {"loss": [100]})
WORSE = Script({"loss": [90]}, {"loss": [120]})
NOISY = Script({"loss": [93, 109, 82, 116, 107, 72, 108, 112, 73, 133]}, {"loss": [135, 70, 96, 86, 118, 106, 78, 77, 116, 112]})


def crash(_: int) -> Completed:
    return completed("METRIC loss=1\nlast words\n", exit_code=3)


def fresh(script: Script, **changes: object) -> Script:
    return replace(script, counts={}, **changes)  # type: ignore[arg-type]


def test_a_better_head_is_kept_and_both_runs_and_the_decision_are_stored() -> None:
    lab = Lab()
    one = lab.bench(fresh(BETTER))
    assert (one.status, one.outcome, one.conclusion) == (Status.MEASURED, Outcome.KEEP, Conclusion.SUCCESS)
    assert one.comparisons[0].relative_change == pytest.approx(-0.25)
    assert {run.commit: run.status for run in lab.store.stored.values()} == {BASE: RunStatus.COMPLETE, HEAD: RunStatus.COMPLETE}
    assert [decision.head_run for decision in lab.store.decided.values()] == [one.run_id]


def test_sides_are_interleaved_and_warm_ups_dropped() -> None:
    lab = Lab()
    one = lab.bench(fresh(BETTER))
    sides = [side for side, _ in lab.commands]
    assert sides == ["base", "head", "base", "head", "head", "base", "base", "head", "head", "base"]
    assert one.comparisons[0].base == (120,) * 4


def test_sampling_goes_on_to_the_last_look_while_nothing_is_settled() -> None:
    lab = Lab()
    one = lab.bench(fresh(NOISY))
    assert len(one.comparisons[0].head) == 10
    assert (one.outcome, one.conclusion) == (Outcome.PENDING, Conclusion.NEUTRAL)
    assert "excluded" in one.comparisons[0].reason


def test_equal_numbers_are_unchanged_after_the_first_look() -> None:
    one = Lab().bench(fresh(SAME))
    assert (one.comparisons[0].verdict, len(one.comparisons[0].head)) == (Verdict.UNCHANGED, 4)


def test_a_worse_head_fails_the_gate() -> None:
    checked = Lab().check(fresh(WORSE))
    one = checked.result.benchmarks[0]
    assert (one.outcome, one.conclusion, checked.result.conclusion) == (Outcome.DISCARD, Conclusion.FAILURE, Conclusion.FAILURE)
    assert checked.decisions[0].triggers == {FailOn.REGRESSED}


def test_a_regression_that_a_fresh_session_does_not_show_is_not_confirmed() -> None:
    lab, given = Lab(), config(top=["policy: {confirm: true}"])
    one = lab.bench(Script({"loss": [90]}, {"loss": [120] * 4 + [90]}), given)
    assert (one.comparisons[0].verdict, one.comparisons[0].undecided) == (Verdict.UNDECIDED, Undecided.UNCONFIRMED)
    assert (one.outcome, one.conclusion) == (Outcome.PENDING, Conclusion.NEUTRAL)
    assert any("measured the regression again: loss: unchanged" in warning for warning in one.warnings)
    assert len({run.session_id for run in lab.store.stored.values()}) == 2
    assert one.run_id in lab.store.stored


def test_a_regression_that_comes_again_is_one_and_without_the_key_nobody_asks() -> None:
    confirming, plain = Lab(), Lab()
    one = confirming.bench(fresh(WORSE), config(top=["policy: {confirm: true}"]))
    assert (one.outcome, one.conclusion) == (Outcome.DISCARD, Conclusion.FAILURE)
    assert any("loss: regressed, +33.3 %" in warning for warning in one.warnings)
    plain.bench(fresh(WORSE))
    assert len(confirming.commands) == 2 * len(plain.commands)


def test_no_second_session_is_begun_where_nothing_regressed() -> None:
    one, other = Lab(), Lab()
    one.bench(fresh(BETTER), config(top=["policy: {confirm: true}"]))
    other.bench(fresh(BETTER))
    assert len(one.commands) == len(other.commands)


def test_sides_that_did_not_do_the_same_work_are_not_compared() -> None:
    given = config("workload: [tokens]")
    one = Lab().bench(Script({"loss": [90], "tokens": [1000]}, {"loss": [120], "tokens": [10]}), given)
    assert one.comparisons[0].undecided is Undecided.WORKLOAD
    assert "1000 for base, 10 for head" in one.comparisons[0].reason
    assert (one.outcome, one.conclusion) == (Outcome.PENDING, Conclusion.NEUTRAL)
    missing = Lab().bench(Script({"loss": [90], "tokens": [1000]}, {"loss": [120]}), given)
    assert "for the head does not print it" in missing.comparisons[0].reason
    same = Lab().bench(Script({"loss": [90], "tokens": [1000]}, {"loss": [120], "tokens": [1000]}), given)
    assert same.comparisons[0].verdict is Verdict.REGRESSED


def test_what_earlier_sessions_spread_steadies_few_pairs() -> None:
    """Four values that happen to agree are not taken for a quiet benchmark where eight runs say that it is loud."""
    noisy, lucky = Lab(), Script({"loss": [100, 100.1, 99.9, 100.05]}, {"loss": [102, 102.1, 101.9, 102.05]})
    for turn in range(4):
        noisy.bench(replace(fresh(NOISY), base={"loss": [93, 109, 82, 116 + turn]}), forced_by="test")
    before = Lab().bench(fresh(lucky)).comparisons[0]
    after = noisy.bench(fresh(lucky), forced_by="test").comparisons[0]
    assert before.interval is not None
    assert after.interval is not None
    assert after.interval[1] - after.interval[0] > 3 * (before.interval[1] - before.interval[0])


def test_on_an_experiment_branch_the_policy_is_ratchet() -> None:
    lab = Lab()
    lab.repo.branches["HEAD"] = "experiment/try"
    checked = lab.check(fresh(SAME))
    assert checked.policy.mode is Mode.RATCHET
    assert checked.result.benchmarks[0].outcome is Outcome.DISCARD


def test_a_crash_of_head_is_errored_and_its_numbers_count_for_nothing() -> None:
    lab = Lab()
    one = lab.bench(fresh(BETTER, ends={("bench", Side.HEAD): crash}))
    assert (one.status, one.outcome, one.conclusion) == (Status.FAILED, Outcome.ERRORED, Conclusion.FAILURE)
    assert one.comparisons == ()
    assert "exit status 3" in one.reason
    assert one.output_tail[-1] == "last words"
    assert lab.store.stored[one.run_id or ""].status is RunStatus.ERRORED


def test_a_crash_of_head_ends_the_session_at_once() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER, ends={("bench", Side.HEAD): lambda count: crash(count) if count == 2 else None}))
    assert lab.commands[-1][0] == "head"
    assert len(lab.commands) == 5


def test_without_a_baseline_head_is_measured_alone_and_stored() -> None:
    lab = Lab()
    one = lab.bench(fresh(BETTER, ends={("bench", Side.BASE): crash}))
    assert (one.status, one.outcome, one.conclusion) == (Status.MEASURED, Outcome.PENDING, Conclusion.NEUTRAL)
    assert one.comparisons[0].undecided is Undecided.NO_BASELINE
    assert one.comparisons[0].head == (90,) * 4
    assert [side for side, _ in lab.commands] == ["base", *["head"] * 5]
    assert any("base" in warning for warning in one.warnings)


def test_a_named_metric_that_is_missing_names_what_was_found_and_the_line_to_add() -> None:
    one = Lab().bench(Script({"loss": [1]}, {"speed": [3]}))
    assert one.outcome is Outcome.ERRORED
    assert "speed" in one.reason
    assert "METRIC loss=<number>" in one.reason


def test_a_refused_metric_line_is_named_in_the_reason() -> None:
    nan = completed("METRIC loss=nan\n")
    one = Lab().bench(fresh(BETTER, ends={("bench", Side.HEAD): lambda _: nan}))
    assert one.outcome is Outcome.ERRORED
    assert "nan" in one.reason.lower()


def test_a_timeout_is_timed_out() -> None:
    late = completed("", exit_code=1, cause=Cause.TIMEOUT)
    one = Lab().bench(fresh(BETTER, ends={("bench", Side.HEAD): lambda _: late}))
    assert (one.outcome, one.conclusion) == (Outcome.ERRORED, Conclusion.TIMED_OUT)


def test_checks_run_once_on_head_after_the_benchmark_and_win_over_a_better_metric() -> None:
    lab = Lab()
    one = lab.bench(fresh(BETTER, ends={("verify", Side.HEAD): crash}), config("checks: ./verify"))
    assert (one.outcome, one.conclusion, one.checks) == (Outcome.CHECKS_FAILED, Conclusion.FAILURE, "failed")
    assert lab.commands[-1] == ("head", "./verify")
    assert sum(command == "./verify" for _, command in lab.commands) == 1


def test_checks_that_passed_let_a_better_head_be_kept() -> None:
    one = Lab().bench(fresh(BETTER), config("checks: ./verify"))
    assert (one.outcome, one.checks) == (Outcome.KEEP, "passed")


def test_setup_runs_once_on_each_side_before_the_benchmark() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER), config("setup: make"))
    assert lab.commands[:2] == [("base", "make"), ("head", "make")]
    assert sum(command == "make" for _, command in lab.commands) == 2


def test_a_failed_setup_of_head_is_errored_and_nothing_is_measured() -> None:
    lab = Lab()
    one = lab.bench(fresh(BETTER, ends={("make", Side.HEAD): crash}), config("setup: make"))
    assert one.outcome is Outcome.ERRORED
    assert "setup" in one.reason
    assert all(command == "make" for _, command in lab.commands)


def test_a_failed_setup_of_base_leaves_no_baseline() -> None:
    one = Lab().bench(fresh(BETTER, ends={("make", Side.BASE): crash}), config("setup: make"))
    assert (one.outcome, one.comparisons[0].undecided) == (Outcome.PENDING, Undecided.NO_BASELINE)


def test_sides_that_share_what_setup_changed_are_not_isolated() -> None:
    lab = Lab()
    lab.worktrees.states = [{"site-packages": "1"}, {"site-packages": "2"}]
    one = lab.bench(fresh(BETTER), config("setup: pip install -e ."))
    assert (one.outcome, one.comparisons[0].undecided) == (Outcome.PENDING, Undecided.NOT_ISOLATED)
    assert "sides not isolated" in one.comparisons[0].reason
    assert any("site-packages" in warning for warning in one.warnings)
    assert len(one.comparisons[0].head) == 4


def test_an_editable_install_of_the_users_checkout_is_not_isolated() -> None:
    lab = Lab()
    lab.worktrees.foreign = ("lab",)
    assert lab.bench(fresh(BETTER)).comparisons[0].undecided is Undecided.NOT_ISOLATED


def test_a_process_that_changed_the_other_side_leaves_no_answer() -> None:
    lab = Lab(worktrees=FakeWorktrees(trespasses=("base: tree/bench.py",)))
    one = lab.bench(Script({"loss": [120]}, {"loss": [90]}))
    assert (one.outcome, one.comparisons[0].undecided) == (Outcome.PENDING, Undecided.NOT_ISOLATED)
    assert "a process of one side changed the other's worktree" in one.comparisons[0].reason
    assert any(text.endswith("base: tree/bench.py") for text in one.warnings)
    assert {run.status for run in lab.store.stored.values()} == {RunStatus.DEGRADED}


def test_what_the_checks_do_to_the_other_side_comes_too_late_to_matter() -> None:
    worktrees = FakeWorktrees()
    lab = Lab(worktrees=worktrees)
    passed = completed()

    def checks(_: int) -> Completed:
        worktrees.trespasses = ("base: tree/bench.py",)
        return passed

    one = lab.bench(Script({"loss": [120]}, {"loss": [90]}, ends={("checks", Side.HEAD): checks}), config("checks: ./checks"))
    assert one.outcome is Outcome.KEEP


def test_a_side_whose_tracked_files_changed_is_dirty_and_measured_again() -> None:
    lab = Lab(worktrees=FakeWorktrees(changed=("results.csv", "a", "b", "c")))
    one = lab.bench(Script({"loss": [120]}, {"loss": [90]}))
    assert one.outcome is Outcome.KEEP
    assert any("head" in text and "results.csv, a, b and 1 more" in text for text in one.warnings)
    assert all(run.dirty for run in lab.store.stored.values())
    assert lab.bench(Script({"loss": [120]}, {"loss": [90]})).status is Status.MEASURED


def test_an_input_that_changed_during_the_session_is_not_isolated() -> None:
    lab = Lab()
    lab.worktrees.inputs = {"data": "1"}

    def spoil(_: int) -> None:
        lab.worktrees.inputs = {"data": "2"}

    one = lab.bench(fresh(BETTER, ends={("bench", Side.HEAD): spoil}), config("inputs: [data]"))
    assert one.comparisons[0].undecided is Undecided.NOT_ISOLATED
    assert any("data" in warning for warning in one.warnings)


GUARDED = config("guards: {ms: {better: lower, max_regression: 5%}}")


def test_a_guard_beyond_its_limit_discards_a_better_primary() -> None:
    one = Lab().bench(Script({"loss": [120], "ms": [100]}, {"loss": [90], "ms": [140]}), GUARDED)
    assert (one.outcome, one.conclusion) == (Outcome.DISCARD, Conclusion.FAILURE)


def test_a_guard_that_head_no_longer_prints_discards() -> None:
    one = Lab().bench(Script({"loss": [120], "ms": [100]}, {"loss": [90]}), GUARDED)
    assert one.outcome is Outcome.DISCARD
    assert [c.reason.startswith("not measured") for c in one.comparisons] == [False, True]


def test_a_guard_that_neither_side_prints_is_undecided() -> None:
    one = Lab().bench(fresh(BETTER), GUARDED)
    assert (one.outcome, one.comparisons[1].undecided) == (Outcome.PENDING, Undecided.NOT_MEASURED)


def test_other_metrics_are_shown_and_decide_nothing() -> None:
    script = Script({"loss": [120], "mem": [100], "tok": [5]}, {"loss": [90], "mem": [900], "tok": [1]})
    one = Lab().bench(script, config("secondary: {tok: {better: higher}}"))
    assert one.outcome is Outcome.KEEP
    verdicts = {comparison.spec.name: (comparison.verdict, comparison.undecided) for comparison in one.comparisons}
    assert verdicts["mem"] == (Verdict.UNDECIDED, Undecided.NO_DIRECTION)
    assert verdicts["tok"] == (Verdict.REGRESSED, None)


def test_each_seed_is_one_unit_of_evidence_on_both_sides() -> None:
    lab = Lab()
    given = config("run: ./bench --seed {seed}", "seeds: [13, 42, 7]")
    one = lab.bench(Script({"loss": [3.0, 4.0, 5.0]}, {"loss": [2.9, 3.9, 4.9]}), given)
    assert len(one.comparisons[0].base) == 3
    used = {(side, command.split()[-1]) for side, command in lab.commands}
    assert used == {(side, seed) for side in ("base", "head") for seed in ("13", "42", "7")}
    assert lab.store.stored[one.run_id or ""].seeds == (13, 42, 7)


def test_repeats_of_a_seed_that_agree_are_not_repeated_further() -> None:
    lab = Lab()
    given = config("run: ./bench {seed}", "seeds: [1, 2, 3]", "repeats: {min: 5, max: 9}", "warmup: 0")
    lab.bench(fresh(SAME), given)
    assert [command for _, command in lab.commands].count("./bench 1") == 4
    assert [command for _, command in lab.commands].count("./bench 2") == 2


def test_repeats_of_a_seed_that_differ_are_all_made() -> None:
    lab = Lab()
    given = config("run: ./bench {seed}", "seeds: [1, 2]", "repeats: {min: 3, max: 9}", "warmup: 0")
    one = lab.bench(Script({"loss": [1, 2, 3, 4, 5, 6, 7]}, {"loss": [2, 3, 4, 5, 6, 7, 8]}, warmups=0), given)
    assert [command for _, command in lab.commands].count("./bench 2") == 6
    assert len(one.comparisons[0].head) == 2


def test_max_time_ends_the_sampling_and_says_so() -> None:
    lab = Lab()
    one = lab.bench(fresh(NOISY, duration_s=10.0, clock=lab.clock), config("max_time: 95s"))
    assert one.comparisons[0].undecided is Undecided.TIME
    assert "max_time" in one.comparisons[0].reason
    assert len(lab.commands) < 14


def test_a_process_that_max_time_ends_is_no_timeout_of_the_benchmark() -> None:
    lab = Lab()

    def cut_short(count: int) -> Completed | None:
        if count < 4:
            return None
        lab.clock.advance(10.0)
        return completed("", exit_code=1, cause=Cause.TIMEOUT, duration_s=20.0)

    script = fresh(NOISY, duration_s=10.0, clock=lab.clock, ends={("bench", Side.HEAD): cut_short})
    one = lab.bench(script, config("max_time: 100s", "timeout: 90s"))
    assert one.outcome is Outcome.PENDING
    assert one.comparisons[0].undecided is Undecided.TIME


def test_nothing_relevant_changed_is_a_success_without_any_process() -> None:
    lab = Lab()
    lab.repo.paths = ("docs/notes.md", "README.md")
    one = lab.bench(fresh(BETTER))
    assert (one.status, one.outcome, one.conclusion) == (Status.SKIPPED, None, Conclusion.SUCCESS)
    assert lab.commands == []
    assert "2 changed paths" in one.reason


def test_a_forced_run_measures_also_where_nothing_relevant_changed() -> None:
    lab = Lab()
    lab.repo.paths = ("docs/notes.md",)
    one = lab.bench(fresh(SAME), forced_by="--no-reuse")
    assert one.status is Status.MEASURED
    assert one.reuse is not None
    assert (one.reuse.forced_by, one.reuse.reasons[0].rung) == ("--no-reuse", Rung.FORCED)


def test_the_same_question_again_is_reused_and_the_decision_stands() -> None:
    lab = Lab()
    first = lab.bench(fresh(WORSE))
    second = lab.bench(fresh(BETTER))
    assert lab.commands == []
    assert (second.status, second.run_id, second.outcome, second.reason) == (Status.REUSED, first.run_id, Outcome.DISCARD, first.reason)
    assert [one.status for one in lab.store.decided.values()] == [Status.MEASURED, Status.REUSED], "each answer counts for reuse.remeasure"


def test_a_reused_regression_stays_one_for_the_exit_code() -> None:
    lab = Lab()
    lab.check(fresh(WORSE))
    assert lab.check(fresh(WORSE)).decisions[0].triggers == {FailOn.REGRESSED}


def test_another_limit_decides_anew_on_the_stored_samples() -> None:
    lab = Lab()
    lab.bench(fresh(Script({"loss": [100]}, {"loss": [103]})))
    again = lab.bench(fresh(BETTER), config("metric: {name: loss, better: lower, min_effect: 10%}"))
    assert (again.status, again.outcome) == (Status.REUSED, Outcome.KEEP)
    assert again.comparisons[0].verdict is Verdict.UNCHANGED
    assert len(lab.store.decided) == 2


def test_another_command_is_measured_again() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER))
    again = lab.bench(fresh(BETTER), config("run: ./other"))
    assert again.status is Status.MEASURED
    assert again.reuse is not None
    assert [reason.rung for reason in again.reuse.reasons] == [Rung.CONFIG]


def test_a_head_without_a_run_of_this_base_is_measured_again() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER))
    lab.repo.base = "c" * 40
    again = lab.bench(fresh(BETTER))
    assert again.status is Status.MEASURED
    assert again.reuse is not None
    assert "base" in again.reuse.reasons[0].detail


def test_an_errored_run_is_never_reused() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER, ends={("bench", Side.HEAD): crash}))
    assert lab.bench(fresh(BETTER)).status is Status.MEASURED


def test_a_cancelled_session_is_stored_with_what_it_had() -> None:
    lab = Lab()

    def cancel(count: int) -> None:
        if count == 3:
            raise CancelledError("Cancelled by SIGTERM.")

    with pytest.raises(CancelledError):
        lab.bench(fresh(BETTER, ends={("bench", Side.HEAD): cancel}))
    head = next(run for run in lab.store.stored.values() if run.commit == HEAD)
    assert (head.status, head.cause) == (RunStatus.CANCELLED, Cause.CANCELLED)
    assert len(head.samples) == 2
    assert not lab.worktrees.open


def test_a_session_that_is_cancelled_before_anything_ran_is_on_record_too() -> None:
    lab = Lab()
    lab.worktrees.refusal = CancelledError("Cancelled by SIGTERM.")
    with pytest.raises(CancelledError):
        lab.bench(fresh(BETTER))
    assert {(run.commit, run.status, run.cause) for run in lab.store.stored.values()} == {
        (commit, RunStatus.CANCELLED, Cause.CANCELLED) for commit in (BASE, HEAD)
    }
    assert not lab.worktrees.open


def test_a_store_that_refuses_costs_neither_the_answer_nor_the_envelopes() -> None:
    lab = Lab()
    lab.store.refuses = "The disk is full."
    one = lab.bench(fresh(BETTER))
    assert one.outcome is Outcome.KEEP
    assert any("disk is full" in warning for warning in one.warnings)
    assert sum(name.startswith("unstored-run-") for name in lab.reports.written) == 2


def break_off(count: int) -> Completed | None:
    if count == 3:
        raise InfrastructureError("The disk is full.", hint="Free it.")
    return None


def test_an_error_outside_the_benchmark_stores_what_was_measured_and_is_reported() -> None:
    lab = Lab()
    checked = lab.check(fresh(BETTER, ends={("bench", Side.HEAD): break_off}))
    one = checked.result.benchmarks[0]
    assert (one.status, one.outcome, one.reason) == (Status.FAILED, Outcome.PENDING, "The disk is full.")
    assert one.conclusion is Conclusion.FAILURE
    assert [error.message for error in checked.errors] == ["The disk is full."]
    assert {run.status for run in lab.store.stored.values()} == {RunStatus.PARTIAL}
    assert sum(len(run.samples) for run in lab.store.stored.values()) == 5


def test_an_error_of_one_benchmark_does_not_lose_the_others() -> None:
    two = config(top=["  other:", "    run: ./other", "    metric: {name: loss, better: lower}"])
    checked = Lab().check(fresh(BETTER, ends={("bench", Side.HEAD): break_off}), two)
    assert [one.status for one in checked.result.benchmarks] == [Status.FAILED, Status.MEASURED]


def test_what_is_wrong_with_the_last_benchmark_is_found_before_the_first_is_measured() -> None:
    lab = Lab()
    two = config(top=["  other:", "    run: ./other", "    metric: {name: loss, better: lower}", "    inputs: [data]"])
    with pytest.raises(UsageError):
        lab.check(fresh(BETTER), two)
    assert lab.commands == []


def test_a_bare_command_is_judged_by_the_metric_it_prints() -> None:
    one = Lab().bench(Script({"x": [3]}, {"x": [2]}), adhoc_config("./bench"), better=Direction.LOWER)
    assert (one.outcome, one.comparisons[0].spec.name) == (Outcome.KEEP, "x")


def test_a_bare_command_without_a_direction_stays_undecided() -> None:
    one = Lab().bench(Script({"x": [3]}, {"x": [2]}), adhoc_config("./bench"))
    assert (one.outcome, one.comparisons[0].undecided) == (Outcome.PENDING, Undecided.NO_DIRECTION)


def test_a_bare_command_that_prints_nothing_is_timed() -> None:
    one = Lab().bench(Script({}, {}), adhoc_config("./bench"))
    assert (one.comparisons[0].spec.name, one.comparisons[0].spec.unit, one.comparisons[0].head) == ("wall_time", "s", (1.0,) * 4)
    assert one.outcome is Outcome.KEEP


def test_a_stored_bare_command_is_reused_and_says_the_same() -> None:
    lab = Lab()
    lab.bench(Script({}, {}), adhoc_config("./bench"))
    again = lab.bench(Script({}, {}), adhoc_config("./bench"))
    assert (again.status, again.comparisons[0].spec.name) == (Status.REUSED, "wall_time")


def test_a_harness_that_differs_is_a_warning() -> None:
    lab = Lab()
    lab.repo.paths = ("bench/run.py", "src/x.py")
    one = lab.bench(fresh(BETTER), config("watch: {code: [src/**], harness: [bench/**]}"))
    assert any("bench/run.py" in warning for warning in one.warnings)


def test_an_unknown_benchmark_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UsageError) as error:
        Lab().bench(fresh(BETTER), benchmarks=("bensh",))
    assert "bensh" in error.value.message
    assert '"bench"' in error.value.hint


def test_the_worst_benchmark_is_the_conclusion_of_the_check() -> None:
    two = config("repeats: {min: 4, max: 4}", top=["  other:", "    run: ./other", "    metric: {name: loss, better: higher}"])
    checked = Lab().check(fresh(BETTER), two)
    assert [one.conclusion for one in checked.result.benchmarks] == [Conclusion.SUCCESS, Conclusion.FAILURE]
    assert checked.result.conclusion is Conclusion.FAILURE


def test_worktrees_are_gone_when_a_benchmark_is_done() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER))
    assert not lab.worktrees.open
    assert [call[:3] for call in lab.worktrees.calls if call[0] == "prepare"] == [("prepare", "base", BASE), ("prepare", "head", HEAD)]


def test_a_bare_command_that_never_finished_is_undecided_for_lack_of_time() -> None:
    lab = Lab()
    late = completed("", exit_code=1, cause=Cause.TIMEOUT)
    given = adhoc_config("./bench")
    hasty = given.model_copy(update={"policy": given.policy.model_copy(update={"max_time": 5.0})})
    script = Script({}, {}, ends={("bench", Side.BASE): lambda _: late}, clock=lab.clock, duration_s=10.0)
    one = lab.bench(script, hasty)
    assert (one.outcome, one.comparisons[0].spec.name) == (Outcome.PENDING, "wall_time")
    assert one.comparisons[0].undecided is Undecided.TIME
    assert one.status is Status.FAILED


def test_a_direction_that_is_given_later_decides_anew_on_the_stored_samples() -> None:
    lab = Lab()
    printed = Script({"x": [3]}, {"x": [2]})
    lab.bench(fresh(printed), adhoc_config("./bench"))
    again = lab.bench(fresh(printed), adhoc_config("./bench"), better=Direction.LOWER)
    assert (again.status, again.outcome, again.comparisons[0].verdict) == (Status.REUSED, Outcome.KEEP, Verdict.IMPROVED)


def test_a_timed_command_is_decided_anew_under_another_policy() -> None:
    lab = Lab()
    lab.bench(Script({}, {}), adhoc_config("./bench"))
    again = lab.bench(Script({}, {}), adhoc_config("./bench"), fail_on=("undecided",))
    assert (again.status, again.comparisons[0].spec.name, again.outcome) == (Status.REUSED, "wall_time", Outcome.KEEP)


def test_a_bare_head_that_no_longer_prints_the_bases_metric_is_errored_not_timed() -> None:
    one = Lab().bench(Script({"x": [3]}, {}), adhoc_config("./bench"), better=Direction.LOWER)
    assert one.outcome is Outcome.ERRORED
    assert "METRIC x=<number>" in one.reason


def test_a_bare_head_whose_metric_line_is_refused_is_errored_not_timed() -> None:
    refused = completed("METRIC x: 3\n")
    ends = {("bench", side): lambda _: refused for side in Side}
    one = Lab().bench(Script({}, {}, ends=ends), adhoc_config("./bench"))
    assert one.outcome is Outcome.ERRORED
    assert "was refused" in one.reason


def test_a_time_cannot_be_better_higher() -> None:
    assert Lab().bench(Script({}, {}), adhoc_config("./bench"), better=Direction.HIGHER).outcome is Outcome.ERRORED


def test_a_metric_whose_unit_changes_is_not_compared() -> None:
    def printed(unit: str) -> Completed:
        return completed(f"METRIC loss=2 ({unit})\n")

    ends = {("bench", Side.BASE): lambda _: printed("nats"), ("bench", Side.HEAD): lambda _: printed("bits")}
    one = Lab().bench(fresh(BETTER, ends=ends))
    assert (one.outcome, one.comparisons[0].undecided) == (Outcome.PENDING, Undecided.NOT_COMPARABLE)


def test_an_undecided_answer_is_measured_again_once_more_samples_are_allowed() -> None:
    lab = Lab()
    first = lab.bench(fresh(NOISY), config("repeats: {min: 4, max: 6}"))
    assert first.comparisons[0].undecided is Undecided.SAMPLES
    assert lab.bench(fresh(NOISY), config("repeats: {min: 4, max: 6}")).status is Status.REUSED
    again = lab.bench(fresh(NOISY), config("repeats: {min: 4, max: 10}"))
    assert (again.status, len(again.comparisons[0].head)) == (Status.MEASURED, 10)


def test_one_seed_alone_is_warned_of() -> None:
    one = Lab().bench(fresh(BETTER), config("run: ./bench {seed}", "seeds: [1]"))
    assert any("One seed" in warning for warning in one.warnings)
    assert one.outcome is Outcome.PENDING


def test_a_failed_setup_is_called_one() -> None:
    one = Lab().bench(fresh(BETTER, ends={("make", Side.HEAD): crash}), config("setup: make"))
    assert one.reason.startswith("setup failed on head")
    assert "setup" in (one.next_step or "")


def test_a_metric_that_does_not_begin_its_line_is_diagnosed() -> None:
    prefixed = completed("[rank0]: METRIC loss=2\n")
    one = Lab().bench(fresh(BETTER, ends={("bench", Side.HEAD): lambda _: prefixed}))
    assert "begin its line" in one.reason


def test_a_side_that_was_not_isolated_is_never_evidence_for_later() -> None:
    lab = Lab()
    lab.worktrees.foreign = ("lab",)
    lab.bench(fresh(BETTER))
    assert {run.status for run in lab.store.stored.values()} == {RunStatus.DEGRADED}
    lab.worktrees.foreign = ()
    assert lab.bench(fresh(BETTER)).status is Status.MEASURED


def test_a_missing_baseline_is_asked_for_again() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER, ends={("bench", Side.BASE): crash}))
    again = lab.bench(fresh(BETTER))
    assert (again.status, again.outcome) == (Status.MEASURED, Outcome.KEEP)


def test_the_base_in_question_decides_which_stored_pair_is_reused() -> None:
    lab = Lab()
    first = lab.bench(fresh(BETTER))
    lab.repo.base = "c" * 40
    lab.bench(fresh(BETTER))
    lab.repo.base = BASE
    again = lab.bench(fresh(BETTER))
    assert (again.status, again.run_id) == (Status.REUSED, first.run_id)


def test_two_policies_in_turn_each_find_their_own_decision() -> None:
    lab = Lab()
    for _ in range(3):
        lab.bench(fresh(WORSE))
        lab.bench(fresh(WORSE), fail_on=("errored",))
    assert [one.status for one in lab.store.decided.values()] == [Status.MEASURED, *[Status.REUSED] * 5]
    assert len({one.policy_hash for one in lab.store.decided.values()}) == 2


def test_another_value_of_a_passed_variable_is_another_config() -> None:
    lab = Lab(variables={"OMP_NUM_THREADS": "1"})
    given = config("env: {pass: [OMP_NUM_THREADS]}")
    lab.bench(fresh(BETTER), given)
    assert lab.bench(fresh(BETTER), given).status is Status.REUSED
    lab.variables["OMP_NUM_THREADS"] = "8"
    assert lab.bench(fresh(BETTER), given).status is Status.MEASURED


def test_base_and_head_alternate_in_order_also_with_equal_repeats_of_seeds() -> None:
    lab = Lab()
    lab.bench(fresh(SAME), config("run: ./bench {seed}", "seeds: [1, 2, 3]", "repeats: {min: 4, max: 4}", "warmup: 0"))
    sides = [side for side, _ in lab.commands]
    assert sides == ["base", "head", "head", "base", "base", "head", "head", "base"]


def test_a_benchmark_whose_turn_comes_too_late_is_not_even_set_up() -> None:
    lab = Lab()
    two = config(
        "setup: make",
        top=["  other:", "    run: ./other", "    setup: make", "    metric: {name: loss, better: lower}", "policy: {max_time: 30s}"],
    )
    checked = lab.check(fresh(BETTER, clock=lab.clock, duration_s=10.0), two)
    assert [one.status for one in checked.result.benchmarks][1] is Status.FAILED
    assert "max_time" in checked.result.benchmarks[1].reason
    assert checked.nothing_measured
    assert all("/other/" not in request.cwd for request in lab.runner.requests)


def test_only_heads_envelope_names_the_base() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER))
    assert {run.commit: run.base for run in lab.store.stored.values()} == {HEAD: BASE, BASE: None}


def test_what_the_worktree_could_not_have_is_in_the_report() -> None:
    lab = Lab()
    lab.worktrees.notes = ("benchmarks run as root, for a reason",)
    assert "benchmarks run as root, for a reason" in lab.bench(fresh(BETTER)).warnings


def test_a_guard_that_neither_side_prints_is_warned_of() -> None:
    assert any("guard ms" in warning for warning in Lab().bench(fresh(BETTER), GUARDED).warnings)


def test_a_signal_while_a_complete_session_is_stored_loses_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab()
    asked = iter([True, False, False, False])
    python = FakeMachine.python

    def interrupted(self: FakeMachine, env: Mapping[str, str]) -> PythonFacts:
        if next(asked):
            raise CancelledError("Cancelled by SIGTERM.")
        return python(self, env)

    monkeypatch.setattr(FakeMachine, "python", interrupted)
    with pytest.raises(CancelledError):
        lab.bench(fresh(BETTER))
    assert {run.commit: run.status for run in lab.store.stored.values()} == {BASE: RunStatus.COMPLETE, HEAD: RunStatus.COMPLETE}


@pytest.mark.parametrize("side", Side)
def test_a_guard_that_only_some_processes_print_is_no_guard_that_held(side: Side) -> None:
    silent = completed("METRIC loss=90\n" if side is Side.HEAD else "METRIC loss=120\n")
    ends = {("bench", side): lambda count: silent if count == 3 else None}
    one = Lab().bench(Script({"loss": [120], "ms": [100]}, {"loss": [90], "ms": [100]}, ends=ends), GUARDED)
    guard = one.comparisons[1]
    assert (one.outcome, guard.undecided) == (Outcome.PENDING, Undecided.NOT_MEASURED)
    assert "1 of 4" in guard.reason


def test_what_goes_wrong_beside_the_processes_is_warned_of_once() -> None:
    def unlogged(_: int) -> Completed:
        return replace(completed("METRIC loss=90\n"), warnings=("No log in /repository/.assay/logs/x.",))

    ends = {("./bench", side): unlogged for side in Side}
    one = Lab().bench(fresh(BETTER, ends=ends))
    assert one.status is Status.MEASURED
    assert [warning for warning in one.warnings if "No log" in warning] == ["No log in .assay/logs/x."]


def cut_off(lab: Lab, after_s: float) -> Callable[[int], Completed]:
    """What the time of the benchmark, `after_s` later, ends before it is done."""

    def end(_: int) -> Completed:
        lab.clock.advance(after_s)
        return completed("", exit_code=1, cause=Cause.TIMEOUT, duration_s=after_s)

    return end


@pytest.mark.parametrize("side", list(Side))
def test_a_setup_that_uses_up_the_time_leaves_nothing_measured_and_is_no_fault_of_the_head(side: Side) -> None:
    lab = Lab()
    script = fresh(BETTER, clock=lab.clock, ends={("make", side): cut_off(lab, 60.0)})
    checked = lab.check(script, config("setup: make", "max_time: 60s"))
    one = checked.result.benchmarks[0]
    assert (one.status, one.outcome, checked.nothing_measured) == (Status.FAILED, Outcome.PENDING, True)
    assert one.comparisons[0].undecided is Undecided.TIME
    assert "max_time of the benchmark" in one.reason
    assert {command for _, command in lab.commands} == {"make"}


def test_a_setup_that_runs_into_its_own_limit_is_a_failure_all_the_same() -> None:
    lab = Lab()
    script = fresh(BETTER, clock=lab.clock, ends={("make", Side.HEAD): cut_off(lab, 3600.0)})
    assert lab.bench(script, config("setup: make", "max_time: 60s")).outcome is Outcome.ERRORED


def test_what_setup_takes_is_taken_from_the_time_of_the_benchmark() -> None:
    lab = Lab()
    script = fresh(NOISY, clock=lab.clock, duration_s=10.0)
    one = lab.bench(script, config("setup: make", "max_time: 95s"))
    assert len(one.comparisons[0].head) < 4
    assert one.comparisons[0].undecided is Undecided.TIME


def test_checks_that_the_end_of_the_time_cuts_short_have_not_failed() -> None:
    lab = Lab()
    script = fresh(BETTER, clock=lab.clock, ends={("pytest", Side.HEAD): cut_off(lab, 300.0)})
    one = lab.bench(script, config("checks: pytest", "max_time: 300s"))
    assert (one.outcome, one.checks) == (Outcome.PENDING, "not run")
    assert any("max_time of the benchmark" in warning for warning in one.warnings)


def test_each_process_is_told_how_much_time_there_is_for_waiting_and_running() -> None:
    lab = Lab()
    lab.bench(fresh(BETTER, clock=lab.clock, duration_s=10.0), config("setup: make", "max_time: 200s", "timeout: 90s"))
    within = [request.within_s for request in lab.runner.requests]
    assert within == sorted(within, reverse=True)
    assert within[0] == pytest.approx(200, abs=1)
    assert within[1] == pytest.approx(190, abs=1)
    assert {request.timeout_s for request in lab.runner.requests} == {3600.0, 90.0}


def test_thousands_of_metrics_are_stored_and_the_first_of_them_compared() -> None:
    lab = Lab()
    many = {"loss": [90.0], **{f"m{number}": [1.0] for number in range(5000)}}
    one = lab.bench(Script({**many, "loss": [120.0]}, many), config("secondary: {m4000: {better: higher}}"))
    assert [comparison.spec.name for comparison in one.comparisons] == ["loss", "m4000", *(f"m{number}" for number in range(100))]
    assert any(warning.startswith("4899 further metrics are stored") for warning in one.warnings)
    assert {len(run.metrics) for run in lab.store.stored.values()} == {5001}
    again = lab.bench(Script({}, {}), config("secondary: {m4000: {better: higher}}"))
    assert (again.status, len(again.comparisons)) == (Status.REUSED, 102)


def test_of_what_a_process_prints_the_end_is_kept() -> None:
    done = completed("x" * 100_000 + "end").lightened()
    assert (done.stdout[-3:], len(done.stdout) < 50_000, done.truncated) == ("end", True, True)
    short = completed("all")
    assert short.lightened() == short


def test_waiting_in_vain_for_a_gpu_is_told() -> None:
    lab = Lab()

    def in_vain(_: int) -> Completed:
        lab.clock.advance(60.0)
        detail = "waited for its turn until its time was over: gpu:0 was in use"
        return replace(completed("", cause=Cause.TIMEOUT, duration_s=0.0), exit_code=None, detail=detail)

    script = fresh(BETTER, clock=lab.clock, ends={("bench", Side.BASE): in_vain})
    one = lab.bench(script, config("gpus: 1", "max_time: 60s"))
    assert (one.outcome, standing(one)) == (Outcome.PENDING, "Not measured")
    assert any("gpu:0 was in use" in warning for warning in one.warnings)


def test_auto_is_one_percent_without_evidence_and_the_report_says_so() -> None:
    found = Lab().bench(Script({"loss": [10, 10.1]}, {"loss": [10, 10.1]}), config("metric: {name: loss, better: lower, min_effect: auto}"))
    assert found.comparisons[0].spec.min_effect == 0.01
    assert any("`min_effect: auto` is 1 %" in warning for warning in found.warnings)


def test_auto_follows_runs_of_unchanged_code_once_some_are_stored() -> None:
    lab, quiet = Lab(), Script({"loss": [10, 10.01, 9.99]}, {"loss": [10, 10.01, 9.99]})
    given = config("metric: {name: loss, better: lower, min_effect: auto}")
    for _ in range(3):
        lab.bench(quiet, given, forced_by="--no-reuse")
    found = lab.bench(quiet, given, forced_by="--no-reuse")
    assert found.comparisons[0].spec.min_effect < 0.005
    assert any("pairs of runs of unchanged code" in warning for warning in found.warnings)

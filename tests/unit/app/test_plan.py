"""What is planned where stored runs would do: reused, measured all the same, or measured because somebody said so."""

from dataclasses import replace

from tests.houses import BASE, Lab, Script, config

from assay.core.model import Rung, Status

BETTER = Script({"loss": [120]}, {"loss": [90]})
SAME = Script({"loss": [100]}, {"loss": [100]})
EVERY_SECOND = config(top=["reuse: {remeasure: 2}"])


def fresh(script: Script) -> Script:
    return replace(script, counts={})


def test_every_so_many_reusable_runs_one_is_measured_all_the_same() -> None:
    lab = Lab()
    seen = [lab.bench(fresh(SAME), EVERY_SECOND) for _ in range(6)]
    statuses = [one.status for one in seen]
    assert statuses == [Status.MEASURED, Status.REUSED, Status.MEASURED, Status.REUSED, Status.MEASURED, Status.REUSED]
    again = seen[2].reuse
    assert again is not None
    assert (again.reuse, again.forced_by, again.run_id) == (False, "remeasure", None)
    assert [reason.rung for reason in again.reasons] == [Rung.FORCED]


def test_skips_do_not_count_towards_a_remeasurement() -> None:
    lab = Lab()
    lab.bench(fresh(SAME), EVERY_SECOND)
    lab.repo.paths = ("docs/a.md",)
    for _ in range(5):
        assert lab.bench(fresh(SAME), EVERY_SECOND).status is Status.SKIPPED
    lab.repo.paths = ("src/x.py",)
    assert lab.bench(fresh(SAME), EVERY_SECOND).status is Status.REUSED


def test_without_remeasurement_every_reusable_run_is_reused() -> None:
    lab = Lab()
    given = config(top=["reuse: {remeasure: 0}"])
    lab.bench(fresh(SAME), given)
    assert {lab.bench(fresh(SAME), given).status for _ in range(12)} == {Status.REUSED}


def test_a_base_that_differs_in_ignored_files_alone_is_the_same_base() -> None:
    lab, moved = Lab(), "c" * 40
    lab.repo.listings = {commit: {"src/x.py": "1"} for commit in (BASE, moved)}
    first = lab.bench(fresh(BETTER))
    lab.repo.base = moved
    lab.repo.windows = {(BASE, moved): ("docs/a.md",)}
    again = lab.bench(fresh(BETTER))
    assert (again.status, again.run_id) == (Status.REUSED, first.run_id)


def test_the_decision_record_says_what_forced_a_measurement() -> None:
    lab = Lab()
    lab.bench(fresh(SAME))
    lab.bench(fresh(SAME), forced_by="--no-reuse")
    assert [one.forced_by for one in lab.store.decided.values()] == [None, "--no-reuse"]

"""What a report says of a reused run: which it was, of which commit, how old, by which rule, and where it can be read."""

from dataclasses import replace

import pytest

from assay.core.model import Conclusion, Outcome, Status
from assay.core.provenance import facts_of, reuse_of
from assay.core.result import BenchmarkResult, CheckResult, LineageKey, ReuseVerdict

COMMIT = "a" * 40
KEY = LineageKey(COMMIT, "linux-x86_64-a100-1", "gpt2", "bf16")
PATH = "runs/2025/03/run-01JN8NSVW00000000000000001.json"
VERDICT = ReuseVerdict(reuse=True, key=KEY, run_id="run-01JN8NSVW00000000000000001", path=PATH, commit="b" * 40, via="window")
REUSED = BenchmarkResult("bench", Status.REUSED, Outcome.KEEP, Conclusion.SUCCESS, "", VERDICT.run_id, VERDICT, reused_age="3 h old")


def result(stored_at: str = "") -> CheckResult:
    return CheckResult(COMMIT, COMMIT, Conclusion.SUCCESS, (REUSED,), stored_at=stored_at)


def test_a_reused_run_is_named_with_commit_age_and_rule() -> None:
    said = reuse_of(REUSED, result())
    why = "nothing that matters to this benchmark has changed since. Nothing ran."
    assert said == f"Reused: run `run-01JN8NSVW00000000000000001` of commit bbbbbbb, 3 h old: {why}"


def test_the_key_is_given_in_full() -> None:
    assert f"Key: commit `{COMMIT}` × machine `linux-x86_64-a100-1` × model `gpt2` × precision `bf16`" in facts_of(REUSED, result())


def test_where_the_store_has_pages_the_run_is_a_link() -> None:
    said = reuse_of(REUSED, result("https://github.com/ada/lab/blob/assay-data"))
    assert f"[`run-01JN8NSVW00000000000000001`](https://github.com/ada/lab/blob/assay-data/{PATH})" in said


@pytest.mark.parametrize("strange", ["javascript:alert(1)", "https://x/ y", "https://x/)[", ""])
def test_an_address_that_is_none_makes_no_link(strange: str) -> None:
    assert "](" not in reuse_of(REUSED, result(strange))


def test_what_was_not_reused_has_neither() -> None:
    measured = replace(REUSED, status=Status.MEASURED)
    assert reuse_of(measured, result()) == ""
    assert not any(fact.startswith("Key") for fact in facts_of(measured, result()))

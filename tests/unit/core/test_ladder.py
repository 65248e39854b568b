"""The verdict for a person: the answer in a line, every rung with what it said, and nothing that a path could do to a terminal."""

from dataclasses import replace

from assay.core.ladder import answer_of, explained, ladder_of
from assay.core.model import Rung
from assay.core.result import LineageKey, ReuseReason, ReuseVerdict, Window
from assay.core.verdict import LADDER

HEAD, BASE = "a" * 40, "b" * 40
KEY = LineageKey(HEAD, "linux-x86_64-a100-1", "gpt2", "bf16")
WINDOW = Window(BASE, HEAD, resolved=True, paths=("docs/a.md", "src/x.py"))
REUSED = ReuseVerdict(reuse=True, key=KEY, run_id="run-1", path="runs/run-1.json", commit=BASE, window=WINDOW, via="window", considered=3)
REFUSED = ReuseVerdict(
    reuse=False,
    key=KEY,
    window=WINDOW,
    considered=2,
    reasons=(
        ReuseReason(Rung.CODE, "1 changed path in watch.code: src/x.py"),
        ReuseReason(Rung.MODEL, "run-1: another model: x, now gpt2"),
    ),
)
NONE = ReuseVerdict(reuse=False, key=KEY, reasons=(ReuseReason(Rung.EVIDENCE, "no run of bench is stored"),))
FORCED = ReuseVerdict(reuse=False, key=KEY, forced_by="--no-reuse", reasons=(ReuseReason(Rung.FORCED, "asked for by --no-reuse"),))


def test_the_ladder_has_every_rung_once_in_its_order() -> None:
    for verdict in (REUSED, REFUSED, NONE, FORCED):
        assert tuple(step.rung for step in ladder_of(verdict)) == LADDER
    assert set(LADDER) == set(Rung)


def test_every_rung_of_a_reused_run_holds() -> None:
    assert all(step.holds for step in ladder_of(REUSED))


def test_a_rung_that_fired_says_why_and_the_others_hold() -> None:
    steps = {step.rung: step for step in ladder_of(REFUSED)}
    assert [rung for rung, step in steps.items() if not step.holds] == [Rung.CODE, Rung.MODEL]
    assert steps[Rung.CODE].text == "1 changed path in watch.code: src/x.py"


def test_without_a_candidate_the_rungs_were_not_asked() -> None:
    steps = {step.rung: step.holds for step in ladder_of(NONE)}
    assert (steps.pop(Rung.EVIDENCE), steps.pop(Rung.FORCED)) == (False, True)
    assert set(steps.values()) == {None}
    assert {step.holds for step in ladder_of(FORCED)} == {False, None}


def test_an_answer_names_run_commit_age_and_key_in_full() -> None:
    text = "\n".join(answer_of("bench", REUSED, "3 h"))
    for part in ("run-1", BASE, "3 h old", HEAD, "linux-x86_64-a100-1", "gpt2", "bf16", "need not run"):
        assert part in text


def test_a_refusal_has_each_reason_on_a_line_of_its_own() -> None:
    first, *lines, key = answer_of("bench", REFUSED)
    assert first == "bench must run: no stored run answers."
    assert [line.split(":")[0].strip() for line in lines] == ["code", "model"]
    assert KEY.machine in key


def test_the_explanation_shows_the_window_and_counts_what_was_judged() -> None:
    text = "\n".join(explained(REUSED))
    assert "3 prior runs could be judged" in text
    assert "src/x.py" in text
    many = replace(WINDOW, paths=tuple(f"p{number}" for number in range(30)))
    assert "… and 20 more" in "\n".join(explained(replace(REUSED, window=many)))
    unresolved = replace(REUSED, window=Window(BASE, HEAD, resolved=False, paths=()))
    assert "is not resolved" in "\n".join(explained(unresolved))


def test_a_hostile_path_does_nothing_to_a_terminal() -> None:
    hostile = "src/\x1b[2J##[error]\nx"
    window = Window(BASE, HEAD, resolved=True, paths=(hostile,))
    verdict = replace(REFUSED, window=window, reasons=(ReuseReason(Rung.CODE, hostile),))
    for line in (*answer_of(hostile, verdict), *explained(verdict)):
        assert line.isprintable()
        assert "##[" not in line

"""A journal on a real disk: what was noted is there whatever happens next, and what is no journal of ours is passed over."""

from pathlib import Path

from tests.fakes.runs import a_run, processes_of

from assay.adapters.sample_journal import SampleJournalFolder
from assay.core.envelope import RunStatus
from assay.core.salvage import Noted


def note(journal: SampleJournalFolder, run_id: str, *values: float) -> None:
    for process, value in zip(processes_of(len(values))[1:], values, strict=True):
        journal.add(Noted(run_id=run_id, process=process, values={"loss": value}, units={"loss": None}))


def test_what_was_noted_is_read_back_without_an_end(tmp_path: Path) -> None:
    journal, frame = SampleJournalFolder(tmp_path / "measured"), a_run(values=())
    journal.begin(frame)
    note(journal, frame.run_id, 1.0, 2.0)
    (run,) = SampleJournalFolder(tmp_path / "measured").runs()
    assert ([one.value for one in run.samples], run.status) == ([1.0, 2.0], RunStatus.PARTIAL)


def test_a_line_that_was_cut_costs_that_line_alone(tmp_path: Path) -> None:
    journal, frame = SampleJournalFolder(tmp_path), a_run(values=())
    journal.begin(frame)
    note(journal, frame.run_id, 1.0, 2.0)
    lines = tmp_path / f"{frame.run_id}.jsonl"
    lines.write_bytes(lines.read_bytes()[:-5])
    (run,) = journal.runs()
    assert [one.value for one in run.samples] == [1.0]


def test_an_envelope_at_the_end_stands_for_all_that_was_noted(tmp_path: Path) -> None:
    journal, whole = SampleJournalFolder(tmp_path), a_run(values=(3.0, 4.0))
    journal.begin(a_run(values=()))
    note(journal, whole.run_id, 1.0)
    journal.end(whole)
    assert list(journal.runs()) == [whole]


def test_links_rubbish_and_other_names_are_no_runs(tmp_path: Path) -> None:
    run = a_run(values=(3.0,))
    secret = tmp_path / "secret"
    secret.write_text(run.to_json())
    folder = tmp_path / "measured"
    folder.mkdir()
    (folder / f"{run.run_id}.json").symlink_to(secret)
    (folder / "run-x.json").write_text("{")
    (folder / f"{a_run(9).run_id}.json").write_text(run.to_json())
    assert list(SampleJournalFolder(folder).runs()) == []


def test_no_folder_is_no_run(tmp_path: Path) -> None:
    assert list(SampleJournalFolder(tmp_path / "none").runs()) == []

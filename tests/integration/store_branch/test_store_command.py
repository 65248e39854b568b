"""`assay store` as a person uses it: what it prints, where, and with which exit code."""

import json
from pathlib import Path

import pytest
from tests.fakes.runs import a_decision, a_run
from tests.integration.store_branch.places import REF, git, hook, listed, put
from tests.repositories import Sandbox

from assay.adapters.store_branch import BranchStore, locate
from assay.adapters.store_directory import DirectoryStore
from assay.cli.store_command import compact, flush, import_files, open_store
from assay.errors import InfrastructureError, UsageError


@pytest.fixture
def repo(tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    sandbox = Sandbox(tmp_path / "repo")
    sandbox.commit({"bench.py": "print('METRIC x=1')\n"})
    sandbox.git("remote", "add", "origin", str(remote))
    monkeypatch.chdir(sandbox.root)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return sandbox


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    """An outbox as another runner uploaded it."""
    store = DirectoryStore(tmp_path / "artifact")
    for number in range(3):
        store.add_run(a_run(number))
    store.add_decision(a_decision())
    return tmp_path / "artifact"


def test_an_uploaded_outbox_is_sent_in_one_commit(repo: Sandbox, remote: Path, artifact: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in artifact.rglob("*.json")}
    assert flush(str(artifact)) == 0
    assert capsys.readouterr().out == "4 records are on `assay-data` now.\n"
    assert git(remote, "log", "--format=%s", REF) == "Add 3 runs and 1 decision"
    assert {path: path.read_bytes() for path in artifact.rglob("*.json")} == before
    assert flush(str(artifact), "branch:assay-data") == 0
    assert git(remote, "rev-list", "--count", REF) == "1"


def test_an_empty_outbox_is_no_fault(repo: Sandbox, remote: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flush() == 0
    assert capsys.readouterr().out == "Nothing waits to be sent.\n"
    assert git(remote, "for-each-ref") == ""


def test_what_the_remote_refuses_waits_and_the_exit_code_says_so(
    repo: Sandbox, remote: Path, artifact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hook(remote, "pre-receive", "echo 'error: GH013: Repository rule violations found' >&2; exit 1")
    assert flush(str(artifact), as_json=True) == 4
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert (document["landed"], len(document["waiting"])) == ([], 4)
    assert document["reason"].startswith("branch protection or a ruleset forbids it")
    assert "4 records wait in" in err
    assert "refs/assay/data" in err
    (remote / "hooks" / "pre-receive").unlink()
    assert flush() == 0
    assert len(listed(remote)) == 4


def test_damaged_and_conflicting_records_are_named_and_the_rest_is_sent(
    repo: Sandbox, remote: Path, artifact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(remote, {a_run(1).path: a_run(1, detail="different").to_json().encode()})
    (artifact / a_run(2).path).write_bytes(b"{")
    assert flush(str(artifact)) == 4
    err = capsys.readouterr().err
    assert f"{a_run(1).path} is stored already with another content" in err
    assert f"{a_run(2).path} cannot be read and was not taken" in err
    assert set(listed(remote)) == {f"{a_run(number).run_id}.json" for number in (0, 1)} | {f"{a_decision().decision_id}.json"}


def test_links_in_an_artifact_are_not_followed(repo: Sandbox, remote: Path, artifact: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = artifact / a_run(1).path
    file.rename(artifact.with_name("outside.json"))
    file.symlink_to(artifact.with_name("outside.json"))
    assert flush(str(artifact)) == 4
    assert "a symbolic link" in capsys.readouterr().err
    assert f"{a_run(1).run_id}.json" not in listed(remote)


@pytest.mark.parametrize("name", ["nowhere", "empty", "file"])
def test_a_folder_without_records_is_a_mistake(repo: Sandbox, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(UsageError):
        flush(str(tmp_path / name))


def test_a_store_in_a_folder_takes_an_outbox_in_too(repo: Sandbox, artifact: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flush(str(artifact), "dir:mine") == 0
    assert len(DirectoryStore(repo.root / "mine").runs("bench").runs) == 3
    with pytest.raises(UsageError, match="no outbox"):
        flush(None, "dir:mine")


def test_kept_envelopes_are_imported(repo: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, decision = tmp_path / "unstored-run.json", tmp_path / "dec.json"
    run.write_text(a_run().to_json())
    decision.write_text(a_decision().to_json())
    assert import_files((str(run), str(decision))) == 0
    assert import_files((str(run), str(decision)), "branch") == 0
    local, branch = DirectoryStore(repo.root / ".assay" / "store"), locate(str(repo.root)).open()
    assert local.runs("bench").runs == branch.runs("bench").runs == (a_run(),)
    assert local.decisions(a_run().run_id) == branch.decisions(a_run().run_id)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[" * 100_000])
def test_a_file_that_is_no_envelope_is_not_imported(repo: Sandbox, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"x\.json: "):
        import_files((str(tmp_path / "x.json"),))


def test_importing_another_run_of_an_id_is_refused(repo: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(a_run().to_json())
    import_files((str(file),))
    file.write_text(a_run(detail="different").to_json())
    with pytest.raises(InfrastructureError, match="another record"):
        import_files((str(file),))
    assert import_files((str(file),), "branch") == 0


@pytest.mark.parametrize("store", ["auto", "branch"])
def test_closed_months_are_packed(repo: Sandbox, artifact: Path, capsys: pytest.CaptureFixture[str], store: str) -> None:
    flush(str(artifact), "branch" if store == "branch" else f"dir:{repo.root}/.assay/store")
    capsys.readouterr()
    assert compact(store) == 0
    assert capsys.readouterr().out == "2025-03: 3 runs packed.\n"
    assert compact(store, as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"left": [], "packed": {}, "problems": []}


def test_what_packing_leaves_is_named(repo: Sandbox, remote: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(remote, {a_run().path: b"{"})
    assert compact("branch") == 4
    out, err = capsys.readouterr()
    assert out == "There was nothing to pack.\n"
    assert f"{a_run().path} was left as it is" in err


@pytest.mark.parametrize("word", ["", "dir:", "dir", "branches", "branch:-x", "branch:a..b", "branch:refs/tags/x", "s3:x"])
def test_other_words_for_a_store_are_refused(repo: Sandbox, word: str) -> None:
    with pytest.raises(UsageError):
        open_store(word, str(repo.root), {})


def test_auto_is_the_data_branch_on_github_only(repo: Sandbox) -> None:
    assert isinstance(open_store("auto", str(repo.root), {}), DirectoryStore)
    store = open_store("auto", str(repo.root), {"GITHUB_ACTIONS": "true"})
    assert isinstance(store, BranchStore)
    assert store.name == "assay-data"
    named = open_store("branch:refs/assay/data", str(repo.root), {})
    assert isinstance(named, BranchStore)
    assert named.name == "refs/assay/data"

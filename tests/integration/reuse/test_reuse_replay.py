"""The replay of a history: what reuse would have saved in it, and that a wrong skip would be seen."""

import importlib.util
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest
from tests.repositories import Sandbox

from assay.adapters.git import GitRepo
from assay.core.config_text import parse_config
from assay.core.fingerprint import fingerprints_of
from assay.core.window import Classifier

Captured = pytest.CaptureFixture[str]
SCRIPT = Path(__file__).parents[3] / "benchmarks" / "reuse_replay.py"
CONFIG = """version: 1
benchmarks:
  small:
    run: python bench/run.py
    metric: {name: val_loss, better: lower}
    watch: {code: ["src/**", "!src/generated/**"], harness: ["bench/**"]}
ignore: ["docs/**", "**/*.md", "src/generated/**"]
"""
FILES: dict[str, str | bytes | None] = {"src/kernel.py": "TILE = 16\n", "bench/run.py": "x\n", "docs/a.txt": "a\n", "Makefile": "all:\n"}
LATER: tuple[dict[str, str | bytes | None], ...] = (
    {"docs/a.txt": "b\n"},
    {"src/kernel.py": "TILE = 32\n"},
    {"README.md": "# it\n", "src/generated/table.py": "x\n"},
    {"Makefile": "some:\n"},
    {"Makefile": "all:\n", "src/kernel.py": "TILE = 16\n"},
    {"docs/a.txt": None, "caf\udce9.md": "x\n"},
)


@pytest.fixture
def script() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("reuse_replay", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["reuse_replay"] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules["reuse_replay"]


@pytest.fixture
def commits(sandbox: Sandbox) -> list[str]:
    return [sandbox.commit(FILES), *(sandbox.commit(files) for files in LATER)]


def test_each_content_is_measured_once_and_every_skip_is_proved(script: ModuleType, sandbox: Sandbox, commits: list[str]) -> None:
    root, config = str(sandbox.root), parse_config(CONFIG)
    found = script.replay(root, config, config.benchmarks["small"], script.history(root, "HEAD", 50, every_commit=False))
    assert [step.commit for step in found.steps] == commits
    first, _, tiled, _, made, _, _ = commits
    assert [step.source for step in found.steps] == [None, first, None, tiled, None, first, first]
    assert made not in {step.source for step in found.steps}
    assert (found.reused, found.distinct, found.wrong) == (4, 3, ())
    text = "\n".join(script.told(found, 2))
    assert "small: 7 commits, 3 runs, 4 saved (57%)" in text
    assert "2 of the saved ones would be measured all the same" in text
    assert "wrong skips: 0 of 4" in text


def test_only_so_many_commits_are_gone_through(script: ModuleType, sandbox: Sandbox, commits: list[str]) -> None:
    assert [moment.commit for moment in script.history(str(sandbox.root), "HEAD", 2, every_commit=False)] == commits[-2:]


def test_commits_of_a_merged_branch_count_where_every_one_is_wanted(script: ModuleType, sandbox: Sandbox) -> None:
    sandbox.commit(FILES)
    sandbox.git("checkout", "-q", "-b", "topic")
    topic = sandbox.commit({"src/kernel.py": "TILE = 32\n"})
    sandbox.git("checkout", "-q", "main")
    sandbox.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    few, all_of_them = (script.history(str(sandbox.root), "HEAD", 9, every_commit=every) for every in (False, True))
    assert topic not in {moment.commit for moment in few}
    assert topic in {moment.commit for moment in all_of_them}


def test_a_wrong_skip_is_seen_by_both_proofs(script: ModuleType, sandbox: Sandbox, commits: list[str]) -> None:
    config = parse_config(CONFIG)
    proof = script.Proof(str(sandbox.root), config, config.benchmarks["small"])
    assert list(proof.wrong([(commits[0], commits[1])])) == []
    by_prints, by_git = proof.wrong([(commits[0], commits[2])])
    assert "the fingerprints differ" in by_prints
    assert "src/kernel.py differs" in by_git


def test_a_skip_that_a_broken_classifier_allowed_is_found_out_by_git(
    script: ModuleType, sandbox: Sandbox, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for way in ("standing", "of_path"):
        monkeypatch.setattr(Classifier, way, lambda *_: "ignored")
    root, config = str(sandbox.root), parse_config(CONFIG)
    found = script.replay(root, config, config.benchmarks["small"], script.history(root, "HEAD", 50, every_commit=False))
    assert found.reused == len(commits) - 1
    assert any("src/kernel.py differs" in one for one in found.wrong)


def test_git_and_the_classifier_agree_on_what_matters(script: ModuleType, sandbox: Sandbox, commits: list[str]) -> None:
    config = parse_config(CONFIG)
    benchmark = config.benchmarks["small"]
    repo, classifier = GitRepo.discover(str(sandbox.root)), Classifier.of(config, benchmark)
    proof = script.Proof(str(sandbox.root), config, benchmark)
    prints = {commit: fingerprints_of(repo.tree_files(commit), classifier).content for commit in commits}
    held = proof.held(set(commits))
    for one, other in combinations(commits, 2):
        assert (prints[one] == prints[other]) == (held[one] == held[other])


def test_the_script_prints_what_it_found_and_ends_well(
    script: ModuleType,
    sandbox: Sandbox,
    commits: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = tmp_path / "replay.yml"
    config.write_text(CONFIG)
    monkeypatch.setattr(sys, "argv", ["reuse_replay.py", str(sandbox.root), "--config", str(config), "--last", "4"])
    assert script.main() == 0
    assert "small: 4 commits, 3 runs, 1 saved" in capsys.readouterr().out
    assert sandbox.git("status", "--porcelain") == ""
    assert len(commits) == len(LATER) + 1

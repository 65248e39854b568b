"""What reuse would have saved in a repository's past, and whether it would ever have been wrong.

The last commits of any local repository are gone through, oldest first, under one config. At each of them every benchmark is asked for
as `assay reuse` would ask, in a store that has what earlier commits had to run; where no run answers, one is stored. Nothing is built
and nothing measured, and the repository is only read.

Every commit for which a run of another one stood is then held against that other one, twice: by the fingerprints of both trees, made
anew, and by git itself, which lists both trees and matches the patterns of `watch` and `ignore` its own way. The exit code is 1 where
any file that matters differs.

Usage: python benchmarks/reuse_replay.py [REPOSITORY] [--config FILE] [--last N] [--ref REF] [--every-commit]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from assay.adapters.config_file import read_config
from assay.adapters.git import GitRepo
from assay.adapters.store_directory import DirectoryStore
from assay.app.record import LOCKFILES
from assay.app.reuse import Content, Lineage
from assay.core.config import Benchmark, Config
from assay.core.envelope import Run
from assay.core.fingerprint import fingerprints_of
from assay.core.lineage import Needed, ReuseQuestion, config_facts, lineage_key
from assay.core.model import Trust
from assay.core.result import ReuseVerdict
from assay.core.timestamp import stamp
from assay.core.window import GROUPS, Classifier, own_paths

_ANY_NAME = b"/any name of a file"

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Moment:
    """A commit, and when it is asked about: its own time, or that of an earlier one that is later."""

    commit: str
    at: datetime


@dataclass(frozen=True)
class Step:
    """What was found of one benchmark at one commit; `source` is the commit whose run stood for it."""

    commit: str
    verdict: ReuseVerdict
    took_s: float

    @property
    def source(self) -> str | None:
        return self.verdict.commit if self.verdict.reuse else None


@dataclass(frozen=True)
class Replayed:
    """All commits of one benchmark. `wrong` has each skip that was not right, with why; `distinct` counts contents that differ."""

    benchmark: str
    steps: tuple[Step, ...]
    wrong: tuple[str, ...]
    distinct: int

    @property
    def reused(self) -> int:
        return sum(step.verdict.reuse for step in self.steps)


def ask_git(where: str, *words: str, feed: bytes = b"", fine: tuple[int, ...] = (0,)) -> bytes:
    """What git prints, asked without anybody's configuration."""
    quiet = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", "-C", where, *words], check=False, input=feed, capture_output=True, env=quiet)
    if done.returncode not in fine:
        raise SystemExit(f"git {words[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def history(root: str, ref: str, last: int, *, every_commit: bool) -> tuple[Moment, ...]:
    """The last commits that lead to a ref, oldest first: those of its first parents, unless every one is wanted."""
    which = () if every_commit else ("--first-parent",)
    words = ("log", "-z", "--format=%H %ct", f"--max-count={last}", "--topo-order", "--reverse", *which, "--end-of-options", ref)
    rows = [row.split() for row in ask_git(root, *words).decode().split("\0") if row.strip()]
    latest, moments = 0, []
    for commit, seconds in rows:
        latest = max(latest, int(seconds))
        moments.append(Moment(commit, datetime.fromtimestamp(latest, UTC)))
    return tuple(moments)


@dataclass
class Replay:
    """One benchmark under one config, and a store that begins empty."""

    repo: GitRepo
    config: Config
    benchmark: Benchmark
    store: DirectoryStore
    content: Content = field(init=False)

    def __post_init__(self) -> None:
        self.content = Content(self.repo, Classifier.of(self.config, self.benchmark))

    def step(self, number: int, moment: Moment) -> Step:
        """Ask at one commit, and store a run of it where none answers."""
        template = self._run(number, moment)
        began = time.perf_counter()
        lineage = Lineage(self.content, self.store, self._question(template, moment))
        found = next(lineage.answers(), None)
        verdict = found[1] if found else lineage.refusal()
        took = time.perf_counter() - began
        if not verdict.reuse:
            self.store.add_run(template)
        return Step(moment.commit, verdict, took)

    def _question(self, run: Run, moment: Moment) -> ReuseQuestion:
        key = lineage_key(self.benchmark, moment.commit, run.machine.machine_class)
        ages = moment.at, self.config.reuse.max_age
        return ReuseQuestion(self.benchmark.name, key, run.config.hash, run.environment, Needed("val_loss", 1), *ages, Trust.DEFAULT)

    def _run(self, number: int, moment: Moment) -> Run:
        """What a run of a commit would have left: everything that reuse goes by is true, and the samples are anything."""
        sys.path.insert(0, str(ROOT))
        from tests.fakes.runs import ENVIRONMENT, a_run, an_id

        at, commit = stamp(moment.at), moment.commit
        return a_run(
            run_id=an_id("run", number, moment.at),
            benchmark=self.benchmark.name,
            commit=commit,
            base=None,
            created_at=at,
            finished_at=at,
            trust=Trust.DEFAULT,
            model=self.benchmark.model,
            precision=self.benchmark.precision,
            config=config_facts(self.benchmark, {}),
            environment=ENVIRONMENT.with_lockfiles(self.repo.blobs(commit, LOCKFILES)),
            fingerprints=self.content.prints(commit),
        )


@dataclass(frozen=True)
class Proof:
    """Holds commits against each other without anything that the verdicts went by."""

    root: str
    config: Config
    benchmark: Benchmark

    def wrong(self, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Each pair of commits, that of the run and the one it stood for, of which a file that matters differs."""
        fresh = GitRepo.discover(self.root)
        classifier = Classifier.of(self.config, self.benchmark)
        prints = cache(lambda commit: fingerprints_of(fresh.tree_files(commit), classifier.through(fresh.links(commit))).content)
        held = self.held({commit for pair in pairs for commit in pair})
        for source, commit in pairs:
            said = f"{commit[:12]} by the run of {source[:12]}"
            if prints(source) != prints(commit):
                yield f"{said}: the fingerprints differ"
            if differing := held[source] ^ held[commit]:
                yield f"{said}: by git's own matching {_path(min(differing)).decode(errors='replace')} differs"

    def held(self, commits: set[str]) -> Mapping[str, frozenset[bytes]]:
        """The lines of `git ls-tree` for all files that matter, by commit."""
        listed = {commit: ask_git(self.root, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1] for commit in commits}
        paths = {_path(line) for lines in listed.values() for line in lines}
        matter = paths - matched_by_git(self.config.ignore, paths)
        named = {path.encode() for path in own_paths(self.benchmark)}
        folders = tuple(one.removesuffix(_ANY_NAME) for one in matched_by_git(self.config.ignore, {one + _ANY_NAME for one in named}))
        matter |= {path for path in paths if path in named or path.startswith(tuple(one + b"/" for one in folders))}
        watch = self.benchmark.watch
        for group in GROUPS if watch else ():
            matter |= matched_by_git(getattr(watch, group.value), paths)
        return {commit: frozenset(line for line in lines if _path(line) in matter) for commit, lines in listed.items()}


def matched_by_git(patterns: Sequence[str], paths: set[bytes]) -> set[bytes]:
    """Those of the paths that the patterns cover, each matched as git would match the only line of a .gitignore.

    That the last one decides, and `!` takes back what is below a covered folder too, is ours and not git's.
    """
    covered: set[bytes] = set()
    with tempfile.TemporaryDirectory() as empty:
        ask_git(empty, "init", "-q")
        for pattern in patterns if paths else ():
            found = _ignored(empty, pattern.removeprefix("!"), paths)
            covered = covered - found if pattern.startswith("!") else covered | found
    return covered


def _ignored(empty: str, pattern: str, paths: set[bytes]) -> set[bytes]:
    """What git would ignore of the paths by one pattern, in a repository without any file."""
    file = Path(empty, ".git", "pattern")
    file.write_text(f"{pattern}\n")
    words = ("-c", f"core.excludesFile={file}", "check-ignore", "--no-index", "--stdin", "-z")
    return set(ask_git(empty, *words, feed=b"\0".join(paths) + b"\0", fine=(0, 1)).split(b"\0")[:-1])


def _path(line: bytes) -> bytes:
    return line.partition(b"\t")[2]


def replay(root: str, config: Config, benchmark: Benchmark, moments: Sequence[Moment]) -> Replayed:
    """Go through the commits for one benchmark, then prove every skip."""
    with tempfile.TemporaryDirectory() as folder:
        one = Replay(GitRepo.discover(root), config, benchmark, DirectoryStore(Path(folder, "store")))
        steps = tuple(one.step(number, moment) for number, moment in enumerate(moments))
        distinct = len({one.content.prints(moment.commit).content for moment in moments})
    wrong = Proof(root, config, benchmark).wrong([(step.source, step.commit) for step in steps if step.source])
    return Replayed(benchmark.name, steps, tuple(wrong), distinct)


def told(found: Replayed, remeasure: int) -> Iterator[str]:
    """What came of one benchmark."""
    every, reused = len(found.steps), found.reused
    yield f"{found.benchmark}: {every} commits, {every - reused} runs, {reused} saved ({reused / max(every, 1):.0%})"
    if remeasure:
        yield f"  with `remeasure: {remeasure}`, {reused // remeasure} of the saved ones would be measured all the same"
    yield f"  contents that differ: {found.distinct}, which is the fewest runs there could be"
    by = Counter(step.verdict.via for step in found.steps if step.source)
    yield f"  saved by: {', '.join(f'{via} {times}' for via, times in sorted(by.items(), key=str)) or 'nothing'}"
    rungs = Counter(rung for step in found.steps for rung in {reason.rung.value for reason in step.verdict.reasons})
    yield f"  stopped by: {', '.join(f'{rung} {times}' for rung, times in rungs.most_common()) or 'nothing'}"
    yield f"  a verdict took {statistics.median(step.took_s for step in found.steps) * 1000:.1f} ms (median)"
    yield f"  wrong skips: {len(found.wrong)} of {reused}, by fingerprints and by git's own matching"
    yield from (f"    {one}" for one in found.wrong[:20])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="?", default=".", help="a local git repository (default: this folder)")
    parser.add_argument("--config", help="the config with watch groups (default: the repository's .github/assay.yml)")
    parser.add_argument("--last", type=int, default=200, metavar="N", help="so many commits (default 200)")
    parser.add_argument("--ref", default="HEAD", help="where to look back from (default HEAD)")
    parser.add_argument("--every-commit", action="store_true", help="those of merged branches too, not first parents alone")
    options = parser.parse_args()
    root = GitRepo.discover(options.repository).root
    config = read_config(root, str(Path(options.config).absolute())) if options.config else read_config(root)
    moments = history(root, options.ref, options.last, every_commit=options.every_commit)
    wrong = 0
    for benchmark in config.benchmarks.values():
        found = replay(root, config, benchmark, moments)
        print("\n".join(told(found, config.reuse.remeasure)), flush=True)
        wrong += len(found.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

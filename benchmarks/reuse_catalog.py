"""What a reuse verdict costs in stores of a thousand to a million runs: warm, right after a new run came, and the index built anew.

Synthetic stores of one benchmark (and a tenth of another): closed months are packed, the last one has single files. Nine in ten of the
runs could be judged, all with fingerprints; one of them holds. The verdict is that of `assay reuse` in a small repository whose head
changed an ignored file, and then a watched one; it reads the store, asks git, and judges. Each measurement is a process of its own.

Usage: python benchmarks/reuse_catalog.py [--sizes 1000 10000 100000] [--stores directory branch] [--single N]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assay.adapters.git import GitRepo
from assay.adapters.store_branch import BranchStore
from assay.adapters.store_directory import INDEX, DirectoryStore
from assay.app.reuse import Content, Lineage
from assay.core.canonical import compact, loads
from assay.core.config import Watch
from assay.core.envelope import Run
from assay.core.facts import PythonFacts
from assay.core.fingerprint import fingerprints_of
from assay.core.ids import new_id
from assay.core.lineage import Needed, ReuseQuestion
from assay.core.model import Trust
from assay.core.result import LineageKey
from assay.core.store_layout import packed_path, run_path
from assay.core.timestamp import stamp
from assay.core.window import Classifier

ROOT = Path(__file__).parents[1]
REF = "refs/heads/assay-data"
NOW = datetime(2025, 3, 20, tzinfo=UTC)
CLASSIFIER = Classifier(Watch(code=("src/**",), harness=("bench/**",), config=("configs/**",)), ("docs/**", "**/*.md"))
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | {
    f"GIT_{who}_{what}": "bench@assay.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}
A_MONTH = 7_500
"""Runs of a closed month, which is as much as a packed one holds; a larger store goes further back."""


def git(where: Path, *words: str, feed: bytes = b"") -> str:
    done = subprocess.run(["git", "-C", str(where), *words], input=feed, capture_output=True, check=True, env=os.environ | QUIET)
    return done.stdout.decode().strip()


def repository(place: Path) -> tuple[str, str, str]:
    """A repository of a few hundred files: a measured commit, one after it that changes a page, and one that changes code."""
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    for number in range(300):
        file = place / ("src", "bench", "docs")[number % 3] / f"part{number % 7}" / f"file{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"x = {number}\n")
    commits = []
    for path in ("src/a.py", "docs/page.md", "src/b.py"):
        (place / path).write_text("changed\n")
        git(place, "add", "-A")
        git(place, "commit", "-q", "-m", path)
        commits.append(git(place, "rev-parse", "HEAD"))
    return commits[0], commits[1], commits[2]


def template(repo: GitRepo, commit: str) -> Run:
    """An envelope as a real benchmark of ten processes in a Python of sixty packages leaves it."""
    sys.path.insert(0, str(ROOT))
    from tests.fakes.runs import a_run

    packages = {f"package-{number}": f"{number}.2.1" for number in range(60)}
    python = PythonFacts(implementation="CPython", version="3.11.7", dependencies=packages)
    prints = fingerprints_of(repo.tree_files(commit), CLASSIFIER)
    values = tuple(1 + number / 100 for number in range(10))
    return a_run(values=values, python=python, fingerprints=prints, commit=commit, created_at=stamp(NOW - timedelta(hours=9)))


def texts(run: Run, size: int, chance: random.Random) -> Iterator[tuple[str, datetime, str]]:
    """The id, the moment and the text of so many runs, oldest first; the last is the one that holds."""
    whole = run.to_json()
    content = json.loads(whole)["fingerprints"]["content"]
    step = timedelta(days=30) / A_MONTH
    for number in range(size):
        at = NOW - timedelta(hours=1) - step * (size - 1 - number)
        run_id = new_id("run", at, number.to_bytes(10))
        text = whole.replace(run.run_id, run_id).replace(f'"created_at": "{run.created_at}"', f'"created_at": "{stamp(at)}"')
        if number < size - 1:
            other = chance.randbytes(32).hex()
            text = text.replace(run.commit, other[:40]).replace(content, other)
            text = text.replace('"benchmark": "bench"', '"benchmark": "other"') if number % 10 == 3 else text
        yield run_id, at, text


def packed(run: Run, size: int, single: int) -> Iterator[tuple[str, bytes]]:
    """The files of such a store: closed months as one file each, the last `single` runs as files of their own."""
    month = ""
    lines: list[bytes] = []
    for number, (run_id, at, text) in enumerate(texts(run, size, random.Random(7))):
        if number >= size - single:
            yield run_path(run_id), f"{text}\n".encode()
            continue
        if f"{at:%Y-%m}" != month:
            if lines:
                yield packed_path(month), b"".join(lines)
            month, lines = f"{at:%Y-%m}", []
        lines.append(f"{compact(loads(text))}\n".encode())
    if lines:
        yield packed_path(month), b"".join(lines)


def fill_directory(place: Path, files: Iterator[tuple[str, bytes]]) -> None:
    for path, data in files:
        file = place / "store" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    long_ago = time.time() - 60  # folders that have settled, as those of closed months have
    for folder, _, _ in os.walk(place / "store"):
        os.utime(folder, (long_ago, long_ago))


def fill_branch(place: Path, files: Iterator[tuple[str, bytes]]) -> None:
    (place / "remote.git").mkdir()
    git(place / "remote.git", "init", "-q", "--bare")
    command = ["git", "-C", str(place / "remote.git"), "fast-import", "--quiet"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | QUIET) as importing:
        assert importing.stdin is not None
        importing.stdin.write(f"commit {REF}\ncommitter b <b> 0 +0000\ndata 0\n".encode())
        for path, data in files:
            importing.stdin.write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))


def opened(place: Path, kind: str) -> DirectoryStore | BranchStore:
    if kind == "directory":
        return DirectoryStore(place / "store")
    folder = place / "clone"
    git_dir, outbox, index = (folder / name for name in ("store.git", "outbox", "index.sqlite3"))
    return BranchStore(str(place / "remote.git"), REF, git_dir=git_dir, outbox=outbox, index=index)


def question(run: Run, commit: str) -> ReuseQuestion:
    key = LineageKey(commit, run.machine.machine_class, run.model, run.precision)
    return ReuseQuestion("bench", key, run.config.hash, run.environment, Needed("val_loss", 4), NOW, 1e11, Trust.MEMBER)


def verdict(place: Path, store: DirectoryStore | BranchStore, run: Run, commit: str) -> tuple[float, bool, int]:
    """Seconds of one verdict from nothing but an index, whether a run held, and how many were considered."""
    began = time.perf_counter()
    lineage = Lineage(Content(GitRepo.discover(str(place / "repo")), CLASSIFIER), store, question(run, commit))
    found = next(lineage.answers(), None)
    judged = found[1] if found else lineage.refusal()
    return time.perf_counter() - began, judged.reuse, judged.considered


def build(place: Path, kind: str) -> tuple[float, float]:
    """Seconds of building the index from nothing, on the clock and of the processor, git's among them.

    What a branch has to be fetched first is not counted.
    """
    store = opened(place, kind)
    index = place / "store" / INDEX if kind == "directory" else place / "clone" / "index.sqlite3"
    if kind == "branch":
        store.measured((), ())
    index.unlink(missing_ok=True)
    began, spent = time.perf_counter(), processor_s()
    store.measured((), ())
    return time.perf_counter() - began, processor_s() - spent


def processor_s() -> float:
    """Processor time of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(place: Path, kind: str, docs: str, code: str) -> dict[str, float]:
    """Build the index, then ask again and again; the best of several, for whatever else runs here only makes them slower."""
    run = Run.from_json((place / "run.json").read_text())
    builds = [build(place, kind) for _ in range(3)]
    store = opened(place, kind)
    warm = [verdict(place, store, run, docs) for _ in range(9)]
    refusals = [verdict(place, store, run, code) for _ in range(9)]
    assert all(held for _, held, _ in warm)
    assert not any(held for _, held, _ in refusals)
    text = compact(loads(run.to_json()))
    began = time.perf_counter()
    for _ in range(2000):
        json.loads(text)
    return {
        "built": min(wall for wall, _ in builds),
        "spent": min(processor for _, processor in builds),
        "parsed": (time.perf_counter() - began) / 2000,
        "reuse": min(taken for taken, _, _ in warm),
        "refuse": min(taken for taken, _, _ in refusals),
        "considered": refusals[0][2],
        "mb": peak_mb(),
    }


def peak_mb() -> float:
    """The most memory that this process has had; what `getrusage` says would hold that of the one that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def in_a_process(place: Path, kind: str, docs: str, code: str) -> dict[str, float]:
    words = [sys.executable, __file__, "--measure", str(place), kind, docs, code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def row(kind: str, size: int, single: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        measured, docs, code = repository(place / "repo")
        run = template(GitRepo.discover(str(place / "repo")), measured)
        (place / "run.json").write_text(run.to_json())
        (fill_directory if kind == "directory" else fill_branch)(place, packed(run, size, min(single, size // 2)))
        got = in_a_process(place, kind, docs, code)
    rates = (f"{size / got['built']:,.0f}", f"{size / got['spent']:,.0f}", f"{got['built'] / size / got['parsed']:.2f}")
    cells = (f"{size:,}", *rates, f"{got['built']:.2f} s")
    times = (f"{got['reuse'] * 1000:.1f} ms", f"{got['refuse'] * 1000:.1f} ms", f"{got['considered']:,.0f}", f"{got['mb']:.0f}")
    print(f"{kind:<10}" + "".join(f"{cell:>14}" for cell in (*cells, *times)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="runs in the store")
    parser.add_argument("--stores", nargs="+", choices=("directory", "branch"), default=["directory", "branch"])
    parser.add_argument("--single", type=int, default=1000, help="runs that are not packed yet (default 1000)")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        place, kind, docs, code = options.measure
        print(json.dumps(measure(Path(place), kind, docs, code)))
        return
    heads = ("runs", "index runs/s", "by processor", "× json.loads", "built in", "reused in", "refused in", "considered", "peak MB")
    print(f"{'store':<10}" + "".join(f"{head:>14}" for head in heads))
    for kind in options.stores:
        for size in options.sizes:
            row(kind, size, options.single)


if __name__ == "__main__":
    main()

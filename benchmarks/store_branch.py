"""What a store on a data branch costs: pushing with several writers, building the index, and reading when it is built.

Costs are given as numbers, and as ratios to what the machine does without us: a push to `git push` of one small commit, reading to
`json.loads` of the same envelopes. Everything happens in a temporary folder with a bare repository beside it.

Usage: python benchmarks/store_branch.py [--writers 1 4] [--records N] [--sizes 1000 10000]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from assay.adapters.store_branch import BranchStore
from assay.core.envelope import Run

ROOT = Path(__file__).parents[1]
REF = "refs/heads/assay-data"
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | {
    f"GIT_{who}_{what}": "bench@assay.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def timed(action: Callable[[], object]) -> float:
    """Seconds of wall time."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def git(where: Path, *words: str, feed: bytes = b"") -> str:
    done = subprocess.run(["git", "-C", str(where), *words], input=feed, capture_output=True, check=True, env=os.environ | QUIET)
    return done.stdout.decode().strip()


def store_at(place: Path, clone: str) -> BranchStore:
    folder = place / clone
    return BranchStore(
        str(place / "remote.git"), REF, git_dir=folder / "store.git", outbox=folder / "outbox", index=folder / "index.sqlite3", fresh_s=0.0
    )


def new_remote(place: Path) -> Path:
    remote = place / "remote.git"
    remote.mkdir()
    git(remote, "init", "-q", "--bare")
    return remote


def write(place: str, clone: str, first: str, count: str, batch: str) -> None:
    """The part of one writer process: `count` records, `batch` of them to a push."""
    store = store_at(Path(place), clone)
    for start in range(int(first), int(first) + int(count), int(batch)):
        with store.batch():
            for number in range(start, min(start + int(batch), int(first) + int(count))):
                store.add_run(envelope(number))


def envelope(number: int) -> Run:
    sys.path.insert(0, str(ROOT))
    from tests.fakes.runs import a_run

    return a_run(number)


def pushing(writers: int, records: int, batch: int, shared: bool) -> float:  # noqa: FBT001
    """Records that land in a second."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        new_remote(place)
        base = [sys.executable, __file__, "--write", folder]
        commands = [[*base, "all" if shared else f"c{n}", str(n * 100_000), str(records), str(batch)] for n in range(writers)]
        start = time.perf_counter()
        processes = [subprocess.Popen(command) for command in commands]
        if any(process.wait() for process in processes):
            raise SystemExit("a writer failed")
        taken = time.perf_counter() - start
        landed = len(git(place / "remote.git", "ls-tree", "-r", "--name-only", REF, "runs/").splitlines())
        if landed != writers * records:
            raise SystemExit(f"{landed} of {writers * records} records landed")
        return landed / taken


def plain_push() -> float:
    """Seconds of committing and pushing one small file by plain git, the median of several."""
    with tempfile.TemporaryDirectory() as folder:
        remote, work = new_remote(Path(folder)), Path(folder) / "work"
        work.mkdir()
        git(work, "init", "-q", "-b", "main")

        def once() -> None:
            (work / "file").write_text(str(time.perf_counter()))
            git(work, "add", "file")
            git(work, "commit", "-q", "-m", "x")
            git(work, "push", "-q", str(remote), "main")

        return sorted(timed(once) for _ in range(7))[3]


def our_push() -> float:
    """Seconds of one record from call to landing, the median of several; the first, which makes everything, left out."""
    with tempfile.TemporaryDirectory() as folder:
        new_remote(Path(folder))
        store = store_at(Path(folder), "c")
        store.add_run(envelope(0))
        return sorted(timed(lambda number=number: store.add_run(envelope(number))) for number in range(1, 8))[3]  # type: ignore[misc]


def filled(place: Path, size: int) -> list[bytes]:
    """A remote with `size` runs of one benchmark, made without our own writer; their texts."""
    remote = new_remote(place)
    runs = [envelope(number) for number in range(size)]
    texts = [f"{run.to_json()}\n".encode() for run in runs]
    feed = [f"commit {REF}\ncommitter b <b> 0 +0000\ndata 0\n".encode()]
    feed += [b"M 100644 inline %s\ndata %d\n%s\n" % (run.path.encode(), len(text), text) for run, text in zip(runs, texts, strict=True)]
    git(remote, "fast-import", "--quiet", feed=b"".join(feed))
    return texts


def reading(size: int) -> None:
    """Print what reading so many runs costs."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        texts = filled(place, size)
        parsing = timed(lambda: [json.loads(text) for text in texts])
        store = store_at(place, "c")
        fetched = timed(lambda: store.headers("none"))
        (place / "c" / "index.sqlite3").unlink()
        built = timed(lambda: store.headers("none"))
        headers = min(timed(lambda: store.headers("bench")) for _ in range(3))
        whole = min(timed(lambda: store.runs("bench")) for _ in range(3))
        print(f"{size:>7} runs{size / built:>12,.0f}{built / parsing:>9.1f}", end="")
        print(f"{size / headers:>14,.0f}{headers / parsing:>9.2f}{size / whole:>14,.0f}{whole / parsing:>9.1f}{fetched:>12.2f} s", end="")
        store.compact(datetime(2100, 1, 1, tzinfo=UTC))
        packed = min(timed(lambda: store.runs("bench")) for _ in range(3))
        print(f"{size / packed:>14,.0f}{packed / parsing:>9.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writers", type=int, nargs="+", default=[1, 4], help="numbers of writers at once (default 1 4)")
    parser.add_argument("--records", type=int, default=20, help="records of each writer (default 20)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000], help="sizes of stores to read (default 1000 10000)")
    parser.add_argument("--write", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write(*options.write)
        return
    plain, ours = plain_push(), our_push()
    print(f"one record: {ours * 1000:.0f} ms, {ours / plain:.1f} × add, commit and push by plain git ({plain * 1000:.0f} ms)\n")
    print(f"{'writers':>7}{'records':>9}{'a push each':>14}{'one clone':>12}{'one push':>11}   records/s")
    for writers in options.writers:
        rates = [pushing(writers, options.records, *how) for how in ((1, False), (1, True), (options.records, False))]
        print(f"{writers:>7}{writers * options.records:>9}{rates[0]:>14.1f}{rates[1]:>12.1f}{rates[2]:>11.1f}")
    print(
        f"\n{'':>12}{'index runs/s':>12}{'× json':>9}{'headers/s':>14}{'× json':>9}{'whole runs/s':>14}{'× json':>9}{'first read':>14}",
        end="",
    )
    print(f"{'packed runs/s':>14}{'× json':>9}")
    for size in options.sizes:
        reading(size)


if __name__ == "__main__":
    main()

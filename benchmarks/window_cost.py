"""What it costs to sort the paths of a large window into rungs, beside the `git diff-tree` that lists them.

A repository is made in which so many files differ between two commits, spread over a few hundred folders. Processor time is given, for
git and for us alike: listing is git's process, sorting is what comes after. The bound is that sorting costs less than listing.

Usage: python benchmarks/window_cost.py [--paths N] [--rounds N]
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from assay.adapters.git import GitRepo
from assay.core.config import Watch
from assay.core.window import Classifier, reasons_of

QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
WATCH = Watch(
    code=("src/**", "!src/generated/**", "lib/**/*.py"),
    harness=("bench/**", "src/*/timing.py"),
    model=("models/**",),
    config=("configs/**", "*.toml"),
    environment=("requirements*.txt", "Dockerfile*", "*.lock"),
)
IGNORE = ("docs/**", "**/*.md", "LICENSE*", "src/generated/**", "tests/**")


def history(place: Path, paths: int) -> tuple[str, str]:
    """Two commits that differ in so many files."""
    subprocess.run(["git", "init", "-q", str(place)], check=True, env=os.environ | QUIET)
    feed = b"".join(commit(paths, mark) for mark in (1, 2))
    subprocess.run(["git", "-C", str(place), "fast-import", "--quiet"], input=feed, check=True, env=os.environ | QUIET)
    found = subprocess.run(["git", "-C", str(place), "rev-parse", "main~1", "main"], capture_output=True, text=True, check=True)
    base, head = found.stdout.split()
    return base, head


def commit(paths: int, mark: int) -> bytes:
    text = b"%d\n" % mark
    names = (b"%s/part%d/sub%d/file%d.py" % (top, n % 40, n % 7, n) for n, top in zip(range(paths), tops(), strict=False))
    files = b"".join(b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(text), text) for name in names)
    return b"commit refs/heads/main\ncommitter b <b> %d +0000\ndata 0\n%s" % (mark, files)


def tops() -> Iterator[bytes]:
    while True:
        yield from (b"src", b"docs", b"lib", b"bench", b"other", b"src/generated", b"tests")


def spent_by_git() -> float:
    """Processor time of the processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(place: Path, base: str, head: str) -> tuple[float, float, int]:
    """Seconds of git and of the sorting, both asked anew, and how many paths there were."""
    repo = GitRepo.discover(str(place))
    before = spent_by_git()
    changes = repo.changes(base, head)
    git = spent_by_git() - before
    classifier = Classifier(WATCH, IGNORE)
    began = time.process_time()
    assert reasons_of(changes, classifier)
    return git, time.process_time() - began, len(changes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", type=int, default=20_000, help="changed paths (default 20,000)")
    parser.add_argument("--rounds", type=int, default=7, help="how often each is measured; the best counts (default 7)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        base, head = history(place, options.paths)
        rounds = [measured(place, base, head) for _ in range(options.rounds)]
    git, ours = min(one[0] for one in rounds), min(one[1] for one in rounds)
    print(f"{rounds[0][2]:,} changed paths: listed by git in {git * 1000:.0f} ms, sorted in {ours * 1000:.0f} ms of the processor")
    print(f"bound, less than listing: {'kept' if ours < git else 'BROKEN'}")


if __name__ == "__main__":
    main()

"""What `assay check` adds to an empty benchmark on a small repository, beyond git's own worktree work.

A repository of twenty files, two commits, a benchmark that only prints its metric. Git's own work is `git worktree add` and
`remove` for both commits. The bound that we hold ourselves to is 1.0 s beyond that. The command runs as it does where it is
installed, its modules compiled.

Usage: python benchmarks/check_overhead.py [--runs N]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = """\
version: 1
benchmarks:
  empty:
    run: echo METRIC loss=1
    metric: {name: loss, better: lower}
"""
IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false")


def git(repo: Path, *words: str) -> str:
    done = subprocess.run(["git", *IDENTITY, *words], cwd=repo, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def small_repository(repo: Path) -> tuple[str, str]:
    """Base and head."""
    git(repo, "init", "-q", "-b", "main")
    for number in range(20):
        path = repo / f"src/file{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"NUMBER = {number}\n" * 50)
    config = repo / ".github/assay.yml"
    config.parent.mkdir()
    config.write_text(CONFIG)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "base")
    base = git(repo, "rev-parse", "HEAD")
    (repo / "src/file0.py").write_text("NUMBER = -1\n")
    git(repo, "commit", "-q", "-a", "-m", "head")
    return base, git(repo, "rev-parse", "HEAD")


def seconds(work: object, *words: str, cwd: Path) -> float:
    started = time.perf_counter()
    subprocess.run([str(work), *words], cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def worktree_work(repo: Path, commits: tuple[str, str]) -> float:
    """What git itself takes to lay both commits out and to remove them."""
    spent = 0.0
    for side, commit in zip(("a", "b"), commits, strict=True):
        spent += seconds("git", "worktree", "add", "-q", "--detach", f"../{side}", commit, cwd=repo)
        spent += seconds("git", "worktree", "remove", "--force", f"../{side}", cwd=repo)
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="how often each is timed (default 7)")
    parser.add_argument("--metrics", action="store_true", help="print only what assay check compares")
    options = parser.parse_args()
    runs = options.runs
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder, "repo")
        repo.mkdir()
        commits = small_repository(repo)
        own = statistics.median(worktree_work(repo, commits) for _ in range(runs))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder, "compiled"))

        def median(*words: str) -> float:
            seconds(sys.executable, *words, cwd=repo)  # which compiles
            return statistics.median(seconds(sys.executable, *words, cwd=repo) for _ in range(runs))

        words = ("-m", "assay", "check", "--base", commits[0], "--head", commits[1], "--no-reuse")
        whole, reused, bare = median(*words), median(*words[:-1]), median("-c", "pass")
    if options.metrics:
        print(f"METRIC beyond_git={whole - own:.4f} (s)\nMETRIC reused={reused:.4f} (s)")
        return
    print(f"load average               {os.getloadavg()[0]:6.2f}")
    print(f"python -c pass             {bare:6.3f} s")
    print(f"git's own worktree work    {own:6.3f} s")
    held = "held" if whole - own <= 1.0 else "BROKEN"
    print(f"assay check, measured      {whole:6.3f} s, beyond git {whole - own:.3f} s (bound 1.0: {held})")
    print(f"assay check, reused        {reused:6.3f} s")


if __name__ == "__main__":
    main()

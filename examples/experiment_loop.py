#!/usr/bin/env python3
"""A whole experiment loop on a toy problem: 30 runs, some kept, some discarded, some that crash or compute something wrong.

usage: experiment_loop.py [--runs N] [--seed N] [--dir DIR]        ASSAY names the command, by default `assay`

It makes a git repository with a "kernel" that has three settings, each in a file of its own, and a benchmark that prints how
long the kernel takes. Then it does what a researcher would: change one setting, measure, keep what is faster and passes the
checks, go back from everything else. At the end `finalize` turns what was kept into one clean branch a setting.

Replace `propose` by something that thinks, and `bench.py` by your benchmark.
"""

import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SETTINGS = {"tile": 4, "unroll": 1, "prefetch": 0}

BENCH = """\
import pathlib
settings = {path.stem: int(path.read_text().split("=")[1]) for path in pathlib.Path("kernel").glob("*.txt")}
tile, unroll, prefetch = settings["tile"], settings["unroll"], settings["prefetch"]
if tile > 64:
    raise MemoryError(f"a tile of {tile} does not fit")
print(f"ASI tile={tile}")
print(f"METRIC ms={40 + abs(tile - 32) + 12 / unroll + abs(prefetch - 5) * 1.5:.3f} (ms)")
"""
CHECKS = """\
import pathlib, sys
unroll = int(pathlib.Path("kernel/unroll.txt").read_text().split("=")[1])
sys.exit(f"unrolled {unroll} times the sum is wrong" if unroll > 8 else 0)
"""


def main() -> int:
    """Make the repository, run the loop, finalize, and say what came of it."""
    parser = argparse.ArgumentParser(description="A whole experiment loop on a toy problem.")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=130)
    parser.add_argument("--dir", type=Path, default=None, help="an empty or absent folder for the repository")
    asked = parser.parse_args()
    loop = Loop(asked.dir or Path(tempfile.mkdtemp(prefix="experiment-loop-")), asked.runs)
    chance = random.Random(asked.seed)
    loop.try_one(1, "tile", SETTINGS["tile"])  # nothing changed yet: what all others are held against
    for number in range(2, asked.runs + 1):
        loop.try_one(number, *propose(chance, loop.settings()))
    loop.finish()
    return 0


def propose(chance: random.Random, settings: dict[str, int]) -> tuple[str, int]:
    """The next idea: a setting and its new value. Here it is chance; it could be a person or a model that reads `status --json`."""
    name = chance.choice(sorted(settings))
    step = chance.choice((-16, -8, -4, 4, 8, 16, 48)) if name == "tile" else chance.choice((-2, -1, 1, 2, 4, 8))
    return name, max(1, settings[name] + step)


class Loop:
    """The repository, the session, and the best value so far."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.write(
            {"bench.py": BENCH, "checks.py": CHECKS, **{f"kernel/{name}.txt": f"{name}={value}\n" for name, value in SETTINGS.items()}}
        )
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a slow kernel")
        self.git("checkout", "-q", "-b", "experiment/faster")
        words = ("--name", "faster", "--metric", "ms", "--better", "lower", "--unit", "ms", "--max-iterations", str(runs))
        self.session = self.assay("init", *words, "--checks", f"{shlex.quote(sys.executable)} checks.py")["session"]
        self.best = float("inf")

    def try_one(self, number: int, name: str, value: int) -> None:
        """Change a setting, measure, and keep it or go back."""
        before = self.git("rev-parse", "HEAD")
        self.write({f"kernel/{name}.txt": f"{name}={value}\n"})
        ran = self.assay("run", "--session", self.session, "--timeout", "1m", "--", sys.executable, "bench.py", codes=(0, 1))
        outcome, found = self.judge(ran)
        words = ["--description", f"{name} {value}", "--asi", f"group={name}"]
        words += ["--message", f"Set {name} to {value}"] if outcome == "keep" else ["--baseline", before]
        self.assay("log", "--session", self.session, "--run", ran["handle"], "--outcome", outcome, *words)
        print(f"{number:3}  {outcome:<13}  {name:<8} {value:>3}  {'' if found is None else f'{found:.2f} ms'}")

    def judge(self, ran: dict) -> tuple[str, float | None]:
        """The outcome of a run: better than everything before, with checks that have passed, or else back."""
        if ran["status"] == "errored":
            return "errored", None
        found = ran["primary_metric"]["value"]
        if ran["checks"]["state"] != "passed":
            return "checks_failed", found
        if found >= self.best:
            return "discard", found
        self.best = found
        return "keep", found

    def finish(self) -> None:
        """Turn what was kept into branches, and show them."""
        status = self.assay("status", "--session", self.session)
        result = self.assay(
            "finalize", "--session", self.session, "--summary", f"{len(status['kept'])} of {status['runs_in_segment']} kept"
        )
        print(f"\nbest {self.best:.2f} ms, confidence {status['confidence'] or 0:.1f}, in {self.folder}")
        for group in result["groups"]:
            files = self.git("diff", "--name-only", f"main...{group['branch']}").split()
            print("  {}: {} runs, changes {}".format(group["branch"], len(group["runs"]), ", ".join(files)))

    def settings(self) -> dict[str, int]:
        """The settings as the tree has them."""
        return {name: int((self.folder / f"kernel/{name}.txt").read_text().split("=")[1]) for name in SETTINGS}

    def assay(self, *words: str, codes: tuple[int, ...] = (0,)) -> dict:
        """What `assay experiment` answers. It ends the loop where the command could not do what was asked."""
        command = [*shlex.split(os.environ.get("ASSAY", "assay")), "experiment", words[0], "--json", *words[1:]]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            sys.exit(f"{' '.join(command)} gave {done.returncode}:\n{done.stderr}{done.stdout}")
        return json.loads(done.stdout)

    def git(self, *words: str) -> str:
        """What git prints."""
        identity = ("-c", "user.name=Experiment", "-c", "user.email=experiment@example.com")
        return subprocess.run(["git", *identity, *words], cwd=self.folder, capture_output=True, text=True, check=True).stdout.strip()

    def write(self, files: dict[str, str]) -> None:
        """Write files of the repository."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


if __name__ == "__main__":
    sys.exit(main())

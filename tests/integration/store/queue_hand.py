"""A process at the queue of a directory: `work FOLDER NAME` takes jobs and says which, `edit FOLDER` changes the file as an editor does."""

import json
import os
import sys
import time
from pathlib import Path

from assay.adapters.queue_file import DirectoryQueue
from assay.adapters.workplace import LocalWorkplace
from assay.core.queue import moves

END = "end"


def work(folder: Path, name: str) -> None:
    """Take and finish jobs until the file `end` is there and none is left. Prints the id of each."""
    book, here = DirectoryQueue(folder), LocalWorkplace()
    turn = 0
    while True:
        last = (folder / END).exists()
        turn += 1
        claim = f"{name}-{turn}"
        now = _now()
        queue = book.change(lambda found, claim=claim, now=now: moves.take(found, claim, here.process(), now, here.gone))  # type: ignore[misc]
        job = queue.claimed(claim)
        if job is not None:
            sys.stdout.write(f"{job.job_id}\n")
            book.change(lambda found, job=job, claim=claim: moves.done(found, job.job_id, claim, None, _now()))  # type: ignore[misc]
        elif last:
            return


def edit(folder: Path, count: str) -> None:
    """Add `count` jobs by hand, one at a time, and note something on another: read, think, put a new file in its place."""
    file = folder / "queue.json"
    for number in range(int(count)):
        text = json.loads(file.read_text())
        time.sleep(0.01)  # a person thinks, and meanwhile much happens
        text["jobs"].append({"job_id": f"by-hand-{number}", "benchmark": "bench"})
        text["jobs"][0].setdefault("metadata", {})[f"note-{number}"] = number
        scratch = folder / "queue.json~"
        scratch.write_text(json.dumps(text))
        scratch.replace(file)
        time.sleep(0.01)
    (folder / END).touch()


def _now() -> str:
    from datetime import UTC, datetime

    from assay.core.timestamp import stamp

    return stamp(datetime.now(UTC))


if __name__ == "__main__":
    {"work": work, "edit": edit}[sys.argv[1]](Path(os.path.abspath(sys.argv[2])), sys.argv[3])  # noqa: PTH100

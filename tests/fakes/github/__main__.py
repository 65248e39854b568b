"""The fake as a process: `python -m tests.fakes.github --port 4010 --world world.json --folder DIR`.

Prints its address once it answers, runs until INT or TERM, and ends with 1 if a client did what GitHub would not take.
"""

import argparse
import json
import signal
import sys
from pathlib import Path

from tests.fakes.github.server import serve
from tests.fakes.github.world import seed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.github", description="A GitHub on 127.0.0.1 for tests.")
    parser.add_argument("--port", type=int, default=0, help="the port; any free one by default")
    parser.add_argument("--prefix", default="", help="what the API's base adds to the server's address, such as /api/v3")
    parser.add_argument("--world", type=Path, help="a JSON file of what there is (see README.md)")
    parser.add_argument("--folder", type=Path, required=True, help="where the bare repositories go")
    words = parser.parse_args()
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    with serve(words.folder, port=words.port, prefix=words.prefix) as hub:
        if words.world:
            seed(hub, json.loads(words.world.read_text(encoding="utf-8")))
        sys.stdout.write(f"{hub.url}\n")
        sys.stdout.flush()
        signal.sigwait(ends)
    sys.stderr.writelines(f"violation: {one}\n" for one in hub.violations)
    return 1 if hub.violations else 0


if __name__ == "__main__":
    sys.exit(main())

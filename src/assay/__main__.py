"""The entry point: answers `--version` at once and hands everything else to the command line proper."""

import os
import sys

from assay import __version__

CANCELLED = 130


def main() -> None:
    """Run `assay` with the words of this process and exit with its code."""
    if sys.platform == "win32":
        sys.exit("error: Assay runs on Linux and macOS.\n  → On Windows, use it inside WSL.")
    from assay.cli import streams

    words = sys.argv[1:]
    streams.prepare(words)
    if words == ["--version"]:  # asked by every script and prompt; Typer alone costs five times a bare Python
        sys.exit(streams.tell(f"assay {__version__}\n"))
    try:
        from assay.cli.root import run

        code = run(words)
    except KeyboardInterrupt:  # before `run` has begun to listen
        code = CANCELLED
    sys.stderr.flush()
    # whatever has to be flushed, closed or removed is by now; to free all objects one by one would cost a twentieth of a check
    os._exit(code)


if __name__ == "__main__":
    main()

"""The entry point: answers `--version` at once and hands everything else to the command line proper."""

import sys

from assay import __version__


def main() -> None:
    """Run `assay` with the words of this process and exit with its code."""
    if sys.platform == "win32":
        sys.exit("error: Assay runs on Linux and macOS.\n  → On Windows, use it inside WSL.")
    from assay.cli import streams

    words = sys.argv[1:]
    streams.prepare(words)
    if words == ["--version"]:  # asked by every script and prompt; Typer alone costs five times a bare Python
        sys.exit(streams.tell(f"assay {__version__}\n"))
    from assay.cli.root import run

    sys.exit(run(words))


if __name__ == "__main__":
    main()

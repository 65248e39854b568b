"""The entry point: answers `--version` at once and hands everything else to the command line proper."""

import sys

from assay import __version__


def main() -> None:
    """Run `assay` with the words of this process and exit with its code."""
    if sys.argv[1:] == ["--version"]:  # asked by every script and prompt; Typer alone costs five times a bare Python
        sys.stdout.write(f"assay {__version__}\n")
        return
    if sys.platform == "win32":
        sys.exit("error: Assay runs on Linux and macOS.\n  → On Windows, use it inside WSL.")
    from assay.cli.root import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()

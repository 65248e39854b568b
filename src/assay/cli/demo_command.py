"""`assay demo`: a small real repository whose head is truly faster, checked from nothing to a verdict, then once more."""

import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from assay.cli.check_command import CheckOptions, check

BASE, HEAD = "Suggest words by edit distance", "Suggest words with one row of the table and an early end"


def demo(folder: str | None, as_json: bool) -> int:
    """Make the repository in `folder`, check it twice, and say where everything is; the exit code of the second check."""
    from assay.adapters.git.creation import Version, create
    from assay.adapters.templates import PackageTemplates

    templates = PackageTemplates()
    root = str(Path(folder).absolute()) if folder else tempfile.mkdtemp(prefix="demo-assay-")
    base, head = create(root, [Version(BASE, templates.tree("demo/base")), Version(HEAD, templates.tree("demo/head"))])
    say = sys.stderr if as_json else sys.stdout
    say.write(f"A repository with a benchmark and two commits is in {root}\n\n$ assay check --base {base[:10]} --head {head[:10]}\n")
    say.flush()
    options = CheckOptions(base=base, head=head, as_json=as_json)
    if as_json:
        return check(options, root)
    first = check(options, root)
    say.write("\nThe same question again: the run is stored, so nothing is measured.\n\n$ assay check (the same)\n")
    say.flush()
    second = check(options, root)
    say.write(_where(root))
    return first or second


def _where(root: str) -> str:
    """Where the files of the demo are, and what to try next."""
    lines = ["", "The files of the demo:"]
    for path, what in (
        (".github/assay.yml", "the config, explained line by line"),
        (".assay/report/comment.md", "the report as a pull request would show it"),
        (".assay/report/result.json", "the same for programs"),
        (".assay/store/runs/", "every run with its samples, machine and environment"),
    ):
        lines.append(f"  {Path(root, path)}  {what}")
    lines += ["", f"Next: change something in {root}/src, commit it, and run `{_command()} check` there.", ""]
    return "\n".join(lines)


def _command() -> str:
    """What a shell calls Assay by: `make demo` leaves no `assay` on the PATH."""
    if shutil.which("assay"):
        return "assay"
    beside = Path(sys.executable).with_name("assay")
    return shlex.quote(str(beside)) if beside.exists() else f"{shlex.quote(sys.executable)} -m assay"

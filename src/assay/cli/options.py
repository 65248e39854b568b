"""The options that several verbs share, and how a verb ends."""

import sys
from collections.abc import Callable
from typing import Annotated, NoReturn

import typer

from assay.cli.streams import let_go_of_stdout

Base = Annotated[str | None, typer.Option(metavar="REF", help="Judge against the merge base with this. Default: the default branch.")]
Head = Annotated[str, typer.Option(metavar="REF", help="The commit to judge.")]
Names = Annotated[list[str] | None, typer.Option("--benchmark", "-b", metavar="NAME", help="Only this one. May be repeated.")]
Run = Annotated[str | None, typer.Option(metavar="CMD", help="Judge this shell command, without any config: by its METRIC or its time.")]
Better = Annotated[str | None, typer.Option(metavar="lower|higher", help="With --run: which way its metric is better.")]
ConfigFile = Annotated[str | None, typer.Option(metavar="FILE", help="The config. Default: .github/assay.yml")]
NoReuse = Annotated[bool, typer.Option("--no-reuse", help="Measure again, whatever is stored. So does ASSAY_NO_REUSE=1.")]
FailOnList = Annotated[str | None, typer.Option("--fail-on", metavar="LIST", help="Instead of policy.fail_on, e.g. regressed,undecided.")]
Where = Annotated[str, typer.Option("--store", metavar="auto|dir:PATH|branch[:NAME]", help="Where runs and decisions are kept.")]
Out = Annotated[str | None, typer.Option("--out", metavar="DIR", help="Where the report goes. Default: .assay/report")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout, and nothing else there.")]
Source = Annotated[str, typer.Argument(metavar="[FILE|-]", help="A file, or - for standard input.")]
Suite = Annotated[bool, typer.Option("--suite", help="The rows were measured together: take back what a shift of all of them explains.")]
OtherTests = Annotated[bool, typer.Option("--tests", help="Add tests by ranks, effect sizes and a bootstrap interval.")]
Alpha = Annotated[float, typer.Option(min=1e-9, max=0.5, help="The level of the test.")]
Artifact = Annotated[str, typer.Option("--artifact", metavar="DIR", help="The folder by which plan, run and report hand over.")]
Folder = Annotated[str | None, typer.Option("--dir", metavar="DIR", help="Where the repository is made. Default: a new temporary folder.")]


def finish(work: Callable[[], int]) -> NoReturn:
    """Do the work and end with its code, or with 0 where the reader of data has left, as `assay compare | head` does."""
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        let_go_of_stdout()
        code = 0
    raise typer.Exit(code)

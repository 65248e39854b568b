"""The verbs below `assay experiment` with their options and help. Each imports what it needs when it runs."""

from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="The experiment loop: try a change, measure it, keep it as a commit or go back without losing a byte.",
    epilog="Start with: `assay experiment init --name faster --metric ms --better lower`",
)

Session = Annotated[str, typer.Option("--session", metavar="ID", help="The session, as `init` prints it.")]
Where = Annotated[str, typer.Option("--store", metavar="auto|dir:PATH|branch[:NAME]", help="Where sessions are kept.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout, and nothing else there.")]


@app.command("init", epilog="Example: `assay experiment init --name faster --metric ms --better lower --max-iterations 30`")
def init(
    name: Annotated[
        str, typer.Option(metavar="NAME", help="What the session is called. While it is active, the same name begins a new segment.")
    ],
    metric: Annotated[str, typer.Option(metavar="METRIC", help="The metric that decides, by the name its METRIC line has.")],
    better: Annotated[str, typer.Option(metavar="lower|higher", help="Which way it is better.")],
    unit: Annotated[str | None, typer.Option(metavar="UNIT", help="Its unit.")] = None,
    max_iterations: Annotated[int | None, typer.Option(metavar="N", help="How many runs the segment may have.")] = None,
    project: Annotated[str | None, typer.Option(metavar="NAME", help="Sessions of the same name in other projects are others.")] = None,
    working_dir: Annotated[
        str | None, typer.Option(metavar="DIR", help="The folder that commands run in, from the top of the tree.")
    ] = None,
    rules: Annotated[str | None, typer.Option(metavar="TEXT", help="Rules of the experiment, for whoever drives the loop.")] = None,
    ideas: Annotated[str | None, typer.Option(metavar="TEXT", help="Ideas to try.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A word to find it by. May be repeated.")] = None,
    checks: Annotated[
        str | None,
        typer.Option(
            metavar="CMD", help="A shell command that has to pass for a keep. Default: that of the benchmark judged by this metric."
        ),
    ] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Create a session, or begin the next segment of the active one of that name."""
    from assay.cli.experiment_command import init as run_init
    from assay.cli.experiment_options import InitOptions

    options = InitOptions(name, metric, better, unit, max_iterations, project, working_dir, rules, ideas, tuple(tag or ()), checks)
    raise typer.Exit(run_init(options, store, as_json=as_json))


@app.command("run", epilog="Example: `assay experiment run --session exp-… --timeout 10m -- python train.py`")
def run(
    session: Session,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="The command and its words. No shell sees them.")],
    timeout: Annotated[str | None, typer.Option(metavar="TIME", help="The longest it may take. Default: 10m")] = None,
    env: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A variable of its environment. May be repeated.")] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Run a command in this tree, read its METRIC lines, and store the result as pending.

    It waits until no other run is at work in the tree. Exit codes: 0 measured; 1 errored, or its checks failed;
    2 refused, such as at the limit.
    """
    from assay.cli.experiment_command import run as run_command
    from assay.cli.experiment_options import RunOptions

    raise typer.Exit(run_command(RunOptions(session, tuple(command), timeout, tuple(env or ())), store, as_json=as_json))


@app.command("log", epilog="Example: `assay experiment log --session exp-… --run run-… --outcome keep --message 'tile by 32'`")
def log(
    session: Session,
    run: Annotated[str, typer.Option(metavar="HANDLE", help="The run, as `run` prints it.")],
    outcome: Annotated[str, typer.Option(metavar="keep|discard|checks_failed|errored|pending", help="What became of it.")],
    description: Annotated[str | None, typer.Option(metavar="TEXT", help="What was tried.")] = None,
    asi: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="What it teaches; `group` is used by finalize. May be repeated.")
    ] = None,
    baseline: Annotated[str | None, typer.Option(metavar="SHA", help="The commit that the tree goes back to.")] = None,
    message: Annotated[str | None, typer.Option(metavar="TEXT", help="The message of a kept commit.")] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Commit this file although it is large or looks like a secret. May be repeated."),
    ] = None,
    as_baseline: Annotated[
        bool, typer.Option("--as-baseline", help="Hold the others of the segment against this run. Default: the first clean one.")
    ] = False,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Give a run its outcome. On experiment branches a keep is a commit, and a discard takes the tree back to its baseline.

    What a discard takes away stays under refs/assay/discarded/HANDLE, and the output has the command that brings it back.
    """
    from assay.cli.experiment_command import log as log_outcome
    from assay.cli.experiment_options import LogOptions

    options = LogOptions(session, run, outcome, description, tuple(asi or ()), baseline, message, tuple(include or ()), as_baseline)
    raise typer.Exit(log_outcome(options, store, as_json=as_json))


@app.command("status", epilog="Example: `assay experiment status --session exp-…`")
def status(session: Session, store: Where = "auto", as_json: Json = False) -> None:
    """Show how a session stands: its runs, the best one, what is queued and running on this machine."""
    from assay.cli.experiment_command import status as show_status

    raise typer.Exit(show_status(session, store, as_json=as_json))


@app.command("cancel", epilog="Example: `assay experiment cancel run-…`")
def cancel(
    handle: Annotated[str, typer.Argument(metavar="HANDLE", help="The run, as `status` shows it.")],
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """End a queued or running run of any process of this machine."""
    from assay.cli.experiment_command import cancel as ask_for_the_end

    raise typer.Exit(ask_for_the_end(handle, store, as_json=as_json))


@app.command("finalize", epilog="Example: `assay experiment finalize --session exp-… --dry-run`")
def finalize(
    session: Session,
    integration_branch: Annotated[
        str | None, typer.Option(metavar="NAME", help="The branch that the work is to go into. Default: the default branch.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the groups and make nothing.")] = False,
    plan_file: Annotated[str | None, typer.Option(metavar="FILE", help="JSON that groups and orders the runs.")] = None,
    summary: Annotated[str | None, typer.Option(metavar="TEXT", help="What came of it, for the record.")] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Turn the kept runs into review branches, one a group, and end the session.

    Groups are those of `--asi group=NAME`, else the segments. Your tree, index and branch stay as they are.
    """
    from assay.cli.experiment_command import finalize as end_session
    from assay.cli.experiment_options import FinalizeOptions

    options = FinalizeOptions(session, integration_branch, dry_run, plan_file, summary)
    raise typer.Exit(end_session(options, store, as_json=as_json))


@app.command("list", epilog="Example: `assay experiment list --status active`")
def list_(
    status: Annotated[str | None, typer.Option(metavar="STATUS", help="Only active, finalizing, finalized or archived ones.")] = None,
    project: Annotated[str | None, typer.Option(metavar="NAME", help="Only those of this project.")] = None,
    tag: Annotated[str | None, typer.Option(metavar="TAG", help="Only those with this tag.")] = None,
    search: Annotated[str | None, typer.Option(metavar="TEXT", help="Only those with this in their name or working folder.")] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """List the sessions, newest first."""
    from assay.cli.experiment_command import list_sessions

    raise typer.Exit(list_sessions(status, project, tag, search, store, as_json=as_json))


@app.command("archive", epilog="Example: `assay experiment archive --session exp-…`")
def archive(session: Session, store: Where = "auto", as_json: Json = False) -> None:
    """Put a session away: it takes no further runs."""
    from assay.cli.experiment_command import archive as put_away

    raise typer.Exit(put_away(session, store, as_json=as_json))


@app.command("import", epilog="Example: `assay experiment import .auto/log.jsonl`")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An autoresearch.jsonl or .auto/log.jsonl, or a results.tsv.")],
    name: Annotated[str | None, typer.Option(metavar="NAME", help="What the session is called. Default: what the file says.")] = None,
    project: Annotated[str | None, typer.Option(metavar="NAME", help="The project of the session.")] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Make a session of the ledger of another experiment loop. A line that is not understood is an error that names it."""
    from assay.cli.experiment_command import import_ledger

    raise typer.Exit(import_ledger(file, name, project, store, as_json=as_json))


@app.command("export", epilog="Example: `assay experiment export --session exp-… --out log.jsonl`")
def export(
    session: Session,
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="Where to write it. Default: standard output.")] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Write a session as the JSON lines that pi-autoresearch reads."""
    from assay.cli.experiment_command import export_ledger

    raise typer.Exit(export_ledger(session, out, store, as_json=as_json))

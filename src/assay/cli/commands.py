"""The verbs with their options and help. Each imports what it needs when it runs, so that the command starts fast."""

from typing import Annotated

import typer

from assay import __version__
from assay.cli import attempts_verbs, compute_verbs, experiment_verbs, loop_verbs, queue_verbs, store_verbs
from assay.cli.options import (
    Alpha,
    Artifact,
    Base,
    Better,
    ConfigFile,
    FailOnList,
    Folder,
    Head,
    Json,
    Names,
    NoReuse,
    OtherTests,
    Out,
    Run,
    Source,
    Suite,
    Where,
    finish,
)

app = typer.Typer(
    name="assay",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Decides on evidence whether a change made a benchmark better: runs it properly, compares, keeps or refuses.",
    epilog="Start with `assay demo`, or in a repository of yours: `assay check --run 'python bench.py'`",
)

DATA = "Data"
RESEARCH = "Research"

app.add_typer(store_verbs.app, name="store", rich_help_panel=DATA)
app.add_typer(experiment_verbs.app, name="experiment")
app.add_typer(queue_verbs.app, name="queue", rich_help_panel="Queue")
app.add_typer(attempts_verbs.app, name="attempts", rich_help_panel="Queue")
loop_verbs.register(app)
compute_verbs.register(app, RESEARCH)
GITHUB = "On GitHub"

CHECK_EXAMPLE = "Example: `assay check --base main --json`, or without any config `assay check --run './bench.sh' --better lower`"
CHANGES_EXAMPLE = (
    """Example: `echo '{"id": "a", "direction": "lower", "values": [9, 10, 9, 10, 9, 12, 12, 11, 12, 12]}' | assay changes -`"""
)
COMPARE_EXAMPLE = """Example: `echo '{"id": "a", "direction": "lower", "base": [10, 11, 10], "head": [8, 9, 8]}' | assay compare -`"""


def _version(value: bool) -> None:
    if value:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _root(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False) -> None:
    """Nothing is done before a verb."""


@app.command(epilog=CHECK_EXAMPLE)
def check(
    base: Base = None,
    head: Head = "HEAD",
    benchmark: Names = None,
    run: Run = None,
    better: Better = None,
    config: ConfigFile = None,
    no_reuse: NoReuse = False,
    fail_on: FailOnList = None,
    store: Where = "auto",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Measure head against base, decide, and report: the whole way on a local repository.

    Writes comment.md, check.json, summary.md and result.json. Your checkout, index, branches and stash stay as they are.

    Exit codes: 0 kept, unchanged, reused or skipped; 1 regressed, checks failed or errored; 2 usage or config;
    3 undecided when asked to fail on it; 4 git or the disk refused.
    """
    from assay.cli.check_command import CheckOptions
    from assay.cli.check_command import check as run_check

    names = tuple(benchmark or ())
    # no `_finish`: the code of a check is a verdict, which no lost reader may turn into a pass
    raise typer.Exit(run_check(CheckOptions(base, head, names, run, better, config, no_reuse, fail_on, store, out, as_json)))


@app.command(rich_help_panel=GITHUB, epilog="Example, as the action calls it: `INPUT_MODE=auto assay action`")
def action() -> None:
    """Check what started this GitHub job, and publish the verdict: what the action runs, with its inputs in INPUT_NAME.

    Exit codes as of `assay check`. What cannot be posted is in the step's summary, and changes no exit code.
    """
    from assay.cli.action_command import action as run_action

    raise typer.Exit(run_action())


@app.command(rich_help_panel=GITHUB, epilog="Example: `assay plan --artifact ./handover --json`")
def plan(
    base: Base = None,
    head: Head = "HEAD",
    benchmark: Names = None,
    config: ConfigFile = None,
    no_reuse: NoReuse = False,
    store: Where = "auto",
    artifact: Artifact = ".assay/handover",
    as_json: Json = False,
) -> None:
    """First third of a check: find out what has to run, and print it as a matrix of benchmarks and machines."""
    from assay.cli.check_command import CheckOptions
    from assay.cli.split_command import SplitOptions
    from assay.cli.split_command import plan as run_plan

    names = tuple(benchmark or ())
    asked = CheckOptions(base=base, head=head, benchmarks=names, config=config, no_reuse=no_reuse, store=store, as_json=as_json)
    finish(lambda: run_plan(SplitOptions(asked, artifact)))


@app.command(rich_help_panel=GITHUB, epilog="Example: `assay run --artifact ./handover --benchmark train-small`")
def run(
    benchmark: Names = None,
    config: ConfigFile = None,
    artifact: Artifact = ".assay/handover",
    here: Annotated[bool, typer.Option("--here", help="Measure on this machine, which is where the cell was sent.")] = False,
    within: Annotated[float | None, typer.Option("--within", metavar="SECONDS", min=1, help="End the sampling by then.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="With --here: this one seed alone.")] = None,
    as_json: Json = False,
) -> None:
    """Second third of a check: measure benchmarks of a plan, each where its machine is. Needs no token and no store.

    Without --benchmark all cells are measured that have left no file yet. Those of Slurm and ssh are sent there and waited for; when
    the wait was interrupted, the same command goes on with it.
    """
    from assay.cli.run_command import RunOptions
    from assay.cli.run_command import run as run_cells

    options = RunOptions(artifact, tuple(benchmark or ()), config, here, within, as_json, seed)
    finish(lambda: run_cells(options))


@app.command(rich_help_panel=GITHUB, epilog="Example: `assay report --artifact ./handover --json`")
def report(
    benchmark: Names = None,
    config: ConfigFile = None,
    no_reuse: NoReuse = False,
    fail_on: FailOnList = None,
    store: Where = "auto",
    out: Out = None,
    artifact: Artifact = ".assay/handover",
    as_json: Json = False,
) -> None:
    """Last third of a check: decide on what the cells of a plan left, store it, and report.

    Exit codes as of `assay check`; 4 where a cell is missing.
    """
    from assay.cli.check_command import CheckOptions
    from assay.cli.split_command import SplitOptions
    from assay.cli.split_command import report as run_report

    names = tuple(benchmark or ())
    asked = CheckOptions(benchmarks=names, config=config, no_reuse=no_reuse, fail_on=fail_on, store=store, out=out, as_json=as_json)
    # no `_finish`, for the reason that a check has none
    raise typer.Exit(run_report(SplitOptions(asked, artifact)))


@app.command(rich_help_panel=DATA, epilog="Example: `assay analyse run-01J… --routes offline`")
def analyse(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a head's run, as reports and result.json have it.")],
    routes: Annotated[
        list[str] | None,
        typer.Option("--routes", metavar="ROUTE", help="Who answers, instead of the config. Once for all, or once a place in turn."),
    ] = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Explain the decision on a stored run: several analysts, blind of each other, fused into one report.

    A route is `offline`, `openai:MODEL` or `command:ARGV`; several are the candidates, the evaluator and the merger. It explains
    and decides nothing.
    """
    from assay.cli.analyse_command import AnalyseOptions
    from assay.cli.analyse_command import analyse as run_analyse

    finish(lambda: run_analyse(AnalyseOptions(run, tuple(routes or ()), config, store, as_json)))


@app.command(rich_help_panel=RESEARCH, epilog="Example: `assay selftest --aa 5 --benchmark train-small`")
def selftest(
    aa: Annotated[int, typer.Option("--aa", metavar="N", min=1, max=1000, help="So many A/A sessions of each benchmark.")] = 3,
    benchmark: Names = None,
    run: Run = None,
    better: Better = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Measure HEAD against itself: how often your policy raises a false alarm, and the smallest change it can see.

    Each session runs to its end, as an undecided check does. What is measured is stored, and `min_effect: auto` learns from it.

    Exit codes: 0 tested; 1 a benchmark failed; 2 usage or config; 3 time left too little to judge; 4 git or the disk refused.
    """
    from assay.cli.check_command import CheckOptions
    from assay.cli.selftest_command import selftest as run_selftest

    options = CheckOptions(None, "HEAD", tuple(benchmark or ()), run, better, config, store=store, as_json=as_json)
    raise typer.Exit(run_selftest(options, aa))


@app.command(rich_help_panel=DATA, epilog=CHANGES_EXAMPLE)
def changes(source: Source = "-", as_json: Json = False) -> None:
    """Find change points in histories given as JSON lines.

    A line is `{id, direction, values[]}`, oldest value first. Steps are told apart from outliers, from a second mode and from
    a change of the noise, which is a machine's doing rather than the code's.
    """
    from assay.cli.changes_command import changes as run_changes

    finish(lambda: run_changes(source, as_json))


@app.command(epilog=COMPARE_EXAMPLE)
def compare(source: Source = "-", alpha: Alpha = 0.05, suite: Suite = False, tests: OtherTests = False, as_json: Json = False) -> None:
    """Compare base and head samples given as JSON lines.

    A line is `{id, direction, base[], head[]}` with, as you like, `block`, `paired`, `min_effect`, `history`, `aa`, `aa_similar`.
    """
    from assay.cli.compare_command import compare as run_compare

    finish(lambda: run_compare(source, alpha, as_json, suite=suite, tests=tests))


@app.command(epilog="Example: `assay reuse --benchmark train-small --explain`")
def reuse(
    benchmark: Annotated[str | None, typer.Option("--benchmark", "-b", metavar="NAME", help="Which one. Default: the only one.")] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="Instead of the config's model; `any` takes a run of any.")] = None,
    precision: Annotated[str | None, typer.Option(metavar="P", help="Instead of the config's precision; `any` takes any.")] = None,
    head: Annotated[str, typer.Option(metavar="REF", help="The commit in question.")] = "HEAD",
    config: ConfigFile = None,
    no_reuse: NoReuse = False,
    store: Where = "auto",
    explain: Annotated[bool, typer.Option("--explain", help="Show what each rung said, and the window.")] = False,
    as_json: Json = False,
) -> None:
    """Ask whether a stored run answers for a benchmark, so that it need not run, and why or why not.

    Nothing is run and nothing is written. The exit code is 0 whatever the answer.
    """
    from assay.cli.reuse_command import ReuseOptions
    from assay.cli.reuse_command import reuse as run_reuse

    options = ReuseOptions(benchmark, model, precision, head, config, no_reuse, store, explain, as_json)
    finish(lambda: run_reuse(options))


@app.command(epilog="Example: `assay demo --dir ./demo`")
def demo(folder: Folder = None, as_json: Json = False) -> None:
    """Make a small repository with a real benchmark and a head that is truly faster, and check it end to end."""
    from assay.cli.demo_command import demo as run_demo

    finish(lambda: run_demo(folder, as_json))


@app.command(epilog="Example: `assay init --run 'python bench.py' --metric time_ms --workflow pull-request --workflow comments`")
def init(
    run: Annotated[str | None, typer.Option(metavar="CMD", help="The benchmark's command.")] = None,
    metric: Annotated[str | None, typer.Option(metavar="NAME", help="The metric that it prints.")] = None,
    better: Annotated[str, typer.Option(metavar="lower|higher", help="Which way that is better.")] = "lower",
    workflow: Annotated[
        list[str] | None,
        typer.Option(
            "--workflow", "-w", metavar="NAME", help="pull-request, comments, gpu-comments, forks, merged or schedule. May be repeated."
        ),
    ] = None,
    action: Annotated[str | None, typer.Option("--action", metavar="OWNER/REPO@SHA", help="The Assay that the workflows use.")] = None,
    as_json: Json = False,
) -> None:
    """Write a config and workflows for GitHub into this repository. What is there stays as it is."""
    from assay.cli.init_command import InitOptions
    from assay.cli.init_command import init as run_init

    finish(lambda: run_init(InitOptions(run, metric, better, tuple(workflow or ()), action, as_json)))


@app.command(epilog="Example: `assay doctor --json`")
def doctor(as_json: Json = False) -> None:
    """Look for what keeps Assay from working, or from being safe, here and in the workflows, and say how to mend it.

    Exit codes: 0 nothing that must be mended; 2 something that must.
    """
    from assay.cli.doctor_command import doctor as run_doctor

    finish(lambda: run_doctor(as_json=as_json))


@app.command(rich_help_panel=DATA, add_help_option=False, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def metrics(context: typer.Context) -> None:
    """Read METRIC lines from output and say what was found and what was refused."""
    from assay.cli.metrics_words import run_metrics

    finish(lambda: run_metrics(context.args))


@app.command(rich_help_panel=DATA, epilog="Example: `assay schema > assay.schema.json`")
def schema(as_json: Json = False) -> None:  # noqa: ARG001 - it is JSON anyway; the flag is there because every verb has it
    """Print the JSON Schema of .github/assay.yml, for editors and validators."""
    from assay.cli.schema_command import schema as run_schema

    finish(run_schema)

"""The verbs below `assay attempts` with their options and help. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from assay.cli.options import ConfigFile, Json, Where, finish

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="How often may be tried before a person is asked: the log of attempts, checkpoints, the breaker.",
    epilog="Example: `assay attempts status --benchmark train`",
)

Name = Annotated[str | None, typer.Option("--benchmark", "-b", metavar="NAME", help="Which one. Default: the only one of the config.")]
Pull = Annotated[
    int | None, typer.Option("--pull", metavar="N", min=1, help="Of a pull request. Default: what is done here and in the queue.")
]


@app.command("status", epilog="Example: `assay attempts status --json`")
def status(benchmark: Name = None, pull: Pull = None, config: ConfigFile = None, store: Where = "auto", as_json: Json = False) -> None:
    """Show how many attempts are used and left, why so many, what the last checkpoint asks for, and the strikes."""
    from assay.cli.attempts_command import Place
    from assay.cli.attempts_command import status as show

    finish(lambda: show(Place(benchmark, pull, config, store), as_json=as_json))


@app.command(
    "log", epilog="Example: `assay attempts log --change 'wider tiles' --result no_progress --diagnosis direction --next 'try 16'`"
)
def log(
    change: Annotated[str, typer.Option(metavar="TEXT", help="The one thing that was changed.")],
    result: Annotated[str, typer.Option(metavar="progress|no_progress|failed", help="What came of it.")],
    diagnosis: Annotated[str, typer.Option(metavar="bug|direction|environment|unclear", help="Why it got no further.")] = "unclear",
    next_action: Annotated[str, typer.Option("--next", metavar="TEXT", help="What is to be done next.")] = "",
    stage: Annotated[str | None, typer.Option(metavar="implementation|tuning|method|ablation", help="Default: the config's.")] = None,
    touches: Annotated[list[str] | None, typer.Option(metavar="INVARIANT", help="A declared invariant that it touches.")] = None,
    run: Annotated[str | None, typer.Option(metavar="RUN", help="The stored run that came of it.")] = None,
    benchmark: Name = None,
    pull: Pull = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Write down one attempt. A failed one is data, too. It prints how the attempts stand now.

    What HEAD's change touches of the declared invariants is found out by itself.
    """
    from assay.cli.attempts_command import LogOptions, Place
    from assay.cli.attempts_command import log as write

    options = LogOptions(change, result, diagnosis, next_action, stage, tuple(touches or ()), run)
    finish(lambda: write(options, Place(benchmark, pull, config, store), as_json=as_json))


@app.command("list", epilog="Example: `assay attempts list --json`")
def list_(benchmark: Name = None, pull: Pull = None, config: ConfigFile = None, store: Where = "auto", as_json: Json = False) -> None:
    """Show the log of attempts, the oldest first."""
    from assay.cli.attempts_command import Place, list_entries

    finish(lambda: list_entries(Place(benchmark, pull, config, store), as_json=as_json))


@app.command("grant", epilog="Example: `assay attempts grant 5 --benchmark train`")
def grant(
    attempts: Annotated[int, typer.Argument(metavar="N", min=1, max=1000, help="So many attempts more.")],
    benchmark: Name = None,
    pull: Pull = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Give more attempts, and let runs start again after the strikes. For maintainers: it is refused inside a job on GitHub."""
    from assay.cli.attempts_command import Place
    from assay.cli.attempts_command import grant as give

    finish(lambda: give(attempts, Place(benchmark, pull, config, store), as_json=as_json))

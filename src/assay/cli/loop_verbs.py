"""The verbs of the control loop with their options and help. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from assay.cli.options import ConfigFile, Json, Names, NoReuse, Where, finish

PANEL = "Control loop"

Now = Annotated[str | None, typer.Option("--now", metavar="TIME", help="Pretend that it is then: 2025-03-01T12:00:00Z, or a date.")]
Overlay = Annotated[str | None, typer.Option("--overlay", metavar="FILE", help="Further tasks as JSON. Default: `loop.overlay`.")]
OtherLedger = Annotated[
    str | None, typer.Option("--ledger", metavar="DIR", help="A folder whose `ledger/` is used instead of the store's.")
]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command."""
    app.command("status", epilog="Example: `assay status --json`")(status)
    app.command("next", rich_help_panel=PANEL, epilog="Example: `assay next --json`")(following)
    app.command("walk", rich_help_panel=PANEL, epilog="Example: `assay walk`")(walk)
    app.command("loop", rich_help_panel=PANEL, epilog="Example: `assay loop --apply --minutes 30`")(loop)
    app.command("publish", rich_help_panel=PANEL, epilog="Example: `assay publish`")(publish)


def status(
    now: Now = None,
    overlay: Overlay = None,
    ledger: OtherLedger = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """See what is stored, what is due on this machine, what is published, and the one next action.

    Nothing is run and nothing is written. The exit code is 0 whatever it says.
    """
    from assay.cli.loop_command import LoopOptions
    from assay.cli.loop_command import status as run_status

    finish(lambda: run_status(LoopOptions(now, overlay, ledger, config, store, as_json)))


def following(
    now: Now = None,
    overlay: Overlay = None,
    ledger: OtherLedger = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Get the one next action of `assay status` alone."""
    from assay.cli.loop_command import LoopOptions
    from assay.cli.loop_command import following as run_next

    finish(lambda: run_next(LoopOptions(now, overlay, ledger, config, store, as_json)))


def walk(as_json: Json = False) -> None:
    """List the ways through Assay in the order to meet them, each with its command."""
    from assay.cli.loop_command import walk as run_walk

    finish(lambda: run_walk(as_json=as_json))


def loop(
    most: Annotated[int | None, typer.Option("--max", metavar="N", min=1, help="At most so many attempts.")] = None,
    minutes: Annotated[float | None, typer.Option(metavar="M", min=0.1, help="Begin nothing that ends later. Default: no limit.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Really measure. Without, it is only said what would be.")] = False,
    queue: Annotated[bool, typer.Option("--queue", help="Queue what is due for `assay queue work`, instead of measuring it here.")] = False,
    benchmark: Names = None,
    no_reuse: NoReuse = False,
    now: Now = None,
    overlay: Overlay = None,
    ledger: OtherLedger = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Measure what is due at the tip of the default branch, the best first, and write down each attempt.

    Exit codes: 0 measured, or nothing was due; 1 an attempt failed; 2 usage, config, or a ledger that cannot be read;
    3 something was due and nothing was measured; 4 git, the store or the disk refused.
    """
    from assay.cli.loop_command import LoopOptions, TickOptions
    from assay.cli.loop_command import loop as run_loop

    options = LoopOptions(now, overlay, ledger, config, store, as_json)
    # no `finish`: the code of a tick is a verdict, which no lost reader may turn into a pass
    raise typer.Exit(run_loop(options, TickOptions(apply, most, minutes, tuple(benchmark or ()), no_reuse, queue)))


def publish(
    pull_request: Annotated[
        bool | None,
        typer.Option("--pull-request/--no-pull-request", help="Have a pull request on GitHub instead. Default: in a job there."),
    ] = None,
    ledger: OtherLedger = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Bring the table of results up to date, between its markers in the document that `publish: {file: …}` names.

    A document that is missing is made. Nothing else of it is touched, and nothing is committed here.
    """
    import os

    from assay.cli.loop_command import LoopOptions
    from assay.cli.publish_command import publish as run_publish

    wanted = pull_request if pull_request is not None else os.environ.get("GITHUB_ACTIONS") == "true"
    finish(lambda: run_publish(LoopOptions(ledger=ledger, config=config, store=store, as_json=as_json), pull_request=wanted))

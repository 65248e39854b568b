"""The verbs of `assay store`."""

from typing import Annotated

import typer

from assay.cli.options import Json, Where, finish

app = typer.Typer(no_args_is_help=True, help="Send, pack and take in stored runs and decisions.", epilog="Example: `assay store flush`")


@app.command("flush", epilog="Example: `assay store flush --from ./assay-outbox`")
def store_flush(
    from_dir: Annotated[str | None, typer.Option("--from", metavar="DIR", help="First take in the records of this folder.")] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Send to the data branch what could not be sent when it was measured."""
    from assay.cli.store_command import flush

    finish(lambda: flush(from_dir, store, as_json=as_json))


@app.command("compact", epilog="Example: `assay store compact --store branch`")
def store_compact(store: Where = "auto", as_json: Json = False) -> None:
    """Pack the runs of closed months into one file a month."""
    from assay.cli.store_command import compact

    finish(lambda: compact(store, as_json=as_json))


@app.command("import", epilog="Example: `assay store import .assay/report/unstored-run-*.json`")
def store_import(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files of one envelope each.")],
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Take in runs and decisions from files, such as those of a check whose store failed."""
    from assay.cli.store_command import import_files

    finish(lambda: import_files(tuple(files), store, as_json=as_json))


@app.command("invalidate", epilog="Example: `assay store invalidate run-01J… --reason 'the GPU was shared'`")
def store_invalidate(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The id of the run.")],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why it no longer counts.")],
    replacement: Annotated[str | None, typer.Option(metavar="RUN", help="The run that stands in for it.")] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Mark a run that should not count: nothing reuses it from now on. Its file stays."""
    from assay.cli.invalidate_command import invalidate

    finish(lambda: invalidate(run_id, reason, replacement, store, as_json=as_json))

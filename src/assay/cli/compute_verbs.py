"""The verbs about what a measurement takes, and about making one again."""

from typing import Annotated

import typer

from assay.cli.options import ConfigFile, Json, Names, Where, finish


def register(app: typer.Typer, panel: str) -> None:
    """Add the verbs to the command."""

    @app.command(rich_help_panel=panel, epilog="Example: `assay advise --benchmark train-small --json`")
    def advise(benchmark: Names = None, config: ConfigFile = None, store: Where = "auto", as_json: Json = False) -> None:
        """Say what benchmarks will take, and which machine of the config fits, before anything is spent.

        Time and memory are those of past runs; GPUs are those that the config declares. `assay plan` goes by the same.
        """
        from assay.cli.advise_command import AdviseOptions
        from assay.cli.advise_command import advise as run_advise

        finish(lambda: run_advise(AdviseOptions(tuple(benchmark or ()), config, store, as_json)))

    @app.command(rich_help_panel=panel, epilog="Example: `assay reproduce run-01J… --json`")
    def reproduce(
        run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a stored run, as reports and result.json have it.")],
        check: Annotated[bool, typer.Option("--check", help="Only say what is otherwise than then; run nothing.")] = False,
        allow_fork: Annotated[bool, typer.Option("--allow-fork", help="Also a run of a fork, whose code is a stranger's.")] = False,
        config: ConfigFile = None,
        store: Where = "auto",
        as_json: Json = False,
    ) -> None:
        """Measure a stored run again at its commit, say what is otherwise than then, and compare as equal code should.

        Exit codes: 0 reproduced, or with --check; 1 it differs or failed; 2 usage or config; 3 undecided, or another class of
        machine; 4 git or the disk refused.
        """
        from assay.cli.reproduce_command import ReproduceOptions
        from assay.cli.reproduce_command import reproduce as run_reproduce

        options = ReproduceOptions(run, config, store, check, allow_fork, as_json)
        raise typer.Exit(run_reproduce(options))  # no `finish`: the code is an answer

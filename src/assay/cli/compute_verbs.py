"""The verbs about what a measurement takes, and about making one again."""

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

"""The verbs below `assay queue` with their options and help. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from assay.cli.options import ConfigFile, Json, Where, finish

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Many runs on few machines: queue them, and let workers measure one after the other.",
    epilog="Example: `assay queue add --benchmark train --seeds 13,42,123 && assay queue work`",
)

JobName = Annotated[str, typer.Argument(metavar="JOB", help="The id of the job, as `list` shows it.")]
Claim = Annotated[
    str | None, typer.Option("--claim", metavar="ID", help="What `take` printed; without, it is said of whoever has the job.")
]
RunName = Annotated[str | None, typer.Option("--run", metavar="RUN", help="The stored run that came of it.")]


@app.command("add", epilog="Example: `assay queue add --benchmark train --seeds 1,2,3 --baseline main --baseline HEAD --param lr=0.1,0.01`")
def add(
    benchmark: Annotated[
        list[str] | None, typer.Option("--benchmark", "-b", metavar="NAME", help="Default: the only one of the config. May be repeated.")
    ] = None,
    baseline: Annotated[list[str] | None, typer.Option(metavar="REF", help="A commit to measure. Default: HEAD. May be repeated.")] = None,
    seeds: Annotated[str | None, typer.Option(metavar="1,2,3", help="A job for each. Default: those of the config.")] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME=V,V", help="What fills {NAME} of the command, a job for each value.")
    ] = None,
    command: Annotated[str | None, typer.Option(metavar="CMD", help="Another command than the benchmark's, for `sh`.")] = None,
    batch: Annotated[int | None, typer.Option(metavar="N", min=1, help="Another batch size than the benchmark's.")] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="Another model than the config's.")] = None,
    precision: Annotated[str | None, typer.Option(metavar="P", help="Another precision than the config's.")] = None,
    priority: Annotated[int, typer.Option(metavar="N", min=-1000, max=1000, help="The higher, the earlier.")] = 0,
    together: Annotated[bool, typer.Option("--together", help="All seeds of the config in one job, which a check can reuse.")] = False,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Queue jobs: benchmarks × baselines × parameters × seeds, each a job with an id of its own."""
    from assay.cli.queue_command import AddOptions
    from assay.cli.queue_command import add as add_jobs

    options = AddOptions(
        tuple(benchmark or ()),
        tuple(baseline or ()),
        seeds,
        tuple(param or ()),
        command,
        batch,
        model,
        precision,
        priority,
        together,
        config,
    )
    finish(lambda: add_jobs(options, store, as_json=as_json))


@app.command("take", epilog="Example: `assay queue take --json`")
def take(
    pid: Annotated[
        int | None, typer.Option(metavar="PID", min=1, help="The process that will work on it. Without, only time tells that it is gone.")
    ] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Take the next job for a worker of your own. It says `taken`, `at_capacity`, `waiting` (for a pilot) or `no_jobs`.

    Stale jobs are put back first. `assay queue work` does all of it by itself.
    """
    from assay.cli.queue_command import take as take_job

    finish(lambda: take_job(pid, store, as_json=as_json))


@app.command("progress", epilog="Example: `assay queue progress job-01J… --pid 4711`")
def progress(
    job: JobName,
    pid: Annotated[int | None, typer.Option(metavar="PID", min=1, help="The process that works on it from now on.")] = None,
    claim: Claim = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Give a sign of life of a running job, so that it does not become stale."""
    from assay.cli.queue_command import progress as report

    finish(lambda: report(job, pid, claim, store, as_json=as_json))


@app.command("done", epilog="Example: `assay queue done job-01J… --run run-01J…`")
def done(job: JobName, run: RunName = None, claim: Claim = None, store: Where = "auto", as_json: Json = False) -> None:
    """Say that a running job was measured."""
    from assay.cli.queue_command import done as report

    finish(lambda: report(job, run, claim, store, as_json=as_json))


@app.command("fail", epilog="Example: `assay queue fail job-01J… --error 'the dataset is gone'`")
def fail(
    job: JobName,
    error: Annotated[str, typer.Option(metavar="TEXT", help="Why nothing will come of it.")] = "failed",
    run: RunName = None,
    claim: Claim = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Say that nothing will come of a running job. What waits for it as a pilot fails with it."""
    from assay.cli.queue_command import fail as report

    finish(lambda: report(job, error, run, claim, store, as_json=as_json))


@app.command("oom", epilog="Example: `assay queue oom job-01J…`")
def oom(job: JobName, claim: Claim = None, store: Where = "auto", as_json: Json = False) -> None:
    """Say that a running job ran out of memory: it goes back with half its batch, or fails where that cannot be."""
    from assay.cli.queue_command import oom as report

    finish(lambda: report(job, claim, store, as_json=as_json))


@app.command("list", epilog="Example: `assay queue list --status queued --json`")
def list_(
    status: Annotated[str | None, typer.Option(metavar="STATUS", help="Only queued, running, done or failed ones.")] = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Show the queue in the order of service, and its config."""
    from assay.cli.queue_command import list_jobs

    finish(lambda: list_jobs(status, store, as_json=as_json))


@app.command("drop", epilog="Example: `assay queue drop job-01J…`")
def drop(
    jobs: Annotated[list[str], typer.Argument(metavar="JOB...", help="The ids of jobs that do not run.")],
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Take jobs out of the queue. What they have measured stays in the store."""
    from assay.cli.queue_command import drop as drop_jobs

    finish(lambda: drop_jobs(tuple(jobs), store, as_json=as_json))


@app.command("work", epilog="Example: `assay queue work --jobs 4`")
def work(
    jobs: Annotated[int | None, typer.Option(metavar="N", min=1, help="Leave after so many jobs.")] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Leave also where jobs are left that cannot begin yet.")] = False,
    stay: Annotated[bool, typer.Option("--stay", help="Wait for jobs to come, until it is told to end.")] = False,
    machine: Annotated[str | None, typer.Option(metavar="NAME", help="Not here: as jobs of Slurm on that machine of the config.")] = None,
    workers: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="With --machine: so many workers.")] = 1,
    here: Annotated[str | None, typer.Option(metavar="NAME", help="This is that machine of the config.")] = None,
    config: ConfigFile = None,
    store: Where = "auto",
    as_json: Json = False,
) -> None:
    """Be a worker: measure jobs one after the other until none is left, and store each run.

    Exit codes: 0 measured, or there was nothing to do; 1 an attempt failed; 2 usage, config or a wrong queue.json;
    3 something was due and nothing was measured; 4 git or the disk refused.
    """
    if machine is not None:
        from assay.cli.queue_send_command import SendOptions, send

        raise typer.Exit(send(SendOptions(machine, workers, config, store, as_json)))
    from assay.cli.queue_work_command import WorkOptions
    from assay.cli.queue_work_command import work as run_worker

    # no `finish`: the code says whether anything was measured, which no lost reader may turn into a pass
    raise typer.Exit(run_worker(WorkOptions(jobs, not no_wait, stay, config, store, as_json, here)))

"""The job on GitHub that a command runs in, as its variables tell."""

import re
from collections.abc import Mapping

from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import UsageError

LASTING = "ASSAY_LASTING_RUNNER"
"""The variable by which a workflow answers for a runner of its own that is not ephemeral."""

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
_RUN = re.compile(r"[1-9][0-9]{0,18}")
_HEADS = "refs/heads/"
_NEEDED = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_WORKSPACE")


@dataclass(frozen=True, slots=True)
class Job:
    """Where the job's event, its checkout and its forge are. `run_url` is the page of its run, empty where none can be told;
    below `files_url` stand the pages of a branch's files. `run` and its `attempt` are numbers, 0 where they are not told.

    `run_id` is the run of the workflow, `branch` the one that it was started on;
    `lasting_allowed` is whether the workflow answers for a runner of its own that outlives the job.
    """

    event_name: str
    event_path: str
    repository: str
    workspace: str
    api_url: str
    run_url: str
    files_url: str
    hosted: bool
    run: int = 0
    attempt: int = 0
    runner_temp: str = ""
    lasting_allowed: bool = False
    run_id: int | None = None
    branch: str = ""


def read_job(environ: Mapping[str, str]) -> Job:
    """The job of this environment. Raises UsageError where it is none, with what is missing.

    A runner that does not say that GitHub hosts it counts as somebody's own.
    """
    missing = [name for name in _NEEDED if not environ.get(name)]
    if missing:
        what = f"This is no job on GitHub, or not the whole of one: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set."
        raise UsageError(what, hint="`assay action` is what the action runs. On a machine of your own say `assay check`.")
    repository = environ["GITHUB_REPOSITORY"]
    if not _REPOSITORY.fullmatch(repository):
        what = f"GITHUB_REPOSITORY is {plain(repository, 100)}, which is no OWNER/NAME."
        raise UsageError(what, hint="It is the name of the repository, not its address.")
    server, run = environ.get("GITHUB_SERVER_URL") or "https://github.com", environ.get("GITHUB_RUN_ID", "")
    ref = environ.get("GITHUB_REF", "")
    return Job(
        event_name=environ["GITHUB_EVENT_NAME"],
        event_path=environ["GITHUB_EVENT_PATH"],
        repository=repository,
        workspace=environ["GITHUB_WORKSPACE"],
        api_url=(environ.get("GITHUB_API_URL") or "https://api.github.com").rstrip("/"),
        files_url=f"{server.rstrip('/')}/{repository}/blob",
        run_url=f"{server.rstrip('/')}/{repository}/actions/runs/{run}" if run else "",
        hosted=environ.get("RUNNER_ENVIRONMENT") == "github-hosted",
        run=_number(run),
        attempt=_number(environ.get("GITHUB_RUN_ATTEMPT", "")),
        runner_temp=environ.get("RUNNER_TEMP", ""),
        lasting_allowed=environ.get(LASTING) == "allow",
        run_id=int(run) if _RUN.fullmatch(run) else None,
        branch=ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else "",
    )


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else 0


def refuse_lasting_runner(job: Job, *, public: bool, ephemeral: bool | None) -> None:
    """Raises UsageError where code of a public repository would run on a machine of one's own that outlives the job.

    What a stranger's code leaves there meets the next job, of whatever repository. Unknown is not ephemeral.
    """
    if job.hosted or not public or ephemeral or job.lasting_allowed:
        return
    known = "is not ephemeral" if ephemeral is False else "does not say that it is ephemeral"
    raise UsageError(
        f"The repository is public, and this runner is yours and {known}: what code leaves here would meet the next job.",
        hint=f"Register the runner with --ephemeral, or set {LASTING}=allow in the job's env if the machine is thrown away in another way.",
    )

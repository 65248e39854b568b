"""`assay action`: reads the job, builds the adapters, lets the event be checked and published, and says it in the log."""

import os
import secrets
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.values import dataclass
from assay.errors import AssayError, CancelledError, InfrastructureError, UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.job_files import StepFiles
    from assay.app.action import Acted
    from assay.app.question import Nothing
    from assay.app.schedule import Scheduled
    from assay.core.event import Started
    from assay.core.inputs import Inputs
    from assay.core.job import Job

CHECKOUT = "Put actions/checkout with `fetch-depth: 0` and `persist-credentials: false` before this step."
SAID = ("conclusion", "check-run-url")
"""The outputs of a job that looks after the control loop."""

_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN", "ASSAY_PUSH_TOKEN")


@dataclass(frozen=True, slots=True)
class _Asked:
    """All that the environment says, after which nobody asks it again."""

    job: "Job"
    inputs: "Inputs"
    event: "Started | None"
    tokens: Mapping[str, str] = field(repr=False)


def action() -> int:
    """Do what the event of this job asks for; the exit code. What goes wrong is said in the log and in the summary."""
    from assay.adapters.job_files import StepFiles

    files = StepFiles(os.environ)
    try:
        return _act(files)
    except CancelledError:
        raise
    except AssayError as error:
        _explain(error, files)
        return error.exit_code


def _act(files: "StepFiles") -> int:
    from assay.app.action import Acted
    from assay.app.question import Nothing
    from assay.app.schedule import Scheduled
    from assay.cli.check_command import exit_code_of
    from assay.cli.job_parts import Site
    from assay.cli.job_work import work

    asked = _asked()
    _forget_tokens()
    with ExitStack() as stack:
        repo = _repository(asked)
        stack.callback(_give_back, asked, repo)
        trusted = _trusted(Path(asked.job.workspace).resolve(), Path(repo.root).resolve())
        done = work(Site(stack, asked.job, asked.inputs, asked.event, asked.tokens, repo, trusted, files))
    if isinstance(done, Nothing):
        _leave(done, files)
        return 0
    if isinstance(done, Acted):
        _say(done)
    elif isinstance(done, Scheduled):
        _say_status(done, files)
    _refuse_tampering(files)
    if isinstance(done, Scheduled):
        return done.exit_code
    return exit_code_of(done.checked) if isinstance(done, Acted) else 0


def _asked() -> _Asked:
    """Raises UsageError for an environment, an input or an event that cannot be acted upon."""
    from assay.adapters.event_file import read_event
    from assay.cli.stores import tokens_in
    from assay.core.event import Comment, parse_event, refuse_to_run
    from assay.core.inputs import Mode, parse_inputs
    from assay.core.job import read_job

    job, inputs = read_job(os.environ), parse_inputs(os.environ)
    if inputs.mode is Mode.RUN:  # beside foreign code there is nothing to authorise, and no token to do it with
        refuse_to_run(job.event_name)
        return _Asked(job, inputs, None, {})
    event = parse_event(job.event_name, read_event(job.event_path))
    if inputs.mode is Mode.COMMAND and not isinstance(event, Comment):
        raise UsageError(f"The mode command obeys comments, and {job.event_name} is none.", hint="Start the workflow on issue_comment.")
    if not inputs.token:
        raise UsageError(
            "There is no token: the input github-token is empty.",
            hint="Leave the input out, and the job's own is taken; where the action is called by hand, set INPUT_GITHUB-TOKEN.",
        )
    return _Asked(job, inputs, event, tokens_in(os.environ))


def _forget_tokens() -> None:
    """What only this process may know is out of the environment from here on, and so are the runner's own credentials."""
    from assay.adapters.process.secrets import forget

    names = [name for name in os.environ if name.startswith(("INPUT_", "ACTIONS_")) or name in _TOKENS]
    forget(os.environ, names)


def _repository(asked: _Asked) -> "GitRepo":
    """The checkout in the workspace, whoever owns it. Raises UsageError where there is none."""
    from assay.adapters.git import GitRepo

    workspace = Path(asked.job.workspace).resolve()
    folder = (workspace / asked.inputs.working_directory).resolve()
    if not folder.is_relative_to(workspace):
        raise UsageError("The input working-directory leads out of the workspace.", hint="Name a folder below the workspace.")
    try:
        repo = GitRepo.discover(str(folder), _trusted(workspace, folder))
    except UsageError as error:
        raise UsageError(error.message, hint=CHECKOUT) from error
    if not Path(repo.root).resolve().is_relative_to(workspace):
        raise UsageError(f"The workspace {workspace} is no git repository.", hint=CHECKOUT)
    return repo


def _trusted(workspace: Path, folder: Path) -> tuple[str, ...]:
    """The folders whose owner does not matter: from the workspace down to the one that was named."""
    return tuple(str(one) for one in (folder, *folder.parents) if one.is_relative_to(workspace))


def _give_back(asked: _Asked, repo: "GitRepo") -> None:
    """All of `.git` too: commits may have been fetched, and a credential taken out of its config and put back."""
    from assay.adapters.ownership import give_back

    workspace, root = Path(asked.job.workspace).resolve(), Path(repo.root).resolve()
    give_back(workspace, root / ".assay", root / ".git", workspace / asked.inputs.artifact)


def _leave(nothing: "Nothing", files: "StepFiles") -> None:
    """Nothing was to be done: every output exists and is empty."""
    from assay.core.job_outputs import NAMES
    from assay.core.workflow_commands import Level, annotation

    sys.stdout.write(annotation(Level.NOTICE, nothing.reason, title="Assay"))
    for name in NAMES:
        files.output(name, "")


def _say_status(done: "Scheduled", files: "StepFiles") -> None:
    """The tick and the status, where no line of them is obeyed. The outputs of a check are empty."""
    from assay.core.job_outputs import NAMES
    from assay.core.loop.status_text import status_text
    from assay.core.loop.tick import as_text
    from assay.core.workflow_commands import quoted

    text = "\n\n".join((as_text(done.tick), status_text(done.status)) if done.tick else (status_text(done.status),))
    sys.stdout.write(quoted(text + "\n", secrets.token_hex(16)))
    sys.stdout.flush()
    for name in NAMES:
        if name not in SAID:
            files.output(name, "")


def _say(acted: "Acted") -> None:
    """The report where no line of it is obeyed, then a note on the job's page for each benchmark that needs a look."""
    from dataclasses import replace

    from assay.core.job_notes import notes
    from assay.core.plain_report import plain_report
    from assay.core.workflow_commands import quoted

    # the remarks have been said in the log one by one
    sys.stdout.write(quoted(plain_report(replace(acted.published, remarks=())), secrets.token_hex(16)))
    sys.stdout.write("".join(notes(acted.published)))
    sys.stdout.flush()


def _refuse_tampering(files: "StepFiles") -> None:
    """Raises InfrastructureError where somebody else wrote into the runner's files while benchmarks ran: fail closed."""
    files.settle()
    if files.tampered:
        raise InfrastructureError(
            f"While benchmarks ran, something wrote into files by which a step gives the runner orders: {', '.join(files.tampered)}.",
            hint="They were put back. Look for it in the change, and let benchmarks run as another account.",
        )


def _explain(error: AssayError, files: "StepFiles") -> None:
    """One paragraph in the log, which the job's page shows too, and the same in the summary."""
    from assay.app.action import explained
    from assay.core.workflow_commands import Level, annotation

    text = f"{error.message}\n  → {error.hint}" if error.hint else error.message
    sys.stdout.write(annotation(Level.ERROR, text, title="Assay"))
    if os.environ.get("ASSAY_DEBUG"):
        import traceback

        traceback.print_exc()
    try:
        files.summary(f"### Assay could not finish\n\n{explained(error)}\n")
        _refuse_tampering(files)
    except InfrastructureError as refused:
        if refused.message != error.message:
            sys.stdout.write(annotation(Level.WARNING, refused.message, title="Assay"))

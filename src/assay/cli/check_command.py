"""`assay check`: builds the adapters, runs the check, writes and prints what it found."""

import gc
import json
import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.exposure import take_cover
from assay.cli.house import build_house, job_question, look_for_garbage_rarely
from assay.cli.own_folder import FOLDER as FOLDER
from assay.cli.own_folder import own_folder
from assay.cli.streams import let_go_of_stdout
from assay.errors import NothingMeasuredError, UsageError

if TYPE_CHECKING:
    Record = Callable[[Iterable["Effect"]], tuple[str, ...]]

    from assay.adapters.git import GitRepo
    from assay.app.check import Checked, CheckRequest
    from assay.core.config import Config
    from assay.core.effects import Effect
    from assay.core.model import Direction
    from assay.core.render import Rendered
    from assay.core.result import CheckResult
    from assay.ports import Observer, Reports, Store

OFF = ("", "0", "false", "no", "off")
REPORTS = ("comment.md", "check.json", "summary.md", "result.json")


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of `assay check` as they were typed; an empty text is an option not given."""

    base: str | None = None
    head: str = "HEAD"
    benchmarks: tuple[str, ...] = ()
    run: str | None = None
    better: str | None = None
    config: str | None = None
    no_reuse: bool = False
    fail_on: str | None = None
    store: str = "auto"
    out: str | None = None
    as_json: bool = False


def check(options: CheckOptions, folder: str | None = None) -> int:
    """Check the repository around `folder` (by default the current one); the exit code."""
    refuse_bytes(options)
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    with ExitStack() as stack:
        job = job_question(stack, where)
        from assay.adapters.git import GitRepo
        from assay.adapters.terminal import display_for
        from assay.app.check import check as run_check

        better = direction_of(options)
        repo = GitRepo.discover(where)
        request = _request(options, repo, better)
        if request.elsewhere:
            from assay.cli.spread_command import spread_check

            return spread_check(options, where)
        refuse_links(repo.root)
        out = Path(options.out).absolute() if options.out else own_folder(repo.root) / "report"
        reports = reports_in(out)
        look_for_garbage_rarely()
        with display_for(sys.stderr) as observer:  # it holds the terminal, so it has to go before anything is printed
            store, together = store_at(options.store or "auto", repo, observer)
            house = build_house(stack, request.config, repo, store, observer, job)
            variables = dict(os.environ)  # the keys of models among them, which are nobody's business while benchmarks run
            take_cover(stack, repo.root, observer, own_variables=not options.store.startswith("branch"))
            record = recorder(store, reports, observer)
            with together:
                checked = run_check(request, house, record)
            from assay.cli.analysts import explained

            checked = explained(checked, request.config, repo, house, stack, variables)
    gc.disable()  # what rendering imports stays too, and then there is nothing more to come
    tell(checked, out, record, as_json=options.as_json)
    return exit_code_of(checked)


def refuse_bytes(options: CheckOptions) -> None:
    """Raise UsageError for a word that is no text: it goes into reports and JSON, which are."""
    from assay.core.escape import is_text

    for name, value in asdict(options).items():
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and not is_text(text):
                flag = name.replace("benchmarks", "benchmark")
                raise UsageError(f"--{flag} holds bytes that are not UTF-8.", hint="Put such a command into a script, and name that.")


def refuse_links(root: str) -> None:
    """Raise UsageError where a link stands for a folder of ours in the checkout: it may lead into what is the user's."""
    for name in ("", "logs", "store", "report", "cache", "analyses"):
        folder = Path(root, FOLDER, name)
        if folder.is_symlink():
            raise UsageError(f"{folder} is a symbolic link, where Assay keeps its own files.", hint=f"Take {FOLDER} out of the repository.")


def exit_code_of(checked: "Checked") -> int:
    """As the policy has it, unless something outside the benchmarks failed, which is raised once the report is out."""
    from assay.core.decide import exit_code

    if checked.errors:
        raise checked.errors[0]
    code = exit_code(checked.decisions, checked.policy)
    return NothingMeasuredError.exit_code if code == 0 and checked.nothing_measured else code


def direction_of(options: CheckOptions) -> "Direction | None":
    from assay.core.model import Direction

    if not options.better:
        return None
    if not options.run:
        raise UsageError("--better goes with --run.", hint="A benchmark of the config says there which way is better.")
    if options.better not in tuple(Direction):
        raise UsageError(f"--better is lower or higher, not {options.better!r}.", hint="Say `--better lower` for times and losses.")
    return Direction(options.better)


def _request(options: CheckOptions, repo: "GitRepo", better: "Direction | None") -> "CheckRequest":
    from assay.app.check import CheckRequest

    config, remarks = config_of(options, repo)
    return CheckRequest(
        config=config,
        base=options.base or None,
        head=options.head or "HEAD",
        benchmarks=options.benchmarks,
        fail_on=fail_on_of(options.fail_on),
        forced_by=forced_by("--no-reuse" if options.no_reuse else None, os.environ),
        better=better,
        reproduce=_reproduce(options),
        remarks=remarks,
    )


def config_of(options: CheckOptions, repo: "GitRepo") -> "tuple[Config, tuple[str, ...]]":
    from assay.adapters.config_file import read_config
    from assay.core.config_text import CONFIG_FILE, adhoc_config

    if not options.run:
        return (read_config(repo.root, options.config) if options.config else read_config(repo.root)), ()
    if options.benchmarks or options.config:
        raise UsageError(
            "--run judges one command without any config, so --benchmark and --config do not go with it.", hint="Leave one out."
        )
    present = Path(repo.root, CONFIG_FILE).exists()
    return adhoc_config(options.run), ((f"--run judges the command alone; {CONFIG_FILE} is not read.",) if present else ())


def fail_on_of(text: str | None) -> tuple[str, ...] | None:
    from assay.core.decide import FailOn

    words = tuple(word.strip() for word in text.split(",") if word.strip()) if text else None
    wrong = [word for word in words or () if word not in tuple(FailOn)]
    if wrong:
        raise UsageError(f"--fail-on does not know {wrong[0]!r}.", hint=f"It takes a list of: {', '.join(FailOn)}.")
    return words


def forced_by(asked: str | None, environ: Mapping[str, str]) -> str | None:
    """What asked for a fresh run and, in a job, who started that: `asked`, if anything, else the environment."""
    what = asked or ("ASSAY_NO_REUSE" if environ.get("ASSAY_NO_REUSE", "").strip().lower() not in OFF else None)
    actor = environ.get("GITHUB_ACTOR", "")
    return f"{what}, in a job of {actor}" if what and actor and actor not in what else what


def _reproduce(options: CheckOptions) -> str:
    words: list[str] = []
    for flag, value in (
        ("--run", options.run),
        ("--better", options.better),
        ("--config", options.config),
    ):
        words += [flag, value] if value else []
    words += [word for name in options.benchmarks for word in ("--benchmark", name)]
    words += ["--store", options.store] if options.store not in ("", "auto") else []
    return shlex.join([*words, "--no-reuse"])


def store_at(where: str, repo: "GitRepo", observer: "Observer") -> "tuple[Store, AbstractContextManager[object]]":
    """The store, and the context in which all that a check stores goes out together."""
    from assay.core.events import Remark

    kind, _, path = where.partition(":")
    if kind == "branch":
        from assay.adapters.store_branch import locate, token_for

        place = locate(repo.root, path)
        branch = place.open(token_for(place.remote, os.environ), lambda text: observer.note(Remark(text)))
        branch.flush()  # what an earlier command could not send is evidence too
        return branch, branch.batch()
    from assay.adapters.store_directory import DirectoryStore

    if where == "auto":
        return DirectoryStore(_made(own_folder(repo.root) / "store")), nullcontext()
    if kind == "dir" and path:
        return DirectoryStore(_made(Path(path).absolute())), nullcontext()
    raise UsageError(f"--store is auto, dir:PATH or branch[:NAME], not {where!r}.", hint="For example --store dir:/srv/assay")


def _made(folder: Path) -> Path:
    """The folder of a store, seen to be writable before anything is measured that would have to go there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The store {folder} cannot be made: {error.strerror}.", hint="Name another one: --store dir:PATH.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"The store {folder} cannot be written to.", hint="Name another one: --store dir:PATH.")
    return folder


def reports_in(out: Path) -> "Reports":
    """The folder of the reports, made before anything is measured: a typing error in --out must not cost a GPU hour."""
    from assay.adapters.reports_folder import ReportsFolder

    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in REPORTS:  # of an earlier check: should this one fail, nobody may take them for its own
            (out / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"The folder {out} for the reports cannot be made: {error.strerror}.", hint="Name another one with --out."
        ) from error
    return ReportsFolder(out)


def recorder(store: "Store", reports: "Reports", observer: "Observer") -> "Record":
    from assay.app.apply import apply
    from assay.core.events import Remark

    def record(effects: "Iterable[Effect]") -> tuple[str, ...]:
        failures = tuple(apply(effects, store, reports).failures)
        for failure in failures:
            observer.note(Remark(failure))
        return failures

    return record


def tell(checked: "Checked", out: Path, record: "Record", *, as_json: bool) -> None:
    """Write the four files and print the result. A file that cannot be written is told and changes nothing."""
    from assay.core.effects import WriteReport
    from assay.core.plain_report import plain_report
    from assay.core.result import as_json as json_of

    result = replace(checked.result, files={name: _shown(out / name) for name in REPORTS})
    rendered = _rendered(result)
    document = json.dumps(json_of(result), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    check_run = json.dumps(rendered.check, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    texts = (rendered.comment, check_run, rendered.summary, document)
    record([WriteReport(name, text) for name, text in zip(REPORTS, texts, strict=True)])
    _print(_for_log(document if as_json else plain_report(result, _columns()), as_json=as_json))


def _columns() -> int | None:
    """Of the terminal that is printed to, if it is one; of a very narrow one nothing is expected."""
    return max(shutil.get_terminal_size().columns, 40) if sys.stdout.isatty() else None


def _print(text: str) -> None:
    """Printing is reporting: a reader who has left, or a full disk behind a pipe, changes no decision and no exit code."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        let_go_of_stdout()


def _rendered(result: "CheckResult") -> "Rendered":
    from assay.adapters.templates import PackageTemplates
    from assay.core.render import TEMPLATES, render

    templates = PackageTemplates()
    return render(result, {name: templates.load(name) for name in TEMPLATES})


def _shown(path: Path) -> str:
    """The path as a person would type it from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _for_log(text: str, *, as_json: bool) -> str:
    """In a step's log a benchmark's output could give the runner commands, so there it is put where none are obeyed."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    if as_json:
        return text.replace("##[", "#\\u0023[")
    from assay.core.workflow_commands import quoted

    return quoted(text, secrets.token_hex(16))

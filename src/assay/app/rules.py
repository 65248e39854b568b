"""The config of a check on GitHub, read from commits and never from the working tree."""

from assay.app.question import Question
from assay.core.check_run import Annotation
from assay.core.config import Config
from assay.core.config_merge import merge
from assay.core.config_problems import MAX_SHOWN, ConfigError
from assay.core.config_text import decode_config, parse_config
from assay.core.values import dataclass
from assay.errors import AssayError, UsageError
from assay.ports import Repo

MAX_READ = 2**20


@dataclass(frozen=True, slots=True)
class Rules:
    """The config in force, what a reader should know of it, and notes on the lines of the one that head brings."""

    config: Config
    remarks: tuple[str, ...] = ()
    annotations: tuple[Annotation, ...] = ()


def rules_of(question: Question, repo: Repo, file: str) -> Rules:
    """The config of `question.rules`, with the benchmarks that only `question.extras` has.

    Raises ConfigError for what is wrong with base's, and with head's where base has none; UsageError where there is none.
    A head that is wrong beside a sound base is told, and only base's benchmarks are in force.
    """
    return rules_at(repo, question.rules, question.extras, file)


def rules_at(repo: Repo, rules: str, extras: str | None, file: str) -> Rules:
    """The same of the two commits themselves."""
    base = _config_at(repo, rules, file)
    try:
        head = _config_at(repo, extras, file) if extras else None
    except AssayError as error:
        if base is None:
            raise
        return _base_alone(base, error, file)
    merged = merge(base, head)
    if merged is None:
        raise _nothing_to_go_by(rules, extras, file, taken_from_head=head is not None)
    return Rules(merged.config, merged.remarks)


def _config_at(repo: Repo, commit: str, file: str) -> Config | None:
    content = repo.read_file(commit, file, MAX_READ)
    return None if content is None else parse_config(decode_config(content, file), file)


def _base_alone(base: Config, error: AssayError, file: str) -> Rules:
    remark = f"Head's config cannot be read, so only the benchmarks of the base branch are checked: {error.message}"
    problems = error.problems[:MAX_SHOWN] if isinstance(error, ConfigError) else ()
    notes = (
        Annotation(file, problem.line, problem.line, "failure", f"{problem.where}: {problem.text}" if problem.path else problem.text)
        for problem in problems
        if problem.line is not None
    )
    return Rules(base, (remark,), tuple(notes))


def _nothing_to_go_by(rules: str, extras: str | None, file: str, *, taken_from_head: bool) -> UsageError:
    if taken_from_head:
        return UsageError(
            f"The base branch has no {file}, and every benchmark of head's runs on a machine, which only the base branch may define.",
            hint=f"Merge {file} into the base branch first.",
        )
    whose = "" if extras else " Of a fork none is taken."
    return UsageError(
        f"There is no {file} at commit {rules[:10]}, whose config is in force.{whose}",
        hint="Commit one to that branch: docs/configuration.md begins with an example.",
    )

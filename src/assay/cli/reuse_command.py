"""`assay reuse`: whether a stored run answers for a benchmark, and every reason why."""

import json
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from assay.cli.check_command import forced_by, refuse_links
from assay.cli.house import build_house, job_question
from assay.core.values import dataclass
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.app.plan import Question
    from assay.core.config import Benchmark, Config
    from assay.core.result import ReuseVerdict


@dataclass(frozen=True, slots=True)
class ReuseOptions:
    """The options of `assay reuse` as they were typed."""

    benchmark: str | None = None
    model: str | None = None
    precision: str | None = None
    head: str = "HEAD"
    config: str | None = None
    no_reuse: bool = False
    store: str = "auto"
    explain: bool = False
    as_json: bool = False


def reuse(options: ReuseOptions, folder: str | None = None) -> int:
    """Print the verdict. The exit code is 0 whatever it is: this is a question, no gate."""
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    with ExitStack() as stack:
        job = job_question(stack, where)
        from assay.adapters.git import GitRepo
        from assay.adapters.terminal import display_for
        from assay.cli.store_command import open_store

        repo = GitRepo.discover(where)
        refuse_links(repo.root)
        question = _question(options, repo)
        store = open_store(options.store or "auto", where, os.environ)
        with display_for(sys.stderr) as observer:
            house = build_house(stack, question.config, repo, store, observer, job)
            from assay.app.plan import lineage_of

            lineage = lineage_of(house, question)
            run, verdict = next(lineage.answers(), (None, None))
            verdict = verdict or lineage.refusal()
            age = (house.clock.now().timestamp() - _moment(run.finished_at)) if run else None
    _print(question.benchmark.name, verdict, age, options)
    return 0


def _question(options: ReuseOptions, repo: "GitRepo") -> "Question":
    from assay.adapters.config_file import read_config
    from assay.app.commits import Commits
    from assay.app.plan import Question
    from assay.core.model import Trust

    config = read_config(repo.root, options.config) if options.config else read_config(repo.root)
    head = _commit(options.head or "HEAD", repo)
    return Question(
        config=config,
        benchmark=_benchmark(options, config),
        commits=Commits(head, head, None),
        policy_hash="",
        forced_by=forced_by("--no-reuse" if options.no_reuse else None, os.environ),
        trust=Trust.MEMBER,
    )


def _commit(ref: str, repo: "GitRepo") -> str:
    """The commit in question; `unknown` in a repository that has none yet, which is an answer of its own."""
    from assay.core.model import UNKNOWN

    try:
        return repo.resolve(ref)
    except UsageError:
        if ref != "HEAD":
            raise
        return UNKNOWN


def _benchmark(options: ReuseOptions, config: "Config") -> "Benchmark":
    """The benchmark that was named, or the only one, with the model and the precision that are asked for."""
    from assay.app.check import choose

    chosen = choose(config, (options.benchmark,) if options.benchmark else ())
    if len(chosen) > 1:
        names = ", ".join(sorted(config.benchmarks))
        raise UsageError(f"The config has several benchmarks: {names}.", hint="Name one with --benchmark NAME.")
    asked = {"model": options.model, "precision": options.precision}
    return chosen[0].model_copy(update={axis: value for axis, value in asked.items() if value})


def _moment(text: str) -> float:
    from assay.core.timestamp import moment

    return moment(text).timestamp()


def _print(name: str, verdict: "ReuseVerdict", age: float | None, options: ReuseOptions) -> None:
    from assay.core.ladder import answer_of, explained
    from assay.core.numbers import duration
    from assay.core.result import reuse_json

    if options.as_json:
        text = json.dumps(reuse_json(verdict), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    else:
        lines = answer_of(name, verdict, duration(max(age, 0.0)) if age is not None else "")
        text = "\n".join((*lines, *(explained(verdict) if options.explain else ())))
    sys.stdout.write(f"{text}\n")

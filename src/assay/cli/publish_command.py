"""`assay publish`: brings the published table of results up to date, in the working tree or by a pull request."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.loop_command import LoopOptions, published_in, read_rules, the_ledger, tip_of
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.app.authority import Publishing
    from assay.core.loop.proposal import Edition

TOKENS = ("INPUT_GITHUB-TOKEN", "INPUT_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")


def publish(options: LoopOptions, *, pull_request: bool, folder: str | None = None) -> int:
    """Publish what the ledger of the repository around `folder` has; the exit code."""
    from assay.adapters.clock import SystemClock
    from assay.adapters.git import GitRepo
    from assay.app.authority import publish as run_publish
    from assay.cli.store_command import open_store

    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    repo = GitRepo.discover(where)
    config = read_rules(options, repo)
    ledger = the_ledger(options, open_store(options.store or "auto", where, os.environ))
    known = ledger.rows().believed(SystemClock().now())
    done = run_publish(published_in(config, repo.root), known, _by_pull_request(repo) if pull_request else _in_tree(repo))
    _print(done, options)
    return 0


def _in_tree(repo: "GitRepo") -> "Callable[[Edition], Publishing]":
    from assay.adapters.document_file import TreeDocuments
    from assay.app.authority import into_tree

    return into_tree(TreeDocuments(Path(repo.root)))


def _by_pull_request(repo: "GitRepo") -> "Callable[[Edition], Publishing]":
    from assay.adapters.github.client import Patience
    from assay.adapters.github.notices import GitHubNotices
    from assay.app.authority import as_pull_request
    from assay.core.inputs import DEFAULT_LOGIN
    from assay.core.model import UNKNOWN

    token = next((os.environ[name] for name in TOKENS if os.environ.get(name)), "")
    name = os.environ.get("GITHUB_REPOSITORY", "")
    if not token or not name:
        what = "A pull request needs GITHUB_REPOSITORY, and a token in GITHUB_TOKEN or GH_TOKEN."
        raise UsageError(what, hint="Without --pull-request the document of the working tree is written.")
    branch, tip = (repo.default_branch() or "").removeprefix("origin/"), tip_of(repo)
    if not branch or tip == UNKNOWN:
        raise UsageError("The default branch is not in this clone.", hint="Fetch it: git fetch origin.")
    api = os.environ.get("GITHUB_API_URL") or "https://api.github.com"
    login = os.environ.get("INPUT_BOT-LOGIN") or os.environ.get("INPUT_BOT_LOGIN") or DEFAULT_LOGIN
    return as_pull_request(GitHubNotices(token, name, api_url=api, bot_login=login, patience=Patience()), branch, tip)


def _print(done: "Publishing", options: LoopOptions) -> None:
    from assay.core.escape import plain
    from assay.core.loop.proposal import SCHEMA
    from assay.core.numbers import count

    edition = done.edition
    if options.as_json:
        facts = {"file": edition.file, "newer": edition.lag.newer, "through": edition.lag.through, "changed": edition.changed}
        document = {"schema": SCHEMA, **facts, "written": done.path, "pull_request": done.pull.url if done.pull else None}
        sys.stdout.write(f"{json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)}\n")
        return
    where = done.path or (done.pull.url if done.pull else "")
    news = count(edition.lag.newer, "new result")
    sys.stdout.write(f"{news}: {plain(where, 400)}\n" if where else f"{plain(edition.file, 200)} is up to date.\n")

"""How the commits of a pull request come into a job's clone that was checked out for something else."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.core.forge_facts import PullFacts


def bringer(repo: "GitRepo", trusted: tuple[str, ...], tokens: Mapping[str, str]) -> "Callable[[PullFacts], None]":
    """Fetches head and base of a pull request where the clone lacks them; a clone that has both is left as it is."""

    def bring(pull: "PullFacts") -> None:
        wanted = {"head": pull.head_sha, "base": pull.base_sha}
        missing = {sha: f"refs/assay/pull/{pull.number}/{side}" for side, sha in wanted.items() if not _has(repo, sha)}
        if missing:
            _fetch(repo, trusted, tokens, missing)

    return bring


def _has(repo: "GitRepo", sha: str) -> bool:
    try:
        repo.resolve(sha)
    except UsageError:
        return False
    return True


def _fetch(repo: "GitRepo", trusted: tuple[str, ...], tokens: Mapping[str, str], missing: Mapping[str, str]) -> None:
    from assay.adapters.git.fetch import Source, fetch
    from assay.adapters.store_branch import locate, token_for
    from assay.adapters.store_branch.remote import NAME, Remote

    place = locate(repo.root, trusted=trusted)
    remote = Remote.parse(place.remote, repo.root, token_for(place.remote, tokens))
    fetch(repo.root, trusted, Source(NAME, remote.variables, remote.redacted), missing)

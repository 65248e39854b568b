"""Brings single commits into a job's clone, by the caller's remote and credential, whatever the clone's config says of either."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from assay.adapters.git.command import in_folder
from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import InfrastructureError

FETCH_S = 600.0
_OURS = ("-c", "credential.helper=", "-c", "core.askPass=", "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30")
_OPTIONS = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc")


@dataclass(frozen=True, slots=True)
class Source:
    """Where commits come from: what git is to call it, the variables that define it with its credential, and what hides that again."""

    name: str
    variables: Mapping[str, str] = field(repr=False)
    redacted: Callable[[str], str] = str


def fetch(root: str, trusted: tuple[str, ...], source: Source, wanted: Mapping[str, str]) -> None:
    """Fetch commits, each to a ref of ours that keeps it: `wanted` maps full shas to refs.

    Raises InfrastructureError where a commit does not come.
    """
    git = in_folder(root, trusted)
    asked = replace(git, options=(*git.options, *_OURS), env={**git.env, **source.variables})
    answer = asked.ask("fetch", *_OPTIONS, source.name, *_specs(wanted), within_s=FETCH_S)
    if not answer.ok:
        said = plain(source.redacted(answer.err) or f"exit status {answer.status}", 300)
        raise InfrastructureError(
            f"The commits of the pull request could not be fetched: {said}",
            hint="Check the whole history out (`fetch-depth: 0`), and see that the token may read the repository.",
        )


def _specs(wanted: Mapping[str, str]) -> Sequence[str]:
    return [f"+{sha}:{ref}" for sha, ref in wanted.items()]

"""Packs commits into one file that another machine can fetch from."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from assay.adapters.git.checkout import Source, make_repository
from assay.adapters.git.command import on_private
from assay.adapters.git.failures import failure
from assay.errors import InfrastructureError


def write_bundle(source: Source, commits: Mapping[str, str], file: str) -> None:
    """Write a bundle with the refs `refs/assay/NAME` at these full shas, and all that they lead to.

    Raises InfrastructureError where a commit is not whole in this clone, or the disk refuses.
    """
    refs = [f"refs/assay/{name}" for name in commits]
    lines = "".join(f"{sha} {ref}\n" for ref, sha in sorted(zip(refs, commits.values(), strict=True))).encode()
    folder = tempfile.mkdtemp(prefix="assay-bundle-")
    try:
        git_dir = Path(folder, "git")
        make_repository(git_dir, source, next(iter(commits.values())), lines)
        answer = on_private(str(git_dir), folder).ask("bundle", "create", "--quiet", file, *refs)
    except OSError as error:
        raise InfrastructureError(f"{file} cannot be written: {error.strerror or error}.", hint="Free the disk that it is on.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not answer.ok:
        raise failure(answer, "Packing the commits", objects=source.objects)

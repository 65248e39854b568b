"""A check run as the forge takes it: one for each benchmark, on the head commit."""

from assay.core.model import Conclusion
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note on lines of a file of the head commit. `level` is notice, warning or failure; lines count from 1."""

    path: str
    start_line: int
    end_line: int
    level: str
    message: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A completed check run, within GitHub's limits already (see `core.fit`)."""

    name: str
    head_sha: str
    external_id: str
    conclusion: Conclusion
    title: str
    summary: str
    text: str
    annotations: tuple[Annotation, ...] = ()
    details_url: str = ""

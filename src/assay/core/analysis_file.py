"""What a store keeps of a completed analysis: who analysed and at what cost, the evaluation, and the report.

Prompts, single answers and the digest stay where the analysis was made.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from assay.core import canonical
from assay.core.store_layout import ANALYSIS_FILES, analysis_path
from assay.core.values import dataclass


@dataclass(frozen=True, slots=True)
class AnalysisFile:
    """One file of an analysis. Like any record it is written once and never changed."""

    analysis_id: str
    name: str
    data: bytes

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return analysis_path(self.analysis_id, self.name)


def analysis_files(
    analysis_id: str, manifest: Mapping[str, object], evaluation: Mapping[str, object], merged: str, secrets: Sequence[str] = ()
) -> tuple[AnalysisFile, ...]:
    """The files of an analysis, for a place that others can read: none of the `secrets` stands in them, nor what looks like one."""
    from assay.core.fusion.redact import redact  # no check without an analysis needs it

    hide = partial(redact, known=secrets)
    texts = {
        "manifest.json": canonical.pretty(_redacted(manifest, hide)) + "\n",
        "evaluation.json": canonical.pretty(_redacted(evaluation, hide)) + "\n",
        "merged.md": hide(merged),
    }
    return tuple(AnalysisFile(analysis_id, name, texts[name].encode("utf-8", "replace")) for name in ANALYSIS_FILES)


def _redacted(value: object, hide: Callable[[str], str]) -> object:
    """Text by text, for what a whole document looks like must not decide what is taken out of it."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {key: _redacted(one, hide) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(one, hide) for one in value]
    return value

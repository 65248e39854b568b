"""The analyses in a folder that has the layout of a store."""

from collections.abc import Iterator
from pathlib import Path

from assay.adapters.store_files import read_file, unreadable, walk
from assay.core.analysis_file import AnalysisFile
from assay.core.store_layout import ANALYSES, analysis_of
from assay.ports import Unreadable

DEPTH = 1
"""Folders between `analyses` and the files."""


def read_analyses(root: Path) -> Iterator[AnalysisFile | Unreadable]:
    """Every file of every analysis, newest analysis first, and what cannot be read."""
    for entry in walk(root, ANALYSES, DEPTH):
        if isinstance(entry, Unreadable):
            yield entry
        elif (named := analysis_of(entry)) is None:
            yield unreadable(entry, "no file that a store keeps of an analysis")
        else:
            data = read_file(root, entry)
            yield data if isinstance(data, Unreadable) else AnalysisFile(*named, data)

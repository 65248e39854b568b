"""The index of a store, in SQLite: which records stand where, and which runs may answer. A cache, built anew at will."""

from assay.adapters.store_index.index import Asked, Index
from assay.adapters.store_index.reading import Shelf
from assay.adapters.store_index.sources import Entry, News, Source
from assay.adapters.store_index.tables import Place

__all__ = ["Asked", "Entry", "Index", "News", "Place", "Shelf", "Source"]

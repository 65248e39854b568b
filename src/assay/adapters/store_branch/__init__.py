"""The store on a data branch: git plumbing in a repository of our own, an outbox for what is on its way, an index for reading."""

from assay.adapters.store_branch.flushed import Flushed
from assay.adapters.store_branch.location import BranchPlace, locate, locate_from_files, token_for
from assay.adapters.store_branch.remote import Credentials
from assay.adapters.store_branch.store import BranchStore, sentences
from assay.adapters.store_directory import Stored

__all__ = ["BranchPlace", "BranchStore", "Credentials", "Flushed", "Stored", "locate", "locate_from_files", "sentences", "token_for"]

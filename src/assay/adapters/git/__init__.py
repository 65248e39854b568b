"""Git: questions to the user's repository, and commits laid out on disk without touching it."""

from assay.adapters.git.command import LOCAL_VARIABLES, scrub_environment
from assay.adapters.git.repository import GitRepo

__all__ = ["LOCAL_VARIABLES", "GitRepo", "scrub_environment"]

"""Git: questions to the user's repository, and commits laid out on disk without touching it. GitPython's command layer runs it."""

from assay.adapters.git.command import LOCAL_VARIABLES, scrub_environment
from assay.adapters.git.creation import Version, create
from assay.adapters.git.repository import GitRepo

__all__ = ["LOCAL_VARIABLES", "GitRepo", "Version", "create", "scrub_environment"]

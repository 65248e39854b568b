"""The routes of the fake, one module for each part of GitHub's API."""

from importlib import import_module

MODULES = ("people", "repos", "activity", "refs", "commits", "pulls", "issues", "comments", "checks", "labels", "statuses", "actions")


def register_all() -> None:
    """Import every module of routes; each puts its own into the table."""
    for name in MODULES:
        import_module(f"{__name__}.{name}")

"""The templates of the working tree, read once."""

from functools import cache

from assay.adapters.templates import PackageTemplates
from assay.core.render import TEMPLATES


@cache
def templates() -> dict[str, str]:
    """Name and text of every template that a report needs."""
    shipped = PackageTemplates()
    return {name: shipped.load(name) for name in TEMPLATES}

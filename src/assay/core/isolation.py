"""Whether a benchmark's setup installs Python packages, so that each worktree needs an environment of its own."""

import re

_INSTALLERS = (
    *("pip", "pipx", "pipenv", "easy_install", "python", "uv", "uvx", "poetry", "pdm", "hatch", "rye", "flit", "maturin", "pixi"),
    *("conda", "mamba", "micromamba", "nox", "tox"),
)
_WORD = re.compile(rf"(?:^|(?<=[\s;&|(){{}}`'\"/=]))({'|'.join(_INSTALLERS)})[0-9.]*(?=$|[\s;&|(){{}}`'\"])", re.MULTILINE)


def installs_python(setup: str | None) -> bool:
    """Whether the setup calls a tool that installs Python packages, or Python itself.

    It goes by the words of the command: `pip`, `python3.12`, `uv`, `poetry`, `conda` and their like, also at the end of a
    path. A `make install` that calls pip in turn is not seen here; then the fingerprints of what both sides share tell.
    """
    return setup is not None and _WORD.search(setup) is not None


def calls_pip(setup: str) -> bool:
    """Whether the setup runs pip itself, not only an installer with a `pip` subcommand."""
    return any(found[1] == "pip" and not re.search(r"\buv\s+$", setup[: found.start()]) for found in _WORD.finditer(setup))

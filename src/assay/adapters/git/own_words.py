"""What of a user's git configuration is data for us: who commits, which files are ignored, how line ends are stored.

The files are read by `git config --file`, which starts nothing and includes nothing, and only a few keys with values of a
known form are taken over.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from assay.adapters.git.command import CONFIG_VARIABLES, LOCAL_VARIABLES, QUIET, GitCommand
from assay.adapters.git.dot_git import DotGit
from assay.core.experiment_errors import GitNotConfiguredError
from assay.core.values import dataclass

_NOBODY = {"NAME": "Assay", "EMAIL": "assay@assay.invalid"}
_SWITCH = re.compile(r"(?:true|false|yes|no|on|off|1|0)?", re.IGNORECASE)
_CORE = {
    "core.filemode": ("fileMode", _SWITCH),
    "core.symlinks": ("symlinks", _SWITCH),
    "core.ignorecase": ("ignoreCase", _SWITCH),
    "core.precomposeunicode": ("precomposeUnicode", _SWITCH),
    "core.autocrlf": ("autocrlf", re.compile(r"true|false|input", re.IGNORECASE)),
    "core.eol": ("eol", re.compile(r"lf|crlf|native", re.IGNORECASE)),
}
_CORE_KEYS = "filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|excludesfile|sparsecheckout"
_KEYS = rf"^(core\.({_CORE_KEYS})|user\.(name|email)|remote\.origin\.url|extensions\..*)$"
_KNOWN_EXTENSIONS = {"extensions.objectformat", "extensions.worktreeconfig", "extensions.partialclone", "extensions.preciousobjects"}
_PLAIN = re.compile(r"[^\x00-\x1f\x7f\"\\;#]+")


@dataclass(frozen=True, slots=True)
class OwnWords:
    """The values taken over: variables of the identity, keys of the section core, the file of ignored patterns, the kind of hash,
    and the URL of the remote `origin`, empty where there is none."""

    identity: Mapping[str, str]
    core: Mapping[str, str]
    excludes: str
    sha256: bool
    origin: str


def read_own_words(dot_git: DotGit) -> OwnWords:
    """Read them. Raises GitNotConfiguredError for a repository of a kind that we cannot work on."""
    found = _user_wide() | _of_file(dot_git.common / "config") | _of_file(dot_git.own / "config.worktree")
    strange = sorted(key for key in found if key.startswith("extensions.") and key not in _KNOWN_EXTENSIONS)
    if strange:
        raise GitNotConfiguredError(f"The repository uses {strange[0]}, which Assay cannot work on.", hint="Keep and restore by git.")
    if found.get("core.sparsecheckout", "false").lower() in ("true", "yes", "on", "1"):
        raise GitNotConfiguredError(
            "The tree is a sparse checkout, which Assay cannot keep or restore.", hint="git sparse-checkout disable"
        )
    core = {name: value for key, (name, form) in _CORE.items() if (value := found.get(key)) is not None and form.fullmatch(value)}
    sha256 = found.get("extensions.objectformat", "sha1") == "sha256"
    return OwnWords(_identity(found), core, _excludes(found), sha256, found.get("remote.origin.url", ""))


def _user_wide() -> dict[str, str]:
    """The configuration of the user and of the machine, without any repository's."""
    command = GitCommand(("--git-dir=" + os.devnull,), QUIET, LOCAL_VARIABLES + CONFIG_VARIABLES)
    return _parsed(command.ask("config", "--includes", "-z", "--get-regexp", _KEYS).out)


def _of_file(file: Path) -> dict[str, str]:
    if not file.is_file() or file.is_symlink():
        return {}
    command = GitCommand(("--git-dir=" + os.devnull,), QUIET, LOCAL_VARIABLES + CONFIG_VARIABLES)
    return _parsed(command.ask("config", "--file", str(file), "--no-includes", "-z", "--get-regexp", _KEYS).out)


def _parsed(raw: bytes) -> dict[str, str]:
    entries = (os.fsdecode(entry).partition("\n") for entry in raw.split(b"\0")[:-1])
    return {key.lower(): value if sign else "true" for key, sign, value in entries}


def _identity(found: Mapping[str, str]) -> dict[str, str]:
    """Variables for both roles: what the environment names, else the configuration, else ourselves."""
    variables = {}
    for field, key in (("NAME", "user.name"), ("EMAIL", "user.email")):
        for role in ("AUTHOR", "COMMITTER"):
            name = f"GIT_{role}_{field}"
            variables[name] = os.environ.get(name) or found.get(key) or _NOBODY[field]
    return variables


def _excludes(found: Mapping[str, str]) -> str:
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.environ.get("HOME", "/nonexistent"), ".config")  # noqa: PTH118
    named = found.get("core.excludesfile") or f"{home}/git/ignore"
    path = str(Path(named).expanduser())
    return path if _PLAIN.fullmatch(path) and path.startswith("/") else os.devnull

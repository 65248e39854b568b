"""The environment that a benchmark gets: an allow-list, so that what nobody thought of stays out."""

import re
from collections.abc import Iterable, Mapping

from assay.core.credentials import looks_like_credential
from assay.errors import UsageError

FAMILIES = (
    "LC_",
    "DYLD_",
    "CONDA_",
    "CUDA_",
    "NVIDIA_",
    "ROCM_",
    "HIP_",
    "HSA_",
    "ROCR_",
)
"""Prefixes of what locale, loader, conda and GPU drivers need."""

NAMES = frozenset({"PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYENV_ROOT", "PYENV_VERSION", "RUSTUP_HOME"})

WITHHELD = ("INPUT_", "ACTIONS_", "GITHUB_", "RUNNER_", "SSH_", "DOCKER_")
"""Prefixes of what steers a CI job, or leads to a key or a daemon of the host."""

_TOLD_ELSEWHERE = re.compile(r"PATH|[A-Z]+_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|CONDA_(?:SHLVL|PROMPT_MODIFIER)")
"""Of the common ones, those in which two equal environments may differ: the choice of devices is in the machine's class, and of PATH
the Python and the image are told."""

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def child_environment(
    parent: Mapping[str, str],
    *,
    passed: Iterable[str] = (),
    assigned: Mapping[str, str] | None = None,
    home: str,
    tmp: str,
    path_prefix: Iterable[str] = (),
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The whole environment of a child whose own folders are `home` and `tmp`.

    `passed` are the names that `env.pass` lets through, `assigned` what `env.set` sets, `extra` what we add ourselves; of
    one name the last of home and tmp, passed, extra and assigned wins. The folders of `path_prefix` come first on PATH in
    any case. Raises UsageError where `passed` names a credential.
    """
    names = tuple(passed)
    refuse_credentials(names)
    environment = {name: value for name, value in parent.items() if _is_common(name)}
    environment |= {"HOME": home, "TMPDIR": tmp, "TMP": tmp, "TEMP": tmp}
    environment |= {name: parent[name] for name in names if name in parent}
    environment |= dict(extra or {}) | dict(assigned or {})
    environment["PATH"] = ":".join([*path_prefix, environment.get("PATH") or DEFAULT_PATH])
    return environment


def inherited(parent: Mapping[str, str]) -> dict[str, str]:
    """What every child has of the job's environment and may compute or load otherwise by: locale, loader, GPU libraries, conda."""
    return {name: value for name, value in sorted(parent.items()) if _is_common(name) and not _TOLD_ELSEWHERE.fullmatch(name)}


def refuse_credentials(names: Iterable[str]) -> None:
    """Raise UsageError that says of each name that no benchmark may see why not."""
    refused = [f"{name} ({why})" for name in names if (why := why_withheld(name))]
    if refused:
        raise UsageError(
            f"env.pass names what no benchmark may see: {', '.join(refused)}",
            hint="take these out; env.set gives a plain value, and what needs a credential belongs in an earlier step of the job",
        )


def why_withheld(name: str) -> str:
    """Why a variable of that name is kept from children; empty where it may be passed."""
    if looks_like_credential(name):
        return "it looks like the name of a credential"
    prefix = next((prefix for prefix in WITHHELD if name.upper().startswith(prefix)), "")
    return f"{prefix}* belongs to the job" if prefix else ""


def _is_common(name: str) -> bool:
    return (name in NAMES or name.startswith(FAMILIES)) and not why_withheld(name)

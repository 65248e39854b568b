"""Reads the config file of a working tree, and nothing but a small regular file."""

import os
import stat
from pathlib import Path

from assay.core.config import Config
from assay.core.config_text import CONFIG_FILE, decode_config, parse_config
from assay.core.yaml_tree import MAX_BYTES
from assay.errors import InfrastructureError, UsageError

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # neither a link nor a pipe can lead or hold us elsewhere


def read_config(root: str, file: str = CONFIG_FILE) -> Config:
    """The config of the working tree at `root`. `file` is relative to it, or absolute.

    Raises UsageError where there is none or it is no small regular file, ConfigError for what it says wrongly.
    """
    return parse_config(decode_config(config_bytes(root, file), file), file)


def config_bytes(root: str, file: str = CONFIG_FILE) -> bytes:
    """What the file holds, up to a little more than a config may; raises as `read_config` does for a file that is none."""
    path = Path(root, file)
    try:
        handle = os.open(path, _FLAGS)
    except FileNotFoundError as error:
        raise _absent(root, file) from error
    except OSError as error:
        if path.is_symlink():
            raise UsageError(f"{file} is a symbolic link.", hint="Put the config itself there.") from error
        raise InfrastructureError(f"{file} cannot be read: {error.strerror}.", hint="Check its permissions.") from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UsageError(f"{file} is not a regular file.", hint="Put the config itself there.")
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(MAX_BYTES + 1)
    finally:
        os.close(handle)


def _absent(root: str, file: str) -> UsageError:
    other = Path(file).with_suffix(".yaml" if file.endswith(".yml") else ".yml")
    if Path(root, other).is_file():
        return UsageError(f"There is no {file} in {root}, but there is {other}.", hint=f"Rename it: git mv {other} {file}")
    return UsageError(
        f"There is no {file} in {root}.",
        hint="Write one (docs/configuration.md begins with an example), or measure one command without: assay check --run 'CMD'",
    )

"""One git process: which options and variables it gets, and what it answered."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from shutil import which

from assay.errors import InfrastructureError

LOCAL_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
"""What git sets for its hooks (`git rev-parse --local-env-vars`): it would send our questions to another repository or index."""

CONFIG_VARIABLES = ("GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS")
"""Configuration by environment. It is the user's word for the user's repository (`safe.directory`), and nobody's for ours."""

HARMLESS = (
    # no program of anybody's is started, and nothing is fetched, whatever the configuration says
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "submodule.recurse=false"),
    *("-c", "advice.detachedHead=false"),
)
QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # a sha has to name the same content for everybody
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
}
OURS_ALONE = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ATTR_NOSYSTEM": "1"}


def scrub_environment(environ: MutableMapping[str, str]) -> None:
    """Drop the variables that bind git to the repository of a running hook. For the root, once, at the start."""
    for name in LOCAL_VARIABLES:
        environ.pop(name, None)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a git process came to. `words` are the subcommand and its arguments."""

    words: tuple[str, ...]
    status: int
    out: bytes
    err: str

    @property
    def ok(self) -> bool:
        return self.status == 0

    @property
    def line(self) -> str:
        """The output as text, without the end of its last line."""
        return os.fsdecode(self.out.removesuffix(b"\n"))


@dataclass(frozen=True, slots=True)
class GitCommand:
    """Runs git with fixed options. `dropped` names variables of our own environment that it must not inherit."""

    options: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=lambda: dict(QUIET))
    dropped: tuple[str, ...] = LOCAL_VARIABLES

    def ask(self, *words: str) -> Answer:
        """Run it; the answer, good or bad. Raises InfrastructureError where git cannot be started."""
        prefix = without(tuple(name for name in self.dropped if name in os.environ and name not in self.env))
        status, out, err = _execute([*prefix, "git", *HARMLESS, *self.options, *words], self.env)
        return Answer(words, status, out, err)


def without(names: tuple[str, ...]) -> tuple[str, ...]:
    """Words that start a command without these variables: GitPython can only add to the environment it inherits."""
    return ("env", *(word for name in names for word in ("-u", name))) if names else ()


def in_folder(folder: str) -> GitCommand:
    """Git as the user would call it there, with the user's own configuration."""
    return GitCommand(("-C", folder))


def on_private(git_dir: str, tree: str) -> GitCommand:
    """Git on a repository of ours, deaf to all configuration but that repository's own."""
    options = (f"--git-dir={git_dir}", f"--work-tree={tree}")
    return GitCommand(options, QUIET | OURS_ALONE, LOCAL_VARIABLES + CONFIG_VARIABLES)


def _execute(words: list[str], env: Mapping[str, str]) -> tuple[int, bytes, str]:
    if which("git") is None:
        raise InfrastructureError("The command `git` is not on the PATH.", hint="Install git 2.36 or newer, or add its folder to PATH.")
    try:
        from git.cmd import Git  # slow to import, and it fails where git does not start
        from git.exc import GitCommandNotFound

        status, out, err = Git().execute(
            words, env=env, with_extended_output=True, with_exceptions=False, stdout_as_string=False, strip_newline_in_stdout=False
        )
    except (ImportError, GitCommandNotFound, OSError) as error:
        raise InfrastructureError("The command `git` cannot be started.", hint="See whether `git version` works in this shell.") from error
    return status, out, err

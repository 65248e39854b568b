"""One git process: which options and variables it gets, and what it answered."""

import os
import subprocess
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import field
from shutil import which
from typing import BinaryIO, cast

from assay.core.values import dataclass
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

_PIPE = 2**20
"""Bytes of a poured output that are read at once."""

_KILLED = "Timeout: the command "
"""How GitPython begins when it has killed a process for its time."""


def scrub_environment(environ: MutableMapping[str, str]) -> None:
    """Drop the variables that bind git to the repository of a running hook. For the root, once, at the start."""
    for name in LOCAL_VARIABLES:
        environ.pop(name, None)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a git process came to. `words` are the subcommand and its arguments; `late` says that it was killed for its time."""

    words: tuple[str, ...]
    status: int
    out: bytes
    err: str
    late: bool = False

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

    def ask(self, *words: str, feed: bytes | None = None, within_s: float | None = None) -> Answer:
        """Run it; the answer, good or bad. `feed` is its standard input, `within_s` the time after which it is killed.

        Raises InfrastructureError where git cannot be started.
        """
        if which("git") is None:
            raise InfrastructureError("The command `git` is not on the PATH.", hint="Install git 2.36 or newer, or add its folder to PATH.")
        git = ["git", *HARMLESS, *self.options, *words]
        dropped = tuple(name for name in self.dropped if name in os.environ and name not in self.env)
        with _stream(feed) as stream:
            try:
                if within_s is None:
                    return Answer(words, *_execute(git, _environment(self.env, dropped), stream))
                status, out, err = _execute_within(within_s, [*without(dropped), *git], self.env, stream)
            except OSError as error:
                raise _not_started() from error
        late = status != 0 and err.startswith(_KILLED)
        return Answer(words, status, out, "" if late else err, late)

    @contextmanager
    def pour(self, *words: str, feed: bytes) -> Iterator[BinaryIO]:
        """Run it and read its output as it comes, for what is too large to be held. `feed` is its standard input.

        Raises InfrastructureError where git cannot be started. Whoever reads has to see by itself whether all has come.
        """
        dropped = tuple(name for name in self.dropped if name in os.environ and name not in self.env)
        words = ("git", *HARMLESS, *self.options, *words)
        with _stream(feed) as stream:
            try:
                git = subprocess.Popen(
                    words,
                    env=_environment(self.env, dropped),
                    stdin=stream,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    bufsize=_PIPE,
                )
            except OSError as error:
                raise _not_started() from error
            with git:
                try:
                    assert git.stdout is not None  # it was asked for
                    yield cast(BinaryIO, git.stdout)
                finally:
                    git.kill()  # whoever has read enough need not wait for the rest


def without(names: tuple[str, ...]) -> tuple[str, ...]:
    """Words that start a command without these variables: GitPython can only add to the environment it inherits."""
    return ("env", *(word for name in names for word in ("-u", name))) if names else ()


def in_folder(folder: str, trusted: tuple[str, ...] = ()) -> GitCommand:
    """Git as the user would call it there, with the user's own configuration.

    `trusted` are repositories that it reads although another user owns them, as a job's checkout is to a container.
    """
    return GitCommand(("-C", folder, *(word for path in trusted for word in ("-c", f"safe.directory={path}"))))


def on_private(git_dir: str, tree: str) -> GitCommand:
    """Git on a repository of ours, deaf to all configuration but that repository's own."""
    options = (f"--git-dir={git_dir}", f"--work-tree={tree}")
    return GitCommand(options, QUIET | OURS_ALONE, LOCAL_VARIABLES + CONFIG_VARIABLES)


def on_bare(git_dir: str, *, variables: Mapping[str, str] | None = None, dropped: tuple[str, ...] = ()) -> GitCommand:
    """The same on a repository without a working tree, with variables of the caller's and without some more of the environment."""
    return GitCommand((f"--git-dir={git_dir}",), QUIET | OURS_ALONE | dict(variables or {}), LOCAL_VARIABLES + CONFIG_VARIABLES + dropped)


@contextmanager
def _stream(feed: bytes | None) -> Iterator[int | None]:
    """The descriptor of a file, not of a pipe: git may then read as it likes, and nobody has to write beside it."""
    if feed is None:
        yield None
        return
    from tempfile import TemporaryFile  # no verb needs it at its start

    try:
        with TemporaryFile() as file:
            file.write(feed)
            file.seek(0)
            yield file.fileno()
    except OSError as error:
        what = f"What git is to read cannot be put into the temporary folder: {error.strerror or error}."
        raise InfrastructureError(what, hint="Free some space, or point TMPDIR to a disk that has some.") from error


def _environment(own: Mapping[str, str], dropped: tuple[str, ...]) -> Mapping[str, str]:
    """What we inherit without some of it, in the language that we read, and then what is `own`."""
    inherited = {name: value for name, value in os.environ.items() if name not in dropped}
    return inherited | {"LANGUAGE": "C", "LC_ALL": "C"} | dict(own)


def _execute(words: list[str], env: Mapping[str, str], stream: int | None) -> tuple[int, bytes, str]:
    done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL if stream is None else stream, capture_output=True, check=False)
    return done.returncode, done.stdout, os.fsdecode(done.stderr).removesuffix("\n")


def _execute_within(seconds: float, words: list[str], env: Mapping[str, str], stream: int | None) -> tuple[int, bytes, str]:
    """The same with a deadline. GitPython ends the helpers too that talk to the remote; to import it takes as long as ten answers."""
    try:
        from git.cmd import Git
        from git.exc import GitCommandNotFound
    except ImportError as error:  # it runs git when it is imported
        raise _not_started() from error
    try:
        status, out, err = Git().execute(
            words,
            istream=stream,
            env=env,
            kill_after_timeout=seconds,
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
        )
    except GitCommandNotFound as error:
        raise _not_started() from error
    return status, out, err


def _not_started() -> InfrastructureError:
    return InfrastructureError("The command `git` cannot be started.", hint="See whether `git version` works in this shell.")

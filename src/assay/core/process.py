"""What is asked of a process and what is heard of it while it runs: values only, no process is started here."""

import math
from collections.abc import Mapping
from dataclasses import field

from assay.core.values import dataclass

DEFAULT_TIMEOUT_S = 600.0
DEFAULT_MAX_OUTPUT = 10**9
"""Bytes of both streams together; beyond it the process is killed (cause `output_limit`)."""


@dataclass(frozen=True, slots=True)
class Argv:
    """A command as words. No shell sees it."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shell:
    """A command as the config's author wrote it, for `sh -c`. Nothing of ours is ever pasted into one."""

    text: str


@dataclass(frozen=True, slots=True)
class Account:
    """The user that a child runs as."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class ProcessRequest:
    """One process to be run.

    `env` is the whole environment, not an addition. `timeout_s` is counted from its start, `within_s` from when it is asked
    for, so that waiting for its turn counts too; whichever is over first ends it, with the cause `timeout`. `claims` names
    what nobody else on this box may use meanwhile, such as a working tree; beside it the runner claims the `gpus` that the process will
    see, watches them, and holds their clocks at `gpu_clock` MHz if that is given. `account` is None to stay the user we are.
    `dialect` is the grammar of METRIC lines; `metrics` are the names that count, which no flood of other names may push out.
    Where the system allows it, the process cannot write below the paths of `read_only`, save below those of `writable`.
    `max_stderr` limits standard error by itself; `stdin_file` is what the process reads on standard input, nothing by default.
    """

    command: Argv | Shell
    cwd: str
    env: Mapping[str, str]
    log_file: str
    timeout_s: float = DEFAULT_TIMEOUT_S
    within_s: float = math.inf
    max_output: int = DEFAULT_MAX_OUTPUT
    claims: tuple[str, ...] = ()
    gpus: int = 0
    gpu_clock: int | None = None
    account: Account | None = None
    dialect: str = "strict"
    metrics: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    max_stderr: int | None = None
    stdin_file: str = "/dev/null"


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """News of a running process, at most twice a second: seconds since its start, output bytes so far, newest output."""

    elapsed_s: float
    output_bytes: int
    tail: str = field(default="", repr=False)

"""Tells why a process ended, from its status, from what we asked for, and from what the kernel and its last words say."""

import errno
import os
import re
import signal
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from assay.adapters.process.supervised import Ended, Failed
from assay.core.model import Cause
from assay.core.values import dataclass

SHELL_OFFSET = 128
"""A shell that saw its command die of signal n exits with 128 + n."""

SHELL_CODES = {126: "a command that cannot be executed", 127: "a command that was not found"}

LAST_WORDS = 8192
"""Characters at the end of a stream in which a lack of memory is looked for; a launcher may add its own after it."""

_MEMORY_TEXT = re.compile(
    r"(?:CUDA|HIP|ROCm|XPU|MPS backend) (?:error: )?out of memory|(?:CUDA|HIP)_ERROR_OUT_OF_MEMORY|(?:cuda|hip)ErrorMemoryAllocation"
    r"|hipErrorOutOfMemory|\btorch(?:\.cuda)?\.OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED"
    r"|RESOURCE_EXHAUSTED: (?:Out of memory|OOM|Ran out of memory|Failed to allocate)|ResourceExhaustedError: .*OOM when allocating"
    r"|std::bad_alloc|Cannot allocate memory|Out of memory: Killed process|oom[-_]kill"
)
_GIVEN_UP = {
    Cause.TIMEOUT: "ran past its time limit",
    Cause.OUTPUT_LIMIT: "printed more than is allowed",
    Cause.CANCELLED: "was cancelled while it ran",
}
_MEMORY_EXCEPTION = re.compile(r"[\w.]*MemoryError(?::.*)?")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why, and one sentence for a person, in which no word is the process's own."""

    cause: Cause | None
    detail: str


def explain(end: Ended, *, over_limit: bool, last_words: tuple[str, str], kernel_killed: bool) -> Explanation:
    """Why a process that ran has ended. `last_words` are the ends of stdout and stderr."""
    if over_limit:
        return Explanation(Cause.OUTPUT_LIMIT, "printed more than is allowed and was killed")
    if end.reason == "timeout":
        return Explanation(Cause.TIMEOUT, "ran past its time limit and was killed")
    if end.reason == "cancel":
        return Explanation(Cause.CANCELLED, "was cancelled while it ran")
    return _own_end(end.status, last_words, kernel_killed=kernel_killed)


def explain_failed(failed: Failed) -> Explanation:
    """Why a process did not start."""
    reason = os.strerror(failed.errno).lower()
    if failed.stage == "cwd":
        return Explanation(Cause.NOT_STARTED, f"its working directory cannot be entered: {reason}")
    if failed.stage == "account":
        return Explanation(Cause.NOT_STARTED, f"its user account cannot be taken on: {reason}")
    if failed.errno == errno.ENOENT:
        return Explanation(Cause.NOT_STARTED, "the command, or the interpreter that it names, does not exist")
    return Explanation(Cause.NOT_STARTED, f"the command cannot be executed: {reason}")


def died_with_supervisor(given_up: Cause | None) -> Explanation:
    """Why a run ended whose supervisor vanished: something killed it, or we did as it did not answer. The process was killed as well."""
    if given_up is not None:
        return Explanation(given_up, f"{_GIVEN_UP[given_up]}; its supervisor did not answer, and both were killed")
    return Explanation(Cause.SIGNAL, "its supervisor was killed from outside, so it was killed too")


def signal_name(number: int) -> str:
    """Such as SIGSEGV, or `signal 40` where it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _own_end(status: int, last_words: tuple[str, str], *, kernel_killed: bool) -> Explanation:
    if status == 0:
        return Explanation(None, "")
    code = os.waitstatus_to_exitcode(status)
    if kernel_killed and code in (-signal.SIGKILL, SHELL_OFFSET + signal.SIGKILL):
        return Explanation(Cause.OUT_OF_MEMORY, "killed while the system was out of memory")
    if any(_tells_of_memory(words) for words in last_words):
        return Explanation(Cause.OUT_OF_MEMORY, f"ran out of memory ({_ending(code)})")
    return Explanation(Cause.SIGNAL if code < 0 else Cause.EXIT, _ending(code))


def _ending(code: int) -> str:
    if code < 0:
        return f"killed by {signal_name(-code)}"
    if code in SHELL_CODES:
        return f"exit status {code}, as a shell reports {SHELL_CODES[code]}"
    behind = code - SHELL_OFFSET
    hint = f", as a shell reports {signal_name(behind)}" if behind in set(signal.Signals) else ""
    return f"exit status {code}{hint}"


def _tells_of_memory(words: str) -> bool:
    end = words[-LAST_WORDS:]
    last_line = end.rstrip().rpartition("\n")[2].strip()
    return bool(_MEMORY_TEXT.search(end) or _MEMORY_EXCEPTION.fullmatch(last_line))


def oom_kills() -> Mapping[str, int]:
    """How often the kernel has killed for lack of memory: on this machine and in our own control group, where that can be read."""
    sources = [Path("/proc/vmstat"), *_group_files()]
    return {str(path): count for path in sources if (count := _oom_count(path)) is not None}


def rose(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Whether any count went up in between."""
    return any(after.get(source, count) > count for source, count in before.items())


def _group_files() -> list[Path]:
    """The event files of our control group, of version 2 and of version 1."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    fields = [line.split(":", 2) for line in lines if line.count(":") >= 2]
    files = [Path(f"/sys/fs/cgroup{path}/memory.events") for _, kinds, path in fields if not kinds]
    return files + [Path(f"/sys/fs/cgroup/memory{path}/memory.oom_control") for _, kinds, path in fields if "memory" in kinds.split(",")]


def _oom_count(path: Path) -> int | None:
    try:
        words = path.read_text().split()
    except OSError:
        return None
    return next((int(value) for name, value in pairwise(words) if name == "oom_kill" and value.isdigit()), None)

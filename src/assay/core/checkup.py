"""What `assay doctor` finds, as values: each with what is wrong and what mends it. Unknown is an answer of its own."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from assay.core.values import dataclass


class State(StrEnum):
    """How a thing was found, the worst first."""

    FAIL = "fail"
    WARN = "warn"
    UNKNOWN = "unknown"
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `what` is a sentence that says where; `mend` is the next step, empty where none is needed."""

    check: str
    state: State
    what: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What could be learnt of the machine and the job. None is what could not be. `barrier` says why benchmarks run as root.

    `told` says that the driver's library answers, `company` counts who computes on the GPUs at this moment, `held`
    names those whose clock a killed run has left held.
    """

    python: tuple[int, int]
    git: tuple[int, int] | None
    shallow: bool | None
    runtime: str | None
    gpus: int | None
    told: bool
    company: int
    held: tuple[str, ...]
    hosted: bool | None
    public: bool | None
    ephemeral: bool | None
    root: bool
    barrier: str
    tracked: bool
    credentials: tuple[str, ...]
    writable: bool


OLDEST_PYTHON, OLDEST_GIT = (3, 11), (2, 36)
DEPTH = "Give actions/checkout `fetch-depth: 0`, or run `git fetch --unshallow`."


def of_machine(facts: Surroundings, *, wants_gpu: bool) -> Iterator[Finding]:
    """Tools, git, GPU, the account of benchmarks, the store."""
    yield _version("python", facts.python, OLDEST_PYTHON, "Run Assay with a newer Python; uv or pipx can bring one.")
    if facts.git is None:
        yield Finding("git", State.FAIL, "Git is not on the PATH.", "Install git, or add its folder to PATH.")
    else:
        yield _version("git", facts.git, OLDEST_GIT, "Install a newer git.")
    if facts.shallow:
        yield Finding("history", State.FAIL, "The clone is shallow: the merge base may not be in it.", DEPTH)
    yield from _gpu(facts, wants_gpu=wants_gpu)
    if facts.root and facts.barrier:
        yield Finding("account", State.WARN, f"{facts.barrier.rstrip('.')}.", "Open that folder to other accounts.")
    if facts.tracked:
        mend = "Run `git rm -r --cached .assay`, and commit."
        yield Finding("store", State.FAIL, "The folder .assay is committed, so every check changes the working tree.", mend)
    if not facts.writable:
        yield Finding("store", State.FAIL, "The folder .assay cannot be written to.", "Give its folder to your account, or use --store.")


def _version(name: str, have: tuple[int, int], need: tuple[int, int], mend: str) -> Finding:
    shown = ".".join(map(str, have))
    if have < need:
        return Finding(name, State.FAIL, f"The version of {name} is {shown}; {'.'.join(map(str, need))} is needed.", mend)
    return Finding(name, State.OK, f"The version of {name} is {shown}.")


def _gpu(facts: Surroundings, *, wants_gpu: bool) -> Iterator[Finding]:
    if not wants_gpu:
        return
    if not facts.gpus:
        state, what = (State.UNKNOWN, "Whether there is a GPU") if facts.gpus is None else (State.FAIL, "")
        said = f"{what} could not be found out." if what else "The config has benchmarks for a GPU, and this machine shows none."
        yield Finding("gpu", state, said, "Run them on a machine that has one: `machine` and `machines` in the config.")
    if facts.gpus and not facts.told:
        what = "NVIDIA's library cannot be asked, so nobody sees that a GPU was throttled or shared."
        yield Finding("gpu", State.WARN, what, "Install it where Assay is installed: pip install 'nvidia-ml-py>=12.535'.")
    if facts.company:
        what = f"Somebody computes on a GPU of this machine now ({facts.company} processes): a run beside it does not count."
        yield Finding("gpu", State.WARN, what, "Keep others off the cards of benchmarks; `nvidia-smi` shows who it is.")
    for card in facts.held:
        what = f"The clock of the GPU {card} is still held for a run that was killed."
        yield Finding("gpu", State.WARN, what, "Run `nvidia-smi --reset-gpu-clocks`; the next benchmark on that card does it too.")
    if facts.runtime not in (None, "nvidia"):
        what = f"Docker's default runtime here is {facts.runtime}, so the container action sees no GPU."
        yield Finding("docker", State.WARN, what, "Use the action in run/, or set `default-runtime: nvidia` in /etc/docker/daemon.json.")


def of_job(facts: Surroundings) -> Iterator[Finding]:
    """The runner and the checkout, in a job."""
    for path in facts.credentials:
        mend = "Set `persist-credentials: false` at actions/checkout."
        yield Finding("credentials", State.FAIL, f"The checkout keeps a credential in {path}, where a benchmark may find it.", mend)
    if facts.hosted is False and facts.public is not False and not facts.ephemeral:
        known = "is not ephemeral" if facts.ephemeral is False else "does not say that it is ephemeral"
        what = f"The repository is public, and this runner is yours and {known}."
        yield Finding("runner", State.FAIL, what, "Register it with --ephemeral: what code leaves here meets the next job.")


def worst(findings: Iterable[Finding]) -> State:
    """The worst state of all; ok where there is none."""
    order = tuple(State)
    return min((one.state for one in findings), key=order.index, default=State.OK)

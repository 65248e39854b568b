"""What Slurm says of jobs, as values. `squeue` knows those that wait, run or have just ended, `sacct` older ones where it is kept."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from assay.core.values import dataclass

WAITING = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT", "CONFIGURING"})
RUNNING = frozenset({"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "SIGNALING", "RESIZING"})
ENDED = {
    "COMPLETED": "it ended",
    "FAILED": "it failed",
    "CANCELLED": "it was cancelled",
    "TIMEOUT": "it reached its time limit",
    "OUT_OF_MEMORY": "it ran out of the memory that it was given",
    "NODE_FAIL": "its node failed",
    "PREEMPTED": "it was pushed out by another job",
    "BOOT_FAIL": "its node did not start",
    "DEADLINE": "its deadline had passed",
    "REVOKED": "it was revoked",
}
"""Final states, each with what happened."""

PATIENCE = {
    "Resources": "no node is free",
    "BeginTime": "it was queued again, and begins in some minutes",
    "Priority": "other jobs come first",
    "ReqNodeNotAvail": "its node is not available",
    "NodeDown": "its node is down",
    "QOSMaxJobsPerUserLimit": "you have as many jobs as you may",
    "AssocGrpCpuLimit": "the account has used up its CPUs",
    "PartitionTimeLimit": "the partition allows no job as long as this",
    "BadConstraints": "no node is as it asks for",
}
"""Reasons for which a job waits, for people."""


class Stage(StrEnum):
    """How far a job is; GONE is one that nobody knows any more."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class JobState:
    """One job: how far it is, and a sentence on it."""

    stage: Stage
    detail: str


GONE = JobState(Stage.GONE, "Slurm does not know it any more")


def read_queue(text: str) -> Mapping[str, JobState]:
    """`squeue --noheader --format=%i|%T|%r|%N`: the jobs by their ids, `12` or `12_3`."""
    return dict(_queue_rows(text))


def _queue_rows(text: str) -> Iterator[tuple[str, JobState]]:
    for line in text.splitlines():
        name, state, reason, nodes, *_ = (*line.strip().split("|"), "", "", "")
        if name and state:
            yield name, job_state(state, reason, nodes)


def read_accounting(text: str) -> Mapping[str, JobState]:
    """`sacct --noheader --parsable2 --format=JobID,State,NodeList`; steps of jobs are left out."""
    rows = (line.strip().split("|") for line in text.splitlines())
    return {row[0]: job_state(row[1], "", row[2]) for row in rows if len(row) >= 3 and row[0] and "." not in row[0]}


def job_state(state: str, reason: str, nodes: str) -> JobState:
    """One job's state word, such as `PENDING` or `CANCELLED by 1000`. An unknown word counts as running: nothing is given up for it."""
    word = (state.split() or [""])[0].rstrip("+")
    if word in ENDED:
        return JobState(Stage.ENDED, ENDED[word])
    if word in WAITING:
        why = reason.strip("()")
        return JobState(Stage.WAITING, f"waits in the queue: {PATIENCE.get(why, why)}" if why not in ("", "None") else "waits in the queue")
    return JobState(Stage.RUNNING, f"runs on {nodes}" if nodes else "runs")

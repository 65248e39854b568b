"""Asks Slurm how far jobs are, on clusters with and without accounting."""

from collections.abc import Iterable, Mapping

from assay.adapters.process.ask import ask
from assay.core.escape import plain
from assay.core.slurm_states import GONE, JobState, read_accounting, read_queue
from assay.errors import InfrastructureError

ANSWER_S = 60.0
_UNKNOWN = "Invalid job id"


def states(jobs: Iterable[str]) -> Mapping[str, JobState]:
    """How far each job is, by its id such as `12` or `12_3`. Raises InfrastructureError where Slurm gives no answer at all."""
    wanted = sorted(set(jobs))
    if not wanted:
        return {}
    found = _queue(wanted)
    missing = [job for job in wanted if job not in found]
    if missing:
        found = {**_accounting(missing), **found}
    return {job: found.get(job, GONE) for job in wanted}


def cancel(jobs: Iterable[str]) -> None:
    """Ask for their end. Raises InfrastructureError where Slurm refuses; a job that has ended is no reason to."""
    wanted = sorted(set(jobs))
    if not wanted:
        return
    answer = ask(["scancel", *wanted], ANSWER_S)
    if not answer.ok and _UNKNOWN not in answer.err:
        raise InfrastructureError(
            f"Slurm did not cancel {', '.join(wanted)}: {plain(answer.last_words)}.", hint=f"Say: scancel {' '.join(wanted)}"
        )


def _queue(jobs: list[str]) -> Mapping[str, JobState]:
    words = ["squeue", "--noheader", "--array", "--states=all", "--format=%i|%T|%r|%N", f"--jobs={','.join(_whole(jobs))}"]
    answer = ask(words, ANSWER_S)
    if answer.ok or _UNKNOWN in answer.err:  # it forgets jobs some minutes after their end
        return read_queue(answer.out)
    raise InfrastructureError(f"Slurm cannot be asked now: {plain(answer.last_words)}.", hint="See `squeue` and `sinfo` on this machine.")


def _accounting(jobs: list[str]) -> Mapping[str, JobState]:
    """Nothing where the cluster keeps no accounts."""
    answer = ask(["sacct", "--noheader", "--parsable2", "--format=JobID,State,NodeList", f"--jobs={','.join(_whole(jobs))}"], ANSWER_S)
    return read_accounting(answer.out) if answer.ok else {}


def _whole(jobs: list[str]) -> list[str]:
    """Arrays by the one id that all of their jobs share."""
    return sorted({job.partition("_")[0] for job in jobs})

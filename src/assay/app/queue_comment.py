"""`queue` and `queue add` in a comment: look at the queue of the data branch, or put the head of the pull request into it."""

from assay.app.check import choose
from assay.app.office import Heard, Office
from assay.app.rights import unseen
from assay.core import replies
from assay.core.budget import Wish
from assay.core.escape import inline
from assay.core.forge_facts import Permission
from assay.core.numbers import count
from assay.core.queue import moves
from assay.core.queue.fan_out import Order, fan_out
from assay.core.queue.model import JOB_PREFIX, Job, JobStatus, Queue
from assay.core.timestamp import stamp
from assay.errors import UsageError
from assay.queue_ports import QueueBook

SHOWN = 30


def queue(heard: Heard, office: Office) -> str:
    """The queue as a table, or what was added to it. A worker on a box measures it, never the job that heard the comment.

    Raises UsageError for what cannot be queued: a benchmark that the base branch's config lacks, a fork's head, a closed pull request.
    """
    book = office.queue()
    return _added(heard, office, book) if heard.command.queue == "add" else _listed(book.read())


def _added(heard: Heard, office: Office, book: QueueBook) -> str:
    if not heard.pull.open:
        raise UsageError("The pull request is closed, and only an open one is queued.")
    if heard.pull.fork:  # whoever works through the queue runs what is in it on a machine of their own
        raise UsageError("The head of a fork is not queued.", hint="Measure it with the command `run`, at its full commit id.")
    command, config = heard.command, office.rules(heard).config
    if not heard.permission.covers(Permission(config.permissions.run)):
        raise UsageError("Here only somebody with admin rights may queue a run.", hint="`permissions.run` of the config says so.")
    chosen = choose(config, command.benchmarks)
    order = Order(
        benchmarks=chosen,
        commits=(heard.pull.head_sha,),
        seeds=command.seeds,
        by=heard.comment.author,
        model=command.model,
        precision=command.precision,
    )
    jobs = fan_out(order, lambda: office.clock.new_id(JOB_PREFIX), stamp(office.clock.now()))
    gpu = any(one.gpus for one in chosen)
    told: list[str] = []  # a forge that cannot tell leaves the head as it was read, as for a run
    if late := unseen(heard, office.forge, told, vouched=False):
        raise UsageError(late[0], hint=late[1])
    wish = Wish(heard.comment.number, heard.comment.author, len(jobs), gpu, heard.pull.head_sha, command.words, office.job)
    if problem := office.purse.take(config.budget, wish):
        raise UsageError(problem[0], hint=problem[1])
    after = book.change(lambda queue: moves.add(queue, jobs))
    before = len(after.of(JobStatus.QUEUED)) - len(jobs)
    said = f"{count(len(jobs), 'job')} of {heard.pull.head_sha[:10]} wait in the queue, behind {before} others."
    return replies.told(said, "A worker measures them: `assay queue work --store branch` on the machine that is meant for it.")


def _listed(queue: Queue) -> str:
    jobs = [one for one in queue.jobs if one.open][:SHOWN]
    counts = ", ".join(f"{len(queue.of(status))} {status}" for status in JobStatus)
    if not jobs:
        return replies.told(f"Nothing waits in the queue ({counts}).")
    rows = ["| job | benchmark | seed | commit | status |", "|---|---|---|---|---|", *map(_row, jobs)]
    return replies.shown("\n".join([f"The queue has {counts}.", "", *rows]))


def _row(job: Job) -> str:
    seed = "all" if job.seed is None else str(job.seed)
    halved = f", batch {job.batch_size} of {job.full_batch}" if job.halved else ""
    return f"| {inline(job.job_id, 64)} | {inline(job.benchmark, 64)} | {seed} | {(job.commit or 'HEAD')[:10]} | {job.status}{halved} |"

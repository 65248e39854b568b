"""What a request to the queue can be refused for, each with a code that stays the same for programs."""

from typing import ClassVar

from assay.errors import UsageError


class QueueError(UsageError):
    """A request that cannot be granted as given. The queue stays as it is."""

    code: ClassVar[str] = "queue"


class BadQueueError(QueueError):
    """The file is no queue. It is left as it is until somebody has mended it."""

    code = "bad_queue"


class UnknownJobError(QueueError):
    """No job has that id."""

    code = "unknown_job"


class JobNotRunningError(QueueError):
    """Only of a running job can that be said."""

    code = "job_not_running"


class ClaimLostError(QueueError):
    """The job was taken from whoever reports on it, and may run elsewhere by now."""

    code = "claim_lost"


class JobRunningError(QueueError):
    """A running job cannot be dropped."""

    code = "job_running"


class DuplicateJobError(QueueError):
    """A job of that id is there already."""

    code = "duplicate_job"


class FanOutError(QueueError):
    """What is to be queued cannot be: a parameter that the command lacks, or too many jobs."""

    code = "fan_out"

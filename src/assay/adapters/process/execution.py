"""One run from its start to its end: reads the streams and the supervisor's messages, tells of progress, and says how it ended."""

import os
import selectors
import signal
from collections.abc import Callable
from contextlib import closing

from assay.adapters.process import causes
from assay.adapters.process.capture import Capture
from assay.adapters.process.fork_server import ForkServer
from assay.adapters.process.supervised import SLACK_S, Ended, Failed, Message, Shielded, Started, Supervised
from assay.core.model import Cause, Completed, MetricReading
from assay.core.process import Heartbeat, ProcessRequest, Shell
from assay.core.timestamp import stamp
from assay.errors import InfrastructureError
from assay.ports import Clock

READ_BYTES = 256 * 1024
BEAT_S = 0.5
LOOK_S = 2.0
"""How long we wait for news before we look at the clock again, which `cancel` may have moved."""
DRAIN_S = 0.5
"""After the end, how long we read on from a pipe that a stranger holds, one who is no descendant of the command."""

Progress = Callable[[Heartbeat], None]


def never_ran(request: ProcessRequest, started_at: str, why: causes.Explanation) -> Completed:
    """The end of a process that was never started."""
    return Completed(
        exit_code=None,
        signal=None,
        cause=why.cause,
        started_at=started_at,
        duration_s=0.0,
        stdout="",
        stderr="",
        truncated=False,
        log_file=request.log_file,
        reading=MetricReading(),
        detail=why.detail,
    )


def refusal(request: ProcessRequest) -> causes.Explanation | None:
    """Why a request cannot even be handed to the system, if so."""
    words = (request.command.text,) if isinstance(request.command, Shell) else request.command.words
    if not words or not words[0]:
        return causes.Explanation(Cause.NOT_STARTED, "the command is empty")
    if any("\0" in text for text in (*words, request.cwd, *request.env, *request.env.values())):
        return causes.Explanation(Cause.NOT_STARTED, "the command or its environment holds a NUL character")
    if any(not name or "=" in name for name in request.env):
        return causes.Explanation(Cause.NOT_STARTED, "its environment holds a name that is empty or has a = in it")
    return None


class Execution:
    """A run under way. `cancel` may be called from any thread, everything else belongs to the run's own."""

    def __init__(self, request: ProcessRequest, server: ForkServer, clock: Clock, grace_s: float, on_progress: Progress | None) -> None:
        self._request = request
        self._clock = clock
        self._on_progress = on_progress
        self._capture = Capture(
            request.log_file,
            request.max_output,
            dialect=request.dialect,
            metrics=request.metrics,
            errors_allowed=request.max_stderr,
        )
        self._oom_before = causes.oom_kills()
        self._started_at = stamp(clock.now())
        self._told = 0
        self._leader: int | None = None
        self._shielded = False
        self._end: Ended | Failed | None = None
        self._drained_by: float | None = None
        self._given_up: Cause | None = None
        self._failure: InfrastructureError | None = None
        try:
            self._supervised = Supervised(request, grace_s, server)
        except InfrastructureError:
            self._capture.close()
            raise
        self._begun = self._beaten = clock.monotonic()  # not before there is a supervisor, which may take long to get
        self._answer_by = self._begun + request.timeout_s + self._supervised.at_most_s

    def cancel(self) -> None:
        self._supervised.cancel()
        self._answer_within(self._supervised.at_most_s)

    def _answer_within(self, seconds: float) -> None:
        self._answer_by = min(self._answer_by, self._clock.monotonic() + seconds)

    def run(self) -> Completed:
        """Follow the process to its end. Raises InfrastructureError for a failure that is not the process's own."""
        with closing(self._capture), closing(self._supervised):
            self._follow()
            self._beat(last=True)
        if self._failure is not None:
            raise self._failure
        return self._completed()

    def _follow(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._supervised.stdout, selectors.EVENT_READ, self._read_stdout)
            selector.register(self._supervised.stderr, selectors.EVENT_READ, self._read_stderr)
            selector.register(self._supervised.control, selectors.EVENT_READ, self._hear)
            while selector.get_map() and not self._patience_is_over():
                overdue = self._clock.monotonic() >= self._answer_by  # before we look: it may have answered while we slept
                for key, _ in selector.select(0.0 if overdue else self._patience()):
                    if not key.data():
                        selector.unregister(key.fileobj)
                if overdue and self._drained_by is None:
                    self._give_up()
                self._beat()

    def _read_stdout(self) -> bool:
        return self._take(os.read(self._supervised.stdout, READ_BYTES), self._capture.take_stdout)

    def _read_stderr(self) -> bool:
        return self._take(os.read(self._supervised.stderr, READ_BYTES), self._capture.take_stderr)

    def _take(self, chunk: bytes, keep: Callable[[bytes], None]) -> bool:
        keep(chunk)
        if self._capture.exceeded:
            self.cancel()
        return bool(chunk)

    def _hear(self) -> bool:
        """Take the supervisor's messages; False once the last one has come."""
        messages, more = self._supervised.receive()
        for message in messages:
            self._note(message)
        if self._end is None and not more:
            self._lost_supervisor()
        over = self._end is not None or not more
        if over:
            self._drained_by = self._clock.monotonic() + DRAIN_S
        return not over

    def _note(self, message: Message) -> None:
        if isinstance(message, Started):
            self._leader = message.pid
        elif isinstance(message, Shielded):
            self._shielded = True
        else:
            self._end = message

    def _give_up(self) -> None:
        """The supervisor has not kept its own deadline, as one does not that was stopped: do its work."""
        if self._given_up is not None:  # not even killing it helped
            self._drained_by = self._clock.monotonic()
            return
        late = self._clock.monotonic() >= self._begun + self._request.timeout_s
        why_early = Cause.OUTPUT_LIMIT if self._capture.exceeded else Cause.CANCELLED
        self._given_up = Cause.TIMEOUT if late else why_early
        self._supervised.kill()
        self._answer_by = self._clock.monotonic() + SLACK_S

    def _lost_supervisor(self) -> None:
        if self._leader is None:
            self._failure = InfrastructureError(
                "the supervisor of a run ended before it started the command", hint=f"its last words are in {self._request.log_file}"
            )
        else:
            self._supervised.kill_rest(self._leader)

    def _patience_is_over(self) -> bool:
        return self._drained_by is not None and self._clock.monotonic() >= self._drained_by

    def _patience(self) -> float:
        if self._drained_by is not None:
            return max(0.0, self._drained_by - self._clock.monotonic())
        if self._on_progress is not None and self._capture.seen > self._told:
            return max(0.0, self._beaten + BEAT_S - self._clock.monotonic())
        return min(LOOK_S, max(0.0, self._answer_by - self._clock.monotonic()))

    def _beat(self, *, last: bool = False) -> None:
        now = self._clock.monotonic()
        if self._on_progress is None or self._capture.seen == self._told or not (last or now >= self._beaten + BEAT_S):
            return
        self._beaten, self._told = now, self._capture.seen
        self._on_progress(Heartbeat(now - self._begun, self._capture.seen, self._capture.newest))

    def _completed(self) -> Completed:
        if isinstance(self._end, Failed):
            return never_ran(self._request, self._started_at, causes.explain_failed(self._end))
        # a supervisor that vanished left no figures
        end = self._end or Ended("exit", signal.SIGKILL, self._clock.monotonic() - self._begun, 0.0, 0, 0, 0)
        stdout, stderr = self._capture.stdout.text(), self._capture.stderr.text()
        why = self._explanation(end, (stdout, stderr)) if self._end else causes.died_with_supervisor(self._given_up)
        code = os.waitstatus_to_exitcode(end.status) if end.status >= 0 else None
        return Completed(
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            cause=why.cause,
            started_at=self._started_at,
            duration_s=end.duration_s,
            stdout=stdout,
            stderr=stderr,
            truncated=self._capture.stdout.truncated or self._capture.stderr.truncated,
            log_file=self._request.log_file,
            reading=self._capture.finish(),
            cpu_s=end.cpu_s if self._end else None,
            max_rss_kb=end.max_rss_kb if self._end else None,
            escaped=end.escaped,
            shielded=self._shielded,
            detail=_with_survivors(why.detail, end.unkillable),
            warnings=(self._capture.unlogged,) if self._capture.unlogged else (),
        )

    def _explanation(self, end: Ended, last_words: tuple[str, str]) -> causes.Explanation:
        killed = end.status != 0 and causes.rose(self._oom_before, causes.oom_kills())
        return causes.explain(end, over_limit=self._capture.exceeded, last_words=last_words, kernel_killed=killed)


def _with_survivors(detail: str, unkillable: int) -> str:
    return "; ".join(filter(None, (detail, f"{unkillable} of its processes could not be killed" if unkillable else "")))

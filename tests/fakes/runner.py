"""A runner that starts nothing: it gives the answers that a test made ready and keeps the requests."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from assay.core.metric_lines import MetricReader
from assay.core.model import Cause, Completed
from assay.core.process import Heartbeat, ProcessRequest
from assay.errors import AssayError

Answer = Completed | AssayError


def completed(stdout: str = "", *, exit_code: int = 0, cause: Cause | None = None, duration_s: float = 1.0, stderr: str = "") -> Completed:
    """The end of a process that printed this; its METRIC lines are read. A status other than 0 is its own cause."""
    reader = MetricReader()
    reader.feed(stdout.encode())
    return Completed(
        exit_code=exit_code,
        signal=None,
        cause=cause or (Cause.EXIT if exit_code else None),
        started_at="2025-03-01T12:00:00.000Z",
        duration_s=duration_s,
        stdout=stdout,
        stderr=stderr,
        truncated=False,
        log_file="",
        reading=reader.finish(),
        detail=f"exit status {exit_code}" if exit_code else "",
    )


@dataclass(slots=True)
class FakeHandle:
    """Satisfies `ports.Handle`. An end that was asked for before `wait` makes the answer a cancelled one."""

    id: str
    answer: Answer
    asked_to_end: bool = False
    over: bool = False

    def cancel(self) -> bool:
        self.asked_to_end = self.asked_to_end or not self.over
        return not self.over

    def wait(self) -> Completed:
        self.over = True
        if isinstance(self.answer, AssayError):
            raise self.answer
        if self.asked_to_end:
            return replace(self.answer, cause=Cause.CANCELLED, exit_code=None, detail="was cancelled before it started")
        return self.answer


@dataclass(slots=True)
class FakeRunner:
    """Satisfies `ports.Runner`.

    `answers` are given in order, or made from the request by a function; asking for more than there are fails the test.
    An error among them is raised by `wait`. `beats` are told to whoever listens, for every request.
    """

    answers: Iterable[Answer] | Callable[[ProcessRequest], Answer]
    beats: tuple[Heartbeat, ...] = ()
    requests: list[ProcessRequest] = field(default_factory=list)
    handles: list[FakeHandle] = field(default_factory=list)

    def submit(
        self,
        request: ProcessRequest,
        on_progress: Callable[[Heartbeat], None] | None = None,
        before_start: Callable[[], None] | None = None,
    ) -> FakeHandle:
        if before_start is not None:
            try:
                before_start()
            except AssayError as error:
                return FakeHandle("process-refused", error)
        self.requests.append(request)
        for beat in self.beats if on_progress else ():
            assert on_progress is not None
            on_progress(beat)
        handle = FakeHandle(f"process-{len(self.requests)}", self._next(request))
        self.handles.append(handle)
        return handle

    def _next(self, request: ProcessRequest) -> Answer:
        if callable(self.answers):
            return self.answers(request)
        answers = tuple(self.answers)
        assert len(self.requests) <= len(answers), f"request {len(self.requests)} has no answer: {request.command}"
        return answers[len(self.requests) - 1]

"""What a process prints: all of it to the log file, a bounded part to memory, standard output to the METRIC reader as it comes."""

import errno
import os
from contextlib import suppress

from assay.core.metric_lines import Dialect, MetricReader
from assay.core.model import MetricReading

TAIL = 64 * 1024
WHOLE_STDOUT = 10_000_000
NEWEST = 4096
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class Tail:
    """The bytes of one stream: all of them up to `whole`, from then on the last 64 KiB."""

    def __init__(self, whole: int = TAIL) -> None:
        self._whole = whole
        self._bytes = bytearray()
        self.truncated = False

    def add(self, chunk: bytes) -> None:
        self._bytes += chunk
        if not self.truncated and len(self._bytes) > self._whole:
            self.truncated = True
        if self.truncated and len(self._bytes) > 2 * TAIL:
            self._bytes = self._bytes[-TAIL:]

    def text(self) -> str:
        """As text. What is not UTF-8 becomes U+FFFD; a character that the cut went through is left out."""
        if not self.truncated:
            return self._bytes.decode("utf-8", "replace")
        return _cut(self._bytes, TAIL)

    def newest(self) -> str:
        """The last few lines' worth, for a person who watches."""
        return _cut(self._bytes, NEWEST)


class Capture:
    """Both streams of one process. `allowed` is the number of bytes that may come of them together, `errors_allowed` of stderr alone.

    `unlogged` says, where it does, why the log is not whole.
    """

    def __init__(
        self, log_file: str, allowed: int, *, dialect: str = "strict", metrics: tuple[str, ...] = (), errors_allowed: int | None = None
    ) -> None:
        self.stdout = Tail(WHOLE_STDOUT)
        self.stderr = Tail()
        self.seen = 0
        self._last = self.stdout
        self._allowed = allowed
        self._errors_left = allowed if errors_allowed is None else errors_allowed
        self._reader = MetricReader(Dialect(dialect), keep=metrics)
        self._path = log_file
        self._log: int | None = None
        self.unlogged = ""
        try:
            self._log = _opened(log_file)
        except OSError as error:
            self._give_up_logging(error)

    @property
    def exceeded(self) -> bool:
        """Whether more came than is allowed; that rest is dropped."""
        return self.seen > self._allowed or self._errors_left < 0

    @property
    def newest(self) -> str:
        """The newest output of the stream that spoke last."""
        return self._last.newest()

    def take_stdout(self, chunk: bytes) -> None:
        """Keep what came on standard output; nothing at its end."""
        kept = self._log_chunk(chunk)
        self.stdout.add(kept)
        self._reader.feed(kept)
        self._last = self.stdout if chunk else self._last

    def take_stderr(self, chunk: bytes) -> None:
        """Keep what came on standard error; nothing at its end."""
        self._errors_left -= len(chunk)
        self.stderr.add(self._log_chunk(chunk))
        self._last = self.stderr if chunk else self._last

    def finish(self) -> MetricReading:
        """Everything that was read as a metric; an unfinished last line counts."""
        return self._reader.finish()

    def close(self) -> None:
        if self._log is not None:
            os.close(self._log)
            self._log = None

    def _log_chunk(self, chunk: bytes) -> bytes:
        kept = chunk[: max(0, self._allowed - self.seen)]
        self.seen += len(chunk)
        try:
            rest = memoryview(kept)
            while rest and self._log is not None:
                rest = rest[os.write(self._log, rest) :]
        except OSError as error:
            self._give_up_logging(error)
        return kept

    def _give_up_logging(self, error: OSError) -> None:
        """Go on without the log, for what is measured does not need it. `unlogged` says so, for all logs of a folder alike.

        A log that has filled the disk gives its room back: the evidence has still to be written.
        """
        if self._log is not None and error.errno in _NO_ROOM:
            with suppress(OSError):
                os.ftruncate(self._log, 0)
        folder = os.path.dirname(self._path)  # noqa: PTH120 - a text, as it came
        self.unlogged = (
            f"Output could not be kept whole in {folder}: {(error.strerror or str(error)).lower()}. The numbers do not depend on it."
        )
        self.close()


def _cut(stream: bytearray, size: int) -> str:
    """The last bytes as text, from the first whole character on."""
    kept = stream[-size:]
    start = next((at for at, byte in enumerate(kept[:4]) if byte & 0xC0 != 0x80), 0)
    return kept[start:].decode("utf-8", "replace")


def _opened(path: str) -> int:
    """Neither through a link nor into a pipe that somebody put there, which would make us wait for a reader."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.open(path, flags, 0o600)

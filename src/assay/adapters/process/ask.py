"""Asks another program one bounded question, by a list of words: what it answers, and never a shell."""

import subprocess
from collections.abc import Mapping, Sequence

from assay.core.values import dataclass

MOST = 2**20
"""Characters of an answer that are kept, from its end."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How it ended, and what it said. A program that is missing or took too long has the code -1 and says so in `err`."""

    code: int
    out: str
    err: str

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def last_words(self) -> str:
        """The last line that says what was wrong. It is untrusted."""
        lines = [line for line in (*self.out.splitlines(), *self.err.splitlines()) if line.strip()]
        return lines[-1].strip() if lines else f"exit code {self.code}"


def ask(words: Sequence[str], within_s: float, *, env: Mapping[str, str] | None = None, feed: str | None = None) -> Answer:
    """Run a program to its end. It is killed after so many seconds."""
    try:
        done = subprocess.run(
            list(words),
            check=False,
            capture_output=True,
            timeout=within_s,
            env=None if env is None else dict(env),
            input=(feed or "").encode(),
        )
    except subprocess.TimeoutExpired:
        return Answer(-1, "", f"{words[0]} gave no answer within {within_s:g} s")
    except OSError as error:
        return Answer(-1, "", f"{words[0]} cannot be run: {error.strerror or error}")
    return Answer(done.returncode, _text(done.stdout), _text(done.stderr))


def _text(raw: bytes) -> str:
    return raw[-MOST:].decode(errors="replace")

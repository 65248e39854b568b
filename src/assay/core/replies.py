"""What is answered to a comment: short, harmless Markdown that never holds the trigger, so that no answer orders anything."""

from assay.core import escape
from assay.core.comment_command import Malformed, usages
from assay.core.comment_lines import TRIGGER

_FORM = "A command is one line of a new comment, the slash and the word `experiment` first, then one of:"


def reply_marker(comment: int) -> str:
    """The start of our one answer to that comment, by which it is found again."""
    return f"<!-- assay:reply to={comment} -->"


def malformed(wrong: Malformed) -> str:
    forms = "\n".join(f"- `{form}`" for form in wrong.usage)
    return _safe(f"{escape.inline(wrong.problem, 500)}\n\n{_FORM}\n\n{forms}")


def help_text() -> str:
    forms = "\n".join(f"- `{form}`" for form in usages())
    return _safe(f"{_FORM}\n\n{forms}")


def refusal(problem: str, next_step: str = "") -> str:
    return told(problem, next_step)


def told(*lines: str) -> str:
    """Plain sentences, each a paragraph of its own. They may hold what strangers wrote."""
    return _safe("\n\n".join(escape.inline(line, 1000) for line in lines if line))


def shown(markdown: str) -> str:
    """Markdown that was made for a report, in which everything foreign is escaped already."""
    return _safe(markdown)


def _safe(text: str) -> str:
    return text.replace(TRIGGER, f"/{escape.ZERO_WIDTH}{TRIGGER[1:]}")

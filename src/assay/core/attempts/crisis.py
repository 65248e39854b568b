"""The report that is written when the breaker opens: what failed, and the three ways that are left."""

from assay.core.attempts.standing import Standing
from assay.core.escape import inline

OPTIONS = (
    ("A person takes over", "somebody who knows the invariant mends it by hand; nothing runs by itself until then"),
    ("Another way", "the approach is given up, the branch goes back to the last version that worked, and something else is tried"),
    ("Less is asked for", "the invariant is relaxed, by name and by somebody who may: in the config, with the reason in the commit"),
)


def crisis_report(benchmark: str, subject: str, found: Standing) -> str:
    """As Markdown. What strangers wrote is escaped."""
    rows = [
        f"| {one.created_at} | {inline(one.change, 120)} | {inline(', '.join(one.touched), 120)} | {one.result} | {one.diagnosis} |"
        for one in found.latest
        if one.touched
    ]
    options = [f"{number}. **{name}**: {what}." for number, (name, what) in enumerate(OPTIONS, 1)]
    return "\n".join(
        [
            f"### {inline(benchmark, 80)} has stopped: {found.stopped}",
            "",
            f"No run of it starts by itself any more ({inline(subject, 80)}). What was tried:",
            "",
            "| when | change | touches | result | diagnosis |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "Three ways are left:",
            "",
            *options,
            "",
            "A maintainer lets it go on: with the command `grant N` on the pull request, or `assay attempts grant N` at a terminal.",
            "",
        ]
    )

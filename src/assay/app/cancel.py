"""`cancel`: the end of what Assay is running for a pull request, and of nothing else."""

from assay.app.office import Heard, Office
from assay.core import numbers, replies


def cancel(heard: Heard, office: Office) -> str:
    """Ask the forge to end the runs that commands began here, by our own account of them, and those of the check of this head.

    Raises ForgeError, with everything that could be ended asked to end, where the forge refuses one.
    """
    begun = office.purse.spent().jobs(heard.comment.number)
    ours = (office.forge.unfinished() & begun if begun else begun) | office.forge.unfinished_on(heard.pull.head_sha)
    ended = [run for run in sorted(ours - {office.job}) if office.forge.end(run)]
    if not ended:
        return replies.told("Nothing of this pull request is waiting or running.")
    return replies.told(f"{numbers.count(len(ended), 'run')} of this pull request will end: {', '.join(map(str, ended))}.")

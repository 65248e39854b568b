"""What the comment commands `status` and `next` are answered with: the report of the control loop, as everywhere else."""

from assay.app.office import Heard, Office
from assay.core import escape, replies
from assay.core.loop.status import Status
from assay.core.loop.status_text import action_lines, status_markdown


def status(heard: Heard, office: Office) -> str:
    """The whole report, of the base of the pull request and of the machine of this job."""
    return replies.shown(status_markdown(_report(heard, office)))


def following(heard: Heard, office: Office) -> str:
    """The one next action of that report."""
    return replies.shown(escape.fence(action_lines(_report(heard, office))))


def _report(heard: Heard, office: Office) -> Status:
    return office.report(office.rules(heard).config, office.repo.resolve(heard.pull.base_sha))

"""`analyse`: what was decided on the head of a pull request, explained anew by the analysts that the base branch names."""

from assay.app.decided import decided_at
from assay.app.office import Heard, Office
from assay.core import replies
from assay.core.events import Remark
from assay.errors import UsageError


def analyse(heard: Heard, office: Office) -> str:
    """The analyses of all benchmarks whose head was decided on. Nothing is measured, and no decision changes.

    Raises UsageError where nothing was decided yet, or no analysis is wanted.
    """
    config, head, store = office.rules(heard).config, heard.pull.head_sha, office.store()
    found = [one for name in config.benchmarks if (one := decided_at(name, head, store))]
    if not found:
        raise UsageError(f"No decision on the head {head[:12]} is stored, so there is nothing to explain.", hint="Give the command `run`.")
    house = office.house(config)
    explainer = office.bureau(house, config).explainer
    if explainer is None:
        raise UsageError("Analyses are switched off, in `fusion` of the base branch's config or by the input `fusion` of the workflow.")
    told = explainer.explain_stored(found, store)
    for remark in told.remarks:
        house.observer.note(Remark(remark))
    return replies.shown(told.markdown)

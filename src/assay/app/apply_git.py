"""The one place where effects change a working tree. They are ordered, each is idempotent, and a failure ends the work."""

from typing import overload

from assay.core.effects import KeepChange, RestoreBaseline
from assay.core.tree_facts import Kept, Restored
from assay.experiment_ports import ExperimentTree


@overload
def perform(effect: KeepChange, tree: ExperimentTree) -> Kept: ...
@overload
def perform(effect: RestoreBaseline, tree: ExperimentTree) -> Restored: ...
def perform(effect: KeepChange | RestoreBaseline, tree: ExperimentTree) -> Kept | Restored:
    """Do it. After what this raises nothing may be recorded that says otherwise."""
    match effect:
        case KeepChange():
            return tree.keep(effect)
        case RestoreBaseline():
            return tree.restore(effect)

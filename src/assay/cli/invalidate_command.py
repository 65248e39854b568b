"""`assay store invalidate`: hide a run from reuse, with a reason."""

import json
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.ports import Store


def invalidate(run_id: str, reason: str, replacement: str | None, store: str = "auto", *, as_json: bool = False) -> int:
    """Write the tombstone of a run; the exit code is 0.

    Raises UsageError for a run that the store does not have or no longer counts, and for a reason that says nothing.
    """
    from assay.cli.store_command import open_store
    from assay.core.envelope import Tombstone
    from assay.core.timestamp import stamp

    if not reason.strip():
        raise UsageError("--reason says nothing.", hint="Say in a few words what was wrong with the run.")
    place = open_store(store, os.getcwd(), os.environ)  # noqa: PTH109 - a text, as the ports have it
    for name in (run_id, replacement):
        if name is not None:
            _known(place, name)
    tombstone = Tombstone(
        schema="assay.tombstone/1",
        run_id=run_id,
        created_at=stamp(datetime.now(UTC)),
        reason=reason.strip(),
        by=_actor(os.environ),
        replacement=replacement,
    )
    path = place.add_tombstone(tombstone)
    document = {"run_id": run_id, "path": path, "reason": tombstone.reason, "by": tombstone.by, "replacement": replacement}
    instead = f" {replacement} stands in for it." if replacement else ""
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) if as_json else f"{run_id} no longer counts.{instead}"
    sys.stdout.write(f"{text}\n")
    return 0


def _known(store: "Store", run_id: str) -> None:
    """Raise UsageError for a run that the store does not have. One that cannot be read may be hidden all the same."""
    from assay.core.ids import is_id
    from assay.core.store_layout import RUN_PREFIX

    if not is_id(RUN_PREFIX, run_id):
        raise UsageError(f"{run_id!r} is no id of a run.", hint="It stands in result.json and in the report, and begins with run-.")
    if store.find_run(run_id) is None:
        raise UsageError(
            f"The store has no run {run_id} that counts.", hint="See whether the id is right, and --store; it may be hidden already."
        )


def _actor(environ: Mapping[str, str]) -> str:
    """Who asks: whoever started the job, else the user of this shell."""
    return environ.get("GITHUB_ACTOR") or environ.get("USER") or environ.get("LOGNAME") or "unknown"

"""Which ref moved when, the newest first unless asked otherwise."""

from tests.fakes.github.messages import Answer, Call
from tests.fakes.github.model import Activity, stamp
from tests.fakes.github.permissions import read
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import people

NEVER = "0" * 40


@route("GET", "/repos/{owner}/{repo}/activity", read("contents"))
def activity(call: Call) -> Answer:
    """One page: GitHub pages this list by cursors, of which nobody here has asked for a second."""
    wanted = call.query.get("ref")
    found = [one for one in call.repo.activities if wanted in (None, one.ref)]
    newest_first = call.query.get("direction", "desc") == "desc"
    return Answer(200, [_shape(call, one) for one in (reversed(found) if newest_first else found)][: int(call.query.get("per_page", 30))])


def _shape(call: Call, one: Activity) -> dict[str, object]:
    return {
        "id": one.id,
        "node_id": f"PSH_{one.id}",
        "before": one.before,
        "after": one.after,
        "ref": one.ref,
        "timestamp": stamp(one.at),
        "activity_type": "branch_creation" if one.before == NEVER else "push",
        "actor": people.user(call.hub, one.actor),
    }

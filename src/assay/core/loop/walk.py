"""The surfaces of Assay in the order in which somebody new walks past them. The order is a promise."""

from assay.core.values import dataclass

SCHEMA = "assay.loop.walk/1"


@dataclass(frozen=True, slots=True)
class Surface:
    """One command, and what it is for."""

    name: str
    command: str
    use: str


WALK = (
    Surface("status", "assay status", "see what is measured, what is due and the one next action"),
    Surface("next", "assay next", "get the next action alone"),
    Surface("check", "assay check", "measure a change and decide on it"),
    Surface("reuse", "assay reuse --explain", "ask whether a stored run answers already, and why"),
    Surface("experiment", "assay experiment init --name NAME --metric METRIC --better lower", "try many changes and keep the good ones"),
    Surface("loop", "assay loop --apply", "have what is due measured, the best first"),
    Surface("queue", "assay queue list", "see what waits to be run"),
    Surface("store", "assay store flush", "send, pack and take in what is stored"),
    Surface("publish", "assay publish", "bring the published table of results up to date"),
)


def walk_text() -> str:
    """Each surface with its command, and below it what it is for."""
    width = max(len(one.name) for one in WALK)
    lines = ["The ways through Assay", ""]
    for one in WALK:
        lines += [f"{one.name:<{width}}  {one.command}", f"{'':<{width}}  {one.use}"]
    return "\n".join(lines)


def walk_json() -> dict[str, object]:
    """The same as JSON."""
    return {"schema": SCHEMA, "walk": [{"name": one.name, "command": one.command, "use": one.use} for one in WALK]}

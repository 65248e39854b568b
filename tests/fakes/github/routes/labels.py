"""Labels of issues, which pull requests are too."""

from tests.fakes.github.messages import Answer, Call, not_found
from tests.fakes.github.permissions import write
from tests.fakes.github.routing import route
from tests.fakes.github.shapes import pulls


@route("POST", "/repos/{owner}/{repo}/issues/{issue_number}/labels", write("issues", "pull-requests"))
def add(call: Call) -> Answer:
    """The labels that an issue has now; one that it has already is there once."""
    number = call.number("issue_number")
    if number not in call.repo.issues:
        raise not_found()
    there = call.repo.labels.setdefault(number, [])
    there += [name for name in call.body["labels"] if name not in there]
    return Answer(200, [pulls.label(call.repo, name) for name in there])

"""Paths outside GitHub's: downloads of artifacts, and questions of a test that runs the fake as another process."""

import re
from dataclasses import asdict

from tests.fakes.github.hub import Hub
from tests.fakes.github.messages import Answer, Request

PREFIX = "/_fake/"


def answer(hub: Hub, request: Request) -> Answer:
    """`requests`, `violations`, or the bytes of an artifact by its id."""
    if request.path == f"{PREFIX}requests":
        return Answer(200, [asdict(one) for one in hub.log])
    if request.path == f"{PREFIX}violations":
        return Answer(200, hub.violations)
    if found := re.fullmatch(rf"{PREFIX}artifacts/(\d+)", request.path):
        return _artifact(hub, int(found[1]))
    return Answer(404, {"message": "Not Found"})


def _artifact(hub: Hub, number: int) -> Answer:
    for repo in hub.repositories.values():
        if number in repo.artifacts:
            return Answer(200, raw=repo.artifacts[number].content, headers={"Content-Type": "application/zip"})
    return Answer(404, {"message": "Not Found"})

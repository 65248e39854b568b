"""Pages as GitHub cuts them: `page` from 1, `per_page` at most 100, and a Link header to the others."""

from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import quote, urlencode

from tests.fakes.github.messages import Answer, Call

Item = TypeVar("Item")
DEFAULT = 30
LARGEST = 100


def page_of(call: Call) -> tuple[int, int]:
    """The page that is asked for and how many it may hold."""
    size = int(call.query.get("per_page", DEFAULT)) or DEFAULT
    return max(1, int(call.query.get("page", 1))), min(LARGEST, max(1, size))


def paged(call: Call, items: Sequence[Item], shape: Callable[[Item], object], *, key: str | None = None) -> Answer:
    """One page of a list, in an object with its total where it goes by a `key`."""
    page, size = page_of(call)
    cut = [shape(item) for item in items[(page - 1) * size : page * size]]
    body = cut if key is None else {"total_count": len(items), key: cut}
    return Answer(200, body, link(call, page, max(1, -(-len(items) // size))))


def link(call: Call, page: int, last: int) -> dict[str, str]:
    """The Link header, where there is more than one page."""
    back = {"prev": min(page - 1, last), "first": 1} if page > 1 else {}
    forth = {"next": page + 1, "last": last} if page < last else {}
    targets = [f'<{_url(call, number)}>; rel="{name}"' for name, number in {**back, **forth}.items()]
    return {"Link": ", ".join(targets)} if targets else {}


def _url(call: Call, number: int) -> str:
    path = call.template.format(**{name: quote(value) for name, value in call.params.items()})
    return f"{call.hub.url}{path}?{urlencode({**call.query, 'page': number})}"

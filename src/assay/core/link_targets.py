"""Where symbolic links lead inside of a tree: a file that is read through a link bears on a benchmark as the link does."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping

_MOST_HOPS = 40
"""So many links are followed one after the other, as the kernel does: one that leads into itself would go on for ever."""


def reached(links: Mapping[str, str], start: Iterable[str]) -> tuple[str, ...]:
    """Each path that these links, or paths through links, lead to; links on the way and below it are followed as well.

    `links` maps the path of each link of the tree to its text. What leads out of the tree is left out.
    """
    ordered = sorted(links)
    first = dict.fromkeys(start)
    seen: dict[str, None] = {}
    ahead = deque((path, 0) for path in first)
    while ahead:
        here, hops = ahead.popleft()
        if here in seen:
            continue
        seen[here] = None
        through, target = _step(links, here)
        if through:
            ahead.append((through, hops))
        if target and hops < _MOST_HOPS:
            ahead.append((target, hops + 1))
        below = ordered[bisect_left(ordered, f"{here}/") : bisect_left(ordered, f"{here}0")]  # 0 comes right after /
        ahead += ((link, hops) for link in below)
    return tuple(path for path in seen if path not in first)


def _step(links: Mapping[str, str], path: str) -> tuple[str, str]:
    """The first link on a path, and the path with it followed; empty where there is none or it leads out."""
    parts = path.split("/")
    for end in range(1, len(parts) + 1):
        link = "/".join(parts[:end])
        if link in links:
            found = _joined(parts[: end - 1], links[link], parts[end:])
            return link, found
    return "", ""


def _joined(folder: list[str], text: str, rest: list[str]) -> str:
    if text.startswith("/"):
        return ""
    found = list(folder)
    for step in (*text.split("/"), *rest):
        if step == ".." and not found:
            return ""
        if step == "..":
            found.pop()
        elif step not in ("", "."):
            found.append(step)
    return "/".join(found)

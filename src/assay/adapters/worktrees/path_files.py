"""The `.pth` files of a folder of packages: which paths and imports they add, and which of these lead to the user's checkout."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from assay.core.values import dataclass

_MODULE = re.compile(r"[A-Za-z_]\w*")
_MODULE_LIMIT = 1024 * 1024
_PACKAGE = re.compile(r"(?:__editable__[._]*)?_*(.*?)(?:-[0-9][^-]*)?(?:[-_]editable(?:_loader)?)?$")


@dataclass(frozen=True, slots=True)
class Checkout:
    """The user's own working tree. An environment inside it, such as `.venv`, belongs to the job and does not count."""

    root: Path
    prefix: Path

    def holds(self, path: Path) -> bool:
        real = path.resolve()
        return real.is_relative_to(self.root.resolve()) and not real.is_relative_to(self.prefix.resolve())


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a `.pth` file that does something: adds a path, or imports (`path` is None)."""

    file: Path
    text: str
    path: Path | None

    def leads_to(self, checkout: Checkout) -> bool:
        """Whether it makes modules of the checkout importable, by itself or by the finder that it imports."""
        if self.path is not None:
            return checkout.holds(self.path)
        modules = (self.file.parent / f"{name}.py" for name in dict.fromkeys(_MODULE.findall(self.text)))
        return any(checkout.holds(path) for module in modules if module.is_file() for path in _absolute_paths(module))


def lines(site: Path) -> Iterator[Line]:
    """What the interpreter would take from this folder's `.pth` files, in its order."""
    for file in sorted(site.glob("*.pth")):
        for text in _text(file).splitlines():
            if text.startswith(("import ", "import\t")):
                yield Line(file, text, None)
            elif text.strip() and not text.startswith("#") and (path := site / text.rstrip()).exists():
                yield Line(file, text, path)


def inherited(sites: Iterable[Path], checkout: Checkout) -> list[str]:
    """Lines for a `.pth` file that lets an environment see these folders and what they add, without the checkout.

    A job-level editable install of the very project under test would otherwise stand in for a side that has none.
    """
    found: list[str] = []
    for site in sites:
        found.append(str(site))
        # the old namespace files ask their caller which folder they are in, and would be told ours
        kept = (line for line in lines(site) if not line.file.name.endswith("-nspkg.pth") and not line.leads_to(checkout))
        found.extend(line.text if line.path is None else str(line.path) for line in kept)
    return found


def foreign(sites: Iterable[Path], checkout: Checkout) -> set[str]:
    """Names of the packages in these folders that are imported from the checkout."""
    names: set[str] = set()
    for site in sites:
        named = {*_editable_distributions(site, checkout), *_egg_links(site, checkout)}
        files = {line.file.stem for line in lines(site) if line.leads_to(checkout)}
        guessed = {_package(stem) for stem in files if stem != "easy-install" or not named}
        known = {_normal(name) for name in named}
        names |= named | {name for name in guessed if _normal(name) not in known}
    return names


def _editable_distributions(site: Path, checkout: Checkout) -> Iterator[str]:
    for file in site.glob("*.dist-info/direct_url.json"):
        try:
            facts = json.loads(file.read_bytes())
            url, editable = urlsplit(facts["url"]), facts["dir_info"]["editable"]
        except (OSError, ValueError, KeyError, TypeError):  # no editable install, or nothing that an installer wrote
            continue
        if editable is True and url.scheme == "file" and checkout.holds(Path(unquote(url.path))):
            yield file.parent.name.partition("-")[0]


def _egg_links(site: Path, checkout: Checkout) -> Iterator[str]:
    for file in site.glob("*.egg-link"):
        target = _text(file).partition("\n")[0].strip()
        if target and checkout.holds(Path(target)):
            yield file.stem


def _absolute_paths(module: Path) -> Iterator[Path]:
    """The absolute paths among a module's literals: that is where the finders of editable installs keep their mapping."""
    import ast

    if module.stat().st_size > _MODULE_LIMIT:
        return
    try:
        tree = ast.parse(module.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("/") and "\0" not in node.value:
            yield Path(node.value)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "surrogateescape")
    except OSError:  # a dangling link, for one; the interpreter passes over it as well
        return ""


def _package(stem: str) -> str:
    found = _PACKAGE.fullmatch(stem)
    return found[1] if found and found[1] else stem


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

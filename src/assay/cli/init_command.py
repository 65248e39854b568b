"""`assay init`: writes a config and workflows into a repository, and never over anything."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from assay.core.values import dataclass
from assay.errors import InfrastructureError, UsageError


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The options of `assay init` as they were typed."""

    run: str | None = None
    metric: str | None = None
    better: str = "lower"
    workflows: tuple[str, ...] = ()
    action: str | None = None
    as_json: bool = False


def init(options: InitOptions) -> int:
    """Write what is not there yet, and say what was written and what was left as it is."""
    from assay.adapters.git import GitRepo

    repo = GitRepo.discover(os.getcwd())  # noqa: PTH109 - a text, as the ports have it
    files = _files(options)
    done = {path: _write(Path(repo.root), path, text) for path, text in files.items()}
    written, kept = [path for path, new in done.items() if new], [path for path, new in done.items() if not new]
    if options.as_json:
        sys.stdout.write(json.dumps({"written": written, "kept": kept}, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"wrote  {path}\n" for path in written) + "".join(f"kept   {path}, which was there\n" for path in kept))
        sys.stdout.write(_next(options, written))
    return 0


def _files(options: InitOptions) -> Mapping[str, str]:
    from assay.adapters.templates import PackageTemplates
    from assay.core.config_text import CONFIG_FILE, parse_config
    from assay.core.model import Direction
    from assay.core.starter import CONFIG_TEMPLATE, Starter, files_of

    if options.better not in tuple(Direction):
        raise UsageError(f"--better is lower or higher, not {options.better!r}.", hint="Say `--better lower` for times and losses.")
    given = {"run": options.run, "metric": options.metric, "action": options.action}
    starter = Starter(better=Direction(options.better), **{name: value for name, value in given.items() if value})
    templates = PackageTemplates()
    config = starter.config(templates.load(CONFIG_TEMPLATE))
    parse_config(config, CONFIG_FILE)  # a command that the config refuses is told before anything is written
    names = files_of(options.workflows)
    return {CONFIG_FILE: config} | {
        f".github/workflows/assay-{name}": starter.workflow(templates.load(f"workflows/{name}")) for name in names
    }


def _write(root: Path, path: str, text: str) -> bool:
    """Whether the file was written; one that is there, whatever it is, stays as it is."""
    from assay.adapters import atomic_file

    target = root / path
    folder = root
    try:
        for step in path.split("/")[:-1]:
            folder /= step
            if folder.is_symlink():
                raise UsageError(f"{folder} is a symbolic link, which may lead anywhere.", hint="Put a folder in its place.")
            folder.mkdir(exist_ok=True)
        atomic_file.create(target, text.encode())
    except FileExistsError:
        return False
    except OSError as error:
        raise InfrastructureError(
            f"{target} cannot be written: {error.strerror or error}.", hint="See the folder's permissions."
        ) from error
    return True


def _next(options: InitOptions, written: list[str]) -> str:
    lines = ["\nNext: "]
    if not options.run and ".github/assay.yml" in written:
        lines.append("put your command and metric into .github/assay.yml, then ")
    lines.append("commit a change and say `assay check`.\n")
    if any("workflows/" in path for path in written) and not options.action:
        lines.append("In the workflows put the Assay that you trust in place of OWNER and the zeros, or begin again with --action.\n")
    return "".join(lines)

"""`assay queue work --machine M`: workers as jobs of Slurm, which all work on the one queue of the shared store."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.own_folder import own_folder
from assay.errors import InfrastructureError, NothingMeasuredError, UsageError

if TYPE_CHECKING:
    from assay.adapters.slurm.submission import Order
    from assay.core.config import Config

FAILED = 1
WORKERS_S = 86_400.0
"""So long a worker may work where the machine says nothing of time."""

_WORK = 'cd "$1" || exit 4; out=$2; shift 2; "$@" >"$out.out"; code=$?; echo "$code" >"$out.code"; exit "$code"'


@dataclass(frozen=True, slots=True)
class SendOptions:
    """The options as they were typed."""

    machine: str
    workers: int = 1
    config: str | None = None
    store: str = "auto"
    as_json: bool = False


def send(options: SendOptions) -> int:
    """Send the workers, wait for them all, and tell what they attempted; the exit code as of `assay queue work`."""
    from assay.adapters.clock import SystemClock, pause
    from assay.adapters.config_file import read_config
    from assay.adapters.git import GitRepo
    from assay.adapters.slurm.place import SlurmPlace
    from assay.adapters.terminal import display_for
    from assay.app.dispatch import Waiting, dispatch

    root = GitRepo.discover(os.getcwd()).root  # noqa: PTH109 - a text, as the ports have it
    config = read_config(root, options.config) if options.config else read_config(root)
    order = _order(options, config, own_folder(root) / "workers" / SystemClock().new_id("work"))
    folder, names = order.folder, tuple(f"worker-{number}" for number in range(1, options.workers + 1))

    def command(name: str) -> tuple[str, ...]:
        named = ("--config", options.config) if options.config else ()
        words = ("queue", "work", "--json", "--here", options.machine, "--store", options.store, *named)
        return ("/bin/sh", "-c", _WORK, "assay", root, str(folder / name), sys.executable, "-P", "-m", "assay", *words)

    place = SlurmPlace(f"{options.machine} (Slurm)", order, command, lambda name: (folder / f"{name}.code").is_file())
    with display_for(sys.stderr) as observer:
        dispatch(((place, names),), lambda: None, Waiting(SystemClock(), observer, pause, "The queue keeps what is not done."))
    return _told(folder, names, as_json=options.as_json)


def _order(options: SendOptions, config: "Config", folder: Path) -> "Order":
    from assay.adapters.slurm.submission import Order
    from assay.cli.places import exported
    from assay.core.config_machines import SlurmSpec

    machine = config.machines.get(options.machine)
    if machine is None or machine.runner != "slurm":
        known = ", ".join(name for name, one in config.machines.items() if one.runner == "slurm") or "none"
        raise UsageError(f"{options.machine!r} is no machine with `runner: slurm`.", hint=f"The config has: {known}.")
    spec = machine.slurm or SlurmSpec()
    return Order(spec, spec.time or WORKERS_S, exported(os.environ, config), folder)


def _told(folder: Path, names: tuple[str, ...], *, as_json: bool) -> int:
    codes = {name: _text(folder, f"{name}.code").strip() for name in names}
    lost = [name for name, code in codes.items() if not code.isdigit()]
    attempts = [one for name in names for one in _attempts(_text(folder, f"{name}.out"))]
    if as_json:
        sys.stdout.write(json.dumps({"attempts": attempts, "workers": codes}, indent=2, sort_keys=True) + "\n")
    else:
        sys.stdout.write(f"{len(names)} workers, {len(attempts)} attempts; see `assay queue list`.\n")
    if lost:
        what = f"{', '.join(lost)} left no word: the job was ended by Slurm."
        raise InfrastructureError(what, hint=f"Its output is in {folder}. What it held is put back by the next worker.")
    found = {int(code) for code in codes.values()}
    if found <= {0, FAILED, NothingMeasuredError.exit_code}:
        return FAILED if FAILED in found else min(found)
    return max(found)


def _attempts(text: str) -> Iterator[Mapping[str, object]]:
    """Those of a worker's answer; the file is where foreign code may write, so that anything else is nothing."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    rows = document.get("attempts") if isinstance(document, dict) else None
    yield from (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()


def _text(folder: Path, name: str) -> str:
    from assay.adapters.store_files import read_file

    data = read_file(folder, name)
    return data.decode(errors="replace") if isinstance(data, bytes) else ""

"""Where the cells of a plan are measured: here, on a cluster, on another machine; the way to each, put together from the config."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.adapters.git import GitRepo
    from assay.adapters.handover_folder import HandoverFolder
    from assay.cell_ports import Place
    from assay.core.config import Config
    from assay.core.config_machines import MachineSpec, SshSpec
    from assay.core.handover import PlanFile

HANDING_OVER_S = 600.0
"""What a job may take beside its sampling: laying commits out, waiting for disks, writing down. Of a short limit it is a tenth."""

SSH_CONFIG = "ASSAY_SSH_CONFIG"
"""The variable that names an ssh configuration to be used instead of the user's own."""

PLACE = "ASSAY_PLACE"
"""The variable by which a cell on another machine hears what that is called here."""

_OURS = ("HOME", "USER", "LOGNAME", "SHELL", "PYTHONPATH", "XDG_STATE_HOME", "ASSAY_DEBUG", "ASSAY_NO_REUSE")


@dataclass(frozen=True, slots=True)
class Site:
    """The repository and the hand-over folder that places are given, and the config, as a file and as what it says."""

    repo: "GitRepo"
    folder: "HandoverFolder"
    config_file: str
    config: "Config"
    plan: "PlanFile"


def sorted_by_place(site: Site, cells: Mapping[str, str | None]) -> "tuple[tuple[str, ...], tuple[tuple[Place, tuple[str, ...]], ...]]":
    """Cells to be measured here, and those of each place; `cells` maps a benchmark to its machine."""
    here: list[str] = []
    there: dict[str, list[str]] = {}
    for benchmark, machine in cells.items():
        spec = site.config.machines.get(machine) if machine else None
        if machine is None or spec is None or spec.runner == "local":
            here.append(benchmark)
        else:
            there.setdefault(machine, []).extend(name for name in parts_of(site, benchmark) if not site.folder.has_cell(name))
    return tuple(here), tuple((_place(site, name, site.config.machines[name]), tuple(names)) for name, names in there.items())


def parts_of(site: Site, benchmark: str) -> tuple[str, ...]:
    """The cells that a benchmark is measured in: one, or one for each seed where its machine spreads them."""
    from assay.core.seed_merge import seed_cell

    return tuple(seed_cell(benchmark, seed) for seed in seeds_apart(site, benchmark)) or (benchmark,)


def seeds_apart(site: Site, benchmark: str) -> tuple[int, ...]:
    """The seeds that are measured each in a job of its own; none where they are measured together."""
    one = site.config.benchmarks[benchmark]
    machine = site.config.machines.get(one.machine) if one.machine else None
    seeds = site.plan.seeds or (one.seeds if isinstance(one.seeds, tuple) else ())
    return seeds if machine and machine.slurm and machine.slurm.spread and len(seeds) > 1 else ()


def _place(site: Site, name: str, machine: "MachineSpec") -> "Place":
    return _slurm(site, name, machine) if machine.ssh is None else _ssh(site, name, machine.ssh)


def _slurm(site: Site, name: str, machine: "MachineSpec") -> "Place":
    from assay.adapters.slurm.place import SlurmPlace
    from assay.adapters.slurm.submission import Order, cell_command
    from assay.core.config_machines import SlurmSpec

    spec = machine.slurm or SlurmSpec()
    seconds = spec.time or site.config.policy.max_time + HANDING_OVER_S
    within = seconds - min(HANDING_OVER_S, seconds / 10)
    order = Order(spec, seconds, exported(os.environ, site.config), site.folder.path / f"slurm-{name}")

    def command(benchmark: str) -> tuple[str, ...]:
        return cell_command(cell_words(site, benchmark, within), site.repo.root)

    return SlurmPlace(f"{name} (Slurm)", order, command, site.folder.has_cell)


def _ssh(site: Site, name: str, spec: "SshSpec") -> "Place":
    import assay
    from assay.adapters.ssh.place import Job, SshPlace
    from assay.adapters.ssh.transport import Transport

    chosen = {cell.benchmark for cell in site.plan.cells if cell.machine == name}
    job = Job(
        folder=f"{spec.folder}/job-{hashlib.sha256(os.fsencode(site.folder.path)).hexdigest()[:16]}",
        python=spec.python,
        hand=site.folder.path,
        tool=Path(assay.__file__).parent,
        root=site.repo.root,
        inputs=tuple(sorted({path.rstrip("/") for one in chosen for path in site.config.benchmarks[one].inputs})),
        pack=lambda file: site.repo.bundle({"base": site.plan.base, "head": site.plan.head}, file),
    )
    return SshPlace(f"{name} (ssh {spec.host})", Transport(spec.host, os.environ.get(SSH_CONFIG, "")), job, site.folder.has_cell)


def cell_words(site: Site, benchmark: str, within_s: float) -> tuple[str, ...]:
    """The words of the command that measures a cell where it has arrived."""
    where = ("--artifact", str(site.folder.path), "--config", site.config_file)
    name, _, seed = benchmark.partition("@")
    return ("run", "--here", *where, "--benchmark", name, "--within", f"{within_s:g}", *(("--seed", seed) if seed else ()))


def exported(environ: Mapping[str, str], config: "Config") -> tuple[str, ...]:
    """The variables that go along into a job: what a benchmark may see, and what we need. Never one that may be a key."""
    from assay.core.environment import FAMILIES, NAMES, why_withheld

    passed = {name for one in config.benchmarks.values() for name in one.env.pass_}
    wanted = {name for name in environ if name in NAMES or name in _OURS or name in passed or name.startswith(FAMILIES)}
    return tuple(sorted(name for name in wanted if not why_withheld(name)))


def note_of(environ: Mapping[str, str]) -> str:
    """Where this process runs, for the envelope; empty where nothing is known that the machine's facts do not say."""
    host = environ.get(PLACE, "")
    if re.fullmatch(r"[A-Za-z0-9@._:-]{1,320}", host):
        return f"Measured over ssh on {host}."
    job, node = environ.get("SLURM_JOB_ID", ""), environ.get("SLURMD_NODENAME", "")
    if job.isdigit():
        whole = environ.get("SLURM_ARRAY_JOB_ID", ""), environ.get("SLURM_ARRAY_TASK_ID", "")
        name = f"{whole[0]}_{whole[1]}" if all(part.isdigit() for part in whole) else job
        return f"Measured in one allocation, by job {name} of Slurm on {node or 'a node without a name'}."
    return ""


def config_path(root: str, file: str) -> str:
    """The config as an absolute path, for a command in another folder."""
    return str(Path(root, file))

"""Worktrees on this box behind the port Worktrees."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from assay.adapters.worktrees.accounts import Access, AccountChoice, access, hand_over
from assay.adapters.worktrees.caches import Caches
from assay.adapters.worktrees.folders import WorkFolder, sweep
from assay.adapters.worktrees.identity import Identities
from assay.adapters.worktrees.inputs import link_inputs
from assay.adapters.worktrees.interpreter import JobPython, JobQuestion
from assay.adapters.worktrees.path_files import Checkout, foreign
from assay.adapters.worktrees.paths import relative, working_folder
from assay.adapters.worktrees.python_environment import EnvironmentMaker, PythonEnvironment
from assay.adapters.worktrees.shared_state import fingerprints
from assay.adapters.worktrees.slots import Slots
from assay.adapters.worktrees.tracked import Tracked
from assay.core.config import Benchmark
from assay.core.environment import child_environment
from assay.core.escape import plain
from assay.core.isolation import installs_python
from assay.core.model import Side
from assay.core.process import Account
from assay.errors import InfrastructureError
from assay.worktree_ports import Worktree


def _nobody_else(_paths: Sequence[str]) -> tuple[Account | None, str]:
    """Stay who we are."""
    return None, ""


class LocalWorktrees:
    """Satisfies `assay.worktree_ports.Worktrees`. A context: its temporary folder and all in it live as long as the `with` block."""

    def __init__(
        self,
        checkout: Callable[[str, str], Mapping[str, str]],
        user_root: str,
        *,
        parent_environment: Mapping[str, str],
        home: str | None,
        own: Path | None = None,
        choose_account: AccountChoice = _nobody_else,
        refuse_root: bool = False,
        job: JobQuestion | None = None,
        identities: Identities | None = None,
    ) -> None:
        """Nothing happens yet.

        `checkout(commit, folder)` lays a commit out and tells the blob id of each file; what else it makes lies beside
        `folder`. `home` is the user's own, where `~` caches are; other caches are in `own`, by default `.assay` of the
        checkout. `choose_account` names another user for the child, where we have the right to become one, and is
        `assay.adapters.process.privileges.child_account` in a real check; `refuse_root` makes an error of it where we are
        root and there is none. `job` is a question that several share, or that was started early,
        and `identities` are what several have read of the inputs.
        """
        self._checkout = checkout
        self._user_root = Path(user_root)
        self._parent = parent_environment
        self._user_home = Path(home) if home else None
        self._own = own or Path(user_root, ".assay")
        self._choose_account = choose_account
        self._refuse_root = refuse_root
        self._question = job or JobQuestion(parent_environment, user_root)
        self._shared_question = job is not None
        self._work: WorkFolder | None = None
        self._over = False
        self._numbers: dict[str, int] = {}
        self._environments: dict[str, PythonEnvironment] = {}
        self._slots = Slots()
        self._identities = identities or Identities()
        self._tracked: dict[str, Tracked] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over = True
        if not self._shared_question:
            self._question.drop()
        if self._work is not None:
            self._work.remove()

    def prepare(self, side: Side, commit: str, benchmark: Benchmark) -> Worktree:
        """As the port says. Raises UsageError also for a `workdir` that the commit does not have."""
        self._question.start()
        number = self._numbers.setdefault(benchmark.name, len(self._numbers) + 1)
        folder = self._folder
        try:
            return self._prepare(folder.slot(number, side.value), number, side, commit, benchmark)
        except OSError as error:
            what = f"The {side} worktree could not be made: {error.strerror or error} ({error.filename})."
            raise InfrastructureError(what, hint="See that the temporary folder (TMPDIR) is writable and has space.") from error

    def enter(self, worktree: Worktree) -> None:
        """As the port says: where processes run as another account, it can pass only into this worktree's folder from now on."""
        self._slots.open(worktree.root)

    def leave(self, worktree: Worktree) -> tuple[str, ...]:
        """As the port says. Where another account was shut out there is nothing to look at."""
        return self._slots.close(worktree.root)

    def changed_files(self, worktree: Worktree) -> tuple[str, ...]:
        """As the port says."""
        return self._tracked[worktree.root].changed()

    def shared_state(self) -> Mapping[str, str]:
        """As the port says: the job's folders of packages and of programs."""
        if self._job is None:
            return {}
        return fingerprints((*self._job.sites, *self._job.bins, Path(self._job.prefix, "conda-meta")))

    def foreign_editables(self, worktree: Worktree) -> tuple[str, ...]:
        """As the port says, in order of name. Entries of PYTHONPATH count too, by their path."""
        if self._job is None:
            return ()
        own = self._environments.get(worktree.root)
        checkout = Checkout(self._user_root, Path(self._job.prefix))
        entries = [Path(entry) for entry in worktree.env.get("PYTHONPATH", "").split(":") if entry.startswith("/")]
        named = foreign((own.site,) if own else self._job.sites, checkout)
        return tuple(sorted(named | {str(entry) for entry in entries if checkout.holds(entry)}))

    def input_identities(self, benchmark: Benchmark) -> Mapping[str, str]:
        """As the port says; `missing` for an input that is not there."""
        return {text: self._identity(text) for text in benchmark.inputs}

    @property
    def _folder(self) -> WorkFolder:
        if self._over:
            raise InfrastructureError("The worktrees of this check have been removed already.")
        if self._work is None:
            sweep()
            self._work = WorkFolder()
        return self._work

    @property
    def _job(self) -> JobPython | None:
        return self._question.answer()

    def _identity(self, text: str) -> str:
        try:
            return self._identities.of(self._user_root / relative(text, "inputs"))
        except OSError as error:
            what = f"The input {plain(text)} cannot be read: {error.strerror} ({plain(str(error.filename))})."
            raise InfrastructureError(what, hint="See that nothing writes to it during a check, and that you may read it.") from error

    @cached_property
    def _maker(self) -> EnvironmentMaker | None:
        job = self._job
        return None if job is None else EnvironmentMaker(job, Checkout(self._user_root, Path(job.prefix)), self._parent)

    def _prepare(self, slot: Path, number: int, side: Side, commit: str, benchmark: Benchmark) -> Worktree:
        tree, where = slot / "tree", f"the {side} commit {plain(commit)[:12]}"
        ids = self._checkout(commit, str(tree))
        cwd = working_folder(tree, benchmark.workdir, where)
        for folder in ("home", "tmp"):
            (slot / folder).mkdir()
        link_inputs(tree, self._user_root, benchmark.inputs, where)
        access = self._access(benchmark)
        caches = Caches(self._own, self._user_home, access.may_keep).link(tree, slot / "home", benchmark.cache)
        own = self._own_environment(slot / "env", benchmark)
        account = access.account
        if account is not None:
            self._folder.let_others_through(number)
            for place in (*slot.iterdir(), *caches.ours):
                hand_over(place, account)
        self._tracked[str(tree)] = Tracked.of(tree, ids)
        self._slots.add(str(tree), side, slot, account)
        if own is not None:
            self._environments[str(tree)] = own
        variables = self._variables(slot, own, benchmark, access)
        notes = (*self._question.notes, *access.notes, *caches.notes, *(own.notes if own else ()))
        return Worktree(side, commit, str(tree), str(cwd), variables, account, notes, *self._protection(benchmark, caches.targets))

    def _protection(self, benchmark: Benchmark, caches: tuple[Path, ...]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """What a benchmark may only read, and what of that it may write to after all.

        Root can close the whole checkout. Anybody else pays with a user namespace, in which ssh and sudo refuse to work, so
        only a benchmark with inputs gets one, and its setup does not.
        """
        inputs = [(self._user_root / relative(text, "inputs")).resolve() for text in benchmark.inputs]
        closed = [self._user_root.resolve(), *inputs] if os.geteuid() == 0 else inputs
        opened = [path.resolve() for path in (self._folder.path, *caches)]
        in_setup = closed if os.geteuid() == 0 else []
        return (
            tuple(map(str, closed)),
            tuple(map(str, in_setup)),
            tuple(str(path) for path in opened if any(path.is_relative_to(one) for one in closed)),
        )

    def _variables(self, slot: Path, own: PythonEnvironment | None, benchmark: Benchmark, access: Access) -> Mapping[str, str]:
        return child_environment(
            {**self._parent, **access.variables},
            passed=benchmark.env.pass_,
            assigned=benchmark.env.set,
            home=str(slot / "home"),
            tmp=str(slot / "tmp"),
            path_prefix=(str(own.bin),) if own else (),
            extra={"VIRTUAL_ENV": str(own.folder)} if own else {},
        )

    def _own_environment(self, folder: Path, benchmark: Benchmark) -> PythonEnvironment | None:
        if benchmark.setup is None or benchmark.isolate == "none" or not installs_python(benchmark.setup):
            return None
        return None if self._maker is None else self._maker.make(folder, benchmark.setup)

    def _access(self, benchmark: Benchmark) -> Access:
        """Who this benchmark's processes run as. A Python and its data they must be able to use, all else they can do without."""
        job = self._job
        python = [job.executable, job.base_prefix, *map(str, job.sites)] if job else []
        needed = [self._folder.path.parent, *python, *(self._user_root / path for path in benchmark.inputs)]
        return access(self._choose_account, list(map(str, needed)), self._parent.get("PATH", ""), insist=self._refuse_root)

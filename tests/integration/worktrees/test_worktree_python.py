"""Python environments of the sides: each imports its own package, both see the job's, and the job's stays as it was."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.environments import INSTALL, JobEnvironment, benchmark, make_job, package, run
from tests.repositories import Sandbox

from assay.adapters.git import GitRepo
from assay.adapters.worktrees.interpreter import JobQuestion
from assay.adapters.worktrees.local import LocalWorktrees
from assay.adapters.worktrees.python_environment import console_scripts
from assay.core.model import Side
from assay.worktree_ports import Worktree

IMPORT = "python -c 'import lab_core; print(lab_core.LOSS)'"
Open = Callable[..., LocalWorktrees]


@pytest.fixture(scope="session")
def job_with_pip(tmp_path_factory: pytest.TempPathFactory) -> JobEnvironment:
    return make_job(tmp_path_factory.mktemp("environments") / "job")


@pytest.fixture
def job(tmp_path: Path) -> JobEnvironment:
    """Without pip, made anew for each test, which may install into it what it likes."""
    return make_job(tmp_path / "job", "--without-pip")


@pytest.fixture
def opened(sandbox: Sandbox) -> Open:
    def make(job: JobEnvironment, **more: str) -> LocalWorktrees:
        checkout = GitRepo.discover(str(sandbox.root)).checkout
        return LocalWorktrees(checkout, str(sandbox.root), parent_environment={**job.variables, **more}, home=str(sandbox.root.parent))

    return make


def head_of(worktrees: LocalWorktrees, sandbox: Sandbox, **keys: object) -> Worktree:
    return worktrees.prepare(Side.HEAD, sandbox.git("rev-parse", "HEAD"), benchmark(**keys))  # type: ignore[arg-type]


def install_module(job: JobEnvironment, name: str, value: int) -> None:
    (job.site / f"{name}.py").write_text(f"LOSS = {value}\n")


def install_script(job: JobEnvironment, name: str, text: str) -> None:
    (job.bin / name).write_text(text)
    (job.bin / name).chmod(0o755)


# two sides


def test_two_editable_installs_are_kept_apart(sandbox: Sandbox, opened: Open, job_with_pip: JobEnvironment) -> None:
    base, head = sandbox.commit(package(120)), sandbox.commit(package(90))
    before, entries = sandbox.snapshot(), job_with_pip.entries()
    with opened(job_with_pip) as worktrees:
        sides = [worktrees.prepare(Side.BASE, base, benchmark(setup=INSTALL)), worktrees.prepare(Side.HEAD, head, benchmark(setup=INSTALL))]
        shared = worktrees.shared_state()
        for side in sides:
            run(side, INSTALL)
        assert [run(side, IMPORT) for side in sides] == ["120", "90"]
        assert [run(side, "lab") for side in sides] == ["lab 120", "lab 90"]
        assert [run(side, "python3 -m pip --version").split()[3].startswith(str(job_with_pip.folder)) for side in sides] == [True, True]
        assert worktrees.shared_state() == shared
        assert [worktrees.foreign_editables(side) for side in sides] == [(), ()]
    assert job_with_pip.entries() == entries
    assert sandbox.snapshot() == before


def test_a_side_can_be_installed_over_an_install_of_the_job(
    sandbox: Sandbox, opened: Open, job: JobEnvironment, job_with_pip: JobEnvironment
) -> None:
    for part in job_with_pip.site.glob("pip*"):
        (job.site / part.name).symlink_to(part)
    sandbox.commit(package(1))
    subprocess.run(["sh", "-c", f"python -m {INSTALL}"], check=True, cwd=sandbox.root, env=job.variables, capture_output=True)
    sandbox.commit(package(90))
    sandbox.write(package(7))
    entries = job.entries()
    with opened(job) as worktrees:
        untouched = head_of(worktrees, sandbox)
        assert worktrees.foreign_editables(untouched) == ("lab",)
        assert run(untouched, IMPORT) == "7", "this is the trap: the user's unsaved tree in place of the commit"
        side = head_of(worktrees, sandbox, name="own", setup=INSTALL)
        assert run(side, "python -c 'import lab_core' 2>/dev/null || echo nothing") == "nothing"
        run(side, INSTALL)
        assert (run(side, IMPORT), run(side, "lab"), worktrees.foreign_editables(side)) == ("90", "lab 90", ())
    assert job.entries() == entries


def test_the_packages_of_the_job_are_seen_underneath(sandbox: Sandbox, opened: Open, job: JobEnvironment, tmp_path: Path) -> None:
    sandbox.commit({"file": "1"})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "neighbour.py").write_text("LOSS = 5\n")
    install_module(job, "framework", 3)
    (job.site / "neighbour.pth").write_text(f"# a comment\n{elsewhere}\n/does/not/exist\nimport os; os.environ['SEEN'] = '1'\n")
    with opened(job) as worktrees:
        side = head_of(worktrees, sandbox, setup="uv pip install x")
        assert (
            run(side, "python -c 'import framework, neighbour, os; print(framework.LOSS, neighbour.LOSS, os.environ[\"SEEN\"])'") == "3 5 1"
        )
        assert run(side, "python -c 'import sys; print(sys.prefix)'") == side.env["VIRTUAL_ENV"]
        assert Path(run(side, "command -v python")).is_relative_to(side.env["VIRTUAL_ENV"])


def test_what_a_side_installs_comes_before_the_same_of_the_job(sandbox: Sandbox, opened: Open, job: JobEnvironment) -> None:
    sandbox.commit({"lib/framework.py": "LOSS = 4\n"})
    install_module(job, "framework", 3)
    with opened(job) as worktrees:
        side = head_of(worktrees, sandbox, setup="uv pip install x")
        site = next(Path(side.env["VIRTUAL_ENV"]).glob("lib/*/site-packages"))
        (site / "z_late.pth").write_text(f"{side.root}/lib\n")
        assert run(side, "python -c 'import framework; print(framework.LOSS)'") == "4"


@pytest.mark.parametrize("keys", [{}, {"setup": "make data"}, {"setup": INSTALL, "isolate": "none"}])
def test_without_need_there_is_no_environment_of_its_own(sandbox: Sandbox, opened: Open, job: JobEnvironment, keys: dict[str, str]) -> None:
    sandbox.commit({"file": "1"})
    with opened(job) as worktrees:
        side = head_of(worktrees, sandbox, **keys)
        assert "VIRTUAL_ENV" not in side.env
        assert side.env["PATH"] == job.variables["PATH"]


def test_programs_of_the_job_run_under_the_python_of_the_side(sandbox: Sandbox, opened: Open, job: JobEnvironment) -> None:
    sandbox.commit({"file": "1"})
    python, tell = f"{job.bin}/python3", "import sys\nprint(sys.prefix, *sys.argv[1:])\n"
    install_script(job, "tester", f"#!{python}\n{tell}")
    install_script(job, "strict", f"#!{python} -I\n{tell}")
    install_script(job, "far", f"#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''\n{tell}")
    install_script(job, "shell", "#!/bin/sh\necho shell\n")
    install_script(job, "system", f"#!/usr/bin/env python3\n{tell}")
    with opened(job) as worktrees:
        side = head_of(worktrees, sandbox, setup="python setup.py")
        prefix = side.env["VIRTUAL_ENV"]
        assert [run(side, f"{name} a 'b c'") for name in ("tester", "strict", "far", "system")] == [f"{prefix} a b c"] * 4
        assert run(side, "shell") == "shell"
        assert {path.name for path in Path(prefix, "bin").iterdir()} >= {"tester", "strict", "far"}
        assert not Path(prefix, "bin", "shell").exists()


def test_a_path_too_long_for_the_kernel_goes_by_the_shell(
    sandbox: Sandbox, opened: Open, job: JobEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.commit({"file": "1"})
    far = tmp_path / ("a folder with a long name" * 5)
    far.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(far))
    install_script(job, "tester", f"#!{job.bin}/python3\nimport sys\nprint(sys.prefix, *sys.argv[1:])\n")
    with opened(job) as worktrees:
        side = head_of(worktrees, sandbox, setup="uv pip install x")
        assert run(side, "tester 'a b'") == f"{side.env['VIRTUAL_ENV']} a b"
        again = list(console_scripts([Path(side.env["VIRTUAL_ENV"], "bin")]))
        assert [script.name for script in again if script.name == "tester"] == ["tester"]


def test_a_job_without_pip_gets_one_for_the_side(sandbox: Sandbox, opened: Open, job: JobEnvironment) -> None:
    sandbox.commit(package(90))
    entries = job.entries()
    with opened(job) as worktrees:
        side = head_of(worktrees, sandbox, setup=INSTALL)
        run(side, INSTALL)
        assert (run(side, IMPORT), side.notes) == ("90", ())
        assert not Path(head_of(worktrees, sandbox, name="uv", setup="uv pip install -e .").env["VIRTUAL_ENV"], "bin", "pip").exists()
    assert job.entries() == entries


def test_the_environment_in_the_checkout_is_the_jobs_and_no_foreign_package(sandbox: Sandbox, opened: Open) -> None:
    sandbox.commit({**package(90), ".gitignore": ".venv/\n"})
    job = make_job(sandbox.root / ".venv", "--without-pip")
    install_module(job, "framework", 3)
    (job.folder / "src").mkdir()
    (job.folder / "src" / "vendored.py").write_text("LOSS = 6\n")
    (job.site / "vendored.pth").write_text(f"{job.folder}/src\n")
    with opened(job) as worktrees:
        side = head_of(worktrees, sandbox, setup="uv pip install -e .")
        assert run(side, "python -c 'import framework, vendored; print(framework.LOSS, vendored.LOSS)'") == "3 6"
        assert worktrees.foreign_editables(head_of(worktrees, sandbox, name="plain")) == ()


# packages of the job that lead to the user's checkout


def by_path(job: JobEnvironment, root: Path) -> None:
    (job.site / "__editable__.lab-1.0.pth").write_text(f"{root}/lib\n")


def by_finder(job: JobEnvironment, root: Path) -> None:
    (job.site / "__editable___lab_1_0_finder.py").write_text(
        f"MAPPING = {{'lab_core': {f'{root}/lib/lab_core.py'!r}}}\n\ndef install():\n    pass\n"
    )
    (job.site / "__editable__.lab-1.0.pth").write_text("import __editable___lab_1_0_finder; __editable___lab_1_0_finder.install()\n")


def by_hatch(job: JobEnvironment, root: Path) -> None:
    (job.site / "_lab.pth").write_text(f"{root}/lib")


def by_direct_url(job: JobEnvironment, root: Path) -> None:
    (job.site / "lab-1.0.dist-info").mkdir()
    (job.site / "lab-1.0.dist-info" / "direct_url.json").write_text(f'{{"url": "{root.as_uri()}", "dir_info": {{"editable": true}}}}')
    (job.site / "anything.pth").symlink_to(job.site / "__none__")


def by_develop(job: JobEnvironment, root: Path) -> None:
    (job.site / "lab.egg-link").write_text(f"{root}/lib\n.")
    (job.site / "easy-install.pth").write_text(f"{root}/lib\n")


def by_a_linked_path(job: JobEnvironment, root: Path) -> None:
    (root.parent / "alias").symlink_to(root)
    (job.site / "lab.pth").write_text(f"{root.parent}/alias/lib\n")


@pytest.mark.parametrize("install", [by_path, by_finder, by_hatch, by_develop, by_a_linked_path])
def test_an_editable_install_of_the_checkout_is_found_and_kept_out_of_an_environment(
    sandbox: Sandbox, opened: Open, job: JobEnvironment, install: Callable[[JobEnvironment, Path], None]
) -> None:
    sandbox.commit(package(90))
    install(job, sandbox.root)
    with opened(job) as worktrees:
        assert worktrees.foreign_editables(head_of(worktrees, sandbox)) == ("lab",)
        side = head_of(worktrees, sandbox, name="own", setup="uv pip install -e .")
        assert worktrees.foreign_editables(side) == ()
        assert str(sandbox.root) not in run(side, "python -c 'import sys; print(sys.path)'")
        assert run(side, "python -c 'import sys; print([name for name in sys.modules if \"lab\" in name])'") == "[]"


def test_the_record_of_an_editable_install_is_enough_to_name_it(sandbox: Sandbox, opened: Open, job: JobEnvironment) -> None:
    sandbox.commit(package(90))
    by_direct_url(job, sandbox.root)
    with opened(job) as worktrees:
        assert worktrees.foreign_editables(head_of(worktrees, sandbox)) == ("lab",)


def test_an_editable_install_of_another_project_is_not_foreign(sandbox: Sandbox, opened: Open, job: JobEnvironment, tmp_path: Path) -> None:
    sandbox.commit(package(90))
    other = tmp_path / "other"
    (other / "lib").mkdir(parents=True)
    (other / "lib" / "lab_core.py").write_text("LOSS = 8\n")
    by_path(job, other)
    with opened(job) as worktrees:
        assert worktrees.foreign_editables(head_of(worktrees, sandbox)) == ()
        assert run(head_of(worktrees, sandbox, name="own", setup="uv sync"), IMPORT) == "8"


def test_a_setup_that_installs_the_checkout_itself_is_found(sandbox: Sandbox, opened: Open, job: JobEnvironment) -> None:
    sandbox.commit(package(90))
    with opened(job) as worktrees:
        side = head_of(worktrees, sandbox, setup="uv pip install -e /somewhere")
        by_path(JobEnvironment(Path(side.env["VIRTUAL_ENV"])), sandbox.root)
        assert worktrees.foreign_editables(side) == ("lab",)


def test_a_search_path_into_the_checkout_is_found(sandbox: Sandbox, opened: Open, job: JobEnvironment) -> None:
    sandbox.commit(package(90))
    with opened(job, PYTHONPATH=f"{sandbox.root}/lib:/elsewhere:relative") as worktrees:
        side = head_of(worktrees, sandbox, env={"pass": ["PYTHONPATH"]})
        assert worktrees.foreign_editables(side) == (f"{sandbox.root}/lib",)


# what both sides share


def test_compiling_modules_is_no_change_of_what_the_sides_share(sandbox: Sandbox, opened: Open, job: JobEnvironment) -> None:
    sandbox.commit({"file": "1"})
    install_module(job, "framework", 3)
    (job.site / "pack").mkdir()
    (job.site / "pack" / "__init__.py").write_text("")
    with opened(job) as worktrees:
        before = worktrees.shared_state()
        assert str(job.site) in before
        assert str(job.bin) in before
        run(head_of(worktrees, sandbox), "python -c 'import framework, pack'")
        assert (job.site / "pack" / "__pycache__").is_dir()
        assert worktrees.shared_state() == before


def new_version(job: JobEnvironment) -> None:
    (job.site / "pack-1.dist-info").rename(job.site / "pack-2.dist-info")


def same_version_again(job: JobEnvironment) -> None:
    (job.site / "pack-1.dist-info" / "RECORD").unlink()
    (job.site / "pack-1.dist-info" / "RECORD").write_text("")


def other_module(job: JobEnvironment) -> None:
    install_module(job, "framework", 4000)


def other_path(job: JobEnvironment) -> None:
    stamp = (job.site / "lab.pth").stat().st_mtime_ns
    (job.site / "lab.pth").write_text("/b")
    os.utime(job.site / "lab.pth", ns=(stamp, stamp))


def new_program(job: JobEnvironment) -> None:
    install_script(job, "lab", "#!/bin/sh\n")


@pytest.mark.parametrize("change", [new_version, same_version_again, other_module, other_path, new_program])
def test_an_install_into_the_job_is_seen(
    sandbox: Sandbox, opened: Open, job: JobEnvironment, change: Callable[[JobEnvironment], None]
) -> None:
    (job.site / "pack-1.dist-info").mkdir()
    (job.site / "pack-1.dist-info" / "RECORD").write_text("")
    os.utime(job.site / "pack-1.dist-info", (1, 1))
    (job.site / "lab.pth").write_text("/a")
    install_module(job, "framework", 3)
    with opened(job) as worktrees:
        before = worktrees.shared_state()
        change(job)
        after = worktrees.shared_state()
        assert [path for path in before if after[path] != before[path]] == [str(job.bin if change is new_program else job.site)]


# the job's python


def test_the_first_python_that_answers_is_the_jobs(job: JobEnvironment, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for text in ("#!/bin/sh\nexit 2\n", "#!/bin/sh\necho nonsense\n", "#!/nowhere\n"):
        (broken / "python").write_text(text)
        (broken / "python").chmod(0o755)
        found = JobQuestion({"PATH": f"{broken}:{job.bin}"}, str(tmp_path)).answer()
        assert found is not None
        assert Path(found.prefix) == job.folder


SHIMS = (
    "sleep 600",
    "sleep 600 & echo '{}'",
    "setsid sleep 600 & sleep 600",
    "trap '' TERM; sleep 600",
    "exec yes",
    "echo '{\"version\": 1}'",
)


def shim(folder: Path, text: str) -> str:
    """A folder for PATH with a program called python that is none."""
    (folder / "python").write_text(f"#!/bin/sh\necho $$ > {folder}/pid.new; mv {folder}/pid.new {folder}/pid\n{text}\n")
    (folder / "python").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize("text", SHIMS)
def test_a_python_that_does_not_answer_is_passed_over(
    tmp_path: Path, job: JobEnvironment, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    path = shim(tmp_path, text)
    (tmp_path / "python3").symlink_to(job.bin / "python3")
    question = JobQuestion({"PATH": path}, str(tmp_path))
    monkeypatch.setattr("assay.adapters.worktrees.interpreter.PATIENCE_S", 0.5)
    question.start()
    monkeypatch.setattr("assay.adapters.worktrees.interpreter.PATIENCE_S", 60.0)
    found = question.answer()
    assert found is not None
    assert Path(found.executable).name == "python3"
    (note,) = question.notes
    assert note.startswith(f"{tmp_path}/python gave no answer")
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_a_question_that_is_dropped_leaves_nothing(tmp_path: Path) -> None:
    question = JobQuestion({"PATH": shim(tmp_path, "sleep 600 & sleep 600")}, str(tmp_path))
    question.start()
    while not (tmp_path / "pid").exists():
        os.sched_yield()
    question.drop()
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_without_python_on_the_path_it_is_our_own(tmp_path: Path) -> None:
    found = JobQuestion({"PATH": str(tmp_path)}, str(tmp_path)).answer()
    assert found is not None
    assert found.prefix == sys.prefix


def test_what_is_installed_for_the_job_is_told_by_version(job: JobEnvironment, tmp_path: Path) -> None:
    def installed() -> tuple[str, str]:
        return JobQuestion({"PATH": str(job.bin)}, str(tmp_path)).installed()

    python, before = installed()
    assert python == f"cpython {sys.version.split()[0]}"
    (job.site / "lab-1.0.dist-info").mkdir()
    with_one = installed()[1]
    (job.site / "lab-1.0.dist-info").rename(job.site / "lab-1.1.dist-info")
    with_newer = installed()[1]
    (job.site / "lab-1.1.dist-info").rmdir()
    assert len({before, with_one, with_newer}) == 3
    assert installed()[1] == before
    assert JobQuestion({"PATH": str(tmp_path)}, str(tmp_path)).installed() == ("none", "none")


def test_a_question_is_asked_once_and_can_be_shared(sandbox: Sandbox, job: JobEnvironment, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    wrapper = tmp_path / "wrapped" / "python"
    wrapper.parent.mkdir()
    wrapper.write_text(f"#!/bin/sh\necho call >> '{calls}'\nexec '{job.bin}/python' \"$@\"\n")
    wrapper.chmod(0o755)
    sandbox.commit({"file": "1"})
    environment = {"PATH": f"{wrapper.parent}:{os.environ['PATH']}"}
    question = JobQuestion(environment, str(sandbox.root))
    question.start()
    checkout = GitRepo.discover(str(sandbox.root)).checkout
    for _ in range(2):
        with LocalWorktrees(checkout, str(sandbox.root), parent_environment=environment, home=str(tmp_path), job=question) as worktrees:
            head_of(worktrees, sandbox)
            assert str(job.site) in worktrees.shared_state()
    assert calls.read_text() == "call\n"

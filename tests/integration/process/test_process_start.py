"""What a command finds when it starts: its own environment and nothing of ours."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.integration.process.support import Box, python

from assay.core.process import Argv


def test_the_environment_is_exactly_the_one_given(tmp_path: Path) -> None:
    env = {"PATH": "/usr/bin:/bin", "A": "1", "EMPTY": "", "LINES_": "a\nb", "UMLAUT": "ä", "BYTES": "\udcff"}
    done = Box(tmp_path).run(python("import os, sys; sys.stdout.write(ascii(sorted(os.environb.items())))"), env=env)
    got = eval(done.stdout, {})
    got = [(name, value) for name, value in got if name != b"LC_CTYPE"]  # the interpreter's own, in a C locale
    assert got == sorted((os.fsencode(name), os.fsencode(value)) for name, value in env.items())


def test_an_empty_environment_stays_empty(tmp_path: Path) -> None:
    assert Box(tmp_path).run(Argv(("/usr/bin/env",)), env={}).stdout == ""


def test_no_file_is_open_but_the_three_streams(tmp_path: Path) -> None:
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        done = Box(tmp_path).python("import os\nseen = sorted(map(int, os.listdir('/proc/self/fd')))\nprint(seen[:3], len(seen))")
    assert done.stdout == "[0, 1, 2] 4\n"  # and the listing itself


def test_standard_input_is_at_its_end(tmp_path: Path) -> None:
    assert Box(tmp_path).run("cat; echo over").stdout == "over\n"


def test_it_leads_a_session_and_a_group_of_its_own_in_its_folder(tmp_path: Path) -> None:
    done = Box(tmp_path).python("import os\nme = os.getpid()\nprint(os.getsid(0) == me, os.getpgid(0) == me, os.getcwd())")
    assert done.stdout == f"True True {tmp_path}\n"


def test_no_signal_is_blocked_or_ignored(tmp_path: Path) -> None:
    done = Box(tmp_path).run("grep -E 'Sig(Blk|Ign)' /proc/self/status")
    internal = 1 << 31 | 1 << 32  # the C library's own two, which a parent such as make may have ignored: nobody can set them
    assert [int(line.split()[1], 16) & ~internal for line in done.stdout.splitlines()] == [0, 0]


def test_the_supervisor_knows_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And does not let a process of its own user look into it; root may look anywhere."""
    monkeypatch.setenv("ASSAY_TEST_TOKEN", "sekret-canary")
    program = """
import os
try: print(open(f"/proc/{os.getppid()}/environ").read())
except PermissionError: print("closed")
"""
    done = Box(tmp_path).python(program)
    assert "sekret-canary" not in done.stdout
    assert os.geteuid() == 0 or done.stdout == "closed\n"


def test_the_request_is_not_to_be_seen_in_the_list_of_processes(tmp_path: Path) -> None:
    done = Box(tmp_path).run("tr '\\0' ' ' < /proc/$PPID/cmdline", env={"PATH": os.environ["PATH"], "A": "sekret-canary"})
    assert done.stdout.startswith(sys.executable)
    assert "sekret-canary" not in done.stdout


def test_a_large_environment_arrives_whole(tmp_path: Path) -> None:
    env = {f"NAME_{index}": "x" * 1000 for index in range(1000)}
    done = Box(tmp_path).run(python("import os, json; print(json.dumps(dict(os.environ)))"), env=env)
    assert {name: value for name, value in json.loads(done.stdout).items() if name != "LC_CTYPE"} == env

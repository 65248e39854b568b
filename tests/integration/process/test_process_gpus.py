"""Real processes on stand-in cards: who is seen beside them, what is written down, and who waits for whom."""

import os
from pathlib import Path

import pytest
from tests.fakes.nvml import FakeCard, FakeNvml
from tests.harness.waiting import until
from tests.integration.process.support import Box

from assay.adapters.clock import SystemClock
from assay.adapters.devices.local import LocalDevices
from assay.adapters.devices.nvml import Nvml
from assay.adapters.process.runner import LocalRunner
from assay.core.devices import Slowdown, disturbance
from assay.core.model import Cause

BUS, OTHER = "0000:17:00.0", "0000:65:00.0"
UNTIL_TOLD = "echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done"


class Bench:
    """A runner that knows two cards."""

    def __init__(self, folder: Path) -> None:
        self.box = Box(folder)
        self.card, self.other = FakeCard(BUS, "GPU-one"), FakeCard(OTHER, "GPU-two")
        (folder / "proc/driver/nvidia").mkdir(parents=True)
        self.devices = LocalDevices(folder, load=lambda: Nvml(FakeNvml(self.card, self.other)), notes=lambda: folder, every_s=0.01)
        self.runner = LocalRunner(str(folder / "locks"), 4, clock=SystemClock(), grace_s=0.2, devices=self.devices)

    def go(self) -> None:
        (self.box.folder / "go").touch()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_benchmarks_own_processes_are_no_company(bench: Bench) -> None:
    with bench.runner as runner:
        handle = runner.submit(bench.box.request(f"sh -c '{UNTIL_TOLD}'; true", gpus=1))
        bench.card.pids = [bench.box.pid("pid")]
        bench.card.temperature, bench.card.clock = 77, 900
        looked = bench.card.looks
        until(lambda: bench.card.looks > looked + 2)
        bench.card.temperature = 50
        bench.go()
        until(lambda: not Path(f"/proc/{bench.card.pids[0]}").exists())
        bench.card.pids = []
        (seen,) = handle.wait().sightings
    assert (seen.bus, seen.before, seen.during, seen.after) == (BUS, 0, 0, 0)
    assert (seen.temperature_c, seen.clock_low_mhz, seen.memory_clock_mhz) == (77, 900, 1215)
    assert disturbance([[seen]]) == ""


def test_somebody_elses_process_is_seen_before_and_after(bench: Bench) -> None:
    bench.card.pids = [os.getppid()]
    with bench.runner as runner:
        (seen,) = runner.submit(bench.box.request("true", gpus=1)).wait().sightings
    assert (seen.before, seen.during, seen.after, seen.shared) == (1, 1, 1, True)


def test_who_comes_while_it_runs_is_seen(bench: Bench) -> None:
    with bench.runner as runner:
        handle = runner.submit(bench.box.request(UNTIL_TOLD, gpus=1))
        bench.box.pid("pid")
        bench.card.pids = [1]
        bench.go()
        (seen,) = handle.wait().sightings
    assert (seen.before, seen.during) == (0, 1)


def test_heat_while_it_runs_is_seen(bench: Bench) -> None:
    with bench.runner as runner:
        handle = runner.submit(bench.box.request(UNTIL_TOLD, gpus=1))
        bench.box.pid("pid")
        bench.card.reasons = 0x24
        bench.go()
        (seen,) = handle.wait().sightings
    assert seen.slowdowns == (Slowdown.POWER_CAP, Slowdown.SOFTWARE_THERMAL)
    assert "software thermal slowdown" in disturbance([[seen]])


def test_all_the_cards_of_a_process_are_watched_and_nothing_where_it_needs_none(bench: Bench) -> None:
    with bench.runner as runner:
        assert [one.bus for one in runner.submit(bench.box.request("true", gpus=2)).wait().sightings] == [BUS, OTHER]
        assert runner.submit(bench.box.request("true")).wait().sightings == ()


def test_one_card_under_two_names_is_used_by_one_at_a_time(bench: Bench) -> None:
    env = {"PATH": os.environ["PATH"]}
    with bench.runner as runner:
        first = runner.submit(bench.box.request(UNTIL_TOLD, gpus=1, env={**env, "CUDA_VISIBLE_DEVICES": "GPU-one"}))
        bench.box.pid("pid")
        late = runner.submit(bench.box.request("true", gpus=1, env={**env, "CUDA_VISIBLE_DEVICES": "0"}, within_s=0.2)).wait()
        beside = runner.submit(bench.box.request("true", gpus=1, env={**env, "CUDA_VISIBLE_DEVICES": "1"})).wait()
        bench.go()
        assert first.wait().cause is None
    assert (late.cause, late.sightings) == (Cause.TIMEOUT, ())
    assert beside.cause is None


@pytest.mark.parametrize("command", ["true", "kill -9 $$", "exit 3"])
def test_a_held_clock_is_given_back_however_the_process_ends(bench: Bench, command: str) -> None:
    with bench.runner as runner:
        (seen,) = runner.submit(bench.box.request(command, gpus=1, gpu_clock=1200)).wait().sightings
    assert seen.locked_mhz == 1200
    assert bench.card.locks == ["lock 1200", "reset"]


def test_a_cancelled_run_gives_the_clock_back(bench: Bench) -> None:
    with bench.runner as runner:
        handle = runner.submit(bench.box.request(UNTIL_TOLD, gpus=1, gpu_clock=1200))
        bench.box.pid("pid")
        assert bench.card.locks == ["lock 1200"]
        handle.cancel()
        assert handle.wait().cause is Cause.CANCELLED
    assert bench.card.locks == ["lock 1200", "reset"]

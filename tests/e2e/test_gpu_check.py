"""A whole check on a machine with a GPU, as far as one can be had without: the driver's library is a stand-in, all else is real."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.conftest import CONFIG, World

PROGRAM = """\
import sys
from tests.fakes.nvml import FakeCard, FakeNvml
from assay.adapters.devices.local import LocalDevices
sys.modules["pynvml"] = FakeNvml(FakeCard("0000:17:00.0", reasons=int(sys.argv.pop(1))))
LocalDevices.present = True
from assay.__main__ import main
main()
"""
POWER_CAP, TOO_HOT = 0x4, 0x40


def check(world: World, reasons: int) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    """Exit code, the benchmark's result, and the envelopes of both sides."""
    world.project()
    world.repo.commit({".github/assay.yml": CONFIG.replace("    run:", "    gpus: 1\n    run:")})
    world.repo.git("checkout", "-q", "-b", "faster")
    world.change()
    path = f"{world.env['PYTHONPATH']}:{Path(__file__).parents[2]}"
    command = [sys.executable, "-c", PROGRAM, str(reasons), "check", "--json"]
    env = {**world.env, "PYTHONPATH": path}
    done = subprocess.run(command, check=False, cwd=world.repo.root, env=env, capture_output=True, text=True, timeout=120)
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in (world.repo.root / ".assay" / "store" / "runs").rglob("run-*.json")]
    return done.returncode, json.loads(done.stdout)["benchmarks"][0], runs


def test_a_quiet_card_decides_and_the_envelope_tells_of_it(world: World) -> None:
    code, bench, runs = check(world, POWER_CAP)
    assert (code, bench["outcome"]) == (0, "keep"), bench
    for run in runs:
        assert run["status"] == "complete"
        assert [card["model"] for card in run["machine"]["cards"]] == ["NVIDIA A100-SXM4-40GB"]
        assert run["machine"]["machine_class"].endswith("nvidia-a100-sxm4-40gb-1x")
        seen = [sighting for process in run["processes"] for sighting in process["gpus"]]
        assert {(one["card"], one["temperature_c"], one["clock_low_mhz"], *one["slowdowns"]) for one in seen} == {
            ("0000:17:00.0", 41, 1410, "power cap")
        }
        assert {(one["others_before"], one["others_during"], one["others_after"]) for one in seen} == {(0, 0, 0)}


def test_a_throttled_card_decides_nothing(world: World) -> None:
    code, bench, runs = check(world, TOO_HOT)
    assert (code, bench["outcome"], bench["conclusion"]) == (0, "pending", "neutral"), bench
    assert "GPU throttled: hardware thermal slowdown" in bench["reason"]
    assert {run["status"] for run in runs} == {"degraded"}

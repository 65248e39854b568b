"""The seam to NVIDIA's library: with a stand-in for its Python module, and with the real module, which finds no driver here."""

import importlib
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.nvml import FakeCard, FakeInstance, FakeNvml, NVMLError

from assay.adapters.devices import nvml, watch
from assay.adapters.devices.clocks import Clocks, left_held
from assay.adapters.devices.local import LocalDevices
from assay.adapters.devices.nvml import Nvml
from assay.adapters.machine import LocalMachine
from assay.core.devices import Card, Slowdown
from assay.core.facts import CardFacts, Gpu

pynvml: Any = importlib.import_module("pynvml")  # it has no types
FIRST, SECOND = "0000:17:00.0", "0000:65:00.0"
PROC = "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 100\nGPU UUID: \t GPU-{}\nBus Location: \t {}\n"


def asked(module: FakeNvml) -> Nvml:
    found = nvml.load(lambda _: module)
    assert found is not None
    found.cards()
    return found


def box(root: Path, module: FakeNvml | None, *, files: bool = True) -> LocalDevices:
    """A box with NVIDIA's driver and two cards in /proc, and the library where there is a module."""
    (root / "proc/driver/nvidia").mkdir(parents=True)
    for uuid, bus in (("one", FIRST), ("two", SECOND)) if files else ():
        (root / f"proc/driver/nvidia/gpus/{bus}").mkdir(parents=True)
        (root / f"proc/driver/nvidia/gpus/{bus}/information").write_text(PROC.format(uuid, bus))
    return LocalDevices(root, load=lambda: asked(module) if module else None, notes=lambda: root, every_s=0.01)


def test_the_real_module_finds_no_driver_and_that_is_an_answer() -> None:
    with pytest.raises(pynvml.NVMLError):
        pynvml.nvmlInit()
    assert nvml.load() is None


def test_the_real_module_has_every_function_and_constant_that_is_asked_of_it() -> None:
    source = Path(nvml.__file__).read_text(encoding="utf-8")
    names = {
        word for word in source.replace('"', " ").replace("(", " ").replace(")", " ").replace(",", " ").split() if word.startswith("nvml")
    }
    names = {name for name in names if name[4:5].isupper()}
    assert len(names) > 12
    assert [name for name in names if not hasattr(pynvml, name)] == []
    assert (pynvml.NVML_CLOCK_SM, pynvml.NVML_CLOCK_MEM, pynvml.NVML_TEMPERATURE_GPU, pynvml.NVML_DEVICE_MIG_ENABLE) == (1, 2, 0, 1)
    bits = [
        getattr(pynvml, f"nvmlClocksEventReason{name}") for name in ("GpuIdle", "ApplicationsClocksSetting", "SwPowerCap", "HwSlowdown")
    ]
    assert bits == [1, 2, 4, 8]
    assert pynvml.nvmlClocksEventReasonSyncBoost == 0x10
    assert (pynvml.nvmlClocksEventReasonSwThermalSlowdown, pynvml.nvmlClocksEventReasonHwThermalSlowdown) == (0x20, 0x40)
    assert (pynvml.nvmlClocksEventReasonHwPowerBrakeSlowdown, pynvml.nvmlClocksEventReasonDisplayClockSetting) == (0x80, 0x100)


def test_without_the_package_there_is_no_library() -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    assert nvml.load(missing) is None
    assert nvml.load(lambda _: FakeNvml(broken=True)) is None


def test_a_box_without_the_driver_never_loads_it(tmp_path: Path) -> None:
    def load() -> Nvml:
        raise AssertionError

    devices = LocalDevices(tmp_path, load=load)
    assert (devices.cards, devices.claims({}, 1)) == ((), ("gpu:0",))
    facts = LocalMachine({}, tmp_path, devices=devices).facts()
    assert (facts.gpu, facts.cards, facts.driver_cuda) == ("none", "none", "none")


def test_cards_are_told_in_the_order_of_the_bus_by_address_and_uuid() -> None:
    library = asked(FakeNvml(FakeCard(SECOND, "GPU-two", memory=80 * 2**30), FakeCard(FIRST, "GPU-one")))
    one, two = library.cards() or ()
    assert one == Card(FIRST, 0, "GPU-one", "NVIDIA A100-SXM4-40GB", 40 * 2**30, mig=False)
    assert (two.bus, two.index, two.memory_bytes) == (SECOND, 1, 80 * 2**30)
    assert (library.driver, library.cuda) == ("550.54.15", "12.4")


def test_what_a_card_refuses_to_tell_is_unknown_and_no_error() -> None:
    everything = {
        f"nvmlDeviceGet{name}" for name in ("UUID", "Name", "MemoryInfo", "MigMode", "Temperature", "ClockInfo", "ComputeRunningProcesses")
    }
    reasons = {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}
    library = asked(FakeNvml(FakeCard(FIRST, refuses=everything | reasons)))
    assert library.cards() == (Card(FIRST, 0, mig=False),)
    assert (library.temperature(FIRST), library.clocks(FIRST)) == (None, (None, None))
    assert (library.slowdowns(FIRST), library.computing(FIRST)) == (None, None)
    assert library.temperature("0000:ff:00.0") is None


def test_an_older_driver_is_asked_by_the_older_name() -> None:
    library = asked(FakeNvml(FakeCard(FIRST, reasons=0x40), events=False))
    assert library.slowdowns(FIRST) == (Slowdown.HARDWARE_THERMAL,)


def test_files_and_library_name_one_card_alike(tmp_path: Path) -> None:
    told = FakeNvml(FakeCard(SECOND, "GPU-two"), FakeCard(FIRST, "GPU-one"))
    with_library, with_files = box(tmp_path / "a", told), box(tmp_path / "b", None)
    for name in ("1", "GPU-two", "GPU-tw", ""):
        variables = {"CUDA_VISIBLE_DEVICES": name}
        assert with_library.claims(variables, 1) == with_files.claims(variables, 1) == (f"gpu:{SECOND if name else FIRST}",)


def test_a_uuid_that_the_files_hide_claims_every_card(tmp_path: Path) -> None:
    devices = box(tmp_path, None)
    for path in tmp_path.glob("proc/driver/nvidia/gpus/*/information"):
        path.write_text("Model: NVIDIA T4\nGPU UUID: GPU-????????-????-????-????-????????????\n")
    assert devices.claims({"CUDA_VISIBLE_DEVICES": "GPU-one"}, 1) == (f"gpu:{FIRST}", f"gpu:{SECOND}")


def test_the_envelope_has_memory_mig_and_the_drivers_cuda(tmp_path: Path) -> None:
    cut = FakeCard(SECOND, "GPU-two", mig=True, instances=[FakeInstance("MIG-1", "NVIDIA A100-SXM4-40GB MIG 1g.5gb")] * 2)
    facts = LocalMachine({}, tmp_path, devices=box(tmp_path, FakeNvml(FakeCard(FIRST, "GPU-one"), cut))).facts()
    assert isinstance(facts.cards, tuple)
    assert facts.cards[0] == CardFacts(card=FIRST, model="NVIDIA A100-SXM4-40GB", memory_bytes=40 * 2**30, mig="off", instances=0)
    assert (facts.cards[1].mig, facts.cards[1].instances, facts.driver_cuda) == ("on", 2, "12.4")


def test_a_slice_of_a_card_is_another_machine_than_the_card(tmp_path: Path) -> None:
    cut = FakeCard(FIRST, mig=True, instances=[FakeInstance("MIG-1", "NVIDIA A100-SXM4-40GB MIG 1g.5gb")])
    whole = LocalMachine({}, tmp_path / "a", devices=box(tmp_path / "a", FakeNvml(FakeCard(FIRST)))).facts()
    sliced = LocalMachine({}, tmp_path / "b", devices=box(tmp_path / "b", FakeNvml(cut))).facts()
    assert sliced.gpu == Gpu(model="NVIDIA A100-SXM4-40GB MIG 1g.5gb", count=1)
    assert whole.machine_class != sliced.machine_class


def test_where_the_files_tell_no_model_the_library_does(tmp_path: Path) -> None:
    machine = LocalMachine({}, tmp_path, devices=box(tmp_path, FakeNvml(FakeCard(FIRST), FakeCard(SECOND)), files=False))
    assert machine.facts().gpu == Gpu(model="NVIDIA A100-SXM4-40GB", count=2)
    assert machine.environment().driver == "550.54.15"


def test_with_the_driver_and_nothing_that_tells_all_is_unknown(tmp_path: Path) -> None:
    facts = LocalMachine({}, tmp_path, devices=box(tmp_path, None, files=False)).facts()
    assert (facts.gpu, facts.cards, facts.driver_cuda) == ("unknown", "unknown", "unknown")


def test_a_clock_is_held_and_given_back_also_after_an_error(tmp_path: Path) -> None:
    card, said = FakeCard(FIRST), list[str]()
    clocks = Clocks(asked(FakeNvml(card)), tmp_path)

    def interrupted() -> None:
        with clocks.held(FIRST, 1200, said) as held:
            assert (held, card.locked) == (True, (1200, 1200))
            assert [json.loads(path.read_text())["pid"] for path in tmp_path.iterdir()] == [os.getpid()]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (card.locks, said, list(tmp_path.iterdir())) == (["lock 1200", "reset"], [], [])


def test_a_clock_that_a_killed_process_left_held_is_freed_by_the_next_run(tmp_path: Path) -> None:
    card = FakeCard(FIRST)
    module, said = FakeNvml(card), list[str]()
    left = Clocks(asked(module), tmp_path).held(FIRST, 1200, said)
    left.__enter__()  # and never left, as by SIGKILL
    assert left_held(tmp_path) == ()
    (note,) = tmp_path.glob("clock-*")
    note.write_text(json.dumps({"mhz": 1200, "pid": 2**31 - 1}))
    assert left_held(tmp_path) == (FIRST,)
    with box(tmp_path / "box", module).watched({}, 1, None, said):
        pass
    assert card.locked == (1200, 1200)  # its notes are elsewhere
    devices = LocalDevices(tmp_path / "box", load=lambda: asked(module), notes=lambda: tmp_path, every_s=0.01)
    with devices.watched({}, 1, None, said):
        assert card.locked is None
    assert not list(tmp_path.glob("clock-*"))


def test_a_clock_that_may_not_be_held_is_said_and_the_run_goes_on(tmp_path: Path) -> None:
    card, said = FakeCard(FIRST, refuses={"nvmlDeviceSetGpuLockedClocks"}), list[str]()
    with box(tmp_path, FakeNvml(card)).watched({}, 1, 1200, said) as sightings:
        pass
    assert [one.locked_mhz for one in sightings()] == [None]
    assert "could not be held at 1200 MHz" in said[0]
    assert not list(tmp_path.glob("clock-*"))


def test_a_clock_that_cannot_be_given_back_stays_noted_and_is_said(tmp_path: Path) -> None:
    card, said = FakeCard(FIRST, refuses={"nvmlDeviceResetGpuLockedClocks"}), list[str]()
    with Clocks(asked(FakeNvml(card)), tmp_path).held(FIRST, 1200, said):
        pass
    assert "nvidia-smi --reset-gpu-clocks" in said[0]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_signal_before_the_card_has_answered_gives_the_clock_back(tmp_path: Path) -> None:
    card = FakeCard(FIRST)
    library = asked(FakeNvml(card))
    hold = library.hold_clock

    def interrupted(bus: str, mhz: int) -> bool:
        hold(bus, mhz)
        raise KeyboardInterrupt

    library.hold_clock = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt), Clocks(library, tmp_path).held(FIRST, 1200, []):
        pass
    assert (card.locked, list(tmp_path.iterdir())) == (None, [])


def test_a_card_that_never_answers_holds_nobody_up_and_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "GIVE_UP_S", 0.05)
    library, asking, answered = asked(FakeNvml(FakeCard(FIRST))), threading.Event(), threading.Event()

    def silent(_: str) -> None:
        asking.set()
        answered.wait(60)

    library.slowdowns = silent  # type: ignore[method-assign, assignment]
    with (looking := watch.Watch(library, library.cards() or (), lambda _: True, every_s=0.001)):
        assert asking.wait(60)
    (seen,) = looking.sightings({})
    answered.set()
    assert (seen.temperature_c, seen.slowdowns, seen.before, seen.after) == (None, None, None, None)


def test_an_error_of_the_stand_in_is_one_of_the_library() -> None:
    assert issubclass(pynvml.NVMLError_LibraryNotFound, pynvml.NVMLError)
    assert issubclass(NVMLError, Exception)

"""Holds the clock of a card for one process, and gives it back: also the one that a killed process of ours has left behind."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.adapters.devices.nvml import Nvml

REFUSED = "The clock of the GPU {bus} could not be held at {mhz} MHz; that takes root, and a card that allows it."
LEFT = "The clock of the GPU {bus} was held at {mhz} MHz and could not be given back; `nvidia-smi --reset-gpu-clocks` does it."


def left_held(folder: Path) -> tuple[str, ...]:
    """The cards whose clock is held for a process that is no more."""
    return tuple(path.stem.removeprefix("clock-").replace("-", ":") for path in sorted(folder.glob("clock-*.json")) if not _lives(path))


def _lives(note: Path) -> bool:
    try:
        os.kill(int(json.loads(note.read_text(encoding="utf-8"))["pid"]), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return False
    return True


class Clocks:
    """Notes in `folder`, before a clock is held, that it will be. A note that is found was left by a process that was killed.

    Whoever calls holds the claim of the card, so no two do this to one card at once.
    """

    def __init__(self, library: Nvml, folder: Path) -> None:
        self._library = library
        self._folder = folder

    def repair(self, bus: str) -> bool:
        """Free a clock that was left held; whether there was one, and it could be."""
        note = self._note(bus)
        if not note.exists() or not self._library.free_clock(bus):
            return False
        with suppress(OSError):  # then it is freed once more by the next run, which does no harm
            note.unlink(missing_ok=True)
        return True

    @contextmanager
    def held(self, bus: str, mhz: int, warnings: list[str]) -> Iterator[bool]:
        """Hold the clock; False, and a sentence more in `warnings`, where that is refused. It is given back however this ends."""
        note = self._note(bus)
        try:
            note.write_text(json.dumps({"mhz": mhz, "pid": os.getpid()}), encoding="utf-8")
        except OSError:  # without a note nobody could mend it after us
            warnings.append(REFUSED.format(bus=bus, mhz=mhz))
            yield False
            return
        held = None  # a signal may come before the answer does, and then the clock is given back all the same
        try:
            held = self._library.hold_clock(bus, mhz)
            if not held:
                warnings.append(REFUSED.format(bus=bus, mhz=mhz))
            yield held
        finally:
            if held is False or self._library.free_clock(bus):
                with suppress(OSError):
                    note.unlink(missing_ok=True)
            else:
                warnings.append(LEFT.format(bus=bus, mhz=mhz))

    def _note(self, bus: str) -> Path:
        return self._folder / f"clock-{bus.replace(':', '-')}.json"

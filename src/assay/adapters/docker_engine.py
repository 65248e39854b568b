"""What is known of the Docker engine of this machine, which is asked and never used."""

import json
import shutil
import subprocess
from pathlib import Path

WAIT_S = 5
SETTINGS = Path("/etc/docker/daemon.json")


def default_runtime(settings: Path = SETTINGS) -> str | None:
    """The runtime that a container gets which asks for none: as the engine says, else its settings. None where there is no Docker."""
    return _asked() or _set(settings)


def _asked() -> str | None:
    docker = shutil.which("docker")
    if docker is None:
        return None
    words = [docker, "info", "--format", "{{.DefaultRuntime}}"]
    try:
        done = subprocess.run(words, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _set(settings: Path) -> str | None:
    try:
        said = json.loads(settings.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return str(said.get("default-runtime", "runc")) if isinstance(said, dict) else None

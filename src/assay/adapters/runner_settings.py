"""What the runner of a job says of itself in the file that it was set up with."""

import json
from pathlib import Path

MAX_BYTES = 2**16


def ephemeral(runner_temp: str) -> bool | None:
    """Whether the runner takes one job and is gone; None where its settings cannot be found or read.

    `.runner` lies beside the folder `_work`, of which RUNNER_TEMP is a part (actions/runner, ConfigurationStore).
    """
    if not runner_temp:
        return None
    try:
        with (Path(runner_temp).parent.parent / ".runner").open("rb") as file:
            settings = json.loads(file.read(MAX_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(settings, dict):
        return None
    said = {str(key).lower(): value for key, value in settings.items()}.get("ephemeral", False)
    return str(said).lower() == "true"

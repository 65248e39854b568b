"""`assay schema`: the JSON Schema of the config, for an editor's YAML support."""

import json
import sys

from assay.core.config_schema import config_schema


def schema() -> int:
    """Print the schema to stdout. The exit code is always 0."""
    sys.stdout.write(json.dumps(config_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    return 0

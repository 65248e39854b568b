"""`assay schema`."""

import json

import pytest

from assay.cli.schema_command import schema
from assay.core.config_schema import config_schema


def test_the_schema_alone_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert schema() == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == config_schema()
    assert printed.err == ""

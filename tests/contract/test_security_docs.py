"""The security page names tests; each of them has to be there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_every_threat_names_tests_and_every_test_is_there() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"^def (test_\w+)", source, re.MULTILINE))
    threats = PAGE.partition("## Threats, controls, tests")[2]
    rows = [line for line in threats.splitlines() if line.startswith("| ") and not line.startswith("| threat")]
    assert len(rows) > 10
    for row in rows:
        named = set(re.findall(r"`(test_\w+)`", row))
        assert named, row
        assert named <= there, row

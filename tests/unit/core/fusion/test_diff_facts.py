"""What a digest tells of the change."""

from assay.core.fusion.diff_facts import diff_facts
from assay.core.tree import Lines

CHANGED = (("README.md", "ignored"), ("src/a.py", "code"), ("src/b.bin", "code"), ("src/c.py", "code"))
COUNTS = {"README.md": Lines(9, 9), "src/a.py": Lines(40, 2), "src/b.bin": None, "src/c.py": Lines(0, 30)}


def write(text: str, limit: int) -> str:
    return text[:limit].upper()


def test_files_and_lines_are_counted_by_kind_and_the_largest_come_first() -> None:
    assert diff_facts(CHANGED, COUNTS, write) == {
        "files": 4,
        "by_rung": {"code": 3, "ignored": 1},
        "lines": {"added": 49, "removed": 41, "changed": 90},
        "lines_by_rung": {"code": {"added": 40, "removed": 32, "changed": 72}, "ignored": {"added": 9, "removed": 9, "changed": 18}},
        "binary_files": 1,
        "paths": [
            {"path": "SRC/A.PY", "added": 40, "removed": 2},
            {"path": "SRC/C.PY", "added": 0, "removed": 30},
            {"path": "README.MD", "added": 9, "removed": 9},
            {"path": "SRC/B.BIN", "added": None, "removed": None},
        ],
    }


def test_lines_that_were_not_counted_are_unknown_and_the_files_are_named_all_the_same() -> None:
    found = diff_facts(CHANGED[:2], None, write)
    assert found == {"files": 2, "by_rung": {"code": 1, "ignored": 1}, "lines": "unknown", "paths": ["README.MD", "SRC/A.PY"]}


def test_a_change_that_is_not_known_is_unknown() -> None:
    assert diff_facts(None, None, write) == "unknown"


def test_only_the_first_files_are_named_and_all_are_counted() -> None:
    many = tuple((f"src/{number:03}.py", "code") for number in range(50))
    found = diff_facts(many, {path: Lines(1, 0) for path, _ in many}, write)
    assert isinstance(found, dict)
    assert (found["files"], found["lines"]) == (50, {"added": 50, "removed": 0, "changed": 50})
    assert isinstance(found["paths"], list)
    assert len(found["paths"]) == 20

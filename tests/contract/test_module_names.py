"""Names of test modules. Without packages pytest knows a module by its file name alone, and of two with one name it loads one."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def test_no_two_test_modules_have_one_name() -> None:
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert names["test_module_names.py"] == 1
    assert [name for name, times in names.items() if times > 1] == []

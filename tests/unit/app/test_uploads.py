"""What strangers uploaded: which archives and which of their files are taken, over a forge in memory."""

import io
import json
import stat
import zipfile
from collections.abc import Mapping

import pytest
from tests.fakes.forge import FakeForge

from assay.app.split_report import Delivery
from assay.app.uploads import uploaded_cells
from assay.core.handover import MAX_FILE

CELL = {"schema": "assay.cell/1", "benchmark": "bench", "base": "b" * 40, "head": "a" * 40, "state": "failed", "reason": "no"}
GOOD = json.dumps(CELL | {"base_run": None, "head_run": None, "runs": [], "warnings": [], "tail": []}).encode()


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return content.getvalue()


def special(name: str, kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o777) << 16
    return info


def delivered(uploads: Mapping[str, bytes]) -> Delivery:
    return uploaded_cells(FakeForge(uploads={5: dict(uploads)}), 5, ("bench", "plan"))


def test_a_cell_is_taken_from_whichever_of_our_artifacts_holds_it() -> None:
    for name in ("assay-bench", "assay-cells"):
        assert list(delivered({name: zipped(("cell-bench.json", GOOD), ("note.txt", b"hello"))}).cells) == ["bench"]


@pytest.mark.parametrize(
    "archive",
    [
        b"",
        b"PK\x05\x06",
        b"PK\x03\x04" + b"\0" * 40,
        zipped(("cell-bench.json", GOOD))[:-10],
        zipped(("/cell-bench.json", GOOD)),
        zipped(("../cell-bench.json", GOOD)),
        zipped(("..\\cell-bench.json", GOOD)),
        zipped(("C:cell-bench.json", GOOD)),
        zipped(("a/cell-bench.json", GOOD)),
        zipped(("cell-bench.json", GOOD), ("CELL-BENCH.json", GOOD)),
        zipped(("cell-bench.json", GOOD), ("evil\n.json", b"")),
        zipped(("cell-bench.json", GOOD), ("\u202egnp.exe", b"")),
        zipped(("cell-bench.json", GOOD), (".git", b"")),
        zipped((special("cell-bench.json", stat.S_IFLNK), b"/proc/self/environ")),
        zipped((special("cell-bench.json", stat.S_IFIFO), b"")),
        zipped((special("cell-bench.json", stat.S_IFCHR), b"")),
        zipped(("cell-bench.json", GOOD), *((f"{number}.json", b"") for number in range(200))),
    ],
)
def test_of_an_archive_that_is_made_to_do_harm_nothing_is_taken(archive: bytes) -> None:
    found = delivered({"assay-bench": archive})
    assert found.cells == {}
    assert "archive cannot be taken" in found.unreadable["bench"]


def test_the_archive_of_a_benchmark_whose_name_is_the_plan_s_is_its_own() -> None:
    for name in ("assay-cell-bench", "assay-bench"):
        assert "archive cannot be taken" in delivered({name: b"no zip", "assay-plan": zipped(("plan.json", b"{}"))}).unreadable["bench"]


def test_a_bomb_is_told_of_and_not_kept() -> None:
    bomb = zipped(("cell-bench.json", b"0" * (MAX_FILE + 1)))
    assert len(bomb) < 200_000
    assert "larger than" in delivered({"assay-bench": bomb}).unreadable["bench"]


def test_a_cell_that_several_artifacts_hold_is_nobody_s() -> None:
    uploads = {f"assay-{number}": zipped(("cell-bench.json", GOOD)) for number in range(3)}
    found = delivered(uploads | {"assay-bench": b"no zip"})
    assert found.cells == {}
    assert "more than one artifact" in found.unreadable["bench"]


@pytest.mark.parametrize("name", ["cell-bench.json ", "Cell-bench.json", "cell-bench.jsоn", "cell-other.json", "cell-plan.json.bak"])
def test_a_name_that_only_looks_right_is_no_cell(name: str) -> None:
    found = delivered({"assay-bench": zipped((name, GOOD))})
    assert (found.cells, found.unreadable) == ({}, {})


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b"[" * 100_000, GOOD.replace(b'"no"', b"NaN"), GOOD[:-1] + b', "benchmark": "x"}']
)
def test_what_is_no_cell_is_unreadable_and_does_not_raise(content: bytes) -> None:
    found = delivered({"assay-bench": zipped(("cell-bench.json", content))})
    assert (dict(found.cells), list(found.unreadable)) == ({}, ["bench"])

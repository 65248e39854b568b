"""What another workflow's run uploaded: archives of strangers, unpacked within limits, of which the cells' files alone are taken."""

from collections.abc import Iterator

from assay.app.split_report import Delivery
from assay.core.archive import HostileArchiveError, unpack
from assay.core.handover import MAX_FILE, cell_file, sorted_out
from assay.forge_ports import Forge

PREFIX = "assay-"
_NAMES = ("assay-cell-{}", "assay-{}")
"""How an artifact may be called that holds the cell of a benchmark; by the second one a benchmark `plan` would be the plan."""


def uploaded_cells(forge: Forge, run: int, benchmarks: tuple[str, ...]) -> Delivery:
    """The cells of these benchmarks among the artifacts of a run whose names begin with `assay-`.

    A cell that two artifacts hold is nobody's, and neither is one in an archive that is not sound. Raises ForgeError.
    """
    found: dict[str, bytes | str] = {}
    for name, archive in sorted(forge.artifacts(run, PREFIX).items()):
        for benchmark, content in _cells(name, archive, benchmarks):
            found[benchmark] = "more than one artifact holds it" if benchmark in found else content
    return Delivery(*sorted_out(found))


def _cells(name: str, archive: bytes, benchmarks: tuple[str, ...]) -> Iterator[tuple[str, bytes | str]]:
    """Each cell's file in an archive; an archive that cannot be taken spoils the cell that its own name promises."""
    try:
        files = unpack(archive)
    except HostileArchiveError as error:
        yield from ((one, f"its archive cannot be taken: {error}") for one in benchmarks if name in (form.format(one) for form in _NAMES))
        return
    for one in benchmarks:
        content = files.get(cell_file(one))
        if content is not None:
            yield one, content if len(content) <= MAX_FILE else f"larger than {MAX_FILE} bytes"

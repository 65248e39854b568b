"""`assay store`: send what waits, pack what is closed, take in what was measured elsewhere."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.ledger_intake import rows_in, still_waiting, take_in, unread
from assay.cli.own_folder import own_folder
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.adapters.store_branch import BranchStore, Flushed
    from assay.adapters.store_directory import DirectoryStore, Stored
    from assay.core.envelope import Run, StoredDecision

INCOMPLETE = 4
"""The exit code where something is left that nobody has sent, packed or read."""

_MAX_FILE = 64 * 2**20


def open_store(
    where: str, folder: str, environ: Mapping[str, str], warn: Callable[[str], None] | None = None
) -> "BranchStore | DirectoryStore":
    """The store that `--store` names, for the repository around `folder`: auto, dir:PATH, branch or branch:NAME.

    auto is the data branch on GitHub and `.assay/store` elsewhere. Raises UsageError for any other word.
    """
    kind, _, rest = where.partition(":")
    if where == "auto":
        kind = "branch" if environ.get("GITHUB_ACTIONS") == "true" else "dir"
    elif kind not in ("dir", "branch") or (kind == "dir" and not rest):
        raise UsageError(f"--store is auto, dir:PATH or branch[:NAME], not {where!r}.", hint="For example --store dir:/srv/assay")
    if kind == "branch":
        from assay.adapters.store_branch import locate, token_for

        place = locate(folder, rest)
        return place.open(token_for(place.remote, environ), warn or _say)
    from assay.adapters.store_directory import DirectoryStore

    return DirectoryStore(Path(folder, rest) if rest else own_folder(str(_top(folder))) / "store")


def flush(from_dir: str | None = None, store: str = "auto", *, as_json: bool = False, folder: str | None = None) -> int:
    """Send the outbox of this repository, after the records of `from_dir` (an uploaded outbox, or any store's folder) have joined it.

    `auto` means the data branch here, for nothing else has an outbox. The exit code is 0 where all has landed, else 4.
    Raises UsageError for a folder without any record, and for a store in a folder without `--from`.
    """
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    place = open_store("branch" if store == "auto" else store, where, os.environ, _silent)
    from assay.adapters.store_directory import DirectoryStore

    if not from_dir and isinstance(place, DirectoryStore):
        raise UsageError(
            "A store in a folder has no outbox to flush.", hint="Name the data branch with --store branch, or a folder with --from."
        )
    records, problems = _taken_in(Path(where, from_dir), place) if from_dir else ((), ())
    return _store_all(records, place, problems, as_json=as_json)


def compact(store: str = "auto", *, as_json: bool = False, folder: str | None = None) -> int:
    """Pack the runs of closed months. The exit code is 0 where nothing was left for its damage, else 4."""
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    months = open_store(store, where, os.environ).compact(datetime.now(UTC))
    packed = {one.name: len(one.absorbed) for one in months if one.absorbed}
    left = [(path.path, path.reason) for one in months for path in one.left]
    text = "\n".join(f"{name}: {count} runs packed." for name, count in packed.items()) or "There was nothing to pack."
    document = {"packed": packed, "left": [{"path": path, "reason": reason} for path, reason in left]}
    return _report(document, text, tuple(f"{path} was left as it is: {reason}." for path, reason in left), as_json=as_json)


def import_files(files: tuple[str, ...], store: str = "auto", *, as_json: bool = False, folder: str | None = None) -> int:
    """Add runs and decisions from files of one envelope each, such as the `unstored-….json` of a check whose store failed.

    The exit code is 0 where all are stored, else 4. Raises UsageError for a file that cannot be read or holds no envelope.
    """
    where = folder or os.getcwd()  # noqa: PTH109 - a text, as the ports have it
    records = tuple(_read_envelope(Path(where, name)) for name in files)
    return _store_all(records, open_store(store, where, os.environ, _silent), (), as_json=as_json)


def _store_all(
    records: "tuple[Stored, ...]",
    place: "BranchStore | DirectoryStore",
    problems: tuple[str, ...],
    *,
    as_json: bool,
) -> int:
    """Add records to a store, to a data branch in one commit with all that waits. Raises InfrastructureError for one that is refused."""
    from assay.adapters.store_branch import Flushed, sentences
    from assay.adapters.store_directory import DirectoryStore
    from assay.core.numbers import count

    if isinstance(place, DirectoryStore):
        added = [place.add(one) for one in records]
        return _report(_flushed(Flushed(tuple(added))), f"{len(added)} records stored.", problems, as_json=as_json)
    rows = place.ledger.waiting
    flushed = place.flush(records)
    rows -= place.ledger.waiting
    said = (*problems, *sentences(flushed, place.name, place.outbox), *still_waiting(place))
    text = _flush_text(flushed, place.name)
    if rows:
        text = f"{count(rows, 'row')} of the ledger sent to `{place.name}`." + (f"\n{text}" if flushed.landed else "")
    return _report({**_flushed(flushed), "ledger_rows": rows}, text, said, as_json=as_json)


def _taken_in(folder: Path, place: "BranchStore | DirectoryStore") -> "tuple[tuple[Stored, ...], tuple[str, ...]]":
    """The records of a folder in the layout of a store, whose rows of the ledger are taken in, and sentences on what could not be read."""
    from assay.adapters.store_directory import DirectoryStore
    from assay.ports import Unreadable

    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.", hint="Name the folder that the artifact was unpacked into.")
    found, rows = tuple(DirectoryStore(folder).records()), rows_in(folder)
    if not (found or rows.rows or rows.lost):
        raise UsageError(
            f"The folder {folder} holds no records.",
            hint="It has to hold the folders `runs`, `decisions` or `ledger` of an outbox or a store.",
        )
    records = tuple(one for one in found if not isinstance(one, Unreadable))
    take_in(rows, place)
    lost = (f"{folder}/{one.path} cannot be read and was not taken: {one.reason}." for one in found if isinstance(one, Unreadable))
    return records, (*lost, *unread(folder, rows))


def _read_envelope(file: Path) -> "Run | StoredDecision":
    from assay.core.envelope import DECISION_SCHEMA, Run, StoredDecision

    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_FILE + 1)
        if len(data) > _MAX_FILE:
            raise ValueError(f"larger than {_MAX_FILE} bytes")
        text = data.decode()
        return (StoredDecision if f'"{DECISION_SCHEMA}"' in text else Run).from_json(text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{file}: {reason}", hint="Name files that hold one run or one decision each, as Assay writes them.") from error


def _flushed(flushed: "Flushed") -> dict[str, object]:
    return {
        "landed": sorted(flushed.landed),
        "waiting": sorted(flushed.waiting),
        "conflicts": sorted(flushed.conflicts),
        "unreadable": [{"path": one.path, "reason": one.reason} for one in flushed.unreadable],
        "reason": flushed.outcome.reason or None,
        "hint": flushed.outcome.hint or None,
    }


def _flush_text(flushed: "Flushed", name: str) -> str:
    if not flushed.landed:
        return "Nothing was sent." if flushed.waiting or flushed.conflicts or flushed.unreadable else "Nothing waits to be sent."
    return f"{len(flushed.landed)} record{'s are' if len(flushed.landed) > 1 else ' is'} on `{name}` now."


def _report(document: Mapping[str, object], text: str, problems: tuple[str, ...], *, as_json: bool) -> int:
    """Print what was done, and on the standard error what is left to do."""
    if as_json:
        text = json.dumps({**document, "problems": list(problems)}, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(f"{text}\n")
    for problem in problems:
        _say(problem)
    return INCOMPLETE if problems else 0


def _top(folder: str) -> str:
    """The top of the working tree, or the folder itself outside of any."""
    from assay.adapters.git import GitRepo

    try:
        return GitRepo.discover(folder).root
    except UsageError:
        return folder


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _silent(_: str) -> None:
    """For a command that tells the same at its end."""

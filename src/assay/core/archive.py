"""Takes files out of a zip that a stranger may have made: in memory, plain files at its top only, within limits counted while reading."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO

MAX_MEMBERS = 100
MAX_BYTES = 64 * 2**20
_BLOCK = 2**16
_LINK_MASK = 16


class HostileArchiveError(ValueError):
    """Why an archive is not taken; nothing of it has been."""


def unpack(content: bytes, *, max_members: int = MAX_MEMBERS, max_bytes: int = MAX_BYTES) -> Mapping[str, bytes]:
    """The files of a zip by name. Raises HostileArchiveError for a folder, a link, a path, a name twice, and beyond limits."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = archive.infolist()
            _judge(members, max_members)
            files: dict[str, bytes] = {}
            left = max_bytes
            for member in members:
                files[member.filename] = _read(archive, member, left)
                left -= len(files[member.filename])
            return files
    except (zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, EOFError, OSError, ValueError, LookupError, OverflowError) as error:
        if isinstance(error, HostileArchiveError):
            raise
        raise HostileArchiveError(f"it is no sound zip: {type(error).__name__}") from error


def _judge(members: list[zipfile.ZipInfo], max_members: int) -> None:
    if len(members) > max_members:
        raise HostileArchiveError(f"it has {len(members)} members, more than {max_members}")
    names = [member.filename for member in members]
    if len({name.casefold() for name in names}) < len(names):
        raise HostileArchiveError("it has two members of one name")
    for member in members:
        kind = stat.S_IFMT(member.external_attr >> _LINK_MASK)
        if kind not in (0, stat.S_IFREG) or member.is_dir():
            raise HostileArchiveError("it has a member that is no plain file")
        if not _plain(member.filename):
            raise HostileArchiveError("it has a member that is not at its top")


def _plain(name: str) -> bool:
    return bool(name) and name.isprintable() and not name.startswith(".") and not set(name) & set("/\\:")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, left: int) -> bytes:
    """What the header says of the size is believed by nobody."""
    parts, size = [], 0
    with archive.open(member) as stream:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > left:
                raise HostileArchiveError("it unpacks to more than is taken")
            parts.append(block)
    return b"".join(parts)

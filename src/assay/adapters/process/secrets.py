"""Takes credentials out of our own environment, also where the kernel shows it: /proc/PID/environ keeps what a process was started with."""

from collections.abc import Iterable, MutableMapping


def forget(environ: MutableMapping[str, str], names: Iterable[str]) -> None:
    """Overwrite these variables in memory, then drop them, so that neither our children nor who looks at us finds them there.

    Where the memory cannot be reached they are dropped all the same; then only another account keeps a child from looking.
    """
    for name in names:
        _overwrite(name)
        environ.pop(name, None)


def _overwrite(name: str) -> None:
    try:
        import ctypes
    except ImportError:  # a Python built without it
        return
    library = ctypes.CDLL(None)
    library.getenv.restype = ctypes.c_void_p
    address = library.getenv(name.encode("utf-8", "surrogateescape"))
    if address:
        ctypes.memset(address, 0, len(ctypes.string_at(address)))

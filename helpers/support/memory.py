"""Memory that one step frees and the next one needs, kept in between: on Linux, training fetches it anew in a quarter of its time."""

import contextlib
import ctypes
import functools

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names that glibc gives numbers, man 3 mallopt
_MANY, _SOME = 2**30, 2**26

_INSIDE = []  # whether somebody keeps it already


@contextlib.contextmanager
def kept():
    """Keep freed memory as long as one is inside, and give it back to the machine at the end of the outermost one."""
    glibc = _glibc()
    if glibc is None or _INSIDE:
        yield
        return
    _INSIDE.append(True)
    glibc.mallopt(_MMAP_THRESHOLD, _SOME // 2)
    glibc.mallopt(_TRIM_THRESHOLD, _MANY)
    try:
        yield
    finally:
        _INSIDE.clear()
        glibc.mallopt(_TRIM_THRESHOLD, _SOME)
        glibc.malloc_trim(0)


def give_back():
    """Give freed memory back to the machine, after a step that needed much for a moment."""
    glibc = _glibc()
    if glibc is not None:
        glibc.malloc_trim(0)


@functools.cache
def _glibc():
    """The C library of most Linux machines, or None: others manage their memory in other ways."""
    try:
        library = ctypes.CDLL("libc.so.6")
        library.gnu_get_libc_version, library.mallopt, library.malloc_trim  # noqa: B018  (each is looked up)
    except (OSError, AttributeError, TypeError):
        return None
    return library

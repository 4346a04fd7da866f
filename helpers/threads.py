"""Who computes at once: our own threads, or those of BLAS, the library that multiplies NumPy's matrices; never both.

BLAS shares out even small products among its threads, which then wait for one another. On a quiet machine that gains
little; on a busy one it was measured to take sixty times as long.
"""

import contextlib
import functools
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import threadpoolctl

_LOCK = threading.Lock()
_HOLDERS = []  # for everyone who holds BLAS now: what to set when the last one leaves


@contextlib.contextmanager
def one_for_blas():
    """Keep BLAS to one thread as long as anybody is inside; the last one to leave gives it its threads back."""
    with _LOCK:
        before = _HOLDERS[0] if _HOLDERS else [(library, library.get_num_threads()) for library in _blas()]
        _HOLDERS.append(before)
        for library in _blas():
            library.set_num_threads(1)
    try:
        yield
    finally:
        with _LOCK:
            _HOLDERS.pop()
            for library, count in [] if _HOLDERS else before:
                library.set_num_threads(count)


@functools.cache
def _blas():
    """It takes milliseconds to find NumPy's BLAS: once is enough."""
    return threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers


def side_by_side(call, arguments):
    """[call(argument), ...] in threads of our own, as many as there are cores, or one after the other.

    Parameters
    ----------
    call : function of one argument
    arguments : sequence

    Returns
    -------
    results : list, in the order of the arguments

    Examples
    --------
    >>> side_by_side(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    workers = min(8, os.cpu_count() or 1, len(arguments))
    if workers > 1:
        with contextlib.suppress(RuntimeError), one_for_blas(), ThreadPoolExecutor(workers) as pool:
            return list(pool.map(call, arguments))
    return [call(argument) for argument in arguments]  # one core, or no thread is to be had

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

FEW = 64  # rows, of which the products are too small to be shared out
_HELD = threading.Lock()


@contextlib.contextmanager
def one_for_blas():
    """Keep BLAS to one thread. Who does so first gives the others back; whoever comes in between changes nothing."""
    if not _HELD.acquire(blocking=False):
        yield
        return
    before = [(library, library.get_num_threads()) for library in _blas()]
    try:
        for library, _ in before:
            library.set_num_threads(1)
        yield
    finally:
        for library, count in before:
            library.set_num_threads(count)
        _HELD.release()


def one_for_few(num_rows):
    """Keep BLAS to one thread for products of a few rows; those of many may be shared out."""
    return one_for_blas() if num_rows <= FEW else contextlib.nullcontext()


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
    return list(results(call, arguments))


def results(call, arguments):
    """Yield what `side_by_side` lists, each as soon as it and those before it are there."""
    workers = min(8, os.cpu_count() or 1, len(arguments))
    if workers < 2:
        yield from map(call, arguments)
        return
    with one_for_blas(), ThreadPoolExecutor(workers) as pool:
        try:
            found = pool.map(call, arguments)
        except RuntimeError:  # no thread is to be had
            found = map(call, arguments)
        yield from found

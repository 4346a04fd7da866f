"""Who computes at once: our own threads, or those of BLAS, the library that multiplies NumPy's matrices; never both.

BLAS shares out even small products among its threads, which then wait for one another. On a quiet machine that gains
little; on a busy one it was measured to take sixty times as long.
"""

import contextlib
import functools
import inspect
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import threadpoolctl

LARGE = 2**15  # numbers in an entry of a batch that is worth a thread
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


def along_the_batch(**names):
    """Decorate a function: large entries of a batch are computed each by itself, several at once, in threads of our own.

    An entry fits into a core's own memory, where a whole batch does not. What each entry gives is what the function
    gives for the whole, and so are the errors: where an entry stops with one, the whole is computed, which tells it.

    Parameters
    ----------
    names : parameters whose first axis is the batch: the one that decides how long it is, then others, which may have
        fewer axes, a length of 1 or be None, and then go to all entries as they are; each with the number of axes that it
        may have more (with more than those the first axis is another batch, and the whole is computed at once)
    """

    def decorate(function):
        signature, first = inspect.signature(function), next(iter(names))
        place = list(signature.parameters).index(first)

        @functools.wraps(function)
        def whole_or_entries(*given, **named):
            tokens = given[place] if place < len(given) else named.get(first)
            if not _are_large(tokens):
                return function(*given, **named)
            bound = signature.bind(*given, **named)
            batch = {name: bound.arguments.get(name) for name in names}
            if all(_is_cut(each, tokens.ndim + names[name]) for name, each in batch.items()):
                with contextlib.suppress(TypeError, ValueError):
                    return _entries(function, bound, batch)
            return function(*given, **named)

        return whole_or_entries

    return decorate


def _are_large(tokens):
    return type(tokens) is np.ndarray and tokens.ndim == 3 and len(tokens) > 1 and tokens[0].size >= LARGE


def _is_cut(each, most_axes):
    return each is None or (type(each) is np.ndarray and each.ndim <= most_axes)


def _entries(function, bound, batch):
    """What the function gives for each entry of the batch, written into arrays that hold all of them."""
    count, whole, first = len(next(iter(batch.values()))), [], threading.Lock()
    cut = {name for name, each in batch.items() if each is not None and each.ndim > 2 and len(each) == count}

    def fill(k):
        parts = function(**bound.arguments | {name: batch[name][k : k + 1] for name in cut})
        with first:
            whole.extend(np.empty((count, *part.shape[1:]), part.dtype) for part in parts[len(whole) :])
        for all_of_them, part in zip(whole, parts):
            all_of_them[k : k + 1] = part
        return type(parts)

    return side_by_side(fill, range(count))[0](*whole)

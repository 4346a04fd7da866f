"""The cases of an exercise: what is in their arrays, and of which kind they are."""

import contextlib
import copy
import inspect
import re

import numpy as np

from workbench.judging import run


class Whole(tuple):
    """A case whose arrays hold whole numbers, into which no fraction can be written: an answer may stop there, but not cut."""


class Fine(tuple):
    """A case that asks for all the digits of a 64-bit float: an answer that computes with fewer may be off there."""


class Equal(tuple):
    """A case in which two numbers are equal, which a right answer parts; other mistakes than that are known without it."""


class Filled(tuple):
    """A case of which only the first argument must stay as it is: the others are what an answer works on."""


class Watched(np.ndarray):
    """An array that notes what the learner's lines make of it, and how they read its rows; a copy begins anew.

    made : dict shape of an array, without axes of 1 -> the line that made it first
    rows : dict shape of a row -> where each lay that was read, one after the other
    """

    made, rows = {}, {}

    def copy(self, order="C"):
        self.made.clear()
        self.rows.clear()
        return super().copy(order)

    def __array_finalize__(self, parent):
        if parent is not None and (line := run.line_of_the_answer()):
            self.made.setdefault(tuple(size for size in self.shape if size > 1), line)
            if self.shape == parent.shape[1:]:
                self.rows.setdefault(self.shape, []).append(self.ctypes.data)


def whole(case):
    """The same case with whole numbers in its arrays."""
    return Whole(part.astype(int) if isinstance(part, np.ndarray) and part.dtype.kind == "f" else part for part in case)


def is_no_cut(error, case):
    """Whether NumPy itself would not cut numbers to whole ones."""
    return isinstance(case, Whole) and re.search(r"convert float|\bcast\b", str(error)) is not None


def copied(case):
    """What copy.deepcopy makes of arguments, in less time: two names of one array stay two names of one."""
    made = {}

    def copy_of(part):
        if isinstance(part, np.ndarray):
            return made.setdefault(id(part), part.copy(order="K"))
        if isinstance(part, dict):
            return {name: copy_of(inner) for name, inner in part.items()}
        if isinstance(part, np.random.Generator):  # every run draws the same
            return made.setdefault(id(part), copy.deepcopy(part))
        return [copy_of(inner) for inner in part] if isinstance(part, list) else part

    return tuple(map(copy_of, case))


def arrays(case):
    """Those of its arguments that are arrays."""
    return [part for part in case if isinstance(part, np.ndarray)]


def changed(given, before, answer):
    """The name of the first argument that is not as it was before, or ""."""
    given = given[:1] if isinstance(before, Filled) else given
    place = next((k for k, (now, old) in enumerate(zip(given, before)) if not _unchanged(now, old)), None)
    if place is None:
        return ""
    names = parameters(answer)
    return names[place] if place < len(names) else "an argument"


def parameters(answer):
    """The names of its arguments; some functions written in C do not tell, and some things cannot even say what they are."""
    try:
        return list(inspect.signature(answer).parameters)
    except Exception:
        return []


def takes_any(answer):
    """Whether a function takes any number of arguments."""
    with contextlib.suppress(Exception):
        return any(each.kind is each.VAR_POSITIONAL for each in inspect.signature(answer).parameters.values())
    return False


def _unchanged(now, old):
    if isinstance(old, (dict, list, tuple, np.ndarray)) and type(now) is not type(old):
        return False
    if isinstance(old, dict):
        return now.keys() == old.keys() and all(_unchanged(now[name], old[name]) for name in old)
    if isinstance(old, (list, tuple)):
        return len(now) == len(old) and all(map(_unchanged, now, old))
    if not isinstance(old, np.ndarray):
        return True
    if np.array_equal(now, old):
        return True
    return now.shape == old.shape and np.allclose(now, old, rtol=1e-9, atol=1e-9, equal_nan=True)

"""What is said of wrong numbers: on which cases they are right, and the smallest case that shows it."""

import itertools

import numpy as np

from workbench.judging.cases import Whole, arrays
from workbench.judging.exercise import CLOSE, REFUSED, same
from workbench.judging.run import LONGEST, Call, short

READABLE = 60  # numbers in a case that still fits on one line


def differs(exercise, results, failing, room=LONGEST):
    """What is wrong with the numbers, in the first case that can be explained, or else read, in `room` letters; "" where nothing is."""
    rights = [exercise.right(k) for k in range(len(results))]
    order = sorted(failing, key=lambda k: (size(exercise.cases[k]) + rights[k].size > READABLE, k))
    told = [_differs(exercise, results[k], rights[k], exercise.cases[k], room) for k in order]
    best = next((sentence for sentence in told if not sentence.startswith(exercise.name)), told[0] if told else "")
    return f"{_where_right(exercise, results, rights, failing)} {best}".strip() if told else ""


def in_another_order(exercise, results):
    """A sentence on results in which nothing but the order of their parts is wrong; else ""."""
    rights = [exercise.right(k) for k in range(len(results))]
    parts = exercise.parts if all(np.ndim(right) and len(right) == len(exercise.parts) for right in rights) else ()
    for order in itertools.permutations(range(len(parts))) if parts else ():
        asked = [right[list(order)] for right in rights]
        if all(map(same, results, asked, [exercise.tolerance] * len(asked))):
            given = ", ".join(parts[k] for k in order)
            return f"Right, but in another order: return {', '.join(parts)}; yours returns {given}."
    return ""


def _where_right(exercise, results, rights, failing):
    """Which parts of the results are right, or on what sort of cases, if that tells something; else ""."""
    cases, parts, sorts = exercise.cases[: len(results)], exercise.parts, exercise.sorts
    if all(isinstance(cases[k], Whole) for k in failing):
        return "In the cases tried, right except for arrays of whole numbers (dtype int)."
    if parts and all(results[k].shape == rights[k].shape for k in failing):
        good = [part for j, part in enumerate(parts) if all(same(results[k][j], rights[k][j], 1e-6) for k in failing)]
        if good and len(good) < len(parts):
            return f"Right: {' and '.join(good)}. Wrong: {' and '.join(part for part in parts if part not in good)}."
    square = {k for k, case in enumerate(cases) if any(part.shape[:1] == part.shape[1:2] for part in arrays(case))}
    if len(square) > 1 and set(failing) == set(range(len(cases))) - square:
        return "In the cases tried, right for arrays that are square and not for others."
    bad = list(dict.fromkeys(sorts[k] for k in failing)) if sorts else []
    good = list(dict.fromkeys(sorts[k] for k in range(len(results)) if k not in failing)) if sorts else []
    if not good or set(good) & set(bad) or max(len(good), len(bad)) > 3:  # a list says little
        return ""
    return f"Right for {' and '.join(good)}, not for {' and '.join(bad)}."


def _differs(exercise, got, want, arguments, room):
    where = exercise.name if exercise.by_hand else Call(exercise.name, arguments, 90 if room == LONGEST else 50)
    if want is REFUSED:
        return f"{where} must stop with a ValueError, yours gives {short(got)}."
    if got is REFUSED:
        return f"{where} must give {short(want)}, and yours stops with a ValueError."
    if got.shape != want.shape:
        one = "; one number, or one True or False, is asked for" if want.shape == () else ""
        return f"{where} must have shape {want.shape}, got {got.shape}{one}{': .all() joins them into one' if one and got.dtype == bool else ''}."
    got, want = got.astype(float), want.astype(float)
    if not np.isfinite(got).all():
        return f"{where} holds NaN or infinity, where {short(want)} is right."
    if (gap := np.abs(got - want).max()) < CLOSE:
        return f"{where} is close, but off by up to {gap:.1g}; a right answer comes closer."
    if found := exercise.explain(got, want, *arguments):
        return found
    if len(both := f"{where} gives {short(got)}, where {short(want)} is right.") < room and want.size <= 12:
        return both
    place = tuple(int(i) for i in np.argwhere(np.abs(got - want) >= CLOSE)[0])
    return f"{where} has {got[place]:.3f} at {list(place)}, counted from 0, where {want[place]:.3f} is right."


def size(thing):
    """How many numbers."""
    parts = thing.values() if isinstance(thing, dict) else thing
    return sum(map(size, parts)) if isinstance(thing, (dict, tuple, list)) else np.size(thing)

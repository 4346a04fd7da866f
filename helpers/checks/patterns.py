"""Say in which way wrong results differ from the right ones: everywhere, or in a part of them.

"Transposed", "twice what is right", "right except in the last row": each is said only if it holds in all cases where the
answer is wrong, so it is true by construction.
"""

import itertools
from fractions import Fraction

import numpy as np

from helpers.attention import softmax

CLOSE = 1e-6
TURNED = "These are the right numbers, transposed"
PLAIN = (
    TURNED,
    "All signs",
    "The right rows stand",
    "The right columns",
    "Everything is",
)
LOOSE = (
    "Each row is the right one times",
    "Right except for a factor, which",
    "Right: ",
)  # these say less than the others
EVIDENCE = 4  # numbers, before something is said of them all


def everywhere(pairs, arguments=(), names=(), parts=()):
    """A sentence on what all wrong results have in common, or "".

    Parameters
    ----------
    pairs : list of (got, want), arrays, one for each case in which the answer is wrong
    arguments : list of the arguments of these cases, and names : what the answer calls them
    parts : names of the parts, where a result is several things, one above the other
    """
    cut = all(np.asarray(got).dtype.kind in "iu" for got, _ in pairs)
    pairs = _floats(pairs)
    if cut and _holds(np.trunc, pairs):
        return "Each number is cut to a whole one: your result is an array that holds whole numbers alone (its dtype is int)."
    if any(got.shape != want.shape for got, want in pairs):
        return _of_shapes(pairs)
    if parts:
        return _of_parts(pairs, arguments, names, parts)
    return _of_all(pairs, arguments, names)


def place(pairs, parts=()):
    """A sentence on the part of the results in which they are wrong, such as "Right except in the last row.", or ""."""
    pairs = _floats(pairs)
    return "" if parts or any(got.shape != want.shape for got, want in pairs) else _where(pairs)


def _floats(pairs):
    return [(np.asarray(got, dtype=float), np.asarray(want, dtype=float)) for got, want in pairs]


def _alike(a, b):
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=CLOSE, atol=CLOSE, equal_nan=True))


def _holds(relation, pairs):
    """Whether got = relation(want) in all cases, and by no accident: there are several numbers."""
    try:
        return sum(want.size for _, want in pairs) >= EVIDENCE and all(
            _alike(got, relation(want)) for got, want in pairs
        )
    except (ValueError, IndexError):  # not for arrays of so few axes
        return False


def _are_single_truths(pairs):
    """One True or False in each case: of these each wrong one is the other one."""
    return all(each.size == 1 and each.item() in (0, 1) for pair in pairs for each in pair)


def _shifted(by):
    def shift(want):
        if want.ndim == 0 or len(want) < 2:
            raise IndexError("one row cannot be shifted")
        return np.roll(want, by, axis=0)

    return shift


SAME_SHAPE = {
    f"{TURNED}: rows and columns are exchanged.": lambda w: np.swapaxes(w, -1, -2),
    "All signs are turned: yours is the right result times −1.": lambda w: -w,
    "The right rows stand in reverse order.": lambda w: w[::-1],
    "The right columns stand in reverse order.": lambda w: w[..., ::-1] if w.ndim > 1 else w[:, None][..., ::-1],
    "Each number is the square of the right one: a root is missing, or a square is too much.": np.square,
    "Each number is the root of the right one: a square is missing, or a root is too much.": lambda w: np.sqrt(np.abs(w)),
    "Each number is 1 divided by the right one.": lambda w: 1 / w,
    "Where 1 is right you have 0, and 0 where 1 is right: True and False are exchanged.": lambda w: 1 - w,
    "The right rows stand one place too late, and the last one comes first.": _shifted(1),
    "The right rows stand one place too early, and the first one comes last.": _shifted(-1),
    "Each row also holds the ones before it: what is added up must start anew in every row.": lambda w: w.cumsum(axis=0),
    "The right rows are divided by their sum, which they should not be.": lambda w: w / w.sum(axis=-1, keepdims=True),
    "The right numbers are divided by the sum of them all.": lambda w: w / w.sum(),
    "Each number is e to the power of the right one.": np.exp,
    "Softmax is taken of the right numbers, once too often.": softmax,
}  # fmt: skip
SO_FAR = "Each power was divided by the sum so far; divide once, by the whole sum, after the loop."


def so_far(scores):
    """Powers of e, each divided by the sum so far."""
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / np.cumsum(powers, axis=-1)


LARGER = "When a larger score comes, what was added up before must be multiplied by exp(old largest score − new one)."
ALONE = "The number is right, but it stands in a list or an array: return the number alone."
OTHER_SHAPE = {
    f"{TURNED}.": [lambda w: np.swapaxes(w, -1, -2), np.transpose],
    ALONE: lambda w: w[None] if w.ndim == 0 else w,
    "The numbers are right and the shape is not: they are laid in one row; reshape them.": np.ravel,
    "The numbers are right, in an array with one axis too many.": [lambda w: w[None], lambda w: w[..., None]],
    "The numbers are right, and an axis of length 1 is missing.": np.squeeze,
    "The first one is missing; the others are right.": lambda w: w[1:],
    "The last one is missing; the others are right.": lambda w: w[:-1],
    "This is the first row alone.": lambda w: w[0],
    "This is the last row alone.": lambda w: w[-1],
    "These are the right rows added up; each of them is asked for.": lambda w: w.sum(axis=0),
    "This is the mean of the right rows; each of them is asked for.": lambda w: w.mean(axis=0),
    "This is the sum of the right numbers; all of them are asked for.": np.sum,
    "This is the mean of the right numbers; all of them are asked for.": np.mean,
}  # fmt: skip


def _of_shapes(pairs):
    for sentence, relations in OTHER_SHAPE.items():
        for relation in relations if isinstance(relations, list) else [relations]:
            if _holds(relation, pairs):
                return sentence
    return ""


def laid_out(pairs):
    """A sentence on results that have the right numbers in the right order and another shape, or ""."""
    if all(got.shape != want.shape for got, want in pairs) and _holds(np.ravel, [(np.ravel(a), b) for a, b in pairs]):
        return "The numbers are right, and in the right order, in an array of another shape: reshape it."
    return ""


def _of_all(pairs, arguments, names):
    """What holds of all numbers."""
    if not all(np.isfinite(got).all() for got, _ in pairs) or _are_single_truths(pairs):
        return ""
    with np.errstate(all="ignore"):
        for sentence, relation in SAME_SHAPE.items():
            if _holds(relation, pairs):
                return sentence
        return _factor(pairs, arguments, names) or _moved(pairs)


def _factor(pairs, arguments, names):
    """Whether each result is a multiple of the right one."""
    factors = [_one(got[want != 0] / want[want != 0]) for got, want in pairs]
    zeros = all(np.allclose(got[want == 0], 0, atol=CLOSE) for got, want in pairs)
    if None in factors or not zeros or sum(want.size for _, want in pairs) < EVIDENCE or min(map(abs, factors)) < CLOSE:
        return _of_rows(pairs)
    if _one(np.array(factors)) is not None:
        return f"Everything is {_times(factors[0])} what is right."
    if found := _power_of(factors, arguments, names):
        return f"Everything is {found} times what is right."
    if min(want.size for _, want in pairs) < 2:
        return ""
    told = ", ".join(f"{factor:.3g}" for factor in factors[:3])
    return f"Right except for a factor, which differs from case to case: {told}{', …' * (len(factors) > 3)}."


def _one(values):
    """The number that all of these are, or None."""
    same = len(values) and np.isfinite(values).all() and np.allclose(values, values[0], rtol=1e-5)
    return float(values[0]) if same else None


def _times(factor):
    words = {2.0: "twice", 0.5: "half of", 3.0: "three times", 4.0: "four times", -1.0: "−1 times"}
    near = Fraction(factor).limit_denominator(12)
    if round(factor, 5) in words:
        return words[round(factor, 5)]
    return f"{near if abs(near - factor) < CLOSE else format(factor, '.4g')} times"


def _power_of(factors, arguments, names):
    """A factor as a product of powers of the numbers that the answer is given, such as "d_k"; or ""."""
    sizes = {name: [_sizes(given[k]) for given in arguments] for k, name in enumerate(names)}
    known = {
        words.format(name=name): np.array([size[words] for size in each])
        for name, each in sizes.items()
        for words in (each[0] if each else ())
        if all(words in size for size in each)
    }
    for power, words in [(1, "{}"), (-1, "1 / {}"), (0.5, "√{}"), (-0.5, "1 / √{}"), (2, "{}²"), (-2, "1 / {}²")]:
        for name, values in known.items():
            if len(set(values)) > 2 and np.allclose(values**power, factors, rtol=1e-5):
                return words.format(name)
    for power, words in [(1, "{} · {}"), (-1, "{} / {}"), (0.5, "{} · √{}"), (-0.5, "{} / √{}")]:
        for name, values in known.items():
            if len(set(values)) > 2 and (rest := _one(np.array(factors) / values**power)):
                return words.format(f"{rest:.4g}", name)
    for (one, a), (other, b) in itertools.combinations(known.items(), 2):
        if len(set(a)) < 3 or len(set(b)) < 3:
            continue
        for words, value in [
            (f"{one} · {other}", a * b), (f"{one} / {other}", a / b), (f"{other} / {one}", b / a), (f"1 / ({one} · {other})", 1 / a / b)
        ]:  # fmt: skip
            for power, root in ((1, "{}"), (0.5, "√({})")):
                if np.allclose(value**power, factors, rtol=1e-5):
                    return root.format(words)
    return ""


def _sizes(thing):
    if isinstance(thing, (int, float)) and not isinstance(thing, bool) and thing > 0:
        return {"{name}": float(thing)}
    if isinstance(thing, np.ndarray) and thing.ndim:
        named = {"the length of {name}": float(len(thing)), "the width of {name}": float(thing.shape[-1])}
        return named if thing.ndim > 1 else {"the length of {name}": float(len(thing))}
    return {}


def _of_rows(pairs):
    """Whether each row is a multiple of the right one."""
    pairs = [(got, want) for got, want in pairs if want.shape[-1:] != (1,)]
    if not pairs or any(want.ndim < 2 for _, want in pairs):
        return ""
    for got, want in pairs:
        for row, right in zip(got.reshape(-1, got.shape[-1]), want.reshape(-1, want.shape[-1])):
            factor = _one((row / right)[right != 0]) if right.any() else 1
            if not np.allclose(row[right == 0], 0, atol=CLOSE) or factor is None or abs(factor) < CLOSE:
                return ""
    return "Each row is the right one times a factor of its own."


def _moved(pairs):
    """Whether the same number was added everywhere."""
    moves = np.concatenate([(got - want).ravel() for got, want in pairs])
    if len(moves) >= EVIDENCE and (move := _one(moves)):
        return f"Everything is {abs(move):.4g} too {'large' if move > 0 else 'small'}."
    return ""


def _of_parts(pairs, arguments, names, parts):
    """What is said of the parts of which a result consists."""
    wrong = [k for k in range(len(parts)) if not all(_alike(got[k], want[k]) for got, want in pairs)]
    some = [k for k in wrong if not any(_alike(got[k], want[k]) for got, want in pairs)]
    inner = [(k, _of_all([(got[k], want[k]) for got, want in pairs], arguments, names)) for k in some]
    told = " ".join(f"In the {parts[k]}: {words[0].lower()}{words[1:]}" for k, words in inner if words)
    if len(wrong) == len(parts):
        return told
    good, bad = (
        [parts[k] for k in range(len(parts)) if (k in wrong) == (side == "wrong")] for side in ("right", "wrong")
    )
    return f"Right: {' and '.join(good)}. Wrong: {' and '.join(bad)}. {told}".strip()


# --- in a part of them -----------------------------------------------------------------------------------------------


def _line(place, axis):
    """A region that is one row (axis 0) or one column (axis 1) of the last two axes."""
    return lambda i, j, shape: (i, j)[axis] == place % shape[axis]


REGIONS = {
    "in the first row": _line(0, 0),
    "in the last row": _line(-1, 0),
    "in the first column": _line(0, 1),
    "in the last column": _line(-1, 1),
    "on the diagonal": lambda i, j, shape: i == j,
    "below the diagonal": lambda i, j, shape: i > j,
    "above the diagonal": lambda i, j, shape: i < j,
    "in the first half of the columns": lambda i, j, shape: j < (shape[1] + 1) // 2,
    "in the second half of the columns": lambda i, j, shape: j >= (shape[1] + 1) // 2,
    "in columns 0, 2, 4, …": lambda i, j, shape: j % 2 == 0,
    "in columns 1, 3, 5, …": lambda i, j, shape: j % 2 == 1,
    "in rows 0, 2, 4, …": lambda i, j, shape: i % 2 == 0,
    "in rows 1, 3, 5, …": lambda i, j, shape: i % 2 == 1,
}


def _all_else(wrong, outside, words):
    """Whether all else is wrong: each number, or in each other column a number."""
    return bool((wrong | ~outside).any(axis=-2).all() if "column" in words else wrong[outside].all())


def _where(pairs):
    """In which region the answer is wrong, or right, if one of them fits all cases: the smallest."""
    wrong = [~np.isclose(got, want, rtol=1e-5, atol=1e-5) for got, want in pairs]
    flat = all(each.ndim == 1 for each in wrong)
    wrong = [each[:, None] for each in wrong] if flat else wrong
    if not wrong or min(each.ndim for each in wrong) < 2:
        return ""
    found = []
    for words, region in REGIONS.items():
        if "…" in words and max(each.shape[-1 if "column" in words else -2] for each in wrong) < 4:
            continue
        masks = [np.broadcast_to(region(*np.indices(each.shape[-2:]), each.shape[-2:]), each.shape) for each in wrong]
        for sentence, allowed in (("Right except {}.", masks), ("Right only {}.", [~mask for mask in masks])):
            if not any((each & ~mask).any() for each, mask in zip(wrong, allowed)):
                if "only" in sentence and not all(_all_else(*pair, words) for pair in zip(wrong, allowed)):
                    continue  # something else is right, too
                if sum((~mask).sum() for mask in allowed) >= EVIDENCE and not (flat and "row" not in words):
                    words = (
                        words.replace("in the", "at the").replace("rows", "places").replace("row", "place")
                        if flat
                        else words
                    )
                    found.append((sum(mask.sum() for mask in allowed), sentence.format(words)))
    return min(found, default=(0, ""))[1]

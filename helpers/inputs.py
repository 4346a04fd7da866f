"""Bad input gets a sentence: who must what, and what was given. Shared by the modules of the mathematics."""

import math
import operator

import numpy as np


def rectangle(name, values):
    """Return `values` as a plain array, or say that their rows differ in length."""
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be a rectangular array: its rows have different lengths.") from None


def floats(name, values, *, min_axes=0):
    """Return `values` as a floating-point array, whatever it holds, or say why they are no numbers.

    An array-like that already has a shape and a floating dtype passes through as it is, so that tensors which
    carry derivatives keep them. Integers and lists become float64; float32 stays float32.

    Raises
    ------
    TypeError
        If `values` are not real numbers.
    ValueError
        If the rows have different lengths, or there are fewer than `min_axes` axes.
    """
    plain = _plain(name, values)
    if plain.ndim < min_axes:
        hint = f" A single vector becomes one row by np.atleast_2d({name})." if plain.ndim == 1 else ""
        axes = "2 axes (tokens, width)" if min_axes == 2 else "1 axis" if min_axes == 1 else f"{min_axes} axes"
        raise ValueError(f"{name} must have at least {axes}, got shape {plain.shape}.{hint}")
    return carrier(values, plain) if plain.dtype.kind == "f" else plain.astype(np.float64)


def numbers(name, values, *, min_axes=0):
    """Return `values` as `floats` does, or say that an entry is NaN."""
    values = floats(name, values, min_axes=min_axes)
    _refuse_nan(name, np.asarray(values))
    return values


def finite(name, values, *, min_axes=0):
    """Return `values` as `floats` does, or say that an entry is NaN or infinite."""
    values = floats(name, values, min_axes=min_axes)
    plain = np.asarray(values)
    if not np.isfinite(plain).all():
        _refuse_nan(name, plain)
        raise ValueError(f"{name} must be finite, got infinity in {count(np.isinf(plain))}.")
    return values


def real(name, values):
    """Return `values` as a plain array of real numbers without NaN, integers as they are, or say why they are none."""
    plain = _plain(name, values)
    _refuse_nan(name, plain)
    return plain


def _plain(name, values):
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} must be a plain array, got a masked one; .filled(number) says what stands in the gaps."
        )
    plain = rectangle(name, values)
    if plain.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got {plain.dtype} from {type(values).__name__}.")
    return plain


def _refuse_nan(name, plain):
    if plain.dtype.kind == "f" and np.isnan(plain).any():
        raise ValueError(f"{name} must not hold NaN (not a number), got {count(np.isnan(plain))}.")


def carrier(values, plain):
    """Return a tensor that carries derivatives as it is, and the plain array of anything else, np.matrix included."""
    return values if hasattr(values, "shape") and not isinstance(values, np.ndarray) else plain


def scalar_like(x, number):
    """Return a Python number in the floating dtype of `x`.

    NumPy lets a Python number take on the dtype of the array beside it; a tensor with derivatives makes float64 of it.
    """
    return x.dtype.type(number)


def room(x):
    """Where the step after `x` may write: over x, as fresh memory costs more than the step; None where derivatives need x."""
    return x if type(x) is np.ndarray else None


def booleans(name, values):
    """Return `values` as a Boolean array, or say that a mask is made of True and False."""
    plain = rectangle(name, values)
    if plain.dtype != np.bool_:
        raise TypeError(
            f"{name} must be Boolean, True = may attend, got {plain.dtype}. "
            "A mask of 1 and 0 becomes Boolean by mask.astype(bool); one of 0 and -inf by mask == 0."
        )
    return plain


def whole_number(name, value, *, minimum):
    """Return `value` as an int of at least `minimum`, or say that it is none."""
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {number}.")
    return number


def finite_number(name, value):
    """Return `value` as a finite float, or say that it is none."""
    if isinstance(value, (bool, np.bool_, str, bytes, np.complexfloating)) or getattr(value, "ndim", 0):
        raise TypeError(f"{name} must be a number, got {value!r}.")  # float() would make a number of most of these
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}.") from None
    except OverflowError:
        raise ValueError(f"{name} must be a finite number, got one too large for a float.") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {number}.")
    return number


def one_of(name, value, known):
    """Return what a dict holds under a word, or say which words it knows."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}.")
    return known[value]


def generator(name, rng):
    """Say what a source of chance must be, if `rng` is none."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"{name} must be a generator such as np.random.default_rng(0), got {rng!r}.")


def count(flags):
    """Say how many entries of `flags` are set, and where the first one is."""
    places = np.argwhere(flags)
    where = ", ".join(str(int(i)) for i in places[0])
    many = f"{len(places)} of {np.size(flags)} entries"
    return f"{many} (the first at index [{where}])" if np.ndim(flags) else "a single one"


def first(flags, name, axis=None):
    """Write the first place where `flags` are set as one would index it, `name[1, 0]`, and how many more there are.

    With `axis`, `flags` stand for whole lines of `name` along that axis: `name[1, :]`.
    """
    places = np.argwhere(flags)
    index = [str(int(i)) for i in places[0]]
    if axis is not None:
        index.insert(axis % (len(index) + 1), ":")
    more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
    return f"{name}[{', '.join(index)}]{more}"

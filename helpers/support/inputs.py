"""Bad input gets a sentence: who must what, and what was given. Shared by the modules of the mathematics."""

import functools
import inspect
import math
import operator
from pathlib import Path

import numpy as np


def checked(**checks):
    """Decorate a function so that each named argument is checked before it runs; a default needs no check.

    Parameters
    ----------
    checks : parameter -> function(name, value) that raises where the value does not do
    """

    def decorate(function):
        signature = inspect.signature(function)
        defaults = {name: parameter.default for name, parameter in signature.parameters.items()}

        @functools.wraps(function)
        def guarded(*args, **kwargs):
            given = signature.bind(*args, **kwargs).arguments
            for name, check in checks.items():
                if name in given and given[name] is not defaults[name]:
                    check(name, given[name])
            return function(*args, **kwargs)

        return guarded

    return decorate


def rectangle(name, values):
    """Return `values` as a plain array, tensors of other libraries too, or say why there is none."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} must be a plain array, got a masked one; .filled(number) says what stands in the gaps."
        )
    try:
        return _readable(np.asarray(_at_rest(values)))
    except ValueError:
        raise ValueError(f"{name} must be a rectangular array: its rows have different lengths.") from None
    except (TypeError, RuntimeError) as error:  # a tensor that is sparse, or has no numbers yet
        reason = str(error).partition("\n")[0].rstrip(".")
        raise TypeError(f"{name} must become an array, but this {type(values).__name__} does not: {reason}.") from None


def _at_rest(values):
    """Tensors of PyTorch, lists of them too, without their derivatives and in the memory that NumPy can read."""
    if isinstance(values, (list, tuple)):
        return [_at_rest(value) for value in values] if _holds_tensors(values) else values
    if not hasattr(values, "detach"):
        return values
    tensor = values.detach().cpu()
    return tensor.float() if any(short in str(tensor.dtype) for short in ("bfloat16", "float8")) else tensor


def _holds_tensors(values):
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    return hasattr(values, "detach")


def _readable(plain):
    """The same array; the short floats of JAX, which NumPy knows by name only, as float32."""
    return plain.astype(np.float32) if plain.dtype.kind == "V" and "float" in plain.dtype.name else plain


def floats(name, values, *, min_axes=0):
    """Return `values` as a floating-point array, whatever it holds, or say why they are no numbers.

    A floating tensor of mygrad passes through as it is, so that it keeps its derivatives; those of PyTorch and JAX
    become arrays. Integers and lists become float64; float32 stays float32.
    """
    plain = plain_array(name, values)
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


def stays_finite(name, result, cause="its numbers are too large for {}.", **made_of):
    """Return a result, or say which of the arrays that it was made of is not finite, or else what made it overflow."""
    if np.isfinite(np.asarray(result)).all():
        return result
    for part, values in made_of.items():
        finite(part, values)
    raise ValueError(f"{name} must stay finite, but {cause.format(result.dtype)}")


def without_derivatives(name, values, what):
    """Return `values`, or say that they are a tensor, whose derivatives would be lost without a word."""
    if keeps_derivatives(values):
        raise TypeError(f"{name} must be a plain {what}, got a {type(values).__name__}: its derivatives would be lost.")
    return values


def plain_array(name, values):
    """Return `values` as a plain array of real numbers, whatever its type, or say why they are none."""
    plain = rectangle(name, values)
    if plain.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got {plain.dtype} from {type(values).__name__}.")
    return plain


def _refuse_nan(name, plain):
    if plain.dtype.kind == "f" and np.isnan(plain).any():
        raise ValueError(f"{name} must not hold NaN (not a number), got {count(np.isnan(plain))}.")


def keeps_derivatives(values):
    """Whether NumPy's functions compute with this tensor and keep its derivatives, as they do with mygrad's, not with PyTorch's."""
    return hasattr(values, "__array_function__") and not isinstance(values, np.ndarray)


def carrier(values, plain):
    """Return a tensor that carries derivatives as it is, and the plain array of anything else, np.matrix included."""
    return values if keeps_derivatives(values) else plain


def scalar_like(x, number):
    """Return a Python number in the floating dtype of `x`.

    NumPy lets a Python number take on the dtype of the array beside it; a tensor with derivatives makes float64 of it.
    """
    return x.dtype.type(number)


def shares(name, values):
    """Say so if the rows of an array are no shares, which are at least 0 and sum to 1."""
    plain = np.asarray(values)
    if plain.min() < 0:
        raise ValueError(f"{name} must be at least 0, got {plain.min():g}. Were these the scores?")
    sums = plain.sum(axis=-1, dtype=float)
    worst = sums.flat[np.argmax(np.abs(sums - 1))]
    if not abs(worst - 1) < 1e-3:
        raise ValueError(f"{name} must sum to 1 along the last axis, got a sum of {worst:g}. Were these the scores?")


def alike(values, x):
    """Return a plain array or number in the floating dtype of `x`; a tensor with derivatives stays as it is."""
    return values.astype(x.dtype) if isinstance(values, (np.ndarray, np.generic)) else values


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


def whole_number(name, value, *, minimum, maximum=None):
    """Return `value` as an int from `minimum` to `maximum`, or say that it is none."""
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} must be a whole number, got {value!r:.60}.")
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {_short(number)}.")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be at most {maximum:,}, got {_short(number)}.")
    return number


def _short(number):
    """A whole number as one reads it; Python refuses to write those of thousands of digits."""
    return str(number) if abs(number) < 10**20 else "a number of more than 20 digits"


def whole_numbers(name, values, *, axes):
    """Return `values` as an array of whole numbers with so many axes, or say that it is none."""
    plain = rectangle(name, values)
    if plain.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, got {plain.dtype}.")
    if plain.ndim != axes or plain.size == 0:
        raise ValueError(
            f"{name} must have {axes} {'axis' if axes == 1 else 'axes'}, none empty, got shape {plain.shape}."
        )
    if plain.dtype.kind == "u" and plain.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} must be smaller, got {plain.max()}.")
    return plain.astype(np.int64)  # two kinds of whole numbers side by side would become floats


MOST_BYTES = 2**28  # of one array: more is a slip of the hand, and would stop the machine


def affordable(bytes_per_number=8, **sizes):
    """Say so if an array of these sizes, by name, would take too much memory."""
    if math.prod(sizes.values()) * bytes_per_number > MOST_BYTES:
        got = " × ".join(map(_short, sizes.values()))
        raise ValueError(
            f"{' × '.join(sizes)} must be at most {MOST_BYTES // bytes_per_number:,} numbers, which fit into memory, got {got}."
        )


def number_from(name, value, smallest=0.0, below=math.inf):
    """Return `value` as a float of at least `smallest` and less than `below`, or say that it is none."""
    number = finite_number(name, value)
    if not smallest <= number < below:
        end = "" if below == math.inf else f" and less than {below:g}"
        raise ValueError(f"{name} must be at least {smallest:g}{end}, got {number:g}.")
    return number


def yes_or_no(name, value):
    """Return a switch as a bool, or say that it is none."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r:.60}.")
    return bool(value)


def text(name, value):
    """Return `value`, or say that it is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, got {type(value).__name__}.")
    return value


def whole_letters(value):
    """Return a text in which each half of a letter, such as half an emoji, is \ufffd: no tokenizer and no page takes the half."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def function(name, value):
    """Return `value`, or say that it is no function."""
    if not callable(value) or isinstance(value, type):
        raise TypeError(f"{name} must be a function, got {value!r:.60}.")
    return value


def bent(activation, hidden):
    """What an activation makes of an array, number by number, or what is wrong with it."""
    found = activation(hidden)
    if np.shape(found) != hidden.shape:
        raise ValueError(
            f"activation must bend each number by itself, but it made {type(found).__name__} of shape {np.shape(found)} "
            f"out of shape {hidden.shape}."
        )
    return found


def listed(name, values, kind=object, what="things"):
    """Return `values` as a list of which every entry is of a kind, or say that they are none."""
    loose = isinstance(values, (str, bytes, dict, set, frozenset, type)) or not hasattr(values, "__iter__")
    if loose or getattr(values, "ndim", 1) == 0:
        raise TypeError(f"{name} must be a list of {what}, got {type(values).__name__}.")
    values = list(values)
    for value in values:
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be a list of {what}, got {type(value).__name__} in it.")
    return values


def labels(name, values):
    """Return `values` as a list of words, or say that they are none; a word or a range will do, too."""
    if isinstance(values, (set, type)) or getattr(values, "ndim", 1) != 1 or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} must be a list of labels, got {type(values).__name__}.")
    return [str(value) for value in values]


def mapping(name, value, kind=object, what="things"):
    """Return a dict of which every value is of a kind, or say that it is none."""
    if not isinstance(value, dict):
        raise TypeError(f"{name} must be a dict, got {type(value).__name__}.")
    for each in value.values():
        if not isinstance(each, kind):
            raise TypeError(f"{name} must be a dict of {what}, got {type(each).__name__} in it.")
    return value


def an(kind, what):
    """The check that a value is of a kind, `what` in words."""

    def check(name, value):
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be {what}, got {type(value).__name__}.")
        return value

    return check


def file_path(name, value):
    """Return `value` as a Path, or say that it is none."""
    if not isinstance(value, (str, Path)):
        raise TypeError(f"{name} must be the path of a file, got {value!r:.60}.")
    return Path(value)


def seeded(name, seed):
    """Return a generator that starts from a seed, a whole number of at least 0."""
    return np.random.default_rng(whole_number(name, seed, minimum=0))


def finite_number(name, value):
    """Return `value` as a finite float, or say that it is none."""
    if isinstance(value, (bool, np.bool_, str, bytes, np.complexfloating)) or getattr(value, "ndim", 0):
        raise TypeError(f"{name} must be a number, got {value!r:.60}.")  # float() would make a number of most of these
    without_derivatives(name, value, "number")
    try:
        number = float(rectangle(name, value)) if hasattr(value, "detach") else float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r:.60}.") from None
    except OverflowError:
        raise ValueError(f"{name} must be a finite number, got one too large for a float.") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {number}.")
    return number


def one_of(name, value, known):
    """Return what a dict holds under a word, or say which words it knows."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r:.60}.")
    return known[value]


def generator(name, rng):
    """Say what a source of chance must be, if `rng` is none."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"{name} must be a generator such as np.random.default_rng(0), got {rng!r:.60}.")


def count(flags):
    """Say how many entries of `flags` are set, and where the first one is."""
    places = np.argwhere(flags)
    where = ", ".join(str(int(i)) for i in places[0])
    many = f"{len(places)} of {np.size(flags)} entries"
    return f"{many} (the first at index [{where}])" if np.ndim(flags) else "a single one"


def first(flags, name, axis=None):
    """Write the first place where `flags` are set as one would index it, `name[1, 0]`, and how many more there are.

    A single flag has no index: `name`. With `axis`, `flags` stand for whole lines of `name` along that axis: `name[1, :]`.
    """
    places = np.argwhere(flags)
    index = [str(int(i)) for i in places[0]]
    if axis is not None:
        index.insert(axis % (len(index) + 1), ":")
    more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
    return f"{name}[{', '.join(index)}]{more}" if index else name

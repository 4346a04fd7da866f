"""A bad argument is described once: what the `Parameters` of a docstring say of an argument is what is asked of it.

    query : (..., num_queries, d_k)              numbers; axes of one name have one size, batch axes `...` broadcast
    W : (d_model, num_heads * d_k) or a number   an argument, such as num_heads, may be a size, too; none of these is 0
    image : (height, width), grey, or (height, width, channels), of any type
    mask : Boolean, broadcastable to (..., num_queries, num_keys), True = may attend; without axes: of any shape
    angles : broadcastable to (..., num_tokens, num_pairs)
    tokens : (..., num_tokens) whole numbers, at least 0, below vocabulary_size
    x : any shape, not empty                     what comes out tells whether a number was NaN or infinite; `any shape, finite`
                                                 is looked at before, and where a docstring speaks of -inf that is one, too
    base : number above 1                        and `whole number, at least 1, that divides d_model`
    context : (..., num_keys, d); None = query   what stands in for it when shapes are compared
    norm : "post" or "pre"                       also: function, text, numpy.random.Generator; a default of True or False asks
                                                 for one of these

A default is not looked at, and an argument of which the docstring says something else is the function's own affair. What comes
out must be finite. Only if it is not, or a sum overflows on the way, everything is done again, and each call on the way down
looks at its arguments and at its result.
"""

import functools
import inspect
import math
import operator
import re
import threading

import numpy as np

from helpers.support import inputs

_BY_WORD = {"function": inputs.function, "text": inputs.text, "numpy.random.Generator": inputs.generator}
_AXES = re.compile(
    r"(?P<mask>Boolean, )?(?P<spread>broadcastable to )?\((?P<axes>[^)]*)\)(?:,? (?:\w+, )?or \((?P<others>[^)]*)\))?"
    r"(?P<whole>,? whole numbers)?(?P<single> or a number)?"
)
_NUMBER = re.compile(r"(?P<whole>whole )?numbers?(?! of)\b")
_LIMIT = re.compile(r",?(?: and)? (at least|above|at most|below|that divides) (-?\d+(?:,\d{3})*(?:\.\d+)?|[a-z]\w*)")
_OPERATION = {"at least": operator.ge, "above": operator.gt, "at most": operator.le, "below": operator.lt}
_OPERATION["that divides"] = lambda number, whole: whole % number == 0


class _Now(threading.local):
    """Whether this thread is inside a declared call, and whether that is looking for what is not finite."""

    inside = looking = False


_now = _Now()


def documented(function=None, *, otherwise=None):
    """Ask of a function's arguments what its docstring says. Without docstrings (python -OO) it stays as it is.

    otherwise : function of the arguments that says, in words of its own, why the result is not finite
    """
    if function is None:
        return functools.partial(documented, otherwise=otherwise)
    if not function.__doc__:
        return function
    declaration = None

    @functools.wraps(function)
    def checked(*given, **named):
        nonlocal declaration
        declaration = declaration or declared(function)
        arguments = declaration.bound(given, named)
        if arguments is None:
            return function(*given, **named)  # Python says what is wrong
        half = declaration.asked(arguments)
        if _now.looking:
            return _looked_at(function, declaration, arguments, otherwise)
        if _now.inside:
            return function(**arguments)
        _now.inside = True
        try:
            result = _result_of(function, arguments, half)
            if _is_finite(result):
                return result
        except FloatingPointError:
            pass
        finally:
            _now.inside = False
        _now.looking = True
        try:
            return _looked_at(function, declaration, arguments, otherwise, half)
        finally:
            _now.looking = False

    checked.is_declared = True
    return checked


def _result_of(function, arguments, half):
    with np.errstate(over="raise", invalid="ignore", divide="ignore"):
        result = function(**arguments)
        return _in_16_bits(result) if half else result


def _looked_at(function, declaration, arguments, otherwise, half=False):
    """Call it once more, and say which argument is not finite, or else that the result is not."""
    for name, ask in declaration.arrays:
        ask.blame(name, arguments.get(name))
    why = "."
    try:
        result = _result_of(function, arguments, half)
        if _is_finite(result):
            return result
        if otherwise:
            otherwise(**declaration.defaults | arguments)
        why = ", or were divided by 0."
    except FloatingPointError:
        pass
    kinds = [x.dtype for x in arguments.values() if getattr(getattr(x, "dtype", None), "kind", "") == "f"]
    kind = "float16" if half else np.result_type(*kinds) if kinds else "float64"
    raise ValueError(f"{function.__name__} must stay finite, but its numbers are too large for {kind}{why}")


def _is_finite(result):
    while isinstance(result, tuple) and result:
        result = result[0]
    if isinstance(result, float):
        return math.isfinite(result)
    return getattr(getattr(result, "dtype", None), "kind", "") != "f" or bool(np.isfinite(np.asarray(result)).all())


def _in_16_bits(result):
    """What was computed in 32 bits, since in 16 a sum over many stands still."""
    if isinstance(result, tuple):
        parts = map(_in_16_bits, result)
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, dict):
        return {name: _in_16_bits(part) for name, part in result.items()}
    return result.astype(np.float16) if getattr(result, "dtype", None) == np.float32 else result


# --- what a docstring says -------------------------------------------------------------------------------------------


def declared(function):
    """What the docstring of a function asks of its arguments."""
    return _Declaration(inspect.unwrap(function))


class _Declaration:
    """
    defaults : dict, argument -> its default; needed : those that have none
    asks : list of (argument, what is asked of it), in the order in which they are looked at: sizes first, masks last
    arrays : those of them that are arrays of numbers
    """

    def __init__(self, function):
        parameters = inspect.signature(function).parameters
        self.defaults = {name: each.default for name, each in parameters.items() if each.default is not each.empty}
        self.places = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
        self.needed = {
            name
            for name, each in parameters.items()
            if each.default is each.empty and each.kind is not each.VAR_KEYWORD
        }
        rows, asks = _rows(inspect.getdoc(function)), {}
        names = {*rows} | {
            *re.findall(r"\w+", " ".join("".join(re.findall(r"\([^)]*\)", row)) for row in rows.values()))
        }
        for name in parameters:
            if isinstance(self.defaults.get(name), bool):
                asks[name] = _Other(inputs.yes_or_no)
            elif ask := _ask(rows.get(name, ""), names):
                asks[name] = ask
                ask.stand_in = next(
                    (each for each in re.findall(r"None = (\w+)", rows[name]) if each in parameters), None
                )
            if isinstance(asks.get(name), _Array):
                asks[name].waits_for(parameters)
        self.asks = sorted(asks.items(), key=lambda each: each[1].turn)
        self.arrays = [(name, ask) for name, ask in self.asks if isinstance(ask, _Array)]
        self.limited = [(name, ask) for name, ask in self.asks if ask.limits]

    def bound(self, given, named):
        """dict of the arguments by name, or None where they do not go together."""
        arguments = dict(zip(self.places, given))
        if len(given) > len(self.places) or not arguments.keys().isdisjoint(named):
            return None
        arguments.update(named)
        return arguments if self.needed <= arguments.keys() else None

    def asked(self, arguments):
        """Look at the arguments, and put arrays in place of lists; say whether all of them are halves, so short that sums stand still."""
        sizes, halves, defaults = {}, 0, self.defaults
        for name, ask in self.asks:
            if name in arguments:
                value = arguments[name]
                if value is not defaults.get(name, self):
                    taken = arguments[name] = ask(name, value, sizes, self, arguments)
                    halves += taken is not value and getattr(value, "dtype", None) == np.float16
                    continue
            elif name not in defaults:
                continue
            value = defaults[name]
            if type(value) in (int, float):
                sizes[name] = value
            elif value is None and ask.stand_in:
                ask.stands_in(name, arguments.get(ask.stand_in), sizes, self, arguments)
        for name, ask in self.limited:
            if name in arguments and arguments[name] is not defaults.get(name, self):
                ask.keeps_its_limits(name, arguments[name], sizes)
        return halves and halves == sum(
            getattr(arguments.get(name), "ndim", 0) > 0 and not ask.whole for name, ask in self.arrays
        )

    def whose(self, axis, name, arguments):
        """` as in query (3, 7)`: the array that gave an axis its size before `name` came."""
        for other, ask in self.arrays:
            if other != name and axis in ask.named and hasattr(arguments.get(other), "shape"):
                return f" as in {other} {arguments[other].shape}"
        return ""


def _rows(doc):
    """dict, argument -> what stands behind it."""
    found = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", doc, re.S | re.M)
    rows, names = {}, []
    for line in found[1].splitlines() if found else ():
        if head := re.match(r"(\w+(?:, \w+)*) : (.*)", line):
            names = head[1].split(", ")
            rows |= dict.fromkeys(names, head[2])
        else:
            rows |= {name: f"{rows[name]} {line.strip()}" for name in names}
    return rows


def _ask(text, names):
    if found := re.match(r'"[^"]*"(?:, "[^"]*")*,? or "[^"]*"', text):
        return _Other(functools.partial(_word, re.findall(r'"([^"]*)"', found[0]), found[0]))
    if found := re.match(r"(?:function|text)\b|numpy\.random\.Generator", text):
        return _Other(_BY_WORD[found[0]])
    if re.match(r"Boolean(?!, (broadcastable to )?\()", text):
        return _Mask(None, "")
    if re.match("any shape", text):
        return _Array([None], "", text)
    if found := _AXES.match(text):
        limits = _limits(text, found.end(), names)
        if found["mask"]:
            return _Mask(found["axes"], text)
        ask = _Array([found["axes"], *filter(None, [found["others"]])], found[0], text, limits)
        ask.spread, ask.turn = bool(found["spread"]), 2 if found["spread"] else 1
        return ask
    if found := _NUMBER.match(text):
        return _Number(bool(found["whole"]), _limits(text, found.end(), names))
    return None


def _limits(text, start, names):
    """List of (words, limit), a number or a name."""
    limits = []
    while found := _LIMIT.match(text, start):
        number, start = found[2].replace(",", ""), found.end()
        if number in names:
            limits.append((found[1], number))
        elif not number[0].isalpha():
            limits.append((found[1], float(number) if "." in number else int(number)))
        else:
            break
    return limits


# --- what is asked ---------------------------------------------------------------------------------------------------


class _Ask:
    limits, named, turn, stand_in = (), (), 0, None

    def keeps_its_limits(self, name, value, sizes):
        plain = value if isinstance(value, (int, float)) else np.asarray(value)
        for words, limit in self.limits:
            bound = sizes.get(limit, limit)
            if not isinstance(bound, str) and not np.all(good := _OPERATION[words](plain, bound)):
                told = f"{limit} = {_short(bound)}" if isinstance(limit, str) else f"{bound:,}"
                bad = plain[~good][0].item() if np.ndim(plain) else plain
                verb = "divide" if words == "that divides" else f"be {words}"
                raise ValueError(f"{name} must {verb} {told}, got {_short(bad)}.")

    def stands_in(self, name, value, sizes, declaration, arguments):
        if name not in sizes and self.stand_in in sizes:
            sizes[name] = sizes[self.stand_in]


def _short(number):
    return inputs._short(number) if isinstance(number, int) else f"{number:g}"


class _Other(_Ask):
    """Whatever a check of `inputs` looks at."""

    def __init__(self, check):
        self.check = check

    def __call__(self, name, value, sizes, declaration, arguments):
        self.check(name, value)
        return value


def _word(options, told, name, value):
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be {told}, got {value!r:.60}.")


class _Number(_Ask):
    def __init__(self, whole, limits):
        self.whole, self.limits = whole, limits
        self.least = next((int(n) for words, n in limits if words == "at least" and not isinstance(n, str)), -math.inf)

    def __call__(self, name, value, sizes, declaration, arguments):
        if self.whole:
            value = inputs.whole_number(name, value, minimum=self.least)
        else:
            value = inputs.finite_number(name, value)
        sizes[name] = value
        return value


class _Array(_Ask):
    """Numbers with axes of these names; an axis may be a product."""

    turn, spread = 1, False

    def __init__(self, forms, told, text, limits=()):
        self.forms = [None if form is None else form.rstrip(",").split(", ") for form in forms]
        self.batched = self.forms[0] is not None and self.forms[0][0] == "..."
        self.own = [form and [axis.split(" * ") for axis in form if axis != "..."] for form in self.forms]
        self.named = {factor for own in self.own if own for axis in own for factor in axis}
        self.told, self.limits = told.replace(" whole numbers", "").replace(" or a n", " or be a n").rstrip(","), limits
        self.whole, self.single = "whole numbers" in told, told.endswith(" or a number")
        self.infinite, self.first = "-inf" in text, ", finite" in text
        self.as_it_is, self.not_empty = "of any type" in text, "not empty" in text

    def waits_for(self, parameters):
        """A product of axes of which others know the factors comes after them."""
        factors = {each for own in self.own if own for axis in own for each in axis[:-1]}
        self.turn += any(not each.isdigit() and each not in parameters for each in factors) / 2

    def __call__(self, name, value, sizes, declaration, arguments):
        if type(value) is not np.ndarray or value.dtype.char not in "fd" or self.whole:
            if self.single and np.isscalar(value):  # a Python number leaves float32 as it is
                return inputs.finite_number(name, value)
            value = self.taken(name, value)
        if self.first and not np.isfinite(np.asarray(value)).all():
            if _now.inside:
                raise FloatingPointError  # whoever was called first looks whether its own arguments are to blame
            self.blame(name, value)
        if self.not_empty and not value.size:
            raise ValueError(f"{name} must not be empty, got shape {value.shape}.")
        if self.spread:
            _broadcast(name, value, self.forms[0], sizes)
        elif self.forms[0] is not None and not (self.single and value.ndim == 0):
            self.fit(name, value.shape, sizes, declaration, arguments)
        return value

    def taken(self, name, value):
        if self.as_it_is:
            return inputs.carrier(value, inputs.plain_array(name, value))
        if self.whole:
            plain = inputs.rectangle(name, value)
            if plain.dtype.kind not in "iu" and plain.size:
                raise TypeError(f"{name} must be whole numbers, got {plain.dtype}.")
            return plain.astype(np.int64, casting="unsafe")
        array = inputs.floats(name, value)
        return array.astype(np.float32) if type(array) is np.ndarray and array.dtype == np.float16 else array

    def stands_in(self, name, value, sizes, declaration, arguments):
        if value is not None:
            self.fit(self.stand_in, value.shape, sizes, declaration, arguments)

    def fit(self, name, shape, sizes, declaration, arguments):
        """Compare the axes with those that have a size, and remember the others."""
        own = self.own[0] if len(self.own) == 1 else next((o for o in self.own if len(o) == len(shape)), self.own[0])
        batch = len(shape) - len(own)
        if batch < 0 or (batch and not self.batched):
            one_row = (
                f" A single vector becomes one row by np.atleast_2d({name})." if len(shape) == 1 and batch == -1 else ""
            )
            raise ValueError(f"{self.wanted(name)}, got {shape}.{one_row}")
        for axis, size in zip(own, shape[batch:]):
            if len(axis) == 1:
                known = sizes.setdefault(axis[0], size)
                if known == size and size:
                    continue
                rest, product = axis[0], 1
            else:
                *factors, rest = axis
                product = math.prod(int(each) if each.isdigit() else sizes[each] for each in factors)
                known = sizes.setdefault(rest, size // product)
                if known * product == size and size:
                    continue
            if size == 0:
                raise ValueError(f"{self.wanted(name)}, none of them 0, got {shape}.")
            if size % product:
                told = " and ".join(f"{each} = {sizes[each]}" for each in factors if not each.isdigit())
                raise ValueError(f"{self.wanted(name)}{told and ', with '}{told}, got {shape}.")
            whose = declaration.whose(rest, name, arguments)
            raise ValueError(f"{self.wanted(name)}, with {rest} = {known}{whose}, got {shape}.")
        if batch and (before := sizes.get("...", ())) != shape[:batch]:
            try:
                sizes["..."] = np.broadcast_shapes(before, shape[:batch]) if before else shape[:batch]
            except ValueError:
                whose = next(
                    f"{other} {arguments[other].shape}"
                    for other, ask in declaration.arrays
                    if ask.batched and len(np.shape(arguments.get(other))) > len(ask.own[0])
                )
                raise ValueError(
                    f"{name} must have batch axes that broadcast with those of {whose}, got {shape}."
                ) from None

    def wanted(self, name):
        return f"{name} must have shape {self.told}"

    def blame(self, name, value):
        """Say so if it holds NaN or infinity."""
        plain = np.asarray(value) if hasattr(value, "dtype") else None
        if plain is None or plain.dtype.kind != "f" or np.isfinite(plain).all():
            return
        if not self.infinite:
            inputs.finite(name, value)
        inputs.numbers(name, value)
        if np.isposinf(plain).any():
            raise ValueError(f"{name} must be finite or -inf, got +inf in {inputs.count(np.isposinf(plain))}.")


class _Mask(_Ask):
    """True and False, for each of these axes or broadcastable to them."""

    turn = 2

    def __init__(self, axes, text):
        self.axes, self.rows = axes and axes.split(", "), "may attend" in text

    def __call__(self, name, value, sizes, declaration, arguments):
        mask = inputs.booleans(name, value)
        if self.axes:
            everywhere = _broadcast(name, mask, self.axes, sizes)
            if self.rows and (blocked := ~everywhere.any(axis=-1)).any():
                raise ValueError(
                    f"{name} must leave every query at least one key, but {inputs.first(blocked, 'query')} may attend to "
                    f"none. {_other_sense(everywhere)}"
                )
        return mask


def _broadcast(name, array, axes, sizes):
    """The array in the shape of these axes."""
    shape = tuple(int(axis) if axis.isdigit() else sizes[axis] for axis in axes if axis != "...")
    shape = sizes.get("...", ()) + shape if axes[0] == "..." else shape
    try:
        return np.broadcast_to(np.asarray(array), shape)
    except ValueError:
        wanted = f"({', '.join(axes)}{',' * (len(axes) == 1)}) = {shape}"
        raise ValueError(f"{name} must broadcast to {wanted}, got {array.shape}.") from None


def _other_sense(mask):
    """What is likely wrong with a mask that empties a row."""
    if mask.all(axis=-1).any():  # the opposite would empty a row, too
        return "Softmax over nothing has no answer."
    return "Here True means may attend. In PyTorch's MultiheadAttention it means blocked: if yours does, pass ~mask."

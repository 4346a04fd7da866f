"""Read what an answer gave: as numbers, as a blank, as words."""

import dis
import inspect
import re

import numpy as np

from helpers.attention import Attention
from helpers.checks.watch import is_ours

BLANK = "Not attempted yet: replace the ... by your own lines."
BEGUN = "Not finished yet: there is still a ... (or a None) among the numbers."
NOT_IMPLEMENTED = "Not finished yet: there is still a raise NotImplementedError."
READS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE", "STORE_FAST_LOAD")  # Python 3.13 does two of them at once
WRITES = ("STORE_FAST", "STORE_DEREF")
LONGEST = 250  # letters in a message
MENDED = " Fix that, and your answer is right."
LARGEST = 100_000  # numbers in a result; one with more has a wrong shape, and is not looked into any further


class TooLarge(ValueError):
    """A result has more numbers than any right one."""


class Stop(Exception):
    """Carries a feedback, status and message, out of the middle of a judgement."""

    def __init__(self, message, status="wrong"):
        super().__init__(status, message)


def begun(answer):
    """Whether there is more in a function than a ... in the place of its lines."""
    answer = inspect.unwrap(answer) if callable(answer) else answer
    code = getattr(answer, "__code__", None)
    if code is None:
        return callable(answer)  # an object, or a part of a function: somebody made it
    named = set(code.co_names) - {"NotImplementedError", "NotImplemented"}
    known = {type(None), type(...), str, tuple} if answer.__doc__ else {type(None), type(...), tuple}
    return bool(_has(code, (*READS, *WRITES)) or named or {*map(type, code.co_consts)} - known)


def reads_a_name(answer):
    """Whether a function computes with its arguments, or with other names of its own."""
    code = getattr(answer, "__code__", None)
    return code is not None and _has(code, READS)


def _has(code, operations):
    return any(step.opname.startswith(operations) for step in dis.get_instructions(code))


def held_blank(error):
    """Whether the answer stopped at a ... or with one among its names."""
    trace, names = error.__traceback__, []
    while trace:
        if trace.tb_frame.f_code.co_filename and not is_ours(trace.tb_frame):
            names += trace.tb_frame.f_locals.values()
        trace = trace.tb_next
    return "'ellipsis'" in name_error(error) or any(name is ... or holds_blank(name, [...]) for name in names)


def numbers(result, where, attempted=False, computed=False):
    """A result as an array, or Stop; `attempted`, `computed`: whether there are lines in the answer, and names read in them.

    Raises
    ------
    TooLarge
        Before anything else, as whatever is done with so many numbers takes long.
    """
    if _is_large(result):
        raise TooLarge(_shape(result))
    if isinstance(result, BaseException):
        name = type(result).__name__
        raise Stop(f"{where} returns a {name} as if it were a result: raise {name}(...) stops, return hands it over.")
    if isinstance(result, Attention):
        raise Stop(f"{where} is output, weights and scores in one; the answer is its .output.")
    if computed and holds_blank(result, [None]) and not holds_blank(result, [...]):
        raise Stop(f"{where} holds None where a number is needed: list.append, for instance, gives back nothing.")
    if result is None or result is ... or holds_blank(result):
        raise Stop(BLANK if _is_blank(result) and not attempted else BEGUN, "blank")
    if hasattr(result, "__next__"):
        raise Stop(f"{where} is a generator or a map; numbers in a list or an array are needed.")
    refusal = f"{where} must be numbers in a rectangular array, got {type(result).__name__}."
    try:
        array = np.array(result)  # a copy: an answer may write its next result into the same array
    except Exception:
        raise Stop(refusal) from None
    if array.dtype.kind in "fiub":
        return array
    if array.dtype.kind == "O" and any(part is ... for part in array.flat):
        raise Stop(BEGUN, "blank")
    if array.dtype.kind != "O" or any(isinstance(part, (str, bytes)) for part in array.flat):
        kind = {"U": "str", "S": "bytes", "O": "str"}.get(array.dtype.kind, array.dtype.name)
        raise Stop(f"{where} must be real numbers, got {kind}.")
    try:
        return array.astype(float)  # fractions, for instance
    except Exception:
        raise Stop(refusal) from None


def _is_large(result):
    """Whether there are more than LARGEST numbers, in lists or arrays. It takes no longer to see than these take."""
    left, waiting = LARGEST, [result]
    while waiting and left >= 0:
        part = waiting.pop()
        if isinstance(part, (list, tuple, range)):
            left -= len(part)
            waiting += part if 0 <= left and not isinstance(part, range) else []
        else:
            left -= part.size if isinstance(part, np.ndarray) else 0
    return left < 0


def _shape(result):
    """The shape of an array, or of lists within lists by what is first in them, to their twelfth axis."""
    shape = ()
    while isinstance(result, (list, tuple, range)) and len(result) and len(shape) < 12:
        shape, result = (*shape, len(result)), result[0]
    return shape + result.shape if isinstance(result, np.ndarray) else shape


def _is_blank(result):
    """Nothing but blanks, however deep."""
    if isinstance(result, (list, tuple)):
        return all(map(_is_blank, result))
    return result is ... or result is None


def holds_blank(result, blanks=(..., None)):
    return isinstance(result, (list, tuple)) and any(
        any(part is blank for blank in blanks) or holds_blank(part, blanks) for part in result
    )


def same(got, want, tolerance):
    if want is None or got.shape != want.shape:
        return False
    if got.dtype == np.float16:
        tolerance = max(tolerance, 2e-3)
    got, want = got.astype(float), want.astype(float)
    if not np.isfinite(want).all():
        return bool(np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True))
    return bool((np.abs(got - want) <= tolerance * (1 + np.abs(want))).all())  # the same in a quarter of the time


def short(value):
    if callable(value):
        return getattr(value, "__name__", "a function").strip("_")
    if isinstance(value, dict):
        return "{…}"
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size > 12:
        return f"an array of shape {value.shape}"
    return np.array2string(value, precision=3, separator=", ", suppress_small=True)


def text_of(thing):
    try:
        return str(thing)
    except BaseException:  # something that cannot even say what it is
        return ""


def name_error(error):
    text = text_of(error)
    text = text.rstrip(" .") if len(text) <= 120 else text[:119] + "…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


PYTORCH = {
    "unsqueeze": "np.expand_dims(x, axis), or x[..., None]",
    "masked_fill": "np.where(mask, …, …)",
    "permute": "x.transpose(…), or np.swapaxes(x, -2, -3)",
    "view": "x.reshape(…)",
    "matmul": "x @ y",
    "cat": "np.concatenate",
    "pow": "**",
    "exp": "np.exp(x)",
    "sqrt": "np.sqrt(x)",
    "softmax": "attention.softmax(x)",
    "contiguous": "nothing: leave it out",
}


def error_hint(text):
    if "Tuple must have size 2" in text:
        return "view with a shape is PyTorch's; in NumPy it is x.reshape(…)."
    if "name 'torch'" in text or "name 'F'" in text:
        return "This course computes with NumPy: write np.… in the place of PyTorch's functions."
    method = re.search(r"'numpy.ndarray' object has no attribute '(\w+)'", text)
    if method and method[1] in PYTORCH:
        return f"That is PyTorch's; in NumPy it is {PYTORCH[method[1]]}."
    if "AxisError" in text:
        return "axis=-1 is the last axis, however many there are."
    if "bitwise_xor" in text or "for ^" in text:
        return "To the power of is **, not ^."
    if "RecursionError" in text:
        return "It calls itself without end."
    if "SystemExit" in text:
        return "Leave out exit(): it would end the whole lesson."
    if "StdinNotImplementedError" in text or "EOFError" in text:
        return "Leave out input(): what an answer needs comes as its arguments."
    return ""


def one_line(text):
    """A message in one line; one that is too long loses whole sentences, the words on what is right then first."""
    text = " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", text).split())
    if len(text) > LONGEST:
        text = text.removesuffix(MENDED)
    if len(text) > LONGEST:
        ends = [end.start() for end in re.finditer(r"(?<=[.?!]) (?=[A-Z])", text)] or [len(text)]
        text = text[: max((end for end in ends if end <= LONGEST), default=ends[0])]
    if len(text) > 2 * LONGEST:  # no sentence of ours: an answer's own words have no end
        text = f"{text[: 2 * LONGEST].rpartition(' ')[0] or text[: 2 * LONGEST]} …"
    return text


def words(arguments):
    """The arguments of a call; many numbers give way to their shapes, so that the message has room for the mistake."""
    words = [short(argument) for argument in arguments]
    if sum(map(len, words)) > LONGEST / 2:
        words = [_by_shape(argument) for argument in arguments]
    return "(" + ", ".join(words) + ")"


def _by_shape(argument):
    """An argument in few letters: an array by its shape, a list of arrays or of pairs by how many there are."""
    if isinstance(argument, np.ndarray):
        return f"array {argument.shape}"
    if isinstance(argument, (list, tuple)) and len(short(argument)) > 40:
        return f"{len(argument)} arrays" if isinstance(argument[0], np.ndarray) else f"list of {len(argument)}"
    return short(argument)

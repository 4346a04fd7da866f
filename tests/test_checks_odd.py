"""What is said of a blank, of code that was begun, and of answers that no one expects."""

import functools
import math
import re

import numpy as np
import pytest

from helpers import attention, checks
from helpers.attention import scaled_dot_product_attention
from helpers.checks import EXERCISES
from tests.answers import BY_HAND, assert_plain, printed
from workbench.judging import engine

UNLIKE = ["softmax", "masked_softmax", "is_right", "next_token", "count_operations", "decoder_layer"]


def blank_function(*arguments): ...


def blank_function_that_returns_it(*arguments):
    return ...


def blank_step(*arguments):
    scores = ...
    return scores / 2


def not_implemented(*arguments):
    raise NotImplementedError


BLANK_FUNCTIONS = [blank_function, blank_function_that_returns_it, blank_step, not_implemented]
BLANK_FUNCTIONS += [lambda *arguments: [..., ...], lambda *arguments: (None, [1, None])]
BLANK_NUMBERS = [..., None, [[..., ...], [..., ...]], [[1.0, ..., 0.6, 0.8], [0.7, 0.8, 0.4, 0.8]], (None, None)]


@pytest.mark.parametrize("name", EXERCISES)
def test_check_takes_what_is_not_filled_in_for_blank(name):
    for answer in [..., None, *(BLANK_NUMBERS if name in BY_HAND else BLANK_FUNCTIONS)]:
        feedback = EXERCISES[name](answer)
        assert_plain(feedback)
        assert feedback.status == "blank", feedback.message


def three_lines_of_four(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / math.sqrt(query.shape[-1])  # noqa: F841
    weights = ...
    return weights @ value


def nothing_returned(X, W_query, W_key, W_value):
    scores = X @ W_query @ (X @ W_key).T / math.sqrt(W_query.shape[-1])
    attention.softmax(scores) @ (X @ W_value)


def only_words(X, W_query, W_key, W_value):
    """Self-attention."""


def test_code_that_was_begun_is_not_called_unattempted():
    judge = EXERCISES["self_attention"]
    assert judge(only_words).message.startswith("Not attempted yet")
    assert judge(three_lines_of_four).message.startswith("Not finished yet")
    assert judge(nothing_returned).status == "wrong"
    assert "return" in judge(nothing_returned).message


def test_check_tells_begun_from_not_attempted():
    for name in BY_HAND:
        assert EXERCISES[name]([[..., ...], [..., ...]]).message.startswith("Not attempted yet")
        assert EXERCISES[name]([[1.0, 0.8, 0.6, 0.8], [..., ..., ..., ...]]).message.startswith(
            "Not finished yet: there is still a ..."
        )


@pytest.mark.parametrize("name", ["self_attention", "cross_attention"])
def test_check_knows_the_answer_of_the_helper_that_was_not_opened(name):
    def whole(*arguments):
        tokens, context = arguments[0], arguments[-4]
        W_query, W_key, W_value = arguments[-3:]
        return scaled_dot_product_attention(tokens @ W_query, context @ W_key, context @ W_value)

    feedback = EXERCISES[name](whole)
    assert (
        feedback.status == "wrong"
        and "output, weights and scores in one; the answer is its .output" in feedback.message
    )


# --- a ... in the middle ---------------------------------------------------------------------------------------------


def weights_left_out(X, W_query, W_key, W_value):
    value = X @ W_value
    weights = ...
    return weights @ value


def rows_left_out(image, patch_size):
    rows = []
    for _ in range(4):
        rows.append(...)
    return np.array(rows)


def heads_left_out(x, num_heads):
    x = ...
    return np.swapaxes(x, -2, -3)


def mask_left_out(num_tokens):
    return np.full((num_tokens, num_tokens), ...)


LEFT_OUT = {
    "self_attention": weights_left_out,
    "patchify": rows_left_out,
    "split_heads": heads_left_out,
    "causal_mask": mask_left_out,
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_check_takes_a_blank_in_the_middle_for_one(name):
    feedback = EXERCISES[name](LEFT_OUT[name])
    assert feedback.status == "blank", feedback.message


def test_check_does_not_take_an_error_of_its_own_for_a_blank():
    def index(x, num_heads):
        return x[..., num_heads, 0, 0, 0, 0]  # the ... of an index is no blank

    assert EXERCISES["split_heads"](index).status == "wrong"


def test_check_offers_exercises_of_like_names():
    assert "there are self_attention" in printed("self_atention", None)
    assert len(printed("?", None)) < 260


def test_check_cuts_no_sentence_in_the_middle_of_a_matrix():
    feedback = EXERCISES["decoder_layer"](lambda x, memory, *rest: 1.23456789 * x)
    assert feedback.message.endswith("is right.")


def test_check_calls_text_by_its_name():
    assert "must be real numbers, got str." in EXERCISES["softmax"](lambda scores: ["a", "b"]).message


# --- odd answers ----------------------------------------------------------------------------------------------------


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Prickly:
    """Raises whatever is asked of it."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no array")

    def __repr__(self):
        raise RuntimeError("no words")

    def __bool__(self):
        raise RuntimeError("no truth")

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    def __len__(self):
        raise RuntimeError("no length")

    def __getattr__(self, name):
        raise RuntimeError("no attribute")

    __hash__ = None


def raising(error):
    def answer(*arguments):
        raise error

    return answer


def endless(*arguments):
    return endless(*arguments)


def closes_the_output(*arguments):
    import sys

    sys.stdout.close()
    return 1


def divides_by_zero(*arguments):
    return 1 / 0


LONG = type("A" * 400, (), {})
SELF = []
SELF.append(SELF)
ODD_ANSWERS = {
    "crash": divides_by_zero,
    "SystemExit": raising(SystemExit(3)),
    "GeneratorExit": raising(GeneratorExit()),
    "RecursionError": endless,
    "MemoryError": lambda *arguments: np.zeros(2**62),
    "error without words": raising(Unspeakable()),
    "error of many lines": raising(ValueError("first\nsecond\r\nthird\u2028fourth " + "x" * 999)),
    "error with an address": raising(ValueError(f"bad {object()!r}")),
    "no parameters": lambda: 1,
    "too many parameters": lambda a, b, c, d, e, f, g: a,
    "keyword only": lambda *, scores: scores,
    "default with an address": lambda a=blank_function, *, b: a,
    "string": lambda *arguments: "0.5",
    "bytes": lambda *arguments: b"12",
    "dict": lambda *arguments: {"a": 1},
    "set": lambda *arguments: {1, 2},
    "generator": lambda *arguments: (x for x in arguments),
    "itself": lambda *arguments: divides_by_zero,
    "ragged": lambda *arguments: [[1, 2], [3]],
    "lists within themselves": lambda *arguments: SELF,
    "object array": lambda *arguments: np.array([object(), 1]),
    "array with None": lambda *arguments: np.array([None, 1.0]),
    "dates": lambda *arguments: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "empty": lambda *arguments: [],
    "NaN": lambda *arguments: np.nan * np.ones((3, 4)),
    "infinity": lambda *arguments: math.inf,
    "prickly object": lambda *arguments: Prickly(),
    "prickly list": lambda *arguments: [Prickly()],
    "long name": lambda *arguments: LONG(),
    "closes the output": closes_the_output,
    "a class": LONG,
    "a number": 3,
    "an array": np.ones((2, 3)),
    "words": "softmax",
    "a module": checks,
    "a prickly object": Prickly(),
    "a list in itself": SELF,
    "scores themselves": lambda *arguments: arguments[0],
}


@functools.cache
def printed_of_odd(name, key):
    return printed(name, ODD_ANSWERS[key])


@pytest.mark.parametrize("name", [*UNLIKE, *BY_HAND])
@pytest.mark.parametrize("key", ODD_ANSWERS)
def test_check_never_raises_and_prints_one_line(name, key):
    line = printed_of_odd(name, key)
    assert line.startswith("✗ ") and line.count("\n") == 1 and line.endswith("\n")
    assert len(line.splitlines()) == 1 and len(line) < 2 * engine.LONGEST + 5
    assert not re.search(r"0x[0-9a-fA-F]{4}", line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Short. And\n so on", "Short. And so on"),
        (f"Two {'a ' * 100}. Three {'b ' * 30}. End.", f"Two {'a ' * 100}."),
        (f"One sentence {'a ' * 150}. Another.", f"One sentence {'a ' * 150}."),
        ("a" * 600, f"{'a' * 500} …"),
    ],
)
def test_long_message_loses_whole_sentences(text, line):
    assert engine.one_line(text) == line


@pytest.mark.parametrize("name", UNLIKE)
@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("crash", r"stopped with ZeroDivisionError: division by zero\. |ZeroDivisionError: division by zero\.$"),
        ("SystemExit", r"SystemExit: 3.* Leave out exit"),
        ("RecursionError", r"RecursionError.*calls itself without end"),
        ("no parameters", r"is called with \d arguments?, but yours takes nothing"),
        ("too many parameters", r"but yours takes a, b, c, d, e, f"),
        ("dict", r"must be numbers in a rectangular array, got dict"),
        ("ragged", r"rectangular array, got list"),
        ("generator", r"generator"),
        ("itself", r"got function"),
        ("a number", r"must be a function, got int\. Hand over its name only"),
        ("an array", r"must be a function, got ndarray"),
    ],
)
def test_check_says_what_an_odd_answer_did(name, key, told):
    message = printed_of_odd(name, key).strip()
    assert re.search(told, message), message


def test_check_of_an_unknown_name_lists_the_exercises_in_one_line():
    for name in [None, 3, "", "Softmax", "soft max", ["softmax"], {}, Prickly(), math.nan, "\x1b\n"]:
        line = printed(name, lambda scores: scores)
        assert line.startswith("✗ There is no exercise of that name") and line.count("\n") == 1
        assert len(line) < 262 and "softmax" in line

"""What a docstring says of an argument is what is asked of it: every argument, broken in every way, is refused by its name."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers import attention
from helpers.support.documented import _Array, _Mask, _Number, _Other, declared
from tests.good_calls import CALLS
from tests.test_bad_input import call_of, function_of, is_declared

DECLARED = [name for name in CALLS if is_declared(name)]


def asks(name, kind):
    """(parameter, what is asked of it, a good value) of the arguments of a kind."""
    asked = declared(function_of(name)).asks
    return [(each, ask, CALLS[name][each]) for each, ask in asks_of(asked, kind) if CALLS[name].get(each) is not None]


def asks_of(asked, kind):
    return [(each, ask) for each, ask in asked if isinstance(ask, kind)]


def spoiled(value, number):
    """The same numbers, the first of them another."""
    array = np.array(value, float)
    return np.where(np.arange(array.size).reshape(array.shape) == 0, number, array)


def broken_arrays(ask, value):
    yield from ("word", [[1.0], [1.0, 2.0]], {"x": 1}, np.ones(np.shape(value), complex))
    if not ask.whole:
        yield from (spoiled(value, number) for number in (math.nan, math.inf))
    if ask.forms[0] and np.ndim(value):
        scalar = ask.batched and not ask.single and not ask.spread
        yield np.float64(1) if scalar else np.ones((2, 3, 5, 7)) if not ask.batched or ask.spread else np.ones((0, 3))
        yield np.array(value)[..., :0]


def broken_numbers(ask):
    yield from ("word", [1.0], math.nan, math.inf, 1j, None.__class__)
    if ask.whole:
        yield 0.5
    yield from (
        limit - 1 for words, limit in ask.limits if words in ("at least", "above") and not isinstance(limit, str)
    )
    yield from (
        limit + 1 for words, limit in ask.limits if words in ("at most", "below") and not isinstance(limit, str)
    )


def broken(name):
    """(parameter, a value that it must not have)."""
    for parameter, ask, value in asks(name, _Array):
        yield from ((parameter, bad) for bad in broken_arrays(ask, value))
    for parameter, ask, _ in asks(name, _Number):
        yield from ((parameter, bad) for bad in broken_numbers(ask))
    for parameter, ask, value in asks(name, _Mask):
        yield from ((parameter, bad) for bad in ("word", 0.5, np.asarray(value, float)))
        if ask.axes:
            yield parameter, np.ones((2, 3, 5, 7), bool)
    for parameter, _, _ in asks(name, _Other):
        yield from ((parameter, bad) for bad in (0.5, [1], math.nan))


@pytest.mark.parametrize("name", DECLARED)
def test_whatever_is_broken_is_refused_by_its_name(name):
    for parameter, bad in broken(name):
        with pytest.raises((ValueError, TypeError), match=rf"\b{parameter}\b") as caught:
            call_of(name, {parameter: bad})()
        assert str(caught.value).endswith((".", "?")), (parameter, bad)


@pytest.mark.parametrize("name", DECLARED)
def test_axes_of_one_name_must_have_one_size(name):
    """The last axis of each array one longer: where another has an axis of that name, the message compares them."""
    own = [
        (each, ask, value)
        for each, ask, value in asks(name, _Array)
        if ask.forms[0] and np.ndim(value) and not ask.spread
    ]
    axes = [axis for _, ask, _ in own for axis in ask.forms[0]]
    for parameter, ask, value in own:
        if ask.own[0] and axes.count(ask.forms[0][-1]) > 1:
            longer = np.concatenate([value, np.asarray(value)[..., :1]], axis=-1)
            with pytest.raises(ValueError, match=r"\w+ must have shape \(.*\).*, got \("):
                call_of(name, {parameter: longer})()


X, KEYS, INF = np.ones((3, 7)), np.ones((5, 7)), math.inf
SAID = {
    "another width": (lambda: attention.scaled_dot_product_attention(X, KEYS[:, :4], KEYS), "key must have shape (..., num_keys, d_k), with d_k = 7 as in query (3, 7), got (5, 4)."),
    "one token": (lambda: attention.scaled_dot_product_attention(X[0], KEYS, KEYS), "query must have shape (..., num_queries, d_k), got (7,). A single vector becomes one row by np.atleast_2d(query)."),
    "heads": (lambda: attention.split_heads(X, 3), "x must have shape (..., num_tokens, num_heads * d_head), with num_heads = 3, got (3, 7)."),
    "no token": (lambda: attention.merge_heads(np.ones((2, 0, 7))), "x must have shape (..., num_heads, num_tokens, d_head), none of them 0, got (2, 0, 7)."),
    "batches": (lambda: attention.scaled_dot_product_attention(np.ones((2, 3, 7)), np.ones((4, 5, 7)), KEYS), "key must have batch axes that broadcast with those of query (2, 3, 7), got (4, 5, 7)."),
    "mask": (lambda: attention.scaled_dot_product_attention(X, KEYS, KEYS, mask=np.ones((5, 3), bool)), "mask must broadcast to (..., num_queries, num_keys) = (3, 5), got (5, 3)."),
    "number": (lambda: attention.softmax([0, 1], base=1), "base must be above 1, got 1."),
    "another argument": (lambda: attention.causal_mask(3, 2), "num_keys must be at least num_queries = 3, got 2."),
    "an entry": (lambda: attention.padding_mask([1, 6], 5), "lengths must be at most num_keys = 5, got 6."),
    "NaN": (lambda: attention.softmax([0, math.nan, math.nan]), "scores must not hold NaN (not a number), got 2 of 3 entries (the first at index [1])."),
    "infinity": (lambda: attention.softmax([[0, 1], [0, INF]]), "scores must be finite or -inf, got +inf in 1 of 4 entries (the first at index [1, 1])."),
    "too large": (lambda: attention.scaled_dot_product_attention(*[np.full((2, 2), 1e308)] * 3), "scaled_dot_product_attention must stay finite, but its numbers are too large for float64."),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_it_is_said_in_one_form(case):
    call, told = SAID[case]
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == told


def test_what_python_refuses_it_refuses_itself():
    with pytest.raises(TypeError, match="takes 3 positional arguments but 4 were given"):
        attention.scaled_dot_product_attention(X, X, X, np.ones((3, 3), bool))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'value'"):
        attention.scaled_dot_product_attention(X, X)
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'num_heads'"):
        attention.multi_head_attention(X, X.T, X.T, X.T, X)
    with pytest.raises(TypeError, match="multiple values for argument 'scores'"):
        attention.softmax(X, scores=X)


def test_half_precision_is_summed_in_32_bits_and_given_back_in_16():
    query = np.ones((3, 7), np.float16)
    found = attention.scaled_dot_product_attention(query, query, query)
    assert {x.dtype for x in found} == {np.dtype(np.float16)}
    assert attention.scaled_dot_product_attention(query, query, X).output.dtype == np.float64


UNGUARDED = """
import numpy as np
from helpers import attention, layers
rng = np.random.default_rng(0)
x, layer = rng.normal(size=(5, 6)), layers.random_layer(rng, 6, 2, 24)
print(attention.softmax.__doc__, layers.encoder_layer(x, layer, num_heads=2, mask=attention.causal_mask(5)).sum().round(9))
print(attention.softmax(np.array([0.0, np.nan])))
"""


def test_without_docstrings_functions_run_unguarded_and_right():
    def told(*switches):
        command = [sys.executable, *switches, "-c", UNGUARDED]
        done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
        return done.stdout.splitlines(), done.stderr

    (said, weights), _ = told("-OO")
    guarded, error = told()
    assert said.startswith("None ") and said.split()[-1] == guarded[-1].split()[-1] and weights == "[nan nan]"
    assert "scores must not hold NaN" in error

"""Layer norm, feed-forward and layers against slow loops, `math.erf` and finite differences; and what is said of wrong input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attention import causal_mask, multi_head_attention
from helpers.layers import decoder_layer, encoder_layer, feed_forward, gelu, gelu_tanh, layer_norm, random_layer, relu

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
BATCH, TOKENS, SOURCE, HEADS, D_HEAD, D_FF = 2, 3, 5, 7, 2, 11
D_MODEL = HEADS * D_HEAD


def example(decoder=False, batches=()):
    """Tokens, memory, and parameters in which no bias is 0 and no gain is 1."""
    rng = np.random.default_rng(3)
    parameters = random_layer(rng, D_MODEL, HEADS, D_FF, decoder=decoder)
    for part in parameters.values():
        for name in part:
            part[name] = part[name] + 0.3 * rng.normal(size=part[name].shape)
            part[name].flags.writeable = False
    return rng.normal(size=(*batches, TOKENS, D_MODEL)), rng.normal(size=(*batches, SOURCE, D_MODEL)), parameters


# --- layer_norm ------------------------------------------------------------------------------------------------------


def slow_norm(row, gain, bias, epsilon):
    mean = math.fsum(row) / len(row)
    variance = math.fsum((x - mean) ** 2 for x in row) / len(row)
    return [g * (x - mean) / math.sqrt(variance + epsilon) + b for x, g, b in zip(row, gain, bias, strict=True)]


def test_layer_norm_of_1_2_3_divides_by_n():
    np.testing.assert_allclose(layer_norm([1, 2, 3], epsilon=0), [-math.sqrt(1.5), 0, math.sqrt(1.5)], rtol=1e-15)
    np.testing.assert_allclose(layer_norm([1, 2, 3]), [-1.2247, 0, 1.2247], atol=5e-5)


def test_layer_norm_with_gain_bias_and_epsilon_by_hand():
    # mean 2, variance 2; 2 + 2 = 4, whose root is 2
    found = layer_norm([0.0, 2.0, 2.0, 4.0], gain=[1, 2, 3, 4], bias=[0, 1, 0, -1], epsilon=2.0)
    np.testing.assert_allclose(found, [-1, 1, 0, 3], rtol=1e-15)


@quick
@given(st.integers(0, 9), st.integers(1, 13), st.floats(1e-6, 10.0))
def test_layer_norm_equals_slow_loops(seed, width, epsilon):
    rng = np.random.default_rng(seed)
    x, gain, bias = rng.normal(size=(2, 3, width)), rng.normal(size=width), rng.normal(size=width)
    want = [[slow_norm(row, gain, bias, epsilon) for row in rows] for rows in x]
    np.testing.assert_allclose(layer_norm(x, gain, bias, epsilon), want, rtol=1e-9, atol=1e-9)


def test_layer_norm_of_equal_features_is_the_bias():
    np.testing.assert_array_equal(layer_norm([[2.0, 2.0, 2.0]], bias=[1, 2, 3]), [[1, 2, 3]])


@pytest.mark.parametrize(("dtype", "smallest"), [(np.float32, 2**-62), (np.float64, 2.0**-510)])
def test_layer_norm_without_epsilon_is_right_wherever_it_gives_an_answer(dtype, smallest):
    x = np.array([1, -1, 3], dtype)
    want = layer_norm(x, epsilon=0)
    for size in (smallest, 1, 1 / smallest):
        np.testing.assert_array_equal(layer_norm(dtype(size) * x, epsilon=0), want)


# --- relu and gelu ---------------------------------------------------------------------------------------------------


def test_relu_keeps_what_is_positive():
    assert relu([[-2, 0], [3, -0.5]]).tolist() == [[0, 0], [3, 0]]


def test_gelu_equals_erf_of_math():
    x = np.concatenate([np.linspace(-40, 40, 4001), [0.0, -0.0, 1e-300, 1e300, -1e300]])
    want = np.array([0.5 * each * math.erfc(-each / math.sqrt(2)) for each in x])
    np.testing.assert_allclose(gelu(x), want, rtol=1e-12, atol=1e-30)
    np.testing.assert_allclose(gelu(x), 0.5 * x * (1 + np.array([math.erf(e / math.sqrt(2)) for e in x])), atol=1e-12)


def test_gelu_tanh_is_its_formula_and_never_far_from_gelu():
    x = np.concatenate([np.linspace(-40, 40, 4001), [1e150, -1e150]])
    want = [
        each / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (each + 0.044715 * min(max(each, -99), 99) ** 3)))
        for each in x
    ]
    np.testing.assert_allclose(gelu_tanh(x), want, rtol=1e-12, atol=1e-14)
    assert 4e-4 < np.abs(gelu_tanh(x) - gelu(x)).max() < 5e-4


# --- feed_forward ----------------------------------------------------------------------------------------------------


def network():
    rng = np.random.default_rng(1)
    return [rng.normal(size=shape) for shape in ((2, 3, 5), (5, 7), (7,), (7, 5), (5,))]


@pytest.mark.parametrize(
    ("activation", "bend"), [(relu, lambda h: max(h, 0)), (gelu, lambda h: h * (1 + math.erf(h / 2**0.5)) / 2)]
)
def test_feed_forward_equals_slow_loops(activation, bend):
    x, W_in, b_in, W_out, b_out = network()
    want = np.empty_like(x)
    for place in np.ndindex(2, 3):
        hidden = [bend(sum(x[place][i] * W_in[i, k] for i in range(5)) + b_in[k]) for k in range(7)]
        want[place] = [sum(hidden[k] * W_out[k, j] for k in range(7)) + b_out[j] for j in range(5)]
    np.testing.assert_allclose(feed_forward(x, W_in, b_in, W_out, b_out, activation), want, atol=1e-12)


# --- layers ----------------------------------------------------------------------------------------------------------


def slow_layer(x, memory, parameters, norm, masks):
    """Step by step, each written out."""

    def normed(x, name):
        part = parameters[f"{name}_norm"]
        return np.array([slow_norm(row, part["gain"], part["bias"], 1e-5) for row in x])

    for name in ("self_attention", "cross_attention", "feed_forward"):
        if name not in parameters:
            continue
        asks = normed(x, name) if norm == "pre" else x
        part = parameters[name]
        if name == "feed_forward":
            change = np.maximum(asks @ part["W_in"] + part["b_in"], 0) @ part["W_out"] + part["b_out"]
        else:
            context = memory if name == "cross_attention" else asks
            q, k, v = (
                tokens @ part[f"W_{role}"] + part[f"b_{role}"]
                for tokens, role in ((asks, "query"), (context, "key"), (context, "value"))
            )
            heads = []
            for h in range(HEADS):
                own = slice(h * D_HEAD, (h + 1) * D_HEAD)
                powers = np.exp(q[:, own] @ k[:, own].T / math.sqrt(D_HEAD)) * masks[name]
                heads.append(powers / powers.sum(axis=1, keepdims=True) @ v[:, own])
            change = np.hstack(heads) @ part["W_output"] + part["b_output"]
        x = x + change if norm == "pre" else normed(x + change, name)
    return x


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder_layer_equals_slow_steps(norm):
    x, _, parameters = example()
    mask = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], dtype=bool)
    found = encoder_layer(x, parameters, num_heads=HEADS, norm=norm, mask=mask)
    np.testing.assert_allclose(found, slow_layer(x, None, parameters, norm, {"self_attention": mask}), atol=1e-12)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_decoder_layer_equals_slow_steps(norm):
    x, memory, parameters = example(decoder=True)
    memory_mask = np.tri(TOKENS, SOURCE, 1, dtype=bool)
    masks = {"self_attention": causal_mask(TOKENS), "cross_attention": memory_mask}
    found = decoder_layer(
        x, memory, parameters, num_heads=HEADS, norm=norm, mask=causal_mask(TOKENS), memory_mask=memory_mask
    )
    np.testing.assert_allclose(found, slow_layer(x, memory, parameters, norm, masks), atol=1e-12)


def test_layers_return_what_attention_did():
    x, memory, parameters = example(decoder=True)
    output, seen = decoder_layer(x, memory, parameters, num_heads=HEADS, with_attention=True)
    np.testing.assert_array_equal(output, decoder_layer(x, memory, parameters, num_heads=HEADS))
    want = multi_head_attention(x, **parameters["self_attention"], num_heads=HEADS)
    np.testing.assert_array_equal(seen["self_attention"].weights, want.weights)
    assert seen["cross_attention"].weights.shape == (HEADS, TOKENS, SOURCE)


def test_layers_without_biases_gains_and_with_another_activation_and_epsilon():
    x, _, parameters = example()
    bare = {
        "self_attention": {name: W for name, W in parameters["self_attention"].items() if name.startswith("W")},
        "self_attention_norm": {},
        "feed_forward": parameters["feed_forward"],
        "feed_forward_norm": {},
    }
    x1 = layer_norm(x + multi_head_attention(x, **bare["self_attention"], num_heads=HEADS).output, epsilon=0.5)
    want = layer_norm(x1 + feed_forward(x1, **bare["feed_forward"], activation=gelu), epsilon=0.5)
    np.testing.assert_array_equal(encoder_layer(x, bare, num_heads=HEADS, activation=gelu, epsilon=0.5), want)


def test_random_layer_keeps_the_size_of_sums_and_starts_neutral():
    layer = random_layer(np.random.default_rng(0), 300, 3, 1200, decoder=True)
    assert np.std(layer["feed_forward"]["W_out"]) == pytest.approx(1200**-0.5, rel=0.01)
    assert np.std(layer["cross_attention"]["W_key"]) == pytest.approx(300**-0.5, rel=0.01)
    assert not layer["self_attention"]["b_query"].any() and (layer["cross_attention_norm"]["gain"] == 1).all()
    assert list(random_layer(np.random.default_rng(0), 4, 2, 8)) == [
        *("self_attention", "self_attention_norm", "feed_forward", "feed_forward_norm")
    ]


# --- what is refused in words of its own -----------------------------------------------------------------------------------------------------

LAYER = random_layer(np.random.default_rng(0), 4, 2, 6)
X = np.ones((3, 4))


def with_width(part, last, bias, columns):
    rows = len(LAYER[part][last])
    return LAYER | {part: LAYER[part] | {last: np.ones((rows, columns)), bias: np.zeros(columns)}}


def network_of(activation):
    return feed_forward(X, **LAYER["feed_forward"], activation=activation)


WRONG = {
    "0/0": (lambda: layer_norm([[1, 2], [3, 3]], epsilon=0), ValueError, "epsilon must be greater than 0 where all features of a token are equal, as in x[1], got 0. There is no spread to divide by."),
    "0/0, rounded": (lambda: layer_norm([0.1, 0.1, 0.1], epsilon=0), ValueError, "epsilon must be greater than 0 where all features of a token are equal, as in x, got 0. There is no spread to divide by."),
    "0/0 alone": (lambda: layer_norm([3, 3], epsilon=0), ValueError, "epsilon must be greater than 0 where all features of a token are equal, as in x, got 0. There is no spread to divide by."),
    "no dict": (lambda: encoder_layer(X, [LAYER], num_heads=2), TypeError, "parameters must be a dict with self_attention, self_attention_norm, feed_forward, feed_forward_norm, got list."),
    "encoder for decoder": (lambda: decoder_layer(X, X, LAYER, num_heads=2), ValueError, "parameters must hold self_attention, self_attention_norm, cross_attention, cross_attention_norm, feed_forward, feed_forward_norm; missing: cross_attention, cross_attention_norm."),
    "misspelt": (lambda: encoder_layer(X, LAYER | {"feed_forward_norm": {"gane": 1}}, num_heads=2), ValueError, "parameters['feed_forward_norm'] must hold gain, bias; unknown: gane."),
    "missing matrix": (lambda: encoder_layer(X, LAYER | {"feed_forward": {}}, num_heads=2), ValueError, "parameters['feed_forward'] must hold W_in, b_in, W_out, b_out; missing: W_in, b_in, W_out, b_out."),
    "W_output of another width": (lambda: encoder_layer(X, with_width("self_attention", "W_output", "b_output", 3), num_heads=2), ValueError, "W_output of self_attention must have as many columns as x is wide, because its result is added to x, got 3 columns and x (3, 4)."),
    "W_out of one column": (lambda: encoder_layer(X, with_width("feed_forward", "W_out", "b_out", 1), num_heads=2, norm="pre"), ValueError, "W_out of feed_forward must have as many columns as x is wide, because its result is added to x, got 1 columns and x (3, 4)."),
    "activation that cuts": (lambda: network_of(lambda hidden: hidden[:1]), ValueError, "activation must bend each number by itself…"),
    "activation of nothing": (lambda: network_of(lambda hidden: None), ValueError, "activation must bend each number by itself, but it made NoneType…"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_layers_say_what_is_wrong(case):
    call, error, told = WRONG[case]
    with pytest.raises(error, match="^" + re.escape(told.removesuffix("…"))):
        call()

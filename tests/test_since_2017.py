"""Few keys, gates, experts and YaRN: numbers from paper, loops, and PyTorch where it has them."""

import math
import tracemalloc

import numpy as np
import pytest

from helpers.attention import causal_mask, scaled_dot_product_attention, softmax
from helpers.positions import rotate, turn
from helpers.since_2017 import sparse
from helpers.since_2017.experts import route, silu, swiglu
from helpers.since_2017.gates import gated_attention, sigmoid
from helpers.since_2017.softmax_variants import softmax_with_sink
from helpers.since_2017.sparse import best_mask, heard_through
from helpers.since_2017.yarn import llama3_speeds, turns_in_training, yarn_sharpness, yarn_speeds
from helpers.variants import window_mask

RNG = np.random.default_rng(7)


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")


# --- few keys --------------------------------------------------------------------------------------------------------


def test_the_best_two_of_five_share_the_weight():
    index = np.array([[3.0, 1.0, 0.0, 2.0, 1.0]])
    mask = best_mask(index, 2)
    assert mask.astype(int).tolist() == [[1, 0, 0, 1, 0]]
    scores = np.array([[1.0, 0.0, 2.0, 0.0, 1.0]])
    np.testing.assert_allclose(softmax(np.where(mask, scores, -np.inf), base=3), [[3 / 4, 0, 0, 1 / 4, 0]])


@pytest.mark.parametrize("k", [1, 3, 9])
def test_best_mask_is_topk_among_what_may_be_seen(torch, k):
    scores = RNG.normal(size=(2, 6, 6))
    found = best_mask(scores, k, causal_mask(6))
    for index in np.ndindex(2, 6):
        seen = scores[index][: index[1] + 1]
        best = torch.topk(torch.tensor(seen), min(k, len(seen))).indices
        assert set(np.flatnonzero(found[index])) == set(best.tolist())
    assert best_mask([[1.0, 1.0, 1.0]], 2).tolist() == [[True, True, False]]  # of equal ones the first


def best_at_once(scores, k, allowed):
    """The same in one piece: the order of all keys of all queries."""
    order = np.argsort(np.where(allowed, -scores, np.inf), axis=-1, kind="stable")
    best = np.zeros(scores.shape, bool)
    np.put_along_axis(best, order[..., :k], True, axis=-1)
    return best & allowed


@pytest.mark.parametrize("at_once", [1, 60, 2**18])
@pytest.mark.parametrize("shape", [(13, 13), (1, 7), (2, 3, 11, 11), (5, 3, 17)])
def test_best_mask_in_blocks_is_that_in_one_piece(monkeypatch, shape, at_once):
    monkeypatch.setattr(sparse, "AT_ONCE", at_once)
    scores = RNG.integers(-3, 3, size=shape).astype(float)  # many are equal
    random = RNG.random(shape) < 0.6
    for k in (1, 2, 5, 99):
        for allowed in (np.ones(shape, bool), random, random[..., :1, :], np.tri(*shape[-2:], dtype=bool)):
            np.testing.assert_array_equal(best_mask(scores, k, allowed), best_at_once(scores, k, allowed))
        np.testing.assert_array_equal(best_mask(scores, k), best_at_once(scores, k, np.ones(shape, bool)))


def test_best_mask_takes_little_more_memory_than_its_answer():
    scores = RNG.normal(size=(1024, 1024))
    best_mask(scores[:2], 3)
    tracemalloc.start()
    mask = best_mask(scores, 64, np.tri(1024, dtype=bool))
    top = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert mask.nbytes == 2**20 and top < 12 * 2**20  # in one piece it takes 16 times the answer, at any size


def reached(masks, steps=1e-3):
    """Which tokens change which output, tried: one token is moved, and all layers are computed again."""
    x = RNG.normal(size=(len(masks[0]), 3))

    def stack(x):
        for mask in masks:
            x = (x + scaled_dot_product_attention(x, x, x, mask=mask).output) / 2
        return x

    moved = [
        np.abs(stack(x + steps * (np.arange(len(x)) == j)[:, None]) - stack(x)).max(axis=-1) for j in range(len(x))
    ]
    return np.array(moved).T > 1e-12


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("window", [1, 2, 3])
def test_windows_reach_layers_times_window_less_one_back(layers, window):
    masks = [window_mask(9, window=window)] * layers
    heard = heard_through(masks)
    np.testing.assert_array_equal(heard, window_mask(9, window=min(9, layers * (window - 1) + 1)))
    np.testing.assert_array_equal(heard, reached(masks))


def test_one_whole_layer_reaches_everything():
    window, whole = window_mask(9, window=2), causal_mask(9)
    for place in range(3):
        masks = [whole if layer == place else window for layer in range(3)]
        np.testing.assert_array_equal(heard_through(masks), whole)
        np.testing.assert_array_equal(reached(masks), whole)


# --- gates and experts -----------------------------------------------------------------------------------------------


def test_gate_and_activation_are_those_of_torch_without_overflow(torch):
    x = np.array([-1000.0, -3, -0.1, 0, 2, 1000])
    np.testing.assert_allclose(sigmoid(x), torch.sigmoid(torch.tensor(x)), atol=1e-15)
    np.testing.assert_allclose(silu(x), torch.nn.functional.silu(torch.tensor(x)), atol=1e-15)


def test_a_gate_is_a_softmax_beside_a_sink_and_a_sink_is_a_gate_on_the_row():
    scores, value, sink = RNG.normal(size=(3, 5)), RNG.normal(size=(5, 2)), 0.7
    assert sigmoid(1.3) == pytest.approx(softmax_with_sink([1.3]).item())
    total = np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    by_sink = softmax_with_sink(scores, sink) @ value
    query, key = scores, np.eye(5)
    np.testing.assert_allclose(gated_attention(query, key, value, total - sink, scale=1).output, by_sink)
    by_number = gated_attention(query, key, value, gate := RNG.normal(size=(3, 2)), scale=1)
    np.testing.assert_allclose(by_number.output, softmax(scores) @ value / (1 + np.exp(-gate)))


def test_differential_attention_of_the_footnote():
    two_maps = softmax([0, 0, 1, 0], base=3) - 0.5 * softmax([0, 0, 0, 0])
    np.testing.assert_allclose(24 * two_maps, [1, 1, 9, 1])
    assert two_maps.sum() == pytest.approx(1 / 2) and two_maps[2] / two_maps.sum() == pytest.approx(3 / 4)


def test_swiglu_is_three_linear_layers_of_torch(torch):
    x, W_gate, W_up, W_down = (RNG.normal(size=size) for size in ((3, 4), (4, 7), (4, 7), (7, 4)))
    theirs = (
        torch.nn.functional.silu(torch.tensor(x) @ torch.tensor(W_gate)) * (torch.tensor(x) @ torch.tensor(W_up))
    ) @ torch.tensor(W_down)
    np.testing.assert_allclose(swiglu(x, W_gate, W_up, W_down), theirs.numpy(), atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_routes_are_topk_and_softmax_of_torch(torch, k):
    x, W_router = RNG.normal(size=(6, 3)), RNG.normal(size=(3, 4))
    logits, best = torch.topk(torch.tensor(x @ W_router), k)
    chosen, shares = route(x, W_router, k)
    np.testing.assert_allclose(np.take_along_axis(shares, best.numpy(), -1), torch.softmax(logits, dim=-1))
    assert (chosen == (shares > 0)).all() and (chosen.sum(axis=-1) == k).all()


# --- YaRN ------------------------------------------------------------------------------------------------------------


def test_yarn_keeps_fast_pairs_and_squeezes_slow_ones():
    plain = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    turns, speeds = turns_in_training(64, 4096), yarn_speeds(64, factor=4, num_positions=4096)
    fast, slow = (sum(r >= bound for r in turns) for bound in (32, 1))  # pairs that went round so often
    for i, (r, theta, found) in enumerate(zip(turns, plain, speeds)):
        assert r == pytest.approx(4096 / (2 * math.pi / theta))
        along = (i - (fast - 1)) / (slow - (fast - 1))  # evenly, from the last fast pair to the first slow one
        g = min(1.0, max(0.0, 1 - along))
        assert found == pytest.approx((1 - g) * theta / 4 + g * theta)
    assert (speeds[:fast] == plain[:fast]).all() and np.allclose(speeds[slow:], plain[slow:] / 4)
    assert np.isclose(yarn_sharpness(4), 1.1386, atol=1e-4)
    x = RNG.normal(size=(5, 64))
    same = turn(x, np.arange(5)[:, None] * yarn_speeds(64, factor=1, num_positions=4096))
    np.testing.assert_allclose(same, rotate(x), atol=1e-12)


def test_llama_3_1_shares_by_turns():
    plain = 500_000.0 ** (-np.arange(0, 128, 2) / 128)
    for r, theta, found in zip(turns_in_training(128, 8192, 500_000.0), plain, llama3_speeds(128)):
        g = min(1.0, max(0.0, (r - 1) / (4 - 1)))
        assert found == pytest.approx((1 - g) * theta / 8 + g * theta)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: heard_through([np.ones((2, 3), bool)]), "masks must be square and of one size"),
        (lambda: yarn_speeds(3, factor=2, num_positions=4), "width must be even, got 3"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()

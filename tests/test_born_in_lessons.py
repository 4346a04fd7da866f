"""Functions that a lesson writes out compute what the helpers compute, on shapes whose sizes all differ."""

import contextlib
import functools
import io
import json
import math

import numpy as np
import pytest

from helpers import (
    attention,
    costs,
    language_model,
    layers,
    patches,
    positions,
    transformer,
    variants,
)
from helpers.learning import training
from helpers.since_2017 import softmax_variants
from rooms.hunt_the_bugs import specimens
from rooms.learn_to_look import letters
from rooms.shared import examples
from tests.notebooks import function_of, lessons

RNG = np.random.default_rng(7)


@pytest.mark.parametrize(("num_keys", "d_k"), [(7, 3), (1, 5), (4, 2)])
def test_a_hard_select_is_a_very_cold_softmax(num_keys, d_k):
    rng = np.random.default_rng(1)
    query, keys, values = rng.normal(size=d_k), rng.normal(size=(num_keys, d_k)), rng.normal(size=num_keys)
    cold = attention.softmax(1000 * (keys @ query)) @ values
    np.testing.assert_allclose(function_of("ask_for_a_b", "hard_select")(query, keys, values), cold, rtol=1e-12)


@pytest.mark.parametrize(("num_keys", "d_k", "d_v"), [(7, 5, 3), (1, 2, 4), (4, 2, 2)])
def test_one_query_attends_as_the_helper_lets_many(num_keys, d_k, d_v):
    rng = np.random.default_rng(2)
    query, keys, values = rng.normal(size=d_k), rng.normal(size=(num_keys, d_k)), rng.normal(size=(num_keys, d_v))
    helper = attention.scaled_dot_product_attention(query[None, :], keys, values, scale=1)
    attend = function_of("ask_for_a_b", "attend_with_one_query")
    np.testing.assert_allclose(attend(query, keys, values), helper.output[0], rtol=1e-12)
    for scores in (keys @ query, 1000 * (keys @ query)):
        np.testing.assert_allclose(
            function_of("ask_for_a_b", "softmax_of_one_row")(scores), attention.softmax(scores), rtol=1e-12
        )
    np.testing.assert_allclose(
        function_of("ask_for_a_b", "softmax_unsafe")(keys @ query), attention.softmax(keys @ query), rtol=1e-12
    )


@pytest.mark.parametrize(("shape", "size"), [((4, 4), 2), ((6, 9), 3), ((10, 4, 3), 2)])
def test_cut_patches_are_those_of_the_helper(shape, size):
    image = np.random.default_rng(15).normal(size=shape)
    np.testing.assert_array_equal(
        function_of("see_patches_as_tokens", "cut_into_patches")(image, size), patches.patchify(image, size)
    )


@pytest.mark.parametrize(("num_tokens", "d_model"), [(3, 2), (5, 7), (11, 4)])
def test_counted_cost_is_that_of_the_helper(num_tokens, d_model):
    mine, helper = (
        function_of("count_the_cost", "count_attention")(num_tokens, d_model),
        costs.count_attention(num_tokens, d_model),
    )
    assert {step: tuple(count) for step, count in mine.items()} == helper


def test_the_architecture_written_out_is_that_of_the_helper():
    rng = np.random.default_rng(13)
    model = transformer.random_transformer(
        rng, vocabulary_size=7, d_model=6, num_heads=3, d_ff=11, num_layers=2, norm="pre"
    )
    source, written, how = rng.integers(7, size=5), rng.integers(7, size=3), {"num_heads": 3, "norm": "pre"}
    memory = function_of("stack_a_transformer", "encode")(source, model, 3)
    np.testing.assert_allclose(memory, transformer.encode(source, model, **how), rtol=1e-12)
    logits = function_of("stack_a_transformer", "decode")(written, memory, model, 3)
    np.testing.assert_allclose(logits, transformer.decode(written, memory, model, **how), rtol=1e-12)


def test_parts_of_a_layer_are_those_of_the_helpers():
    rng = np.random.default_rng(12)
    token, gain, bias = rng.normal(size=(3, 7))
    W_in, b_in, W_out, b_out = (
        rng.normal(size=(7, 11)),
        rng.normal(size=11),
        rng.normal(size=(11, 7)),
        rng.normal(size=7),
    )
    norm, network = function_of("build_a_layer", "norm_one_token"), function_of("ask_a_second_time", "feed_forward")
    np.testing.assert_allclose(norm(token, gain, bias), layers.layer_norm(token, gain, bias), rtol=1e-12)
    want = layers.feed_forward(token, W_in, b_in, W_out, b_out)
    np.testing.assert_allclose(network(token, W_in, b_in, W_out, b_out), want, rtol=1e-12)


def test_post_norm_layer_is_that_of_the_helpers():
    rng = np.random.default_rng(12)
    parameters, tokens = layers.random_layer(rng, d_model=6, num_heads=3, d_ff=11), rng.normal(size=(5, 6))
    want = layers.encoder_layer(tokens, parameters, num_heads=3, norm="post")
    np.testing.assert_allclose(function_of("build_a_layer", "post_norm_layer")(tokens, parameters, 3), want, rtol=1e-12)


def test_stacked_attention_mixes_short_tokens_and_hardly_long_ones_that_point_apart():
    def spread(tokens, rounds=12):
        for _ in range(rounds):
            weights = np.exp(tokens @ tokens.T / math.sqrt(2))
            tokens = weights / weights.sum(axis=1, keepdims=True) @ tokens
        return np.ptp(tokens, axis=0).max()

    apart = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    assert spread(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])) < 0.001 and spread(apart) < 0.001
    assert round(spread(3 * apart) / np.ptp(3 * apart), 2) == 0.99 and spread(5 * apart, 1000) > 9.99


def test_softmax_bends_within_the_span_and_two_heads_bend_the_line():
    row = [[-2, -1], [-1, -0.5], [0, 0], [1, 0.5], [2, 1]]

    def attend(queries, values):
        outputs = []
        for q in queries:
            powers = [np.exp((q[0] * k[0] + q[1] * k[1]) / 2**0.5) for k in row]
            outputs.append([sum(p * v[j] for p, v in zip(powers, values)) / sum(powers) for j in (0, 1)])
        return np.array(outputs)

    one = attend(row, row)
    assert np.diff(one[:, 0]).round(3).tolist() == [0.438, 1.357, 1.357, 0.438]
    steps = np.diff(one + attend([[2 * x, 2 * y] for x, y in row], [[y, x] for x, y in row]), axis=0)
    assert np.degrees(np.arctan2(steps[:, 1], steps[:, 0])).round(1).tolist() == [36.9, 47.7, 47.7, 36.9]
    sharper, turned = attend([[2 * x, 2 * y] for x, y in row], row), attend(row, [[y, x] for x, y in row])
    assert [np.linalg.matrix_rank(one + other, tol=1e-9) for other in (sharper, turned)] == [1, 1]  # either alone
    assert np.linalg.matrix_rank(attend(row, [[x, y + 1] for x, y in row]), tol=1e-9) == 2  # a bias shifts the line


def test_model_and_loss_of_the_letters():
    X, targets = letters.as_data(letters.balanced(3))
    scores = function_of("learn_to_look", "look")(X, letters.random_parameters(5))
    np.testing.assert_allclose(scores, letters.look(X, letters.random_parameters(5))[0])
    cross_entropy = function_of("learn_to_look", "cross_entropy")
    scores, targets = RNG.normal(size=(3, 5, 7)), RNG.integers(7, size=(3, 5))
    np.testing.assert_allclose(cross_entropy(scores, targets), training.cross_entropy(scores, targets))


@pytest.mark.parametrize("shape", [(1, 2), (5, 8), (7, 14)])
def test_rotate_halves(shape):
    rotate, x, places = (
        function_of("turn_positions", "rotate_halves"),
        RNG.normal(size=shape),
        RNG.integers(99, size=shape[0]),
    )
    halves = functools.partial(positions.rotate, x, places, layout="halves")
    np.testing.assert_allclose(rotate(x, places), halves(), atol=1e-13)
    np.testing.assert_allclose(rotate(x, places, 50), halves(base=50), atol=1e-13)


@pytest.mark.parametrize("heads", [(), (3,)])
def test_cache(heads):
    mine, helper = function_of("remember_keys_and_values", "KeyValueCache")(), variants.KeyValueCache()
    for count in (2, 1, 3):
        key, value = RNG.normal(size=(*heads, count, 5)), RNG.normal(size=(*heads, count, 7))
        for one, other in zip(mine.append(key, value), helper.append(key, value)):
            np.testing.assert_array_equal(one, other)


def test_sink():
    scores = RNG.normal(size=7)
    mine = function_of("let_a_head_stay_silent", "share_with_sink")(scores, 0.7)
    np.testing.assert_allclose(mine, softmax_variants.softmax_with_sink(scores, 0.7))


def test_index():
    query, key, share = RNG.normal(size=(2, 3, 5)), RNG.normal(size=(7, 5)), RNG.normal(size=(3, 2))
    mine = function_of("attend_to_few", "index_scores")(query, key, share)
    for t, s in np.ndindex(3, 7):
        assert mine[t, s] == pytest.approx(sum(share[t, h] * max(0.0, query[h, t] @ key[s]) for h in range(2)))


@pytest.mark.parametrize("decay", [1.0, 0.5, 0.0])
def test_masked_linear_attention(decay):
    query, key, value = (RNG.normal(size=(7, width)) for width in (3, 3, 5))
    mine = function_of("carry_a_state", "masked_linear_attention")(query, key, value, decay)
    np.testing.assert_allclose(mine, variants.linear_attention(query, key, value, decay=decay), atol=1e-12)


@pytest.mark.parametrize(("rule", "place"), [("rows_off", 0), ("shuffle_off", 4)])
def test_rules_find_what_the_helper_finds(rule, place):
    for number in range(1, 11):
        attend = specimens.specimen(number)
        assert function_of("hunt_the_bugs", rule)(attend) == pytest.approx(specimens.gaps(attend)[place], abs=1e-12)


def test_rounding_is_that_of_the_helper():
    found = [name for name, example in examples.load().items() if example.decimals]
    assert len(found) >= 2
    for name in found:
        example, computed = examples.get(name), examples.compute(name)
        mine = function_of("check_the_notes", "differs")(example.printed, computed, example.decimals)
        np.testing.assert_array_equal(mine, examples.differs(name, computed))


@pytest.mark.parametrize("installed", [False, True], ids=["without the model", "with it"])
def test_read_a_model_finishes_its_sentences_as_stored_and_as_its_own_lines_read_the_real_file(installed, monkeypatch):
    if installed and language_model.find() is None:
        pytest.skip("the real model is not installed: the extra model")
    monkeypatch.setattr(language_model, "find", language_model.find if installed else lambda: None)
    (path,) = [path for path in lessons() if path.name.endswith("read_a_model.ipynb")]
    cells = [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
    names = {}
    for cell in cells:
        source = "".join(cell["source"])
        if "explorers." not in source and "checks." not in source:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(source, names)
            assert printed.getvalue() == "".join(text for out in cell["outputs"] for text in out["text"])
    assert ("file" in names) == installed

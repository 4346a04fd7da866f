"""Functions that a lesson writes out compute what the helpers compute, on shapes whose sizes all differ."""

import contextlib
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
ATTEND = attention.scaled_dot_product_attention


def r(*size):
    return RNG.normal(size=size)


def attend_with_matrices(X, *W):
    return ATTEND(*(X @ each for each in W)).output


SAME = [  # lesson, function, what the helpers make of the same, arguments
    ("ask_for_a_b", "hard_select", lambda q, K, v: attention.softmax(1000 * (K @ q)) @ v, [(r(3), r(7, 3), r(7)), (r(5), r(1, 5), r(1))]),
    ("ask_for_a_b", "attend_with_one_query", lambda q, *of: ATTEND(q[None], *of, scale=1).output[0], [(r(5), r(7, 5), r(7, 3)), (r(2), r(1, 2), r(1, 4))]),
    ("ask_for_a_b", "softmax_of_one_row", attention.softmax, [(r(7),), (1000 * r(7),)]),
    ("ask_for_a_b", "softmax_unsafe", attention.softmax, [(r(7),)]),
    ("attend_by_hand", "scaled_dot_product_attention", lambda *of: ATTEND(*of)[:2], [(r(5, 7), r(11, 7), r(11, 3)), (r(1, 13), r(2, 13), r(2, 1))]),
    ("ask_with_queries_keys_values", "self_attention_by_loops", attend_with_matrices, [(r(4, 2), r(2, 2), r(2, 2), r(2, 1)), (r(5, 7), r(7, 3), r(7, 3), r(7, 2))]),
    ("ask_another_text", "attend_across", lambda *of: ATTEND(*of).output, [(r(2, 6), r(4, 6), r(4, 3)), (r(4, 6), r(2, 6), r(2, 3))]),
    ("split_into_heads", "multi_head_attention", lambda *of: attention.multi_head_attention(*of[:-1], num_heads=of[-1]).output, [(r(5, 12), r(12, 12), r(12, 12), r(12, 12), r(12, 7), h) for h in (1, 2, 3, 12)]),
    ("mask_the_future", "masked_attention", lambda q, k, v, mask: ATTEND(q, k, v, mask=mask)[:2], [(r(2, 5, 3), r(2, 7, 3), r(2, 7, 11), attention.padding_mask([7, 4], 7))]),
    ("build_a_layer", "norm_one_token", layers.layer_norm, [(r(7), r(7), r(7))]),
    ("build_a_layer", "post_norm_layer", lambda x, p, h: layers.encoder_layer(x, p, num_heads=h, norm="post"), [(r(5, 6), layers.random_layer(RNG, 6, 3, 11), 3)]),
    ("ask_a_second_time", "feed_forward", layers.feed_forward, [(r(7), r(7, 11), r(11), r(11, 7), r(7))]),
    ("see_patches_as_tokens", "cut_into_patches", patches.patchify, [(r(4, 4), 2), (r(6, 9), 3), (r(10, 4, 3), 2)]),
    ("learn_to_look", "look", lambda *of: letters.look(*of)[0], [(letters.as_data(letters.balanced(3))[0], letters.random_parameters(5))]),
    ("learn_to_look", "cross_entropy", training.cross_entropy, [(r(3, 5, 7), RNG.integers(7, size=(3, 5)))]),
    ("turn_positions", "rotate_halves", lambda *of: positions.rotate(*of[:2], base=(*of, 10_000)[2], layout="halves"), [(r(5, 8), RNG.integers(99, size=5)), (r(7, 14), RNG.integers(99, size=7), 50)]),
    ("let_a_head_stay_silent", "share_with_sink", softmax_variants.softmax_with_sink, [(r(7), 0.7)]),
    ("carry_a_state", "masked_linear_attention", lambda *of: variants.linear_attention(*of[:3], decay=of[3]), [(r(7, 3), r(7, 3), r(7, 5), decay) for decay in (1.0, 0.5, 0.0)]),
]  # fmt: skip


@pytest.mark.parametrize(("lesson", "name", "helper", "given"), SAME, ids=[f"{row[0]} {row[1]}" for row in SAME])
def test_a_function_of_a_lesson_gives_what_the_helpers_give(lesson, name, helper, given):
    for arguments in given:
        found, want = function_of(lesson, name)(*arguments), helper(*arguments)
        for one, other in zip(found, want, strict=True) if isinstance(want, tuple) else [(found, want)]:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


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


@pytest.mark.parametrize("heads", [(), (3,)])
def test_cache(heads):
    mine, helper = function_of("remember_keys_and_values", "KeyValueCache")(), variants.KeyValueCache()
    for count in (2, 1, 3):
        key, value = RNG.normal(size=(*heads, count, 5)), RNG.normal(size=(*heads, count, 7))
        for one, other in zip(mine.append(key, value), helper.append(key, value)):
            np.testing.assert_array_equal(one, other)


def test_index():
    query, key, share = RNG.normal(size=(2, 3, 5)), RNG.normal(size=(7, 5)), RNG.normal(size=(3, 2))
    mine = function_of("attend_to_few", "index_scores")(query, key, share)
    for t, s in np.ndindex(3, 7):
        assert mine[t, s] == pytest.approx(sum(share[t, h] * max(0.0, query[h, t] @ key[s]) for h in range(2)))


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

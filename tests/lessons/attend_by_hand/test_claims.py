"""What the text of this lesson says in numbers, computed on its own."""

import math
from fractions import Fraction

import numpy as np
import pytest

from helpers import explorers
from tests import driving
from tests.notebooks import function_of
from tests.references import dot, mix, powers_over_sum

THREE = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize(("num_queries", "num_keys", "d_k", "d_v"), [(3, 3, 2, 2), (5, 11, 7, 3), (1, 2, 13, 1)])
def test_lesson_writes_the_attention_of_the_helpers(num_queries, num_keys, d_k, d_v):
    rng = np.random.default_rng(num_keys)
    query, key, value = (rng.normal(size=size) for size in ((num_queries, d_k), (num_keys, d_k), (num_keys, d_v)))
    output, weights = function_of("attend_by_hand", "scaled_dot_product_attention")(query, key, value)
    want = [powers_over_sum([dot(q, k) / math.sqrt(d_k) for k in key]) for q in query]
    np.testing.assert_allclose(weights, want)
    np.testing.assert_allclose(output, [mix(row, value) for row in want])


def test_pencil():
    assert f"{math.exp(0.707):.3f}" == "2.028" and f"{2 * math.exp(0.707) + 1:.3f}" == "5.056"
    assert [Fraction(3) ** int(dot(THREE[0], other)) for other in THREE] == [3, 1, 3]
    assert round(3 * round(powers_over_sum([1 / math.sqrt(2), 0, 1 / math.sqrt(2)])[0], 3), 3) == 1.203


def test_longer_token_changes_only_those_that_share_something_with_it():
    explorer = explorers.explore_three_tokens()
    before = explorer.shown["weights"].copy()
    driving.click(explorer, "X", 0, 0)
    assert explorer.shown["X"][0].tolist() == [2, 0]
    changed = np.abs(explorer.shown["weights"] - before).max(axis=1) > 1e-9
    assert changed.tolist() == [True, False, True]


def test_wrong_turns_with_shares_in_no_row_and_with_outputs_above_1():
    explorer = explorers.explore_wrong_turns()
    shares, above = [], []
    for turn in driving.choices(explorer.controls["recipe"])[1:]:
        explorer.controls["recipe"].value = turn
        weights, outputs = explorer.shown["weights"], explorer.shown["outputs"]
        rows = np.abs(weights.sum(axis=1) - 1) > 1e-9
        shares += [turn] * bool(weights.max() < 1 and weights.min() > 0 and rows.all())
        above += [turn] * bool(outputs.max() > 1)
    assert shares == ["softmax down each column"]
    assert above == ["powers, not divided by their sum", "no softmax at all"]

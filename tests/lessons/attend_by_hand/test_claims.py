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


def test_every_output_moves_with_token_1_and_none_leaves_the_triangle():
    explorer = explorers.explore_three_tokens()
    before = explorer.shown["outputs"].copy()
    driving.click(explorer, "X", 0, 0)
    assert (np.abs(explorer.shown["outputs"] - before).max(axis=1) > 0.1).all()
    rng = np.random.default_rng(3)
    for _ in range(20):
        explorer.set(X=rng.integers(0, 5, size=(3, 2)) / 2)
        corners = np.hstack([explorer.shown["X"], np.ones((3, 1))])
        if abs(np.linalg.det(corners)) > 1e-9:  # three tokens on one line have no triangle
            shares = np.hstack([explorer.shown["outputs"], np.ones((3, 1))]) @ np.linalg.inv(corners)
            assert shares.min() > -1e-12 and shares.max() < 1 + 1e-12


def test_riddle():
    tokens = [(2, 0, 0, 0), (1, 4, 4, 0), (0, 1, 1, 0)]
    parts = [Fraction(3) ** (dot(tokens[0], token) // 2) for token in tokens]
    weights = [part / sum(parts) for part in parts]
    assert weights == [Fraction(9, 13), Fraction(3, 13), Fraction(1, 13)]
    assert mix(weights, tokens) == [Fraction(21, 13), 1, 1, 0]


def test_pytorch_has_the_four_lines():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    X = torch.tensor(THREE)
    theirs = torch.nn.functional.scaled_dot_product_attention(X, X, X)
    assert theirs[0].numpy().round(3).tolist() == pytest.approx([0.802, 0.599])


def test_tokens_of_the_pencil_have_four_features_and_their_dot_products_are_halved():
    explorer = explorers.drill("three tokens")
    for task in range(1, 8):
        explorer.set(task=task)
        X = explorer.shown["X"]
        assert X.shape == (3, 4) and math.sqrt(X.shape[1]) == 2
        np.testing.assert_array_equal(explorer.shown["scaled scores"], X @ X.T / 2)

"""What the text of this lesson says in numbers, computed on its own."""

import math
from fractions import Fraction

import numpy as np
import pytest

from helpers import explorers
from rooms.attend_by_hand.explorers import outside
from tests import driving
from tests.references import dot, mix, powers_over_sum

THREE = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


def test_pencil():
    assert f"{math.exp(0.707):.3f}" == "2.028" and f"{2 * math.exp(0.707) + 1:.3f}" == "5.056"
    assert [Fraction(3) ** int(dot(THREE[0], other)) for other in THREE] == [3, 1, 3]
    assert round(3 * round(powers_over_sum([1 / math.sqrt(2), 0, 1 / math.sqrt(2)])[0], 3), 3) == 1.203


def test_long_token_outshouts_the_token_that_asks():
    at_start, at_2, at_3 = (
        powers_over_sum([dot(THREE[2], token) / math.sqrt(2) for token in ([x, 0.0], *THREE[1:])]) for x in (1, 2, 3)
    )
    assert at_start[2] == max(at_start) and at_2[0] == pytest.approx(at_2[2]) and at_3[0] == max(at_3) > 2 * at_3[2]


def test_twins_have_the_same_share_and_together_twice_as_much():
    explorer = explorers.explore_three_tokens()
    driving.buttons(explorer)["twins"].click()
    weights = explorer.shown["weights"]
    np.testing.assert_allclose(weights[:, 0], weights[:, 1])


def test_undivided_scores_give_more_to_whoever_was_ahead():
    products = [dot(THREE[2], token) for token in THREE]
    divided, undivided = powers_over_sum([each / math.sqrt(2) for each in products]), powers_over_sum(products)
    assert f"{divided[2]:.2f}" == "0.50" and f"{undivided[2]:.2f}" == "0.58"


def test_every_wrong_turn_pushes_every_output_out_of_the_triangle_and_the_right_one_none():
    explorer = explorers.explore_wrong_turns()
    shares, said = [], []
    right, *wrong = driving.choices(explorer.controls["recipe"])
    for turn in wrong:
        explorer.controls["recipe"].value = turn
        weights, outputs = explorer.shown["weights"], explorer.shown["outputs"]
        rows = weights.sum(axis=1)
        if weights.max() < 1 and weights.min() > 0:
            shares.append(turn)
            assert (rows < 1).tolist() == [True, True, False] and rows[2] > 1
            assert outputs[:2].sum(axis=1).max() < 1 and outputs[2].min() > 1.5  # below the edge, beyond token 3
        said.append(explorer.text)
    assert shares == ["softmax down each column"] and all(
        text.startswith("Outside the triangle: y1, y2 and y3.") for text in said
    )
    explorer.controls["recipe"].value = right
    assert explorer.text.startswith("All outputs lie in the triangle.")


@pytest.mark.parametrize(
    ("corners", "gaps"),
    [
        (THREE, [0, 0, math.sqrt(0.5), 1, math.hypot(2, 1)]),
        (THREE[::-1], [0, 0, math.sqrt(0.5), 1, math.hypot(2, 1)]),
        ([[1, 0], [1, 0], [1, 1]], [0, 0.3, 1, 1, math.hypot(2, 1)]),  # twins: a side is all there is
        ([[1, 1]] * 3, [0.5, math.hypot(0.3, 0.2), math.sqrt(2), 1, math.hypot(2, 1)]),
    ],
)
def test_how_far_a_point_lies_outside_its_triangle(corners, gaps):
    points = np.array([[1, 0.5], [0.7, 0.8], [0, 0], [1, 2], [3, 2]], dtype=float)
    np.testing.assert_allclose(outside(points, np.array(corners, dtype=float)), gaps, atol=1e-12)


def test_a_box_around_the_tokens_is_too_large():
    explorer = explorers.explore_three_tokens()
    assert explorer.shown["X"].min() == 0 and outside(np.array([[0.1, 0.1]]), explorer.shown["X"])[0] > 0.5


def test_every_output_moves_with_token_1_and_none_leaves_the_triangle():
    explorer = explorers.explore_three_tokens()
    before = explorer.shown["outputs"].copy()
    explorer.set(numbers=True)
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

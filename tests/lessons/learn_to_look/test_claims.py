"""What the text of this lesson says in numbers, computed on its own."""

import math

import numpy as np

from helpers.attention import softmax
from helpers.learning import letters
from tests.notebooks import cells

NEVER_LOOKS = {
    "W_query": np.zeros((2, 2)),
    "W_key": np.zeros((2, 2)),
    "W_output": np.array([[0.0, 0.0], [0.0, 1000.0]]),
    "b_output": np.array([1.0, 0.0]),
}


def test_a_model_that_never_looks_can_be_right_on_a_lone_b_so_only_its_weights_tell():
    for length in (4, 9):
        assert letters.accuracy(NEVER_LOOKS, letters.strings_of(length)) == 1
    X = np.zeros((999, 2))
    X[:, 0], X[500] = 1, [0, 1]  # one B among 998 A's
    scores, weights = letters.look(X, NEVER_LOOKS)
    assert (scores.argmax(axis=-1) == 1).all() and softmax(scores)[0, 1] > 0.5
    np.testing.assert_allclose(weights, 1 / 999)


def test_25_lines_agree_with_trial_on_a_graph_that_uses_a_number_twice():
    space = {"math": math}
    for source in cells("learn_to_look", "code"):
        if "class Number" in source or "def backward" in source:
            exec(source, space)
    assert sum("class Number" in source or "def backward" in source for source in cells("learn_to_look", "code")) == 2

    def value(numbers):
        a, b, c = numbers
        return (a * b + c.exp()) * (a * a).log() + b * c

    inputs = [1.7, -0.6, 0.3]
    numbers = [space["Number"](x) for x in inputs]
    space["backward"](value(numbers))
    for k, number in enumerate(numbers):
        moved = [[x + (h if j == k else 0) for j, x in enumerate(inputs)] for h in (1e-6, -1e-6)]
        above, below = (value([space["Number"](x) for x in row]).value for row in moved)
        assert math.isclose(number.slope, (above - below) / 2e-6, rel_tol=1e-6)


def test_the_slopes_of_a_cross_entropy_are_the_probabilities_less_1_at_the_right_letter():
    p = softmax([0.2, 1.2])
    assert [f"{x:.3f}" for x in p] == ["0.269", "0.731"] and math.isclose(p[1] - 1, -p[0])

"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np

from helpers.attention import softmax
from helpers.learning import letters

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

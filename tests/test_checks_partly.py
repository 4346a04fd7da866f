"""One edit that mends a part of an answer: it is named with what it brings, and not where it brings this by luck."""

import time

import pytest

from helpers.checks import EXERCISES
from tests import hands


def told(text):
    name = f"\n{text}".rpartition("\ndef ")[2].partition("(")[0]
    said = EXERCISES[name](hands.function(hands.Hand(name, "blind", ".", text)))
    assert said.status == "wrong"
    return said.message


@pytest.mark.parametrize(
    ("text", "untrue"),
    [
        (  # any number in the question brings the stage, as it then is always or never so
            """def softmax_with_sink(scores, sink):
    top = max(scores.max(), sink)
    if top - scores.min() > 600:
        top = np.maximum(scores.max(axis=-1, keepdims=True), sink)
    powers = np.exp(scores - top)
    below = powers.sum(axis=-1, keepdims=True) + (sink - top)
    return powers / below
""",
            "Line 3",
        ),
        (  # two of the five cases are right after several edits that are not the same
            """def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m * (1 - 0.9 ** step)
    v_hat = v * (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
""",
            "Then your answer",
        ),
        (  # with two features the mean of squares gives the right scores in half of the cases
            """def mix_similar(X):
    squares = (X * X).sum(axis=1)
    distances = ((X[:, None] - X[None, :]) ** 2).sum(axis=2)
    scores = squares[:, None] + squares[None, :] - distances
    return attention.softmax(scores) @ X
""",
            "mean",
        ),
        (  # where an answer stops, much else would make it go on
            """def masked_softmax(scores, mask):
    if not mask.all(axis=-1).any():
        raise ValueError("a query has no key")
    return attention.softmax(np.where(mask, scores, -np.inf))
""",
            "step too many",
        ),
    ],
)
def test_edit_that_brings_something_by_luck_is_not_named(text, untrue):
    assert untrue not in told(text)


def test_share_is_taken_from_one_alone_where_it_may_be_a_share():
    """h of a slope is no share of 1: the edit (1 - 2) * h would give its sign."""
    message = told("""def numerical_gradient(loss_of, parameters):
    h = 1e-5
    theta = np.array(parameters, dtype=float)
    result = np.empty_like(theta)
    for place in np.ndindex(theta.shape):
        theta[place] += h
        above = loss_of(theta)
        theta[place] -= h
        below = loss_of(theta)
        theta[place] += h
        result[place] = (below - above) / (2 * h)
    return result
""")
    assert "1 − `2`" not in message


def test_edits_that_never_end_do_not_use_up_the_time():
    begun = time.process_time()
    told("""def patchify(image, patch_size):
    y, rows = 0, []
    while y < image.shape[0]:
        x, y = 0, y + patch_size
        while x < image.shape[1]:
            rows.append(image[y - patch_size : y, x : x + patch_size].ravel()[::-1] + y)
            x = x + patch_size
    return np.array(rows)
""")
    assert time.process_time() - begun < 4

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


def test_edit_that_brings_a_stage_is_named_with_it():
    """The mean is given the whole gradient, and 2% of what the squares were is lost: only the first is one of our edits."""
    message = told("""def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    mean = 0.1 * mean + 0.9 * gradient
    squares = 0.98 * squares + 0.002 * gradient**2
    change = mean / (1 - 0.9**step) / (np.sqrt(squares / (1 - 0.999**step)) + 1e-8)
    return parameters - learning_rate * change, mean, squares
""")
    assert message.startswith("Line 2: ") and "exchanged" in message
    assert message.endswith(
        "And line 3: `0.98 * squares + 0.002 * gradient**2` should give the right new squares, but does not. "
        "With the right numbers there, your answer is right."
    )


def test_known_mistake_after_the_edit_that_brings_a_stage_is_said():
    message = told("""def block(x, step, norm_parameters, kind):
    if kind == "pre":
        return x + step(layers.layer_norm(x, **norm_parameters))
    return layers.layer_norm(x, **norm_parameters) + step(x)


def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda t: attention.multi_head_attention(t, **p["self_attention"], num_heads=num_heads).output
    think = lambda t: layers.feed_forward(t, **p["feed_forward"])
    x = block(x, attend, p["self_attention_norm"], norm)
    return block(x, think, p["self_attention_norm"], norm)
""")
    assert message.startswith(
        "Line 4: the bracket of layers.layer_norm closes too early: + step(x) belongs inside it. "
    )
    assert message.endswith("And then: One norm serves both steps; each has its own gain and bias.")


def test_edit_that_makes_most_cases_right_is_named_with_what_is_left_or_with_how_many():
    message = told("""def softmax_with_sink(scores, sink):
    m = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - m)
    rest = np.exp(m - sink)
    return powers / (powers.sum(axis=-1, keepdims=True) + rest)
""")
    assert message.startswith(
        "Line 4: in `m - sink` the two sides of - are exchanged. And then: A large sink overflows"
    )
    message = told("""def split_heads(x, num_heads):
    n, dim = x.shape[-2:]
    x = x.reshape(-1, n, num_heads, dim // num_heads)
    return x.swapaxes(-3, -1)
""")
    assert message == (
        "Line 4: `x.swapaxes(-3, -1)` exchanges the wrong axes: it must be -3, -2. "
        "Then your answer is right in 4 of the 8 cases tried."
    )


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


@pytest.mark.parametrize("total", ["row.sum()", "sum(row)", "np.sum(row)", "row.sum(axis=-1)"])
def test_sum_that_is_taken_anew_while_its_row_changes_is_named(total):
    message = told(f"""def softmax(scores):
    flat = scores.reshape(-1, scores.shape[-1]).astype(float)
    for row in flat:
        row[:] = np.exp(row - max(row))
        for c in range(len(row)):
            row[c] = row[c] / {total}
    return flat.reshape(scores.shape)
""")
    assert message.startswith(f"Line 6: `{total}` is taken anew when some of row is changed already")

"""An edit and the known mistake that remains after it: both are told where they are all that is wrong, and only there."""

import re

import pytest

from tests import hands
from tests.test_checks_partly import told

AT_THE_START = """def training_loop(parameters, gradient_of, num_steps, learning_rate, max_norm):
    theta = parameters.copy()
    for step in range(num_steps):
        g = gradient_of(parameters, step)
        length = np.abs(g).sum()
        g = g if length <= max_norm else g / length * max_norm
        theta = theta - learning_rate(step) * g
    return theta
"""


@pytest.fixture(autouse=True)
def with_time(monkeypatch):
    """Several processes share the cores here; what is told must not hang on that."""
    hands.give_time(monkeypatch, lambda seconds: 4 * seconds)


def test_edit_and_what_remains_after_it_are_told_and_so_it_is():
    message = told(AT_THE_START)
    first, then = message.split(" And then: ")
    assert first == "Line 4: parameters does not belong here; theta does."
    assert then.startswith("The absolute values were added up")
    assert told(AT_THE_START.replace("gradient_of(parameters, step)", "gradient_of(theta, step)")) == then


def test_slips_far_from_each_other_are_both_told():
    message = told("""def numerical_gradient(loss_of, parameters):
    step = 1e-5
    slopes = np.zeros(parameters.shape)
    for where in np.ndindex(*parameters.shape):
        moved = parameters.astype(float)
        moved[where] += step
        above = loss_of(moved)
        moved[where] -= step
        below = loss_of(moved)
        slopes[where] = (below - above) / (2 * step)
    return slopes
""")
    assert message.startswith(
        "Line 10: in `below - above` the two sides of - are exchanged. And then: The two places are h"
    )


@pytest.mark.parametrize(
    ("text", "untrue"),
    [
        (  # both sides of ** exchanged: what the variance is tells no more
            """def layer_norm(x):
    rows = []
    for token in x.reshape(-1, x.shape[-1]):
        centred = token - token.mean()
        spread = centred.sum() ** 2 / len(token)
        rows.append(centred / (spread + 1e-5) ** 0.5)
    return np.array(rows).reshape(x.shape)
""",
            "exchanged",
        ),
        (  # with whole quotients all pairs turn alike: what is divided tells no more
            """def rotate(x, positions):
    d = x.shape[-1]
    angles = positions[:, None] * 10_000.0 ** -(np.arange(d) / d)
    partner = np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1)
    return x * np.cos(angles) + partner * np.sin(angles)
""",
            "//|same angle",
        ),
        (  # the image as it was, cut into rows: what was reshaped before tells no more
            """def patchify(image, patch_size):
    rows, columns = image.shape[0] // patch_size, image.shape[1] // patch_size
    blocks = image.reshape(patch_size, rows, patch_size, columns, -1)
    blocks = np.swapaxes(blocks, 0, 2)
    return blocks.reshape(rows * columns, -1)
""",
            "image is",
        ),
    ],
)
def test_edit_that_puts_what_is_wrong_out_of_sight_is_not_told(text, untrue):
    assert re.search(untrue, told(text)) is None

"""Exercises on learning: the gradient by trial, and one step of Adam."""

import numpy as np

from helpers.learning import optimizers, training
from rooms.shared import edits

# --- numerical gradient ----------------------------------------------------------------------------------------------


def bowl(x):
    return np.sum(x**2)


def steep_valley(x):
    return 1e6 * np.sum(x) ** 2


def waves(x):
    return np.sum(np.sin(x) * np.arange(1, x.size + 1).reshape(x.shape))


def products(x):
    return x[0, 0] * x[0, 1] + 2 * x[1, 0] * x[1, 1] - 3 * x[0, 1] * x[1, 2]


_STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12)


def _with_steps(rows):
    """The same rows with the steps that people take."""
    return "\n".join(
        f"1e-5 => {h} ;; {row}" if h == _STEPS[0] else f"1e-5 => {h} ;; {row.rsplit(' |', 1)[0]} |"
        for row in rows.strip().splitlines()
        for h in _STEPS
    )


NUMERICAL_GRADIENT = edits.exercise(
    edits.part("numerical_gradient"),
    remakes=(training.numerical_gradient, training.loss_and_gradient),
    cases=[
        (bowl, np.array([1.0, 3.0])),
        (steep_valley, np.array([0.25, -0.5, 0.25])),
        (waves, np.array([0.0, 1.0, 2.0, -1.0])),
        (products, np.array([[1.0, 2.0, -1.0], [0.5, -2.0, 3.0]])),
        (waves, np.arange(6.0).reshape(3, 2)),
        (waves, np.arange(8.0).reshape(2, 2, 2)),
    ],
    mistakes="""
above - below => abs(above - below) | The slopes have lost their sign: a loss that falls has a slope below 0, so take no abs.
(2 * h) => h | Divided by h; from x − h to x + h it is 2h.
above - below => below - above | The sign is turned: the loss at x + h minus the loss at x − h.
=> np.asarray((loss_of(parameters + h) - loss_of(parameters - h)) / (2 * h)) | All numbers were moved together; move one at a time, the others stay.
=> np.full(parameters.shape, (loss_of(parameters + h) - loss_of(parameters - h)) / (2 * h)) |
np.ndindex(parameters.shape) => range(len(moving)) ;; = moving[place] => = moving[place].copy() | Whole rows were moved; move one number at a time: np.ndindex(parameters.shape) gives every place.
moving[place] = value - h⏎        below = loss_of(moving) => below = loss_of(parameters) ;; (2 * h)⏎        moving[place] = value => h | Only one side was tried, and a number that was moved stays moved: put it back before the next one's turn.
moving[place] = value - h⏎        below = loss_of(moving) => below = loss_of(parameters) ;; (2 * h)⏎        moving[place] = value => (2 * h) |
=> np.ones(parameters.shape) | The moved numbers were subtracted; subtract their losses: loss_of(up) − loss_of(down).
1e-5 => 0.1 | The step h is too large: the loss bends over such a stretch, and the slope of the chord is not the slope at x. Take 1e-5.
1e-5 => 1.0 |
1e-5 => 1e-12 | The step h is too small: the two losses agree in nearly all their digits, and rounding is what is left. Take 1e-5.
1e-5 => 1e-13 |
1e-5 => 1e-14 |
1e-5 => 1e-15 |
=> gradient.ravel() | The result has lost its shape; it must have that of the parameters.
=> loss_of(parameters) | That is the loss; the gradient has a slope for each number.
moving[place] = value + h => moving[place] = h | On one side h took the place of the number; add it: x + h and x − h.
parameters.copy() => parameters.astype(np.float32) | 32 bits are too coarse: a step of 1e-5 is lost in rounding. Compute with 64.
np.ndindex(parameters.shape) => list(np.ndindex(parameters.shape))[1:] | The first number is left out: its slope stays 0.
"""
    + _with_steps("""
value - h => value ;; (2 * h) => h | Only one side was tried; where the loss is curved, take x + h and x − h and divide by 2h.
value + h => value ;; (2 * h) => h |
value - h => value | The two places are h apart, and their difference was divided by 2h: take x + h and x − h.
value + h => value |
moving[place] = value - h => moving[place] = value ;; (2 * h)⏎        moving[place] = value => (2 * h)⏎        moving[place] = value + h | From x + h a step of h down only brings the number back to x: go down by 2h.
(2 * h)⏎        moving[place] = value => (2 * h) | A number that was moved stays moved: put it back before the next one's turn.
/ (2 * h) => | All slopes come out near 0: one loss belongs to x + h, the other to x − h, and their difference is divided by 2h.
/ (2 * h) => / 2 |
"""),
    praise="Right: one number at a time, up and down. Slow, but it needs no calculus.",
    tolerance=1e-4,
)


# --- one step of Adam ------------------------------------------------------------------------------------------------

ADAM_STEP = edits.exercise(
    """
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    mean = 0.9 * mean + 0.1 * gradient
    squares = 0.999 * squares + 0.001 * gradient**2
    corrected = mean / (1 - 0.9**step)
    size = np.sqrt(squares / (1 - 0.999**step)) + 1e-8
    return parameters - learning_rate * corrected / size, mean, squares
""",
    parts=("new parameters", "mean", "squares"),
    remakes=(optimizers.adam,),
    cases=[
        (np.array([1.0, 2.0, -3.0]), np.array([2.0, -400.0, 0.5]), np.zeros(3), np.zeros(3), 1, 0.1),
        (np.array([1.0, 0.0]), np.array([0.5, -2.0]), np.array([0.3, 0.4]), np.array([0.02, 0.5]), 4, 0.5),
        (
            np.array([[1.0, -1.0], [0.5, 2.0]]), np.array([[3.0, 0.25], [-1.0, 5.0]]),
            np.array([[0.1, -0.2], [0.3, 1.0]]), np.array([[0.5, 0.25], [0.125, 2.0]]), 11, 0.01,
        ),
        (np.array([1.0, 2.0]), np.array([0.0, 1.0]), np.zeros(2), np.zeros(2), 1, 0.1),
        (np.array([0.0, 1.0]), np.array([1e-8, 1.0]), np.zeros(2), np.zeros(2), 1, 1.0),
    ],
    mistakes="""
parameters - => parameters + | Uphill: the step must be subtracted from the parameters.
/ (1 - 0.9**step) => ;; / (1 - 0.999**step) => | The two corrections are missing: mean / (1 − 0.9**step), squares / (1 − 0.999**step).
/ (1 - 0.9**step) => | The mean is not corrected: divide it by 1 − 0.9**step.
/ (1 - 0.999**step) => | The squares are not corrected: divide them by 1 − 0.999**step, before the root.
**step => | The corrections have no power: they are 1 − 0.9**step and 1 − 0.999**step, others at every step.
0.9**step => 0.9 | The correction of the mean has no power: it is 1 − 0.9**step, another one at every step.
0.999**step => 0.999 | The correction of the squares has no power: it is 1 − 0.999**step, another one at every step.
size, mean, squares => size, corrected, squares / (1 - 0.999**step) | The corrected mean and squares were returned; the next step needs them as they were before the correction.
size, mean, squares => size, corrected, squares | The corrected mean was returned; the next step needs it as it was before the correction.
size, mean, squares => size, mean, squares / (1 - 0.999**step) | The corrected squares were returned; the next step needs them as they were before the correction.
**step => **(step + 1) | The corrections count one step too many: step counts from 1.
0.9 * mean + 0.1 => 0.1 * mean + 0.9 ;; 0.9**step => 0.1**step | 0.9 and 0.1 are exchanged: 0.9 of the old mean stays.
0.9 * mean + 0.1 => 0.1 * mean + 0.9 |
0.999 * squares + 0.001 => 0.9 * squares + 0.1 ;; 0.999**step => 0.9**step | The squares keep 0.9; they should keep 0.999.
0.999 * squares + 0.001 => 0.9 * squares + 0.1 |
0.999 * squares + 0.001 => 0.99 * squares + 0.01 ;; 0.999**step => 0.99**step | The squares keep 0.99; they should keep 0.999.
0.999 * squares + 0.001 => 0.99 * squares + 0.01 |
0.9 * mean + 0.1 => 0.999 * mean + 0.001 ;; 0.999 * squares + 0.001 => 0.9 * squares + 0.1 ;; 0.9**step => beta**step ;; 0.999**step => 0.9**step ;; beta**step => 0.999**step | 0.9 and 0.999 are exchanged.
0.9 * mean + 0.1 => 0.999 * mean + 0.001 ;; 0.999 * squares + 0.001 => 0.9 * squares + 0.1 |
np.sqrt => | Divided by the mean square; divide by its square root.
0.999**step)) + 1e-8 => 0.999**step) + 1e-8) | ε stands under the root; add it after the root, where it keeps a gradient of 0 from 0/0.
+ 1e-8 => + 1e-8 / np.sqrt(1 - 0.999**step) | Nearly: the root is corrected after ε was added to it, and for tiny gradients that is a different step. Correct the squares, take the root, then add ε.
+ 1e-8 => | A gradient of 0 gives 0/0: ε = 0.00000001 is added to the root, in brackets, (√… + ε), and not to the whole step.
* corrected / => * gradient / | The step uses the gradient; Adam uses its running mean, that is the momentum in it.
mean = 0.9 * mean => m = 0.9 * mean ;; squares = 0.999 => s = 0.999 ;; = mean / => = m / ;; sqrt(squares => sqrt(s | The mean and squares came back as they were; the next step needs the new ones.
mean = 0.9 * mean => m = 0.9 * mean ;; squares = 0.999 => s = 0.999 ;; size, mean, squares => size, m, s | The step uses mean and squares from before they were updated.
=> mean, squares, parameters - learning_rate * corrected / size | The order is: parameters, mean, squares.
size, mean, squares => size, squares, mean |
=> parameters - learning_rate * corrected / size | Only the parameters came back; the next step needs mean and squares, too: return all three.
learning_rate * => | The learning rate is missing.
parameters - learning_rate => -learning_rate | The change came back; add it to the parameters.
mean = 0.9 * mean => m = 0.9 * mean ;; squares = 0.999 => s = 0.999 ;; => parameters - learning_rate * gradient, mean, squares | That is plain gradient descent; divide the running mean by the root of the running squares.
=> parameters - learning_rate * gradient, mean, squares |
gradient**2 => mean**2 | The squares are those of the mean; they must be those of the gradient.
gradient**2 => np.sum(gradient**2) | The squares were added up; each parameter keeps a mean of its own squares.
np.sqrt(squares / (1 - 0.999**step)) + 1e-8 => (np.sqrt(squares) + 1e-8 * np.sqrt(1 - 0.999**step)) / (1 - 0.999**step) | The root is taken of the squares alone: their correction stands under it, too, √(squares / (1 − 0.999**step)).
np.sqrt(squares / (1 - 0.999**step)) + 1e-8 => np.sqrt(squares) / (1 - 0.999**step) + 1e-8 |
0.999**step => 0.99**step | The correction of the squares takes 0.99; it is 1 − 0.999**step.
0.9**step => 0.99**step | The correction of the mean takes 0.99; it is 1 − 0.9**step.
""",
    praise="Right: momentum on top, RMSProp below, both corrected for having started at 0.",
)  # fmt: skip

"""Exercises on learning: the gradient by trial, one step of Adam, a training loop."""

import numpy as np

from helpers.checks.exercise import Exercise, Symptom
from helpers.learning import optimizers, training

# --- numerical gradient ----------------------------------------------------------------------------------------------


def bowl(x):
    return np.sum(x**2)


def steep_valley(x):
    return 1e6 * np.sum(x) ** 2


def waves(x):
    return np.sum(np.sin(x) * np.arange(1, x.size + 1).reshape(x.shape))


def products(x):
    return x[0, 0] * x[0, 1] + 2 * x[1, 0] * x[1, 1] - 3 * x[0, 1] * x[1, 2]


def _by_trial(loss_of, parameters, h=1e-5, *, above=1.0, below=-1.0, divide=None, restore=True, places=np.ndindex):
    """A numerical gradient with one thing changed."""
    moving = np.array(parameters, dtype=float)
    gradient = np.zeros_like(moving)
    for place in places(moving.shape):
        start = moving[place].copy()
        moving[place] = start + above * h
        upper = loss_of(moving)
        moving[place] = start + below * h
        lower = loss_of(moving)
        gradient[place] = (upper - lower) / ((above - below) * h if divide is None else divide(h))
        if restore:
            moving[place] = start
    return gradient


def _all_at_once(loss_of, parameters, h=1e-5):
    return np.asarray((loss_of(parameters + h) - loss_of(parameters - h)) / (2 * h))


def _piling_up(loss_of, parameters, h=1e-5, divide=1):
    """Each number is moved up and stays there; the loss is compared with that of the start."""
    moving, gradient = np.array(parameters, dtype=float), np.zeros(parameters.shape)
    for place in np.ndindex(moving.shape):
        moving[place] += h
        gradient[place] = (loss_of(moving) - loss_of(parameters)) / (divide * h)
    return gradient


_STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)


def _for_steps(wrong):
    """The same mistake with the steps that people take."""
    return [lambda loss_of, parameters, h=h: wrong(loss_of, parameters, h) for h in _STEPS]


def _explain_step(old, new):
    if old > new > 0 and old > 1e-3:
        return (
            f"a step of {old:g} is too large: over such a stretch the loss bends, and the slope of the chord is not the "
            "slope at x."
        )
    if 0 < old < 1e-9:
        return f"a step of {old:g} is too small: the two losses agree in nearly all their digits, and rounding is what is left."
    return None


_NEAR_ZERO = Symptom(
    "All slopes come out near 0: one loss belongs to x + h, the other to x − h, and their difference is divided by 2h."
)

NUMERICAL_GRADIENT = Exercise(
    name="numerical_gradient",
    solve=training.numerical_gradient,
    remakes=(training.loss_and_gradient,),
    cases=[
        (bowl, np.array([1.0, 3.0])),
        (steep_valley, np.array([0.25, -0.5, 0.25])),
        (waves, np.array([0.0, 1.0, 2.0, -1.0])),
        (products, np.array([[1.0, 2.0, -1.0], [0.5, -2.0, 3.0]])),
        (waves, np.arange(6.0).reshape(3, 2)),
        (waves, np.arange(8.0).reshape(2, 2, 2)),
    ],
    mistakes={
        "Divided by h; from x − h to x + h it is 2h.": lambda loss_of, x: _by_trial(loss_of, x, divide=lambda h: h),
        "The sign is turned: the loss at x + h minus the loss at x − h.": lambda loss_of, x: -_by_trial(loss_of, x),
        "All numbers were moved together; move one at a time, the others stay.": [
            _all_at_once,
            lambda loss_of, x: np.full(x.shape, _all_at_once(loss_of, x)),
        ],
        "Whole rows were moved; move one number at a time: np.ndindex(parameters.shape) gives every place.": lambda loss_of, x: (
            _by_trial(loss_of, x, places=lambda shape: [(i,) for i in range(shape[0])])
        ),
        "Only one side was tried; where the loss is curved, take x + h and x − h and divide by 2h.": [
            *_for_steps(lambda loss_of, x, h: _by_trial(loss_of, x, h, below=0.0)),
            *_for_steps(lambda loss_of, x, h: _by_trial(loss_of, x, h, above=0.0)),
        ],
        "The two places are h apart, and their difference was divided by 2h: take x + h and x − h.": [
            *_for_steps(lambda loss_of, x, h: _by_trial(loss_of, x, h, below=0.0, divide=lambda h: 2 * h)),
            *_for_steps(lambda loss_of, x, h: _by_trial(loss_of, x, h, above=0.0, divide=lambda h: 2 * h)),
        ],
        "From x + h a step of h down only brings the number back to x: go down by 2h.": _for_steps(
            lambda loss_of, x, h: _by_trial(loss_of, x, h, above=0.0, below=1.0, divide=lambda h: -2 * h, restore=False)
        ),
        "A number that was moved stays moved: put it back before the next one's turn.": _for_steps(
            lambda loss_of, x, h: _by_trial(loss_of, x, h, restore=False)
        ),
        "Only one side was tried, and a number that was moved stays moved: put it back before the next one's turn.": [
            lambda loss_of, x, divide=divide: _piling_up(loss_of, x, divide=divide) for divide in (1, 2)
        ],
        _NEAR_ZERO: [
            *_for_steps(lambda loss_of, x, h: _by_trial(loss_of, x, h, divide=lambda h: 1)),
            *_for_steps(lambda loss_of, x, h: _by_trial(loss_of, x, h, divide=lambda h: 2)),
        ],
        "Each number was moved by a share of itself, and the difference divided by 2h: move it by h, x + h and x − h.": lambda loss_of, x: (
            x * _by_trial(loss_of, x)
        ),
        Symptom("The moved numbers were subtracted; subtract their losses: loss_of(up) − loss_of(down)."): (
            lambda loss_of, x: np.ones(x.shape)
        ),
        "The result has lost its shape; it must have that of the parameters.": lambda loss_of, x: _by_trial(
            loss_of, x
        ).ravel(),
        "That is the loss; the gradient has a slope for each number.": lambda loss_of, x: loss_of(x),
    },
    praise="Right: one number at a time, up and down. Slow, but it needs no calculus.",
    tolerance=1e-4,
    numbers=_explain_step,
)

# --- one step of Adam ------------------------------------------------------------------------------------------------

KEEP, KEEP_SQUARES, EPSILON = 0.9, 0.999, 1e-8


def _adam(
    parameters, gradient, mean, squares, step, learning_rate, *, keep=KEEP, keep_squares=KEEP_SQUARES, epsilon=EPSILON,
    correct=True, correct_squares=True, count=0, root=np.sqrt, store_corrected=(), sign=-1.0, first=False,
    use_gradient=False, inside=False, square=np.square, order=(0, 1, 2), same=True, late=False, as_first=(),
):  # fmt: skip
    """A step of Adam with one thing changed."""
    old, powers = (mean, squares), [1 if k in as_first else step + count for k in range(2)]
    mean = keep * mean + (1 - keep) * gradient
    squares = keep_squares * squares + (1 - keep_squares) * square(gradient)
    moving, size = old if first else (mean, squares)
    moving = gradient if use_gradient else moving
    if correct and not use_gradient:
        moving = moving / (1 - (keep if same else KEEP) ** powers[0])
    if correct_squares:
        size = size / (1 - (keep_squares if same else KEEP_SQUARES) ** powers[1])
    epsilon = epsilon / np.sqrt(1 - keep_squares**step) if late else epsilon
    below = root(size + epsilon) if inside else root(size) + epsilon
    new = parameters + sign * learning_rate * moving / below
    stored = [mean, squares]
    for k in store_corrected:
        stored[k] = (moving, size)[k]
    results = (new, *stored)
    return np.stack([results[k] for k in order])


def _right_adam(parameters, gradient, mean, squares, step, learning_rate):
    memory = (mean, squares, step - 1)
    change, (mean, squares, _) = optimizers.adam(gradient, memory, learning_rate)
    return np.stack([parameters + change, mean, squares])


def _but(**changes):
    return lambda *arguments: _adam(*arguments, **changes)


def _with_either_correction(**changes):
    """A wrong number in the running means alone, or in their corrections, too."""
    return [_but(**changes, same=same) for same in (True, False)]


ADAM_STEP = Exercise(
    name="adam_step",
    parts=("new parameters", "mean", "squares"),
    stages={
        "new mean": lambda p, g, m, s, t, r: _right_adam(p, g, m, s, t, r)[1],
        "new squares": lambda p, g, m, s, t, r: _right_adam(p, g, m, s, t, r)[2],
        "new parameters": lambda *arguments: _right_adam(*arguments)[0],
    },
    solve=_right_adam,
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
    mistakes={
"The gradient was made a tenth before it was squared: the running mean takes a tenth of it, the squares take the whole.": _but(square=lambda g: np.square(0.1 * g)),
"Uphill: the step must be subtracted from the parameters.": _but(sign=1.0),
"The two corrections are missing: mean / (1 − 0.9**step), squares / (1 − 0.999**step).": _but(correct=False, correct_squares=False),
"The mean is not corrected: divide it by 1 − 0.9**step.": _but(correct=False),
"The squares are not corrected: divide them by 1 − 0.999**step, before the root.": _but(correct_squares=False),
"The corrections have no power: they are 1 − 0.9**step and 1 − 0.999**step, others at every step.": _but(as_first=(0, 1)),
"The correction of the mean has no power: it is 1 − 0.9**step, another one at every step.": _but(as_first=(0,)),
"The correction of the squares has no power: it is 1 − 0.999**step, another one at every step.": _but(as_first=(1,)),
"The corrected mean and squares were returned; the next step needs them as they were before the correction.": _but(store_corrected=(0, 1)),
"The corrected mean was returned; the next step needs it as it was before the correction.": _but(store_corrected=(0,)),
"The corrected squares were returned; the next step needs them as they were before the correction.": _but(store_corrected=(1,)),
"The corrections count one step too many: step counts from 1.": _but(count=1),
"0.9 and 0.1 are exchanged: 0.9 of the old mean stays.": _with_either_correction(keep=1 - KEEP),
"The squares keep 0.9; they should keep 0.999.": _with_either_correction(keep_squares=KEEP),
"The squares keep 0.99; they should keep 0.999.": _with_either_correction(keep_squares=0.99),
"0.9 and 0.999 are exchanged.": _with_either_correction(keep=KEEP_SQUARES, keep_squares=KEEP),
"Divided by the mean square; divide by its square root.": _but(root=lambda x: x),
"ε stands under the root; add it after the root, where it keeps a gradient of 0 from 0/0.": _but(inside=True),
"Nearly: the root is corrected after ε was added to it, and for tiny gradients that is a different step. Correct the squares, take the root, then add ε.": _but(late=True),
"A gradient of 0 gives 0/0: ε = 0.00000001 is added to the root, in brackets, (√… + ε), and not to the whole step.": _but(epsilon=0.0),
"The step uses the gradient; Adam uses its running mean, that is the momentum in it.": _but(use_gradient=True),
"The parameters came back as they were: subtract the step from them.": lambda parameters, *arguments: np.stack([parameters, *_adam(parameters, *arguments)[1:]]),
"Parameters, mean and squares came back as they were; return the new ones.": lambda parameters, gradient, mean, squares, step, learning_rate: np.stack([parameters, mean, squares]),
"The mean and squares came back as they were; the next step needs the new ones.": lambda parameters, gradient, mean, squares, step, learning_rate: np.stack(
                [_adam(parameters, gradient, mean, squares, step, learning_rate)[0], mean, squares]
            ),
"The step uses mean and squares from before they were updated.": _but(first=True),
"The order is: parameters, mean, squares.": [_but(order=(1, 2, 0)), _but(order=(0, 2, 1))],
"Only the parameters came back; the next step needs mean and squares, too: return all three.": lambda *arguments: _adam(*arguments)[0],
"This is the mean of all steps so far; a running one keeps 0.9 of the old mean, and 0.999 of the old squares, at every step.": lambda p, g, m, s, step, rate: (
                lambda mean, squares: np.stack([p - rate * mean / (np.sqrt(squares) + EPSILON), mean, squares])
            )(((step - 1) * m + g) / step, ((step - 1) * s + g**2) / step),
"The learning rate is missing.": lambda parameters, gradient, mean, squares, step, learning_rate: _adam(
                parameters, gradient, mean, squares, step, 1.0
            ),
"The change came back; add it to the parameters.": lambda parameters, *arguments: _adam(np.zeros_like(parameters), *arguments),
"That is plain gradient descent; divide the running mean by the root of the running squares.": lambda parameters, gradient, mean, squares, step, learning_rate: np.stack(
                [parameters - learning_rate * gradient, mean, squares]
            ),
},
    praise="Right: momentum on top, RMSProp below, both corrected for having started at 0.",
)  # fmt: skip

# --- a training loop -------------------------------------------------------------------------------------------------


def pull_apart(parameters, step):
    """Gradient of a bowl whose middle wanders from step to step, as batches make it."""
    return parameters * np.arange(1, parameters.size + 1).reshape(parameters.shape) - np.cos(step)


def stay(parameters, step):
    """The gradient at the bottom of a bowl."""
    return np.zeros(parameters.shape)


def falling(step):
    return 0.5 / (step + 1)


def rising(step):
    return 0.1 * (step + 1)


def _loop(
    parameters, gradient_of, num_steps, learning_rate, max_norm, *, start=0, steps=0, clip="length", sign=-1.0, rate=0,
    at=None, fixed=None, rate_first=False, stop=False,
):  # fmt: skip
    """A training loop with one thing changed."""
    first = parameters
    for step in range(start, num_steps + start + steps):
        gradient = gradient_of(first if at == "first" else parameters, step if fixed is None else fixed)
        if rate_first:
            gradient = learning_rate(step) * gradient
        gradient = _clipped(gradient, max_norm, clip)
        parameters = parameters + sign * (1.0 if rate_first else learning_rate(step + rate)) * gradient
        if stop:
            break
    return parameters


def _clipped(gradient, max_norm, how):
    length = np.sqrt(np.sum(gradient**2))
    if how == "absolute":
        return gradient * min(1.0, max_norm / np.abs(gradient).sum())
    if how == "matrix":
        return gradient * min(1.0, max_norm / np.linalg.norm(gradient, 2))
    if how == "numbers":
        return np.clip(gradient, -max_norm, max_norm)
    if how == "always":
        return gradient * (max_norm / length)
    if how == "always, never by 0":
        return gradient * (max_norm / (length + 1e-12))
    if how == "to one":
        return gradient / length if length > max_norm else gradient
    if how == "largest number":
        return gradient * min(1.0, max_norm / np.abs(gradient).max())
    if how == "squared":
        return gradient * min(1.0, max_norm / length**2)
    return gradient if how is None or length <= max_norm else gradient * (max_norm / length)


def _shortened_parameters(parameters, gradient_of, num_steps, learning_rate, max_norm):
    """max_norm taken for the longest that the parameters may be."""
    for step in range(num_steps):
        parameters = parameters - learning_rate(step) * gradient_of(parameters, step)
        parameters = _clipped(parameters, max_norm, "length")
    return parameters


def _changed(**changes):
    return lambda *arguments: _loop(*arguments, **changes)


TRAINING_LOOP = Exercise(
    name="training_loop",
    stages={
        "first gradient": lambda p, gradient_of, *rest: gradient_of(p, 0),
        "length of the first gradient": lambda p, gradient_of, *rest: np.linalg.norm(gradient_of(p, 0)),
        "first gradient after the shortening": lambda p, gradient_of, n, rate, longest: _clipped(
            gradient_of(p, 0), longest, "length"
        ),
        "parameters after the first step": lambda p, gradient_of, n, rate, longest: _loop(
            p, gradient_of, 1, rate, longest
        ),
    },
    solve=_loop,
    remakes=(training.train,),
    cases=[
        (np.array([1.0, -2.0]), pull_apart, 1, falling, 100.0),
        (np.array([1.0, -2.0, 3.0]), pull_apart, 3, falling, 2.0),
        (np.array([[4.0, -1.0], [2.0, 0.5]]), pull_apart, 4, rising, 1.5),
        (np.array([0.3, 0.1, -0.2, 0.4]), pull_apart, 6, rising, 0.75),
        (np.array([1.9, 1.1]), pull_apart, 1, falling, 2.0),  # lengths of 1.5 and 0.6, whose squares lie
        (np.array([1.36, 1.24]), pull_apart, 1, falling, 0.5),  # on the other side of max_norm
        (np.array([2.0, -1.0]), stay, 2, falling, 1.0),
    ],
    mistakes={
        "Uphill: subtract the step.": _changed(sign=1.0),
        "The gradient is not clipped: where it is longer than max_norm, shorten it to that length.": _changed(
            clip=None
        ),
        "max_norm was taken for the longest that the parameters may be: shorten the gradient, before the step is made.": (
            _shortened_parameters
        ),
        "The absolute values were added up; the length is the root of the sum of the squares.": _changed(
            clip="absolute"
        ),
        "norm(…, 2) of a matrix is its largest stretch; the length is the root of the sum of all squares.": _changed(
            clip="matrix"
        ),
        "Each number was clipped by itself, which bends the direction; shorten the whole gradient by one factor.": _changed(
            clip="numbers"
        ),
        "Every gradient got the length max_norm, the short ones, too; only longer ones are shortened.": [
            _changed(clip="always"),
            _changed(clip="always, never by 0"),
        ],
        "A long gradient was shortened to length 1; shorten it to max_norm.": _changed(clip="to one"),
        "The largest number was taken for the length; the length is the root of the sum of all squares.": _changed(
            clip="largest number"
        ),
        "The squared length was used; take its root.": _changed(clip="squared"),
        "The steps count from 0: range(num_steps).": _changed(start=1),
        "One step too many.": _changed(steps=1),
        "One step is missing.": _changed(steps=-1),
        "The learning rate is that of the next step: call learning_rate(step).": _changed(rate=1),
        "Every gradient was taken at the first parameters; take it where the last step has led.": _changed(at="first"),
        "Every step used the batch of step 0: gradient_of(parameters, step).": _changed(fixed=0),
        "The learning rate was multiplied in before clipping; clip the gradient, then multiply.": _changed(
            rate_first=True
        ),
        "The loop ends after its first step.": _changed(stop=True),
        "The learning rate stayed at that of step 0: call learning_rate(step) in every step.": lambda p, g, n, learning_rate, max_norm: (
            _loop(p, g, n, lambda step: learning_rate(0), max_norm)
        ),
        "The learning rate is missing.": lambda p, g, n, learning_rate, max_norm: _loop(
            p, g, n, lambda step: 1.0, max_norm
        ),
        "The parameters came back as they were.": lambda p, g, n, learning_rate, max_norm: p,
    },
    hint=lambda error, *arguments: (
        "One of the arguments is a function: call it, as in learning_rate(step)."
        if "'function'" in str(error)
        else None
    ),
    praise="Right: gradient, clip, step, and again. With Adam making the step, this loop trains the largest models there are.",
)

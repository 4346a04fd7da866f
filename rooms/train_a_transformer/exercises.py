"""An exercise: a training loop."""

import numpy as np

from helpers.learning import training
from rooms.shared import edits


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


TRAINING_LOOP = edits.exercise(
    edits.part("training_loop"),
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
    mistakes="""
parameters - => parameters + | Uphill: subtract the step.
length > max_norm => False | The gradient is not clipped: where it is longer than max_norm, shorten it to that length.
np.sqrt(np.sum(gradient**2)) => np.abs(gradient).sum() | The absolute values were added up; the length is the root of the sum of the squares.
np.sqrt(np.sum(gradient**2)) => np.linalg.norm(gradient, 2) | norm(…, 2) of a matrix is its largest stretch; the length is the root of the sum of all squares.
length > max_norm => True ;; gradient * (max_norm / length) => np.clip(gradient, -max_norm, max_norm) | Each number was clipped by itself, which bends the direction; shorten the whole gradient by one factor.
length > max_norm => True | Every gradient got the length max_norm, the short ones, too; only longer ones are shortened.
length > max_norm => True ;; / length => / (length + 1e-12) |
length > max_norm => gradient.max() > max_norm | The largest number decides whether to shorten; the length of the whole gradient must, np.sqrt(np.sum(gradient**2)).
length > max_norm => np.abs(gradient).max() > max_norm |
max_norm / length => 1 / length | A long gradient was shortened to length 1; shorten it to max_norm.
np.sqrt(np.sum(gradient**2)) => np.abs(gradient).max() | The largest number was taken for the length; the length is the root of the sum of all squares.
np.sqrt(np.sum(gradient**2)) => np.sum(gradient**2) | The squared length was used; take its root.
range(num_steps) => range(1, num_steps + 1) | The steps count from 0: range(num_steps).
range(num_steps) => range(num_steps + 1) | One step too many.
range(num_steps) => range(num_steps - 1) | One step is missing.
learning_rate(step) => learning_rate(step + 1) | The learning rate is that of the next step: call learning_rate(step).
for step in => first = parameters⏎    for step in ;; gradient_of(parameters, step) => gradient_of(first, step) | Every gradient was taken at the first parameters; take it where the last step has led.
gradient_of(parameters, step) => gradient_of(parameters, 0) | Every step used the batch of step 0: gradient_of(parameters, step).
gradient_of(parameters, step) => learning_rate(step) * gradient_of(parameters, step) ;; - learning_rate(step) * gradient => - gradient | The learning rate was multiplied in before clipping; clip the gradient, then multiply.
learning_rate(step) => learning_rate(0) | The learning rate stayed at that of step 0: call learning_rate(step) in every step.
max_norm / length => length / max_norm | Upside down: the factor is max_norm / length, which is below 1.
length > max_norm => True ;; max_norm / length => 1 / length | Every gradient got the length 1; only those longer than max_norm are shortened, to that length.
length > max_norm => length > 0 ;; max_norm / length => 1 / length |
""",
    hint=lambda error, *arguments: (
        "One of the arguments is a function: call it, as in learning_rate(step)."
        if "'function'" in str(error)
        else None
    ),
    praise="Right: gradient, clip, step, and again. With Adam making the step, this loop trains the largest models there are.",
)

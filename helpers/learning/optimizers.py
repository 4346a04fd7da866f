"""Optimisers, and what they are given: how a gradient becomes a step.

An optimiser is a function(gradient, state, learning_rate) -> (change, state), for one array. The change is what to add to
the parameters; the state is what the next call is given, and None at first.
"""

import functools
import inspect
import math

import numpy as np

from helpers.learning.parameters import tree_leaves, tree_map
from helpers.support import inputs
from helpers.support.documented import documented

MOST_STEPS = 10**9  # nobody will wait for more


def _optimizer(num_means):
    """Make a function check what it is given and what it gives. The state is one mean, or a tuple of two and a count."""

    def decorate(optimizer):
        others = list(inspect.signature(optimizer).parameters)[3:]  # beta, epsilon and their like

        @functools.wraps(optimizer)
        def checked(gradient, state, learning_rate, *settings, **named):
            for name, setting in [*zip(others, settings), *named.items()]:
                inputs.number_from(name, setting, 0.0, math.inf if name == "epsilon" else 1.0)
            gradient = inputs.finite("gradient", gradient)
            learning_rate = _rate_for(gradient, learning_rate)
            means = _state_for(gradient, state, num_means)
            with np.errstate(over="ignore", invalid="ignore"):
                change, after = optimizer(gradient, means, learning_rate, *settings, **named)
            if not all(np.isfinite(part).all() for part in (change, *_parts(after))):
                _state_for(gradient, state, num_means, finite=True)
                raise ValueError("the step must stay finite, but gradient or learning_rate is too large.")
            return change, after

        return checked

    return decorate


def _parts(state):
    return state if isinstance(state, tuple) else () if state is None else (state,)


def _rate_for(gradient, learning_rate):
    rate = checked_rate("learning_rate", learning_rate)
    if np.ndim(rate) == 0:
        return rate
    try:
        np.broadcast_to(rate, gradient.shape)
    except ValueError:
        raise ValueError(
            f"learning_rate must be one number, or broadcast to the gradient {gradient.shape}, got shape {rate.shape}."
        ) from None
    return rate


def _state_for(gradient, state, num_means, finite=False):
    if state is None or num_means == 0:
        return None
    means = state[:-1] if num_means == 2 and isinstance(state, tuple) and len(state) == 3 else (state,)
    if len(means) != num_means:
        raise TypeError(f"state must be None, or what the last call gave back, got {type(state).__name__}.")
    checked = inputs.finite if finite else inputs.floats  # means that are not finite make a step or means that are not
    means = tuple(checked("state", mean) for mean in means)
    if any(mean.shape != gradient.shape for mean in means):
        raise ValueError(f"state must have the shape of gradient, got {means[0].shape} and gradient {gradient.shape}.")
    return means[0] if num_means == 1 else (*means, inputs.whole_number("the count in state", state[-1], minimum=0))


@_optimizer(num_means=0)
def gradient_descent(gradient, state, learning_rate):
    r"""Go downhill: :math:`\theta' = \theta - \eta g`. With a random part of the data at each step it is called SGD.

    Parameters
    ----------
    gradient : array
    state : what the last call gave back, None at first; here nothing is remembered
    learning_rate : eta, a number

    Returns
    -------
    change : what to add to the parameters
    state : for the next call

    Examples
    --------
    >>> gradient_descent(np.array([2.0, -4.0]), None, learning_rate=0.5)
    (array([-1.,  2.]), None)
    """
    return -learning_rate * gradient, None


@_optimizer(num_means=1)
def momentum(gradient, state, learning_rate, beta=0.9):
    r"""Roll downhill like a ball: :math:`v' = \beta v + g, \; \theta' = \theta - \eta v'`.

    Parameters, Returns
    -------------------
    as in `gradient_descent`; beta : the part of the velocity v that is left after a step

    References
    ----------
    Polyak, "Some methods of speeding up the convergence of iteration methods" (1964).

    Examples
    --------
    >>> change, velocity = momentum(np.array([2.0]), None, learning_rate=0.5)
    >>> momentum(np.array([2.0]), velocity, learning_rate=0.5)[0].round(6)
    array([-1.9])
    """
    velocity = gradient + (0.0 if state is None else beta * state)
    return -learning_rate * velocity, velocity


@_optimizer(num_means=1)
def rmsprop(gradient, state, learning_rate, beta=0.9, epsilon=1e-8):
    r"""Divide by the size that the gradient had lately: :math:`s' = \beta s + (1 - \beta) g^2, \; \theta' = \theta - \eta g / (\sqrt{s'} + \epsilon)`.

    Parameters, Returns
    -------------------
    as in `gradient_descent`; beta : the part of the mean square s that is left after a step; epsilon : keeps the
    division away from 0

    References
    ----------
    Tieleman and Hinton, lecture 6.5 of "Neural Networks for Machine Learning" (2012).

    Examples
    --------
    >>> rmsprop(np.array([2.0, -400.0]), None, learning_rate=0.1)[0].round(3)
    array([-0.316,  0.316])
    """
    squares = (1 - beta) * gradient**2 if state is None else beta * state + (1 - beta) * gradient**2
    return -learning_rate * gradient / (np.sqrt(squares) + epsilon), squares


@_optimizer(num_means=2)
def adam(gradient, state, learning_rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    r"""Momentum and RMSProp together, both corrected for having started at 0.

    .. math:: m' = \beta_1 m + (1 - \beta_1) g, \quad s' = \beta_2 s + (1 - \beta_2) g^2, \quad
              \theta' = \theta - \eta \, \frac{m' / (1 - \beta_1^t)}{\sqrt{s' / (1 - \beta_2^t)} + \epsilon}

    Parameters, Returns
    -------------------
    as in `gradient_descent`; beta1, beta2 : the parts of the mean m and of the mean square s that are left after a step;
    t counts the steps from 1

    References
    ----------
    Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1.

    Examples
    --------
    >>> adam(np.array([2.0, -400.0]), None, learning_rate=0.1)[0].round(3)
    array([-0.1,  0.1])
    """
    mean, squares, count = (0.0, 0.0, 0) if state is None else state
    count += 1
    mean = beta1 * mean + (1 - beta1) * gradient
    squares = beta2 * squares + (1 - beta2) * gradient**2
    corrected_mean = mean / (1 - beta1**count)
    corrected_squares = squares / (1 - beta2**count)
    return -learning_rate * corrected_mean / (np.sqrt(corrected_squares) + epsilon), (mean, squares, count)


@documented
def clip(gradient, max_norm):
    """Shorten the gradient, all its arrays taken as one long vector, to the length `max_norm` if it is longer.

    Parameters
    ----------
    gradient : arrays in nested dicts and lists
    max_norm : number above 0

    Returns
    -------
    gradient : nested as before, of the same direction

    Examples
    --------
    >>> clip([np.array([3.0]), np.array([4.0])], max_norm=1.0)
    [array([0.6]), array([0.8])]
    """
    arrays = [inputs.floats("gradient", array) for array in tree_leaves(gradient)]
    with np.errstate(over="ignore"):
        norm = math.hypot(*(float(np.linalg.norm(array)) for array in arrays))
    if not math.isfinite(norm):
        tree_map(lambda array: inputs.finite("gradient", array), gradient)
        raise ValueError("gradient must be small enough to be squared, but its length overflows.")
    if norm <= max_norm:
        return gradient
    return tree_map(lambda array: inputs.floats("gradient", array) * (max_norm / norm), gradient)


@documented
def warm_up_and_decay(peak, num_steps, warm_up):
    """Make a learning rate that climbs to `peak` over the first `warm_up` steps and falls to 0 at `num_steps`.

    Parameters
    ----------
    peak : a number, at least 0
    num_steps : whole number, at least 1, at most 1,000,000,000
    warm_up : whole number, at least 0, below num_steps

    Returns
    -------
    learning_rate : function(step) -> number, steps counted from 0

    Examples
    --------
    >>> rate = warm_up_and_decay(peak=1.0, num_steps=100, warm_up=10)
    >>> rate(0), rate(9), rate(55), rate(100)
    (0.1, 1.0, 0.5, 0.0)
    """
    peak = checked_rate("peak", peak)
    return lambda step: peak * min((step + 1) / max(warm_up, 1), 1.0, max(num_steps - step, 0) / (num_steps - warm_up))


def checked_rate(name, value):
    """Return a learning rate as a float, an array of them as it is, or say why it is none."""
    if np.ndim(inputs.rectangle(name, value)) == 0:
        value = inputs.finite_number(name, value)  # NumPy's own floats would make 64 bits of parameters in 32
    else:
        value = inputs.numbers(name, value)
        if value.size == 0:
            raise ValueError(f"{name} must be a number, or an array of some, got shape {value.shape}.")
        if not np.isfinite(value).all():
            where = ~np.isfinite(value)
            raise ValueError(f"{name} must hold finite numbers, got {value[where][0]} at {inputs.first(where, name)}.")
    if np.min(value) < 0:
        raise ValueError(f"{name} must be at least 0, got {np.min(value):g}; a step of a negative rate climbs.")
    return value

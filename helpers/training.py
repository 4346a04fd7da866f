"""Learning: a loss, its derivatives, and small steps that make it smaller.

Parameters are arrays in dicts and lists, nested as one likes (`layers.random_layer` makes such a dict). The derivatives
come from `mygrad`, which goes through the very functions of `attention` and `layers`. Nothing is changed in place: every
step makes new parameters, so old ones may be kept to look back on.
"""

from typing import NamedTuple

import mygrad
import numpy as np
from threadpoolctl import threadpool_limits

from helpers import inputs
from helpers.parameters import tree_leaves, tree_map


def cross_entropy(scores, targets):
    r"""Measure the surprise at the right answers: 0 if each got all of the probability.

    .. math:: L = -\frac1n \sum_i \log p_i, \qquad p = \mathrm{softmax}(scores)

    Parameters
    ----------
    scores : (..., num_choices), before softmax
    targets : (...) whole numbers, the right choice each

    Returns
    -------
    loss : one number, the mean in nats; log(num_choices) for a guess at random

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, shapes do not fit, or a target is none of the choices.

    Examples
    --------
    >>> cross_entropy([[0.0, 0.0], [0.0, 0.0]], [0, 1]).round(4)  # the logarithm of 2
    np.float64(0.6931)
    """
    scores = inputs.numbers("scores", scores, min_axes=1)
    targets = inputs.rectangle("targets", targets)
    num_choices = scores.shape[-1]
    if targets.shape != scores.shape[:-1] or scores.size == 0:
        raise ValueError(
            f"targets must have the shape of scores without its last axis, got targets {targets.shape} and scores "
            f"{scores.shape}."
        )
    if targets.dtype.kind not in "iu":
        raise TypeError(f"targets must be whole numbers, the right choice each, got {targets.dtype}.")
    if targets.min() < 0 or targets.max() >= num_choices:
        raise ValueError(f"targets must lie between 0 and {num_choices - 1}, got {targets.min()} to {targets.max()}.")
    if not np.isfinite(np.asarray(scores)).all():
        raise ValueError("scores must be finite; a probability of 0 would be an endless surprise.")
    scores = scores - np.max(np.asarray(scores), axis=-1, keepdims=True)  # changes no probability
    at_target = np.sum(scores * np.eye(num_choices, dtype=scores.dtype)[targets], axis=-1)
    return np.mean(np.log(np.sum(np.exp(scores), axis=-1)) - at_target)


def loss_and_gradient(loss_of, parameters, *batch):
    """Compute the loss, and for every parameter how fast the loss grows with it.

    Parameters
    ----------
    loss_of : function(parameters, *batch) -> one number, made of NumPy functions
    parameters : arrays of floats in nested dicts and lists
    batch : what else `loss_of` is given

    Returns
    -------
    loss : float
    gradient : nested as `parameters`

    Raises
    ------
    TypeError, ValueError
        If the loss is not one number that depends on the parameters, or is NaN or infinite.

    Examples
    --------
    >>> loss_and_gradient(lambda p: np.sum(p["x"] ** 2), {"x": np.array([1.0, 3.0])})
    (10.0, {'x': array([2., 6.])})
    """
    with mygrad.mem_guard_off:  # nothing here writes into an array that a derivative needs
        tensors = tree_map(mygrad.tensor, parameters)
        loss = loss_of(tensors, *batch)
        if not isinstance(loss, mygrad.Tensor) or loss.size != 1:
            raise TypeError(f"loss_of must give one number that depends on the parameters, got {type(loss).__name__}.")
        if not np.isfinite(loss.data):
            raise ValueError(f"the loss must be finite, got {loss.item()}. Is the learning rate too large?")
        loss.backward()
        return loss.item(), tree_map(lambda x: np.zeros_like(x.data) if x.grad is None else x.grad, tensors)


def numerical_gradient(loss_of, parameters, *batch, step=1e-5):
    r"""Find the same gradient by trying: move one number at a time a little up and down. Slow, but hard to get wrong.

    .. math:: \frac{\partial L}{\partial \theta_i} \approx \frac{L(\theta_i + h) - L(\theta_i - h)}{2 h}

    Parameters
    ----------
    loss_of, parameters, batch : as in `loss_and_gradient`
    step : h

    Returns
    -------
    gradient : nested as `parameters`

    Examples
    --------
    >>> numerical_gradient(lambda p: np.sum(p["x"] ** 2), {"x": np.array([1.0, 3.0])})["x"].round(6)
    array([2., 6.])
    """
    moving = tree_map(np.array, parameters)  # copies, of which one number at a time is moved

    def slopes(array):
        gradient = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            value = array[place]
            array[place] = value + step
            above = float(loss_of(moving, *batch))
            array[place] = value - step
            below = float(loss_of(moving, *batch))
            array[place] = value
            gradient[place] = (above - below) / (2 * step)
        return gradient

    return tree_map(slopes, moving)


# --- optimisers: function(gradient, state, learning_rate) -> (change, state), for one array; state starts as None -------


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
    velocity = gradient if state is None else beta * state + gradient
    return -learning_rate * velocity, velocity


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


def clip(gradient, max_norm):
    """Shorten the gradient, all its arrays taken as one long vector, to the length `max_norm` if it is longer.

    Parameters
    ----------
    gradient : arrays in nested dicts and lists
    max_norm : a number greater than 0

    Returns
    -------
    gradient : nested as before, of the same direction

    Examples
    --------
    >>> clip([np.array([3.0]), np.array([4.0])], max_norm=1.0)
    [array([0.6]), array([0.8])]
    """
    max_norm = inputs.finite_number("max_norm", max_norm)
    if max_norm <= 0:
        raise ValueError(f"max_norm must be greater than 0, got {max_norm:g}.")
    norm = float(np.sqrt(sum(float(np.sum(array**2)) for array in tree_leaves(gradient))))
    return gradient if norm <= max_norm else tree_map(lambda array: array * (max_norm / norm), gradient)


def warm_up_and_decay(peak, num_steps, warm_up):
    """Make a learning rate that climbs to `peak` over the first `warm_up` steps and falls to 0 at `num_steps`.

    Parameters
    ----------
    peak : a number, at least 0
    num_steps, warm_up : numbers of steps

    Returns
    -------
    learning_rate : function(step) -> number, steps counted from 0

    Examples
    --------
    >>> rate = warm_up_and_decay(peak=1.0, num_steps=100, warm_up=10)
    >>> rate(0), rate(9), rate(55), rate(100)
    (0.1, 1.0, 0.5, 0.0)
    """
    peak = _rate("peak", peak)
    num_steps = inputs.whole_number("num_steps", num_steps, minimum=1)
    warm_up = inputs.whole_number("warm_up", warm_up, minimum=0)
    if warm_up >= num_steps:
        raise ValueError(f"warm_up must be less than num_steps, got {warm_up} of {num_steps}.")
    return lambda step: peak * min((step + 1) / max(warm_up, 1), 1.0, max(num_steps - step, 0) / (num_steps - warm_up))


class History(NamedTuple):
    """What a training left behind, also when it was interrupted.

    parameters : as they are after the last complete step
    losses : (num_steps,), the loss that each step started from
    snapshots : dict number of steps done -> parameters, for looking back; the last one is always there
    state : of the optimiser; hand it to `train` to go on
    interrupted : True if somebody pressed stop, or a step failed
    """

    parameters: object
    losses: np.ndarray
    snapshots: dict
    state: object
    interrupted: bool


class StepFailed(ValueError):
    """A step of a training could not be taken; `history` is the History of the steps before it."""

    def __init__(self, message, history):
        super().__init__(message)
        self.history = history


def train(
    parameters, loss_of, batches, *, num_steps, learning_rate, optimizer=adam, max_norm=None, state=None, first_step=0,
    keep_every=None, progress="training",
):  # fmt: skip
    """Take steps downhill, one for each batch, with a progress bar. Pressing stop (■) keeps what has been learned.

    Parameters
    ----------
    parameters : arrays in nested dicts and lists; they are not changed
    loss_of : function(parameters, *batch) -> one number
    batches : iterable of batches, tuples; `full_batch` and `random_batches` make such
    num_steps : how many steps to take; fewer if the batches run out
    learning_rate : a number, at least 0, or a function of the step, such as `warm_up_and_decay` makes
    optimizer : gradient_descent, momentum, rmsprop, adam, or one of your own
    max_norm : length to which a longer gradient is clipped; None = as it comes
    state, first_step : to go on where another training stopped: its `history.state`, and how many steps it took
    keep_every : keep the parameters after so many steps; None = only the last
    progress : words before the progress bar; None = no bar

    Returns
    -------
    History

    Raises
    ------
    TypeError, ValueError
        If the learning rate is no finite number of at least 0.
    StepFailed
        A ValueError that says in which step, counted from 0, the loss was no longer finite or `loss_of` raised one; the
        steps before it are its `history`.

    Examples
    --------
    >>> history = train(
    ...     {"x": np.array(4.0)}, lambda p: p["x"] ** 2, full_batch(), num_steps=3, learning_rate=0.25,
    ...     optimizer=gradient_descent, progress=None,
    ... )
    >>> history.losses.tolist(), float(history.parameters["x"])
    ([16.0, 4.0, 1.0], 0.5)
    """
    num_steps = inputs.whole_number("num_steps", num_steps, minimum=0)
    constant = None if callable(learning_rate) else _rate("learning_rate", learning_rate)
    state = tree_map(lambda array: None, parameters) if state is None else state
    now, losses, snapshots, interrupted = (parameters, state), [], {0: parameters}, False

    def history():
        return History(now[0], np.array(losses), snapshots | {len(losses): now[0]}, now[1], interrupted)

    bar = _bar(num_steps, progress)
    np.empty(31 << 20, np.uint8)  # freed at once: on Linux, memory is then kept from step to step and not fetched anew
    with threadpool_limits(limits=1, user_api="blas"):  # the matrices are small: threads would wait for one another
        try:
            for step, batch in zip(range(first_step, first_step + num_steps), batches):
                try:
                    rate = _rate("learning_rate", learning_rate(step)) if constant is None else constant
                    loss, gradient = loss_and_gradient(loss_of, now[0], *batch)
                    if max_norm is not None:
                        gradient = clip(gradient, max_norm)
                    after = _step(optimizer, *now, gradient, rate)
                except ValueError as error:
                    interrupted = True
                    raise StepFailed(_why(step, error, asked=bool(losses)), history()) from error
                losses.append(loss)
                now = after
                if keep_every and len(losses) % keep_every == 0:
                    snapshots[len(losses)] = now[0]
                bar.set_postfix_str(f"loss {loss:.3f}", refresh=False)
                bar.update()
        except KeyboardInterrupt:
            interrupted = True
        finally:
            bar.close()
    return history()


def _rate(name, value):
    """Return a learning rate as a float, an array of them as it is, or say why it is none."""
    if np.ndim(inputs.rectangle(name, value)) == 0:
        value = inputs.finite_number(name, value)  # NumPy's own floats would make 64 bits of parameters in 32
    else:
        value = inputs.numbers(name, value)
        if not np.isfinite(value).all():
            where = ~np.isfinite(value)
            raise ValueError(f"{name} must hold finite numbers, got {value[where][0]} at {inputs.first(where, name)}.")
    if np.min(value) < 0:
        raise ValueError(f"{name} must be at least 0, got {np.min(value):g}; a step of a negative rate climbs.")
    return value


def _why(step, error, *, asked):
    """What a failed step is told. Only a step that others came before can be the fault of their learning rate."""
    question = " Is the learning rate too large?" if asked and "learning" not in str(error) else ""
    return f"step {step}: {error}{question}"


def _step(optimizer, parameters, state, gradient, learning_rate):
    """Every array takes its step; returns new parameters and states."""
    if isinstance(parameters, dict):
        pairs = {
            name: _step(optimizer, part, state[name], gradient[name], learning_rate)
            for name, part in parameters.items()
        }
        return {name: new for name, (new, _) in pairs.items()}, {name: kept for name, (_, kept) in pairs.items()}
    if isinstance(parameters, list):
        pairs = [_step(optimizer, *parts, learning_rate) for parts in zip(parameters, state, gradient, strict=True)]
        return [new for new, _ in pairs], [kept for _, kept in pairs]
    change, state = optimizer(gradient, state, learning_rate)
    return parameters + change, state


def _bar(num_steps, words):
    from tqdm.auto import tqdm  # here, since in a notebook it brings widgets along

    return tqdm(total=num_steps, desc=words, disable=words is None, unit="step", leave=True)


def full_batch(*batch):
    """Give the same batch, all of the data for instance, again and again.

    Examples
    --------
    >>> next(full_batch("all"))
    ('all',)
    """
    while True:
        yield batch


def random_batches(rng, *arrays_of_data, size):
    """Draw rows at random, again and again: the S, stochastic, of SGD.

    Parameters
    ----------
    rng : numpy.random.Generator
    arrays_of_data : arrays with as many rows each; row i of all of them belongs together
    size : rows in a batch

    Yields
    ------
    batch : tuple of arrays with `size` rows

    Raises
    ------
    TypeError, ValueError
        If `size` is no whole number of at least 1, or the arrays have no rows or not as many each.

    Examples
    --------
    >>> x, y = next(random_batches(np.random.default_rng(0), np.arange(3), 10 * np.arange(3), size=5))
    >>> len(x), (y == 10 * x).all()
    (5, np.True_)
    """
    size = inputs.whole_number("size", size, minimum=1)
    counts = [len(data) for data in arrays_of_data]
    if len(set(counts)) != 1 or not counts[0]:
        got = ", ".join(map(str, counts)) or "no array"
        raise ValueError(f"arrays_of_data must have as many rows each, and at least one, got {got}.")
    return _drawn(rng, size, counts[0], arrays_of_data)


def _drawn(rng, size, count, arrays_of_data):
    while True:
        rows = rng.integers(count, size=size)
        yield tuple(data[rows] for data in arrays_of_data)

"""Learning: a loss, its derivatives, and small steps that make it smaller.

Parameters are arrays in dicts and lists, nested as one likes (`layers.random_layer` makes such a dict). The derivatives
come from `mygrad`, which goes through the very functions of `attention` and `layers`. Every step makes new parameters.
"""

import contextlib
import signal
import threading
from typing import NamedTuple

import numpy as np

from helpers.learning import optimizers
from helpers.learning.parameters import as_floats, tree_map
from helpers.support import inputs, memory, threads
from helpers.support.documented import documented


@documented
def cross_entropy(scores, targets):
    r"""Measure the surprise at the right answers: 0 if each got all of the probability.

    .. math:: L = -\frac1n \sum_i \log p_i, \qquad p = \mathrm{softmax}(scores)

    Parameters
    ----------
    scores : (..., num_choices), before softmax
    targets : (...) whole numbers, at least 0, below num_choices: the right choice each

    Returns
    -------
    loss : one number, the mean in nats; log(num_choices) for a guess at random

    Examples
    --------
    >>> cross_entropy([[0.0, 0.0], [0.0, 0.0]], [0, 1]).round(4)  # the logarithm of 2
    np.float64(0.6931)
    """
    scores = scores - np.max(np.asarray(scores), axis=-1, keepdims=True)  # changes no p
    at_target = np.sum(scores * (np.arange(scores.shape[-1]) == targets[..., None]), axis=-1)
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

    Examples
    --------
    >>> loss_and_gradient(lambda p: np.sum(p["x"] ** 2), {"x": np.array([1.0, 3.0])})
    (10.0, {'x': array([2., 6.])})
    """
    with threads.one_for_blas():  # small products
        return _loss_and_gradient(inputs.function("loss_of", loss_of), as_floats(parameters), *batch)


def _loss_and_gradient(loss_of, parameters, *batch):
    import mygrad  # here, since it takes memory that only learning needs

    # nothing here writes into an array that a derivative needs
    with np.errstate(over="ignore", invalid="ignore"), mygrad.mem_guard_off:
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
    gradient : nested as `parameters`, in float64

    Examples
    --------
    >>> numerical_gradient(lambda p: np.sum(p["x"] ** 2), {"x": np.array([1.0, 3.0])})["x"].round(6)
    array([2., 6.])
    """
    inputs.function("loss_of", loss_of)
    step = inputs.number_from("step", step)
    if step == 0:
        raise ValueError("step must be greater than 0, got 0.")
    moving = tree_map(lambda array: np.array(array, np.float64), as_floats(parameters))  # copies; in 32 bits h is lost

    def loss_with(array, place, number):
        array[place] = number
        with np.errstate(over="ignore", invalid="ignore"):
            loss = loss_of(moving, *batch)
        if np.size(loss) != 1:
            raise TypeError(f"loss_of must give one number, got {type(loss).__name__} of shape {np.shape(loss)}.")
        return inputs.finite_number("what loss_of gives within a step of these parameters", np.asarray(loss).item())

    def slopes(array):
        gradient = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            value = array[place]
            up, down = value + step, value - step
            if not down < value < up:
                raise ValueError(f"parameters must be small enough for a step of {step:g}, but {value:g} hides it.")
            above, below = (loss_with(array, place, moved) for moved in (up, down))
            array[place] = value
            gradient[place] = (above - below) / (up - down)
        return gradient

    return tree_map(slopes, moving)


class History(NamedTuple):
    """What a training left behind, also when it was interrupted.

    parameters : as they are after the last complete step
    losses : (num_steps,), the loss that each step started from
    snapshots : dict number of steps done -> parameters, for looking back; those at 0 and after the last are always there
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
    parameters, loss_of, batches, *, num_steps, learning_rate, optimizer=optimizers.adam, max_norm=None, state=None, first_step=0,
    keep_every=None, progress="training", watch=None,
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
    keep_every : keep the parameters after every so many steps; None = only the first and the last
    progress : words before the progress bar; None = no bar
    watch : function(losses, parameters), called after each step with all losses so far; None = nobody watches

    Returns
    -------
    History

    Examples
    --------
    >>> history = train(
    ...     {"x": np.array(4.0)}, lambda p: p["x"] ** 2, full_batch(), num_steps=3, learning_rate=0.25,
    ...     optimizer=optimizers.gradient_descent, progress=None,
    ... )
    >>> history.losses.tolist(), float(history.parameters["x"])
    ([16.0, 4.0, 1.0], 0.5)
    """
    num_steps = inputs.whole_number("num_steps", num_steps, minimum=0, maximum=optimizers.MOST_STEPS)
    first_step = inputs.whole_number("first_step", first_step, minimum=0)
    keep_every = None if keep_every is None else inputs.whole_number("keep_every", keep_every, minimum=1)
    progress = None if progress is None else inputs.text("progress", progress)
    max_norm = None if max_norm is None else inputs.number_from("max_norm", max_norm)
    if not hasattr(batches, "__iter__") or isinstance(batches, (type, str, dict, np.generic)):
        raise TypeError(f"batches must be an iterable of tuples, as random_batches makes them, got {batches!r:.60}.")
    inputs.function("loss_of", loss_of)
    inputs.function("optimizer", optimizer)
    watch = None if watch is None else inputs.function("watch", watch)
    rate_of = learning_rate
    if callable(learning_rate):
        inputs.function("learning_rate", learning_rate)
    else:
        constant = optimizers.checked_rate("learning_rate", learning_rate)
        rate_of = lambda step: constant  # noqa: E731
    parameters = tree_map(np.array, as_floats(parameters))  # copies: the given ones may be changed in place
    state = tree_map(lambda array: None, parameters) if state is None else _state_of(parameters, state)
    now, losses, snapshots, failed = (parameters, state), [], {0: parameters}, False

    def history():
        kept = snapshots | {len(losses): now[0]}
        return History(now[0], np.array(losses), kept, now[1], failed or stop.pressed)

    with _StopButton() as stop, threads.one_for_blas(), memory.given_back(), _bar(num_steps, progress) as bar:
        source = iter(batches)
        while len(losses) < num_steps and not stop.pressed:
            step = first_step + len(losses)
            try:
                with stop.within_a_step():
                    batch = next(source, None)
                    if batch is None:
                        break
                    rate = optimizers.checked_rate("learning_rate", rate_of(step))
                    loss, gradient = _loss_and_gradient(loss_of, now[0], *_tuple(batch))
                    if max_norm is not None:
                        gradient = optimizers.clip(gradient, max_norm)
                    after = _step(optimizer, *now, gradient, rate)
            except KeyboardInterrupt:
                stop.pressed = True
                break
            except ValueError as error:
                failed = True
                raise StepFailed(_why(step, error, asked=bool(losses)), history()) from error
            losses.append(loss)
            now = after
            if keep_every and len(losses) % keep_every == 0:
                snapshots[len(losses)] = now[0]
            bar.set_postfix_str(f"loss {loss:.3f}", refresh=False)
            bar.update()
            if watch is not None:
                watch(np.array(losses), now[0])
        return history()


class _StopButton:
    """Pressing stop (■) asks to stop after the step at hand; pressing it again breaks that step off.

    An interrupt between two steps, in the bar for instance, would otherwise take away what has been learned.
    """

    def __enter__(self):
        self.pressed = self._within = False
        try:
            self._before = signal.signal(signal.SIGINT, self._press)
        except ValueError:  # not the main thread, which alone is interrupted
            self._before = None
        return self

    def __exit__(self, *_):
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _press(self, *_):
        again, self.pressed = self.pressed, True
        if again and self._within:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def within_a_step(self):
        self._within = True
        try:
            yield
        finally:
            self._within = False


def _tuple(batch):
    if not isinstance(batch, (tuple, list)):
        raise TypeError(f"batches must give tuples, the arguments of loss_of, got {type(batch).__name__}.")
    return batch


def _state_of(parameters, state):
    """The state of a training that goes on, if it has one for each array."""
    if isinstance(parameters, dict) and isinstance(state, dict) and parameters.keys() == state.keys():
        return {name: _state_of(part, state[name]) for name, part in parameters.items()}
    if isinstance(parameters, list) and isinstance(state, list) and len(parameters) == len(state):
        return [_state_of(*parts) for parts in zip(parameters, state)]
    if isinstance(parameters, (dict, list)) or isinstance(state, (dict, list)):
        raise ValueError("state must be None, or the state of a history of these parameters, nested as they are.")
    return state


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
    done = optimizer(gradient, state, learning_rate)
    if not isinstance(done, tuple) or len(done) != 2 or np.shape(done[0]) != parameters.shape:
        raise TypeError(f"optimizer must give (change, state), the change of its array's shape {parameters.shape}.")
    with np.errstate(over="ignore"):
        after = parameters + done[0]
    if not np.isfinite(after).all():
        raise ValueError("the parameters must stay finite, but the step is too long.")
    return after, done[1]


def _bar(num_steps, words):
    from tqdm.auto import tqdm  # here, since in a notebook it brings widgets along

    tqdm.monitor_interval = 0  # no thread that watches the bar
    tqdm.set_lock(threading.RLock())  # nor a lock that other processes know
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

    Examples
    --------
    >>> x, y = next(random_batches(np.random.default_rng(0), np.arange(3), 10 * np.arange(3), size=5))
    >>> len(x), (y == 10 * x).all()
    (5, np.True_)
    """
    size = inputs.whole_number("size", size, minimum=1)
    inputs.affordable(size=size)
    inputs.generator("rng", rng)
    arrays_of_data = [np.asarray(inputs.rectangle("arrays_of_data", data)) for data in arrays_of_data]
    if any(data.ndim == 0 for data in arrays_of_data):
        raise ValueError("arrays_of_data must have rows, got a single number.")
    counts = [len(data) for data in arrays_of_data]
    if len(set(counts)) != 1 or not counts[0]:
        got = ", ".join(map(str, counts)) or "no array"
        raise ValueError(f"arrays_of_data must have as many rows each, and at least one, got {got}.")
    return _drawn(rng, size, counts[0], arrays_of_data)


def _drawn(rng, size, count, arrays_of_data):
    while True:
        rows = rng.integers(count, size=size)
        yield tuple(data[rows] for data in arrays_of_data)

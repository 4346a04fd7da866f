"""Learning: a loss, its derivatives, and small steps that make it smaller.

Parameters are arrays in dicts and lists, nested as one likes (`layers.random_layer` makes such a dict). The derivatives
come from `mygrad`, which goes through the very functions of `attention` and `layers`. Nothing is changed in place: every
step makes new parameters, so old ones may be kept to look back on.
"""

from pathlib import Path
from typing import NamedTuple

import mygrad
import numpy as np
from threadpoolctl import threadpool_limits

from helpers import inputs


def cross_entropy(scores, targets):
    r"""Measure the surprise at the right answers: 0 if each got all of the probability.

    .. math:: L = -\frac1n \sum_i \log p_i, \qquad p = \mathrm{softmax}(scores)

    Parameters
    ----------
    scores : (..., num_choices), before softmax
    targets : (...) whole numbers, the right choice each

    Returns
    -------
    loss : one number, the mean in nats; log(num_choices) for a guess by lot

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
        tensors = each(mygrad.tensor, parameters)
        loss = loss_of(tensors, *batch)
        if not isinstance(loss, mygrad.Tensor) or loss.size != 1:
            raise TypeError(f"loss_of must give one number that depends on the parameters, got {type(loss).__name__}.")
        if not np.isfinite(loss.data):
            raise ValueError(f"the loss must be finite, got {loss.item()}. Is the learning rate too large?")
        loss.backward()
        return loss.item(), each(lambda x: np.zeros_like(x.data) if x.grad is None else x.grad, tensors)


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
    moving = each(np.array, parameters)  # copies, of which one number at a time is moved

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

    return each(slopes, moving)


# --- optimisers: function(gradient, memory, learning_rate) -> (change, memory), for one array; memory starts as None -----


def gradient_descent(gradient, memory, learning_rate):
    r"""Go downhill: :math:`\theta' = \theta - \eta g`. With a random part of the data at each step it is called SGD.

    Parameters
    ----------
    gradient : array
    memory : what the last call gave back, None at first; here nothing is remembered
    learning_rate : eta, a number

    Returns
    -------
    change : what to add to the parameters
    memory : for the next call

    Examples
    --------
    >>> gradient_descent(np.array([2.0, -4.0]), None, learning_rate=0.5)
    (array([-1.,  2.]), None)
    """
    return -learning_rate * gradient, None


def momentum(gradient, memory, learning_rate, keep=0.9):
    r"""Roll downhill like a ball: :math:`v' = k v + g, \; \theta' = \theta - \eta v'`.

    Parameters, Returns
    -------------------
    as in `gradient_descent`; keep : k, the part of the velocity v that is left after a step

    References
    ----------
    Polyak, "Some methods of speeding up the convergence of iteration methods" (1964).

    Examples
    --------
    >>> change, velocity = momentum(np.array([2.0]), None, learning_rate=0.5)
    >>> momentum(np.array([2.0]), velocity, learning_rate=0.5)[0].round(6)
    array([-1.9])
    """
    velocity = gradient if memory is None else keep * memory + gradient
    return -learning_rate * velocity, velocity


def rmsprop(gradient, memory, learning_rate, keep=0.9, epsilon=1e-8):
    r"""Divide by the size that the gradient had lately: :math:`s' = k s + (1 - k) g^2, \; \theta' = \theta - \eta g / (\sqrt{s'} + \epsilon)`.

    Parameters, Returns
    -------------------
    as in `gradient_descent`; keep : k, the part of the mean square s that is left after a step; epsilon : keeps the
    division away from 0

    References
    ----------
    Tieleman and Hinton, lecture 6.5 of "Neural Networks for Machine Learning" (2012).

    Examples
    --------
    >>> rmsprop(np.array([2.0, -400.0]), None, learning_rate=0.1)[0].round(3)
    array([-0.316,  0.316])
    """
    squares = (1 - keep) * gradient**2 if memory is None else keep * memory + (1 - keep) * gradient**2
    return -learning_rate * gradient / (np.sqrt(squares) + epsilon), squares


def adam(gradient, memory, learning_rate, keep=0.9, keep_squares=0.999, epsilon=1e-8):
    r"""Momentum and RMSProp together, both corrected for having started at 0.

    .. math:: m' = k m + (1 - k) g, \quad s' = k_2 s + (1 - k_2) g^2, \quad
              \theta' = \theta - \eta \, \frac{m' / (1 - k^t)}{\sqrt{s' / (1 - k_2^t)} + \epsilon}

    Parameters, Returns
    -------------------
    as in `gradient_descent`; keep, keep_squares : k and k_2; t counts the steps from 1

    References
    ----------
    Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1.

    Examples
    --------
    >>> adam(np.array([2.0, -400.0]), None, learning_rate=0.1)[0].round(3)
    array([-0.1,  0.1])
    """
    mean, squares, count = (0.0, 0.0, 0) if memory is None else memory
    mean = keep * mean + (1 - keep) * gradient
    squares = keep_squares * squares + (1 - keep_squares) * gradient**2
    count += 1
    corrected, size = mean / (1 - keep**count), np.sqrt(squares / (1 - keep_squares**count))
    return -learning_rate * corrected / (size + epsilon), (mean, squares, count)


def clip(gradient, largest):
    """Shorten the gradient, all its arrays taken as one long vector, to the length `largest` if it is longer.

    Parameters
    ----------
    gradient : arrays in nested dicts and lists
    largest : a number greater than 0

    Returns
    -------
    gradient : nested as before, of the same direction

    Examples
    --------
    >>> clip([np.array([3.0]), np.array([4.0])], largest=1.0)
    [array([0.6]), array([0.8])]
    """
    largest = inputs.finite_number("largest", largest)
    if largest <= 0:
        raise ValueError(f"largest must be greater than 0, got {largest:g}.")
    length = float(np.sqrt(sum(float(np.sum(array**2)) for array in arrays(gradient))))
    return gradient if length <= largest else each(lambda array: array * (largest / length), gradient)


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
    memory : of the optimiser; hand it to `train` to go on
    interrupted : True if somebody pressed stop, or a step failed
    """

    parameters: object
    losses: np.ndarray
    snapshots: dict
    memory: object
    interrupted: bool


class StepFailed(ValueError):
    """A step of a training could not be taken; `history` is the History of the steps before it."""

    def __init__(self, message, history):
        super().__init__(message)
        self.history = history


def train(
    parameters, loss_of, batches, *, num_steps, learning_rate, optimizer=adam, largest=None, memory=None, first_step=0,
    keep_every=None, progress="training",
):  # fmt: skip
    """Take steps downhill, one for each batch, with a progress bar. Pressing stop (■) keeps what has been learned.

    Parameters
    ----------
    parameters : arrays in nested dicts and lists; they are not changed
    loss_of : function(parameters, *batch) -> one number
    batches : iterable of batches, tuples; `every_time` and `random_batches` make such
    num_steps : how many steps to take; fewer if the batches run out
    learning_rate : a number, at least 0, or a function of the step, such as `warm_up_and_decay` makes
    optimizer : gradient_descent, momentum, rmsprop, adam, or one of your own
    largest : length to which a longer gradient is clipped; None = as it comes
    memory, first_step : to go on where another training stopped: its `history.memory`, and how many steps it took
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
    ...     {"x": np.array(4.0)}, lambda p: p["x"] ** 2, every_time(), num_steps=3, learning_rate=0.25,
    ...     optimizer=gradient_descent, progress=None,
    ... )
    >>> history.losses.tolist(), float(history.parameters["x"])
    ([16.0, 4.0, 1.0], 0.5)
    """
    num_steps = inputs.whole_number("num_steps", num_steps, minimum=0)
    constant = None if callable(learning_rate) else _rate("learning_rate", learning_rate)
    memory = each(lambda array: None, parameters) if memory is None else memory
    state, losses, snapshots, interrupted = (parameters, memory), [], {0: parameters}, False

    def history():
        return History(state[0], np.array(losses), snapshots | {len(losses): state[0]}, state[1], interrupted)

    bar = _bar(num_steps, progress)
    np.empty(31 << 20, np.uint8)  # freed at once: on Linux, memory is then kept from step to step and not fetched anew
    with threadpool_limits(limits=1, user_api="blas"):  # the matrices are small: threads would wait for one another
        try:
            for step, batch in zip(range(first_step, first_step + num_steps), batches):
                try:
                    rate = _rate("learning_rate", learning_rate(step)) if constant is None else constant
                    loss, gradient = loss_and_gradient(loss_of, state[0], *batch)
                    if largest is not None:
                        gradient = clip(gradient, largest)
                    new_state = _step(optimizer, *state, gradient, rate)
                except ValueError as error:
                    interrupted = True
                    raise StepFailed(_why(step, error, asked=bool(losses)), history()) from error
                losses.append(loss)
                state = new_state
                if keep_every and len(losses) % keep_every == 0:
                    snapshots[len(losses)] = state[0]
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


def _step(optimizer, parameters, memory, gradient, learning_rate):
    """Every array takes its step; returns new parameters and memories."""
    if isinstance(parameters, dict):
        pairs = {
            name: _step(optimizer, part, memory[name], gradient[name], learning_rate)
            for name, part in parameters.items()
        }
        return {name: new for name, (new, _) in pairs.items()}, {name: kept for name, (_, kept) in pairs.items()}
    if isinstance(parameters, list):
        pairs = [_step(optimizer, *parts, learning_rate) for parts in zip(parameters, memory, gradient, strict=True)]
        return [new for new, _ in pairs], [kept for _, kept in pairs]
    change, memory = optimizer(gradient, memory, learning_rate)
    return parameters + change, memory


def _bar(num_steps, words):
    from tqdm.auto import tqdm  # here, since in a notebook it brings widgets along

    return tqdm(total=num_steps, desc=words, disable=words is None, unit="step", leave=True)


def every_time(*batch):
    """Give the same batch, all of the data for instance, again and again.

    Examples
    --------
    >>> next(every_time("all"))
    ('all',)
    """
    while True:
        yield batch


def random_batches(rng, size, *arrays_of_data):
    """Draw rows by lot, again and again: the S, stochastic, of SGD.

    Parameters
    ----------
    rng : numpy.random.Generator
    size : rows in a batch
    arrays_of_data : arrays with as many rows each; row i of all of them belongs together

    Yields
    ------
    batch : tuple of arrays with `size` rows

    Raises
    ------
    TypeError, ValueError
        If `size` is no whole number of at least 1, or the arrays have no rows or not as many each.

    Examples
    --------
    >>> x, y = next(random_batches(np.random.default_rng(0), 5, np.arange(3), 10 * np.arange(3)))
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


# --- nested parameters, and files for them ---------------------------------------------------------------------------


def each(function, nested):
    """Apply a function to every array in nested dicts and lists.

    Examples
    --------
    >>> each(np.shape, {"W": np.eye(2), "layers": [np.ones(3)]})
    {'W': (2, 2), 'layers': [(3,)]}
    """
    if isinstance(nested, dict):
        return {name: each(function, part) for name, part in nested.items()}
    if isinstance(nested, list):
        return [each(function, part) for part in nested]
    return function(nested)


def arrays(nested):
    """All arrays of nested dicts and lists, in one list."""
    return list(named_arrays(nested).values())


def named_arrays(nested, name=""):
    """All arrays of nested dicts and lists in one dict; a name says the way to its array.

    Examples
    --------
    >>> list(named_arrays({"layers": [{"W": np.eye(2)}], "b": np.ones(2)}))
    ['layers.0.W', 'b']
    """
    if not isinstance(nested, (dict, list)):
        return {name: nested}
    parts = nested.items() if isinstance(nested, dict) else enumerate(nested)
    found = {}
    for key, part in parts:
        found |= named_arrays(part, f"{name}.{key}" if name else str(key))
    return found


def save(path, parameters):
    """Write parameters to an .npz file, which holds plain numbers only.

    Parameters
    ----------
    path : of the file
    parameters : arrays in nested dicts and lists

    Raises
    ------
    TypeError, ValueError
        If one of them is no array of numbers, or has a name that the file cannot hold.
    """
    named = named_arrays(parameters)
    for name, array in named.items():
        if np.asarray(array).dtype.kind not in "fiub":  # NumPy would write a pickle, which `load` does not open
            got = f"holds {array.dtype}" if isinstance(array, np.ndarray) else f"is {type(array).__name__}"
            raise TypeError(f"parameters must be arrays of numbers, but {name} {got}.")
        if name in {"file", "allow_pickle"}:
            raise ValueError(f"parameters must not be called {name}, a word that NumPy needs itself.")
    np.savez(path, **named)


def load(path, like):
    """Read parameters that `save` has written.

    Parameters
    ----------
    path : of the file
    like : parameters of the model that shall use them, random ones for instance: names, shapes and dtypes must be theirs

    Returns
    -------
    parameters : nested as `like`

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is missing, damaged or cut off, or does not hold what the model needs; the message says which file.
    """
    path = Path(path)
    name = f"{path.parent.name}/{path.name}"
    again = "Restore it with git, or make it again as data/README.md says."
    try:
        with path.open("rb") as file:  # np.load leaves a damaged file open
            found = _arrays_of(file)
    except FileNotFoundError:
        raise FileNotFoundError(f"{name} must be there, but it is missing. {again}") from None
    except Exception as error:  # damage makes zipfile, zlib and NumPy stumble in a dozen ways
        reason = str(error).split("\n")[0] or type(error).__name__
        raise ValueError(f"{name} must be a file of arrays, but it is damaged: {reason.rstrip('.')}. {again}") from None
    wanted = named_arrays(like)
    for what, names in {"lacks": wanted.keys() - found, "holds an unknown": found.keys() - wanted}.items():
        if names:
            raise ValueError(f"{name} must hold the arrays of this model, but it {what} {min(names)}. {again}")
    for key, array in wanted.items():
        if found[key].shape != array.shape or found[key].dtype != array.dtype:
            raise ValueError(
                f"{name} must hold {key} as {array.dtype} {array.shape}, got {found[key].dtype} {found[key].shape}. {again}"
            )
        if not np.isfinite(found[key]).all():
            raise ValueError(f"{name} must hold finite numbers, but {key} has NaN or infinity. {again}")
    return _filled(like, iter(wanted), found)


def _arrays_of(file):
    if file.read(4) not in {b"PK\x03\x04", b"PK\x05\x06"}:  # as every zip file begins; NumPy would speak of pickles
        raise ValueError("it is no .npz file")
    file.seek(0)
    loaded = np.load(file, allow_pickle=False)
    found = {name: _array_of(loaded, name) for name in loaded.files}
    if strangers := [name for name, array in found.items() if not isinstance(array, np.ndarray)]:
        raise ValueError(f"{strangers[0]} in it is no array")
    return found


def _array_of(loaded, name):
    try:
        return loaded[name]
    except ValueError as error:
        if "pickle" in str(error):
            raise ValueError(f"{name} in it is a pickle, which may hold code, and is not opened") from None
        raise


def _filled(like, names, found):
    """`like`, with the arrays that were found in place of its own; the names come in the same order."""
    return each(lambda _: found[next(names)], like)

"""What depth does to fresh stacks of layers: signal, gradient and difference of tokens in each of twelve designs.

The sizes lie in data/depth_of_stacks.npz, made by data/made_by/make_depth_of_stacks.py from `passes` below: quartiles over 20
stacks drawn at random, since a single draw may be far from what is usual.
"""

import functools

import numpy as np

from helpers.attention import multi_head_attention
from helpers.layers import feed_forward, layer_norm, random_layer
from helpers.support import data_files, inputs, shapes
from helpers.support.documented import documented

NUM_TOKENS, D_MODEL, NUM_HEADS = 4, 8, 2
DEEPEST, NUM_STACKS = 48, 20
NORMS = ["none", "post", "pre"]
QUANTITIES = ["signal", "gradient", "difference"]
PATH = data_files.path("depth_of_stacks.npz")


def designs():
    """Every design: list of (residual, norm, with_feed_forward)."""
    return [(residual, norm, network) for residual in (True, False) for norm in NORMS for network in (True, False)]


@documented
def layer(x, parameters, residual, norm, with_feed_forward):
    """A layer with parts left out, in plain NumPy: arrays or mygrad tensors go through.

    Parameters
    ----------
    x : (..., num_tokens, d_model)
    parameters : of a layer, as in `helpers.layers.random_layer`
    residual : whether each step is added to its input
    norm : "none", "post" or "pre"
    with_feed_forward : whether the feed-forward network follows attention

    Returns
    -------
    output : (..., num_tokens, d_model)
    """
    _check_design(residual, norm, with_feed_forward)
    shapes.parts_of_layer(x, parameters, shapes.ENCODER)

    def attend(x):
        return multi_head_attention(x, **parameters["self_attention"], num_heads=NUM_HEADS).output

    def think(x):
        return feed_forward(x, **parameters["feed_forward"])

    for step in (attend, think) if with_feed_forward else (attend,):
        change = step(layer_norm(x) if norm == "pre" else x)
        x = x + change if residual else change
        x = layer_norm(x) if norm == "post" else x
    return x


def random_stack(seed, d_model=D_MODEL):
    """Draw tokens, and the parameters of 48 layers, which are four times as wide within.

    Returns
    -------
    tokens : (4, d_model)
    stack : list of parameters, one for each layer
    """
    rng = np.random.default_rng(inputs.whole_number("seed", seed, minimum=0))
    d_model = inputs.whole_number("d_model", d_model, minimum=1)
    stack = [random_layer(rng, d_model, NUM_HEADS, 4 * d_model) for _ in range(DEEPEST)]
    return rng.normal(size=(NUM_TOKENS, d_model)), stack


def heights(tokens, stack, design):
    """The tokens after 0, 1, 2, … layers of a stack.

    Parameters
    ----------
    tokens : (num_tokens, d_model)
    stack : list of parameters, one for each layer
    design : from `designs`

    Returns
    -------
    values : (depth + 1, num_tokens, d_model)
    """
    values = [_checked(tokens, stack, design)]
    for parameters in stack:
        values.append(layer(values[-1], parameters, *design))
    return np.array(values)


def _checked(tokens, stack, design):
    """The tokens as an array, after a look at all that goes through a stack."""
    tokens = np.asarray(inputs.finite("tokens", tokens, min_axes=2), dtype=float)
    if tokens.ndim != 2 or not tokens.size:
        raise ValueError(f"tokens must be a matrix with one row for each token, got shape {tokens.shape}.")
    inputs.affordable(tokens=tokens.size, derivatives=tokens.size)
    inputs.listed("stack", stack, dict, "parameters of layers")
    if not isinstance(design, tuple) or len(design) != 3:
        raise TypeError(f"design must be one of depth.designs(), got {design!r:.60}.")
    _check_design(*design)
    return tokens


def passes(tokens, stack, design):
    """Send tokens through a stack and derivatives along: the three quantities after each number of layers.

    Parameters
    ----------
    tokens : (num_tokens, d_model)
    stack : list of parameters, one for each layer
    design : from `designs`

    Returns
    -------
    sizes : (3, depth + 1): the root mean square of the numbers; how strongly one number of the output answers to the
        input, 1 without a layer; and how much tokens differ from their mean, as a share of the signal
    """
    import mygrad  # only where derivatives are wanted

    tokens = _checked(tokens, stack, design)
    values, jacobian, found = tokens, np.eye(tokens.size), [_sizes(tokens, np.eye(tokens.size))]
    for parameters in stack:
        # one for each number of the output
        copies = mygrad.tensor(np.broadcast_to(values, (tokens.size, *values.shape)))
        output = layer(copies, parameters, *design)
        output.backward(np.eye(tokens.size).reshape(output.shape))
        values = output.data[0].copy()
        jacobian = copies.grad.reshape(tokens.size, tokens.size) @ jacobian
        found.append(_sizes(values, jacobian))
    return np.transpose(found)


def _sizes(values, jacobian):
    largest = np.abs(values).max()
    if not 0 < largest < 1e150:
        raise ValueError(
            f"tokens must have a size that can be squared at every depth, and not be all 0, got {largest:g}."
        )
    signal = np.sqrt(np.mean(values**2))
    apart = np.sqrt(np.mean((values - values.mean(axis=0)) ** 2))
    return signal, np.sqrt(np.sum(jacobian**2) / len(jacobian)), apart / signal


_quartiles = functools.cache(lambda: data_files.arrays(PATH)["quartiles"].astype(float))


def quartiles(residual, norm, with_feed_forward):
    """Return the stored sizes of one design.

    Parameters
    ----------
    residual, norm, with_feed_forward : the design

    Returns
    -------
    dict "signal", "gradient", "difference" -> (3, 49): lower quartile, median and upper quartile after 0 to 48 layers
    """
    _check_design(residual, norm, with_feed_forward)
    found = _quartiles()[designs().index((residual, norm, with_feed_forward))]
    return {name: found[k].copy() for k, name in enumerate(QUANTITIES)}


def _check_design(residual, norm, with_feed_forward):
    for name, switch in {"residual": residual, "with_feed_forward": with_feed_forward}.items():
        inputs.yes_or_no(name, switch)
    if not isinstance(norm, str) or norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)}, got {norm!r:.60}.")

"""Feed-forward networks of today: one branch gates the other, and a router sends each token to a few of many. Plain NumPy."""

import math
from typing import NamedTuple

import numpy as np

from helpers.attention import softmax
from helpers.since_2017.gates import sigmoid
from helpers.since_2017.sparse import best_mask
from helpers.support import inputs


def silu(x):
    r"""A smooth relu, also called swish.

    .. math:: x \, \sigma(x)

    Parameters
    ----------
    x : any shape

    Returns
    -------
    activated : the shape of `x`

    Examples
    --------
    >>> silu([0.0, 100.0, -100.0]).round(12) + 0.0
    array([  0., 100.,   0.])
    """
    return inputs.finite("x", x) * sigmoid(x)


def swiglu(x, W_gate, W_up, W_down, activation=silu):
    r"""The feed-forward network of Llama and most models after it: one branch decides how much of the other passes.

    .. math:: (\mathrm{silu}(x W_{gate}) \circ x W_{up})\, W_{down}

    Parameters
    ----------
    x : (..., num_tokens, d_model)
    W_gate, W_up : (d_model, d_ff)
    W_down : (d_ff, d_model)
    activation : of the gate

    Returns
    -------
    output : the shape of `x`

    References
    ----------
    Shazeer, "GLU Variants Improve Transformer" (2020), equation 6.

    Examples
    --------
    >>> swiglu([[2.0, 1.0]], np.eye(2), np.eye(2), np.eye(2), activation=lambda gate: gate)
    array([[4., 1.]])
    """
    x = inputs.finite("x", x, min_axes=2)
    W_gate, W_up, W_down = (
        inputs.finite(name, W, min_axes=2) for name, W in (("W_gate", W_gate), ("W_up", W_up), ("W_down", W_down))
    )
    if W_gate.shape != W_up.shape or W_down.shape[:1] != W_up.shape[1:] or x.shape[-1] != len(W_up):
        raise ValueError(
            "W_gate and W_up must be (d_model, d_ff) and W_down (d_ff, d_model), "
            f"got {W_gate.shape}, {W_up.shape} and {W_down.shape} for x {x.shape}."
        )
    return (inputs.function("activation", activation)(x @ W_gate) * (x @ W_up)) @ W_down


class Route(NamedTuple):
    """Where each token goes.

    chosen : (num_tokens, num_experts) Boolean
    shares : (num_tokens, num_experts), 0 where not chosen; each row sums to 1
    """

    chosen: np.ndarray
    shares: np.ndarray


def route(x, W_router, k, base=math.e):
    """Send each token to the k experts that score best, and share it among them by softmax.

    Parameters
    ----------
    x : (num_tokens, d_model)
    W_router : (d_model, num_experts)
    k : how many experts for each token
    base : the base of softmax

    Returns
    -------
    Route

    References
    ----------
    Jiang et al., "Mixtral of Experts" (2024), section 2.1.

    Examples
    --------
    >>> route([[1.0, 0.0]], [[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]], k=2, base=3).shares
    array([[0.75, 0.25, 0.  ]])
    """
    x, W_router = inputs.finite("x", x, min_axes=2), inputs.finite("W_router", W_router, min_axes=2)
    if x.shape[-1] != len(W_router):
        raise ValueError(f"W_router must have a row for each number of a token, got {W_router.shape} for x {x.shape}.")
    scores = x @ W_router
    chosen = best_mask(scores, inputs.whole_number("k", k, minimum=1, maximum=scores.shape[-1]))
    return Route(chosen, softmax(np.where(chosen, scores, -np.inf), base=base))

"""Feed-forward networks of today: one branch gates the other, and a router sends each token to a few of many. Plain NumPy."""

import math
from typing import NamedTuple

import numpy as np

from helpers.attention import softmax
from helpers.since_2017.gates import sigmoid
from helpers.since_2017.sparse import best_mask
from helpers.support.documented import documented


@documented
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
    return x * sigmoid(x)


@documented
def swiglu(x, W_gate, W_up, W_down, activation=silu):
    r"""The feed-forward network of Llama and most models after it: one branch decides how much of the other passes.

    .. math:: (\mathrm{silu}(x W_{gate}) \circ x W_{up})\, W_{down}

    Parameters
    ----------
    x : (..., num_tokens, d_model)
    W_gate, W_up : (d_model, d_ff)
    W_down : (d_ff, d_model)
    activation : function, of the gate

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
    return (activation(x @ W_gate) * (x @ W_up)) @ W_down


@documented
def clamped_swiglu(x, W_gate_up, W_down, b_gate_up=0.0, b_down=0.0, *, alpha=1.702, limit=7.0):
    r"""The feed-forward network of gpt-oss: gate and up alternate in one matrix, both are capped, and up counts from 1.

    .. math:: \big(g \, \sigma(\alpha g) \circ (1 + u)\big) W_{down}, \quad g = \min(\cdot, limit), \; |u| \le limit

    Parameters
    ----------
    x : (..., num_tokens, d_model), finite
    W_gate_up : (d_model, 2 * d_ff), finite; columns gate, up, gate, up, …
    W_down : (d_ff, d_model)
    b_gate_up : (2 * d_ff,) or a number, finite
    b_down : (d_model,) or a number
    alpha : number, how sharply the gate bends; 1.702 makes it nearly the GELU
    limit : number above 0: no gate is larger, no up is farther from 0

    Returns
    -------
    output : the shape of `x`

    References
    ----------
    OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card" (2025), section 2.2, and the class GptOssExperts of the library transformers.

    Examples
    --------
    >>> clamped_swiglu([[1.0]], [[100.0, 100.0]], [[1.0]]).round(3)
    array([[56.]])
    """
    both = x @ W_gate_up + b_gate_up
    gate, up = np.minimum(both[..., 0::2], limit), np.clip(both[..., 1::2], -limit, limit)
    return (gate * sigmoid(alpha * gate) * (1 + up)) @ W_down + b_down


class Route(NamedTuple):
    """Where each token goes.

    chosen : (num_tokens, num_experts) Boolean
    shares : (num_tokens, num_experts), 0 where not chosen
    """

    chosen: np.ndarray
    shares: np.ndarray


@documented
def route(x, W_router, k, base=math.e):
    """Send each token to the k experts that score best, and share it among them by softmax.

    Parameters
    ----------
    x : (..., num_tokens, d_model)
    W_router : (d_model, num_experts)
    k : whole number, at least 1, at most num_experts: how many for each token
    base : number above 1, of softmax

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
    return share_out(x @ W_router, k, base=base)


KINDS = ("softmax of the chosen", "softmax of all", "sigmoid")


@documented
def share_out(
    scores, k, *, kind=KINDS[0], renormalised=False, bias=0.0, num_groups=1, num_open=1, factor=1.0, base=math.e
):
    """Choose the k best experts of each token and say how much each of them counts: the routers of many models in one.

    Parameters
    ----------
    scores : (..., num_tokens, num_experts), finite: what the router's matrix says
    k : whole number, at least 1, at most num_experts: how many for each token; of equal ones the first
    kind : "softmax of the chosen", "softmax of all" or "sigmoid": softmax after the choice, or before it, or each expert alone
    renormalised : whether the shares of the chosen are divided by their sum
    bias : (num_experts,) or a number, finite: is added for the choice alone, to the scores or, where softmax or sigmoid comes first, to what they say
    num_groups : whole number, at least 1, that divides num_experts: the experts stand in so many groups
    num_open : whole number, at least 1, at most num_groups: a token chooses among the experts of so many of its best groups; a
        group is as good as its best two experts together
    factor : number, multiplies the shares at the end
    base : number above 1, of the powers in softmax and sigmoid

    Returns
    -------
    Route

    References
    ----------
    Jiang et al., "Mixtral of Experts" (2024), section 2.1; DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 2.1.2.

    Examples
    --------
    >>> share_out([[2.0, 0.0, 1.0]], k=2, base=3).shares
    array([[0.75, 0.  , 0.25]])
    >>> share_out([[2.0, 0.0, 1.0]], k=2, kind="softmax of all", base=3).shares.round(3)
    array([[0.692, 0.   , 0.231]])
    """
    size = scores.shape[-1] // num_groups
    if k > num_open * size:
        raise ValueError(f"k must fit in the groups that are open, got {k} for {num_open} of {size} experts each.")

    def alone(scores):
        return sigmoid(math.log(base) * scores)

    def together(scores):
        return softmax(scores, base=base)

    said = {"softmax of the chosen": np.asarray, "softmax of all": together, "sigmoid": alone}[kind](scores)
    preferred = said + bias
    grouped = preferred.reshape(*scores.shape[:-1], num_groups, size)
    best_two = np.sort(grouped, axis=-1)[..., -2:].sum(axis=-1)
    is_open = np.repeat(best_mask(best_two, num_open), size, axis=-1)
    chosen = best_mask(preferred, k, is_open)
    shares = softmax(np.where(chosen, scores, -np.inf), base=base) if kind == KINDS[0] else np.where(chosen, said, 0.0)
    if renormalised:
        shares = shares / shares.sum(axis=-1, keepdims=True)
    return Route(chosen, factor * shares)


@documented
def evening_bias(scores, k, num_steps, *, rate=0.05, **switches):
    """A bias for the choice that evens the load: after each step it rises where an expert has too few tokens, and falls elsewhere.

    Parameters
    ----------
    scores : (num_tokens, num_experts), finite
    k : whole number, at least 1, at most num_experts: how many for each token
    num_steps : whole number, at least 0: how often the load is looked at
    rate : number, by how much a bias moves in one step
    switches : the other arguments of `share_out`

    Returns
    -------
    bias : (num_experts,)

    References
    ----------
    Wang et al., "Auxiliary-Loss-Free Load Balancing Strategy for Mixture-of-Experts" (2024), algorithm 1.

    Examples
    --------
    >>> evening_bias([[2.0, 0.0], [1.0, 0.0]], k=1, num_steps=3, rate=0.5)
    array([-1.,  1.])
    """
    bias = np.zeros(scores.shape[-1])
    for _ in range(num_steps):
        load = share_out(scores, k, bias=bias, **switches).chosen.sum(axis=0)
        bias = bias + rate * np.sign(load.mean() - load)
    return bias

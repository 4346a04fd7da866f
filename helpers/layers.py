"""The layer around attention, and the stacks that layers make. Tokens are rows, in any number of leading batch axes.

A layer's parameters are plain arrays in a nested dict; its names are the arguments of the functions that use them:

    self_attention, cross_attention (decoder only)   W_query W_key W_value W_output, and b_query b_key b_value b_output
    feed_forward                                     W_in b_in W_out b_out
    self_attention_norm, cross_attention_norm (decoder only), feed_forward_norm        gain bias

`random_layer` makes such a dict. Biases of attention, gain and bias of a norm may be left out: 0, 1 and 0.
"""

import functools
import math

import numpy as np

from helpers.attention import multi_head_attention
from helpers.support import inputs, shapes
from helpers.support.documented import documented
from helpers.support.erf import erfc


@documented
def layer_norm(x, gain=1.0, bias=0.0, epsilon=1e-5):
    r"""Give every token mean 0 and spread 1 over its own features, then a learned gain and bias.

    .. math:: g \, \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + b, \qquad \sigma^2 = \tfrac1n \sum_i (x_i - \mu)^2

    Parameters
    ----------
    x : (..., d_model)
    gain, bias : (d_model,) or a number
    epsilon : number, at least 0, that keeps the square root away from 0

    Returns
    -------
    normed : the shape of `x`

    References
    ----------
    Ba, Kiros, Hinton, "Layer Normalization" (2016), section 3.

    Examples
    --------
    >>> layer_norm([1.0, 2.0, 3.0]).round(4)
    array([-1.2247,  0.    ,  1.2247])
    """
    if epsilon == 0:
        _refuse_equal_features(x)
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)  # divides by n, not by n - 1
    return gain * (centred / np.sqrt(variance + inputs.scalar_like(x, epsilon))) + bias


def _refuse_equal_features(x):
    """Rounding may leave them a variance that is not quite 0."""
    plain = np.asarray(x)
    if (equal := np.all(plain == plain[..., :1], axis=-1)).any():
        raise ValueError(
            "epsilon must be greater than 0 where all features of a token are equal, "
            f"as in {inputs.first(equal, 'x')}, got 0. There is no spread to divide by."
        )


def _nothing_to_divide_by(x, gain, epsilon):
    if epsilon == 0 and (nothing := ~np.any(np.asarray(x), axis=-1)).any():
        raise ValueError(
            "epsilon must be greater than 0 where all features of a token are 0, "
            f"as in {inputs.first(nothing, 'x')}, got 0. There is nothing to divide by."
        )


@documented(otherwise=_nothing_to_divide_by)
def rms_norm(x, gain=1.0, *, epsilon=1e-5):
    r"""Divide every token by the root mean square of its own features, then apply a learned gain: no mean is taken off.

    .. math:: g \, \frac{x}{\sqrt{\tfrac1n \sum_i x_i^2 + \epsilon}}

    Parameters
    ----------
    x : (..., d_model)
    gain : (d_model,) or a number
    epsilon : number, at least 0, that keeps the square root away from 0

    Returns
    -------
    normed : the shape of `x`

    References
    ----------
    Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019), section 4.

    Examples
    --------
    >>> rms_norm([1.0, 7.0], epsilon=0).round(12)
    array([0.2, 1.4])
    """
    mean_square = np.mean(x * x, axis=-1, keepdims=True)
    return gain * (x / np.sqrt(mean_square + inputs.scalar_like(x, epsilon)))


@documented
def relu(x):
    """Keep what is positive, and put 0 for the rest.

    Parameters
    ----------
    x : any shape

    Returns
    -------
    kept : the shape of `x`

    Examples
    --------
    >>> relu([-2.0, 0.0, 3.0])
    array([0., 0., 3.])
    """
    return np.maximum(x, inputs.scalar_like(x, 0.0))


@documented
def gelu(x):
    r"""Multiply x by the share of a bell curve that lies to the left of x: a smooth relu. Exact, no tanh shortcut.

    .. math:: x \, \Phi(x) = \tfrac12 \, x \, (1 + \mathrm{erf}(x / \sqrt 2))

    Parameters
    ----------
    x : any shape

    Returns
    -------
    kept : the shape of `x`

    References
    ----------
    Hendrycks, Gimpel, "Gaussian Error Linear Units" (2016), section 2.

    Examples
    --------
    >>> gelu([-1.0, 0.0, 1.0]).round(4)
    array([-0.1587,  0.    ,  0.8413])
    """
    below = np.asarray(x) < 0
    z = x * np.where(below, -1, 1).astype(x.dtype) * (1 / math.sqrt(2))  # |x| / √2, whose slope at 0 is known
    tail = erfc(z) * 0.5  # the share beyond |x|
    return x * np.where(below, tail, 1 - tail)


@documented
def gelu_tanh(x):
    r"""Nearly `gelu`, with a tanh in place of the bell curve's share: what Gemma computes, so that a port must, too.

    .. math:: \tfrac12 \, x \, \big(1 + \tanh(\sqrt{2 / \pi}\, (x + 0.044715 \, x^3))\big)

    Parameters
    ----------
    x : any shape

    Returns
    -------
    kept : the shape of `x`

    References
    ----------
    Hendrycks, Gimpel, "Gaussian Error Linear Units" (2016), section 2.

    Examples
    --------
    >>> gelu_tanh([-1.0, 0.0, 1.0]).round(4)
    array([-0.1588,  0.    ,  0.8412])
    """
    with np.errstate(over="ignore"):  # tanh of infinity is 1
        return x * (0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))))


@documented
def feed_forward(x, W_in, b_in, W_out, b_out, activation=relu):
    r"""Send every token by itself through two matrices with a bend between them.

    .. math:: \mathrm{activation}(x W_{in} + b_{in}) \, W_{out} + b_{out}

    Parameters
    ----------
    x : (..., d_model)
    W_in : (d_model, d_ff)
    b_in : (d_ff,) or a number
    W_out : (d_ff, d_output)
    b_out : (d_output,) or a number
    activation : function that bends each number by itself, `relu` or `gelu`

    Returns
    -------
    output : (..., d_output), in a transformer as wide as x

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.3, equation 2.

    Examples
    --------
    >>> there_and_back = feed_forward([[-1.0], [2.0]], [[1.0, -1.0]], [0.0, 0.0], [[1.0], [1.0]], [0.0])
    >>> there_and_back.tolist()  # relu(x) + relu(-x) is the absolute value
    [[1.0], [2.0]]
    """
    return inputs.bent(activation, x @ W_in + b_in) @ W_out + b_out


@documented
def encoder_layer(
    x, parameters, *, num_heads, norm="post", mask=None, activation=relu, epsilon=1e-5, with_attention=False
):
    """Let the tokens look at one another, then think each for itself; each step is added to what was there.

    With `norm="post"`, as in 2017, x becomes layer_norm(x + step(x)); with "pre" it becomes x + step(layer_norm(x)).

    Parameters
    ----------
    x : (..., num_tokens, d_model)
    parameters : dict with self_attention, self_attention_norm, feed_forward, feed_forward_norm, as in `random_layer`
    num_heads : whole number, at least 1
    norm : "post" or "pre"
    mask : Boolean, True = may attend, as in `attention.multi_head_attention`; None = everything may
    activation : function, of the feed-forward network
    epsilon : number, at least 0, of the norms
    with_attention : also return what attention did

    Returns
    -------
    output : (..., num_tokens, d_model); with `with_attention` the pair of it and a dict name -> Attention

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.1; pre-norm: Xiong et al. (2020), "On Layer
    Normalization in the Transformer Architecture", table 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> encoder_layer(rng.normal(size=(5, 6)), random_layer(rng, 6, 2, 24), num_heads=2).shape
    (5, 6)
    """
    shapes.parts_of_layer(x, parameters, shapes.ENCODER)
    attentions = {"self_attention": {"mask": mask, "num_heads": num_heads}}
    return _steps(x, parameters, attentions, norm, activation, epsilon, with_attention)


@documented
def decoder_layer(
    x,
    memory,
    parameters,
    *,
    num_heads,
    norm="post",
    mask=None,
    memory_mask=None,
    activation=relu,
    epsilon=1e-5,
    with_attention=False,
):
    """Let the written tokens look at one another, then at the encoder's memory, then think each for itself.

    Queries of the cross-attention come from x, keys and values from the memory.

    Parameters
    ----------
    x : (..., num_tokens, d_model), what has been written so far
    memory : (..., num_source, d_model), what the encoder made of the source; the same for every decoder layer
    parameters : dict with self_attention, cross_attention, feed_forward and a norm for each, as in `random_layer`
    num_heads : whole number, at least 1
    norm : "post" or "pre"
    mask : Boolean, of the self-attention, usually causal_mask(num_tokens), True = may attend; None = everything may
    memory_mask : Boolean, of the cross-attention, (..., num_tokens, num_source)
    activation : function, of the feed-forward network
    epsilon : number, at least 0, of the norms
    with_attention : also return what the two attentions did

    Returns
    -------
    output : (..., num_tokens, d_model); with `with_attention` the pair of it and a dict name -> Attention

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), sections 3.1 and 3.2.3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> written, memory = rng.normal(size=(3, 6)), rng.normal(size=(5, 6))
    >>> decoder_layer(written, memory, random_layer(rng, 6, 2, 24, decoder=True), num_heads=2).shape
    (3, 6)
    """
    shapes.parts_of_layer(x, parameters, shapes.DECODER)
    attentions = {
        "self_attention": {"mask": mask, "num_heads": num_heads},
        "cross_attention": {"mask": memory_mask, "num_heads": num_heads, "context": memory},
    }
    return _steps(x, parameters, attentions, norm, activation, epsilon, with_attention)


def _steps(x, parameters, attentions, norm, activation, epsilon, with_attention):
    """Each step in turn, added to what was there: these attentions, then the feed-forward network."""
    seen = {}

    def step(name, x):
        if name == "feed_forward":
            return feed_forward(x, **parameters[name], activation=activation)
        seen[name] = multi_head_attention(x, **parameters[name], **attentions[name])
        return seen[name].output

    for name in (*attentions, "feed_forward"):
        normed = functools.partial(layer_norm, **parameters[f"{name}_norm"], epsilon=epsilon)
        x = x + step(name, normed(x)) if norm == "pre" else normed(x + step(name, x))
    return (x, seen) if with_attention else x


@documented
def random_layer(rng, d_model, num_heads, d_ff, decoder=False):
    """Draw the parameters of a layer at random, as training starts: sums keep about the size of their inputs.

    Weights are normal with standard deviation 1 / sqrt(number of inputs); biases are 0, gains 1.

    Parameters
    ----------
    rng : numpy.random.Generator
    d_model : whole number, at least 1, the width of a token
    num_heads : whole number, at least 1, that divides d_model
    d_ff : whole number, at least 1, the width inside the feed-forward network; 4 d_model in the paper
    decoder : with cross-attention

    Returns
    -------
    parameters : dict name -> dict name -> array

    Examples
    --------
    >>> layer = random_layer(np.random.default_rng(0), d_model=6, num_heads=2, d_ff=24)
    >>> {name: list(part) for name, part in layer.items()}["feed_forward"]
    ['W_in', 'b_in', 'W_out', 'b_out']
    >>> layer["feed_forward"]["W_in"].shape
    (6, 24)
    """
    inputs.affordable(d_model=d_model, d_ff=max(d_model, d_ff))

    def weights(num_inputs, num_outputs):
        return rng.normal(scale=num_inputs**-0.5, size=(num_inputs, num_outputs))

    layer = {}
    for name in shapes.DECODER if decoder else shapes.ENCODER:
        if name == "feed_forward":
            layer[name] = {
                "W_in": weights(d_model, d_ff),
                "b_in": np.zeros(d_ff),
                "W_out": weights(d_ff, d_model),
                "b_out": np.zeros(d_model),
            }
        elif name.endswith("_norm"):
            layer[name] = {"gain": np.ones(d_model), "bias": np.zeros(d_model)}
        else:
            layer[name] = {f"W_{role}": weights(d_model, d_model) for role in shapes.ROLES}
            layer[name] |= {f"b_{role}": np.zeros(d_model) for role in shapes.ROLES}
    return layer

"""The layer around attention, and the stacks that layers make. Tokens are rows, in any number of leading batch axes.

A layer's parameters are plain arrays in a nested dict; its names are the arguments of the functions that use them:

    self_attention, cross_attention (decoder only)   W_query W_key W_value W_output, and b_query b_key b_value b_output
    feed_forward                                     W_in b_in W_out b_out
    self_attention_norm, cross_attention_norm (decoder only), feed_forward_norm        gain bias

`random_layer` makes such a dict. Biases of attention, gain and bias of a norm may be left out: 0, 1 and 0.
"""

import math

import numpy as np

from helpers.attention import multi_head_attention
from helpers.support import inputs, shapes
from helpers.support.erf import erfc


def layer_norm(x, gain=1.0, bias=0.0, epsilon=1e-5):
    r"""Give every token mean 0 and spread 1 over its own features, then a learned gain and bias.

    .. math:: g \, \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + b, \qquad \sigma^2 = \tfrac1n \sum_i (x_i - \mu)^2

    Parameters
    ----------
    x : (..., d_model)
    gain, bias : (d_model,) or a number
    epsilon : a number, at least 0, that keeps the square root away from 0

    Returns
    -------
    normed : the shape of `x`

    Raises
    ------
    TypeError, ValueError
        If something is no number or not finite, gain or bias do not fit the width, epsilon is negative or no number
        that the dtype of `x` can hold, squares overflow, or epsilon is 0 and all features of a token are equal, or so
        close that their squares underflow.

    References
    ----------
    Ba, Kiros, Hinton, "Layer Normalization" (2016), section 3.

    Examples
    --------
    >>> layer_norm([1.0, 2.0, 3.0]).round(4)
    array([-1.2247,  0.    ,  1.2247])
    """
    x, gain, bias, epsilon, equal = shapes.layer_norm(x, gain, bias, epsilon)
    with np.errstate(over="ignore", invalid="ignore"):
        if equal is not None:  # the mean of equal numbers may be rounded, that of zeros is not
            x = x - np.where(equal, np.asarray(x), 0)
        centred = x - np.mean(x, axis=-1, keepdims=True)
        variance = np.mean(centred * centred, axis=-1, keepdims=True)  # divides by n, not by n - 1
        shapes.squares("variance", variance, epsilon)
        normed = gain * (centred / np.sqrt(variance + epsilon)) + bias
    return inputs.stays_finite("layer_norm", normed, gain=gain, bias=bias)


def rms_norm(x, gain=1.0, *, epsilon=1e-5):
    r"""Divide every token by the root mean square of its own features, then apply a learned gain: no mean is taken off.

    .. math:: g \, \frac{x}{\sqrt{\tfrac1n \sum_i x_i^2 + \epsilon}}

    Parameters
    ----------
    x : (..., d_model)
    gain : (d_model,) or a number
    epsilon : a number, at least 0, that keeps the square root away from 0

    Returns
    -------
    normed : the shape of `x`

    Raises
    ------
    TypeError, ValueError
        If something is no number or not finite, gain does not fit the width, epsilon is negative or no number that the
        dtype of `x` can hold, squares overflow, or epsilon is 0 and all features of a token are 0, or so small that
        their squares underflow.

    References
    ----------
    Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019), section 4.

    Examples
    --------
    >>> rms_norm([1.0, 7.0], epsilon=0).round(12)
    array([0.2, 1.4])
    """
    x, gain, epsilon = shapes.rms_norm(x, gain, epsilon)
    with np.errstate(over="ignore", invalid="ignore"):
        mean_square = np.mean(x * x, axis=-1, keepdims=True)
        shapes.squares("mean square", mean_square, epsilon)
        normed = gain * (x / np.sqrt(mean_square + epsilon))
    return inputs.stays_finite("rms_norm", normed, gain=gain)


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
    x = inputs.numbers("x", x)
    return np.maximum(x, inputs.scalar_like(x, 0.0))


def gelu(x):
    r"""Multiply x by the share of a bell curve that lies to the left of x: a smooth relu. Exact, no tanh shortcut.

    .. math:: x \, \Phi(x) = \tfrac12 \, x \, (1 + \mathrm{erf}(x / \sqrt 2))

    Parameters
    ----------
    x : any shape, finite

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
    x = inputs.finite("x", x)
    below = np.asarray(x) < 0
    z = x * np.where(below, -1, 1).astype(x.dtype) * (1 / math.sqrt(2))  # |x| / √2, whose slope at 0 is known
    tail = erfc(z) * 0.5  # the share beyond |x|
    return x * np.where(below, tail, 1 - tail)


def gelu_tanh(x):
    r"""Nearly `gelu`, with a tanh in place of the bell curve's share: what Gemma computes, so that a port must, too.

    .. math:: \tfrac12 \, x \, \big(1 + \tanh(\sqrt{2 / \pi}\, (x + 0.044715 \, x^3))\big)

    Parameters
    ----------
    x : any shape, finite

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
    x = inputs.finite("x", x)
    with np.errstate(over="ignore"):  # tanh of infinity is 1
        bent = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
    return x * (0.5 * (1 + bent))


def feed_forward(x, W_in, b_in, W_out, b_out, activation=relu):
    r"""Send every token by itself through two matrices with a bend between them.

    .. math:: \mathrm{activation}(x W_{in} + b_{in}) \, W_{out} + b_{out}

    Parameters
    ----------
    x : (..., d_model)
    W_in : (d_model, d_ff)
    b_in : (d_ff,)
    W_out : (d_ff, d_model)
    b_out : (d_model,)
    activation : function that bends each number by itself, `relu` or `gelu`

    Returns
    -------
    output : (..., d_model), or the width of `W_out` if that is another

    Raises
    ------
    TypeError, ValueError
        If something is no number or not finite, or widths do not fit.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.3, equation 2.

    Examples
    --------
    >>> there_and_back = feed_forward([[-1.0], [2.0]], [[1.0, -1.0]], [0.0, 0.0], [[1.0], [1.0]], [0.0])
    >>> there_and_back.tolist()  # relu(x) + relu(-x) is the absolute value
    [[1.0], [2.0]]
    """
    x, W_in, b_in, W_out, b_out = shapes.feed_forward(x, W_in, b_in, W_out, b_out, activation)
    with np.errstate(over="ignore", invalid="ignore"):
        hidden = inputs.stays_finite("feed_forward", x @ W_in + b_in, W_in=W_in, b_in=b_in)
        hidden = shapes.activated(activation(hidden), hidden)
        return inputs.stays_finite("feed_forward", hidden @ W_out + b_out, W_out=W_out, b_out=b_out)


def encoder_layer(
    x, parameters, *, num_heads, norm="post", mask=None, activation=relu, epsilon=1e-5, with_attention=False
):
    """Let the tokens look at one another, then think each for itself; each step is added to what was there.

    With `norm="post"`, as in 2017, x becomes layer_norm(x + step(x)); with "pre" it becomes x + step(layer_norm(x)).

    Parameters
    ----------
    x : (..., num_tokens, d_model)
    parameters : dict with self_attention, self_attention_norm, feed_forward, feed_forward_norm, as in `random_layer`
    num_heads : number of heads, divides d_model
    norm : "post" or "pre"
    mask : Boolean, broadcastable to (..., num_tokens, num_tokens), True = may attend; None = everything may
    activation, epsilon : of the feed-forward network and of the norms
    with_attention : also return what attention did

    Returns
    -------
    output : (..., num_tokens, d_model); with `with_attention` the pair of it and a dict name -> Attention

    Raises
    ------
    TypeError, ValueError
        If `parameters` lacks a name or holds an unknown one, norm is another word, or numbers and shapes do not fit.

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
    x, p = shapes.layer(x, parameters, norm, with_attention, shapes.ENCODER), parameters
    if norm == "pre":
        asking = layer_norm(x, **p["self_attention_norm"], epsilon=epsilon)
        attention = multi_head_attention(asking, **p["self_attention"], num_heads=num_heads, mask=mask)
        x = x + attention.output
        thought = feed_forward(
            layer_norm(x, **p["feed_forward_norm"], epsilon=epsilon), **p["feed_forward"], activation=activation
        )
        x = x + thought
    else:
        attention = multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask)
        x = layer_norm(x + attention.output, **p["self_attention_norm"], epsilon=epsilon)
        thought = feed_forward(x, **p["feed_forward"], activation=activation)
        x = layer_norm(x + thought, **p["feed_forward_norm"], epsilon=epsilon)
    inputs.stays_finite("encoder_layer", x)
    return (x, {"self_attention": attention}) if with_attention else x


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
    num_heads : number of heads, divides d_model
    norm : "post" or "pre"
    mask : Boolean, of the self-attention, usually causal_mask(num_tokens), True = may attend; None = everything may
    memory_mask : Boolean, broadcastable to (..., num_tokens, num_source), of the cross-attention
    activation, epsilon : of the feed-forward network and of the norms
    with_attention : also return what the two attentions did

    Returns
    -------
    output : (..., num_tokens, d_model); with `with_attention` the pair of it and a dict name -> Attention

    Raises
    ------
    TypeError, ValueError
        If `parameters` lacks a name or holds an unknown one, norm is another word, or numbers and shapes do not fit.

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
    x, p = shapes.layer(x, parameters, norm, with_attention, shapes.DECODER), parameters
    memory, memory_mask = shapes.memory(memory, memory_mask)
    if norm == "pre":
        asking = layer_norm(x, **p["self_attention_norm"], epsilon=epsilon)
        looked = multi_head_attention(asking, **p["self_attention"], num_heads=num_heads, mask=mask)
        x = x + looked.output
        asking = layer_norm(x, **p["cross_attention_norm"], epsilon=epsilon)
        heard = multi_head_attention(
            asking, **p["cross_attention"], num_heads=num_heads, context=memory, mask=memory_mask
        )
        x = x + heard.output
        asking = layer_norm(x, **p["feed_forward_norm"], epsilon=epsilon)
        x = x + feed_forward(asking, **p["feed_forward"], activation=activation)
    else:
        looked = multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask)
        x = layer_norm(x + looked.output, **p["self_attention_norm"], epsilon=epsilon)
        heard = multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory, mask=memory_mask)
        x = layer_norm(x + heard.output, **p["cross_attention_norm"], epsilon=epsilon)
        thought = feed_forward(x, **p["feed_forward"], activation=activation)
        x = layer_norm(x + thought, **p["feed_forward_norm"], epsilon=epsilon)
    inputs.stays_finite("decoder_layer", x)
    return (x, {"self_attention": looked, "cross_attention": heard}) if with_attention else x


def random_layer(rng, d_model, num_heads, d_ff, decoder=False):
    """Draw the parameters of a layer at random, as training starts: sums keep about the size of their inputs.

    Weights are normal with standard deviation 1 / sqrt(number of inputs); biases are 0, gains 1.

    Parameters
    ----------
    rng : numpy.random.Generator
    d_model : width of a token
    num_heads : number of heads, divides d_model
    d_ff : width inside the feed-forward network; 4 d_model in the paper
    decoder : with cross-attention

    Returns
    -------
    parameters : dict name -> dict name -> array

    Raises
    ------
    TypeError, ValueError
        If a width is no whole number of at least 1, or `num_heads` does not divide `d_model`.

    Examples
    --------
    >>> layer = random_layer(np.random.default_rng(0), d_model=6, num_heads=2, d_ff=24)
    >>> {name: list(part) for name, part in layer.items()}["feed_forward"]
    ['W_in', 'b_in', 'W_out', 'b_out']
    >>> layer["feed_forward"]["W_in"].shape
    (6, 24)
    """
    inputs.generator("rng", rng)
    d_model, d_ff = (inputs.whole_number(name, n, minimum=1) for name, n in (("d_model", d_model), ("d_ff", d_ff)))
    num_heads = inputs.whole_number("num_heads", num_heads, minimum=1)
    if d_model % num_heads:
        raise ValueError(f"num_heads must divide d_model, got d_model {d_model} and num_heads {num_heads}.")
    inputs.affordable(d_model=d_model, d_ff=max(d_model, d_ff))

    def weights(num_inputs, num_outputs):
        return rng.normal(scale=num_inputs**-0.5, size=(num_inputs, num_outputs))

    layer = {}
    for name in shapes.DECODER if inputs.yes_or_no("decoder", decoder) else shapes.ENCODER:
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

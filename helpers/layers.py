"""The layer around attention, and the stacks that layers make. Tokens are rows, in any number of leading batch axes.

A layer's parameters are plain arrays in a nested dict; its names are the arguments of the functions that use them:

    self_attention, cross_attention (decoder only)   W_query W_key W_value W_output, and b_query b_key b_value b_output
    feed_forward                                     W_in b_in W_out b_out
    self_attention_norm, cross_attention_norm (decoder only), feed_forward_norm        gain bias

`random_layer` makes such a dict. Biases of attention, gain and bias of a norm may be left out: 0, 1 and 0.
"""

import math

import numpy as np

from helpers import inputs
from helpers.attention import multi_head_attention


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
        If something is no number or not finite, gain or bias do not fit the width, epsilon is negative, or it is 0 and
        all features of a token are equal.

    References
    ----------
    Ba, Kiros, Hinton, "Layer Normalization" (2016), section 3.

    Examples
    --------
    >>> layer_norm([1.0, 2.0, 3.0]).round(4)
    array([-1.2247,  0.    ,  1.2247])
    """
    x = inputs.finite("x", x, min_axes=1)
    if x.shape[-1] == 0:
        raise ValueError(f"x must hold at least one feature along its last axis, got shape {x.shape}.")
    gain, bias = _per_feature("gain", gain, x), _per_feature("bias", bias, x)
    epsilon = inputs.finite_number("epsilon", epsilon)
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon:g}. It is added to a variance.")
    with np.errstate(over="ignore", invalid="ignore"):
        centred = x - np.mean(x, axis=-1, keepdims=True)
        variance = np.mean(centred * centred, axis=-1, keepdims=True)  # divides by n, not by n - 1
        _check_variance(np.asarray(x), np.asarray(variance), epsilon)
        return _check_result("layer_norm", centred / np.sqrt(variance + inputs.scalar_like(x, epsilon)) * gain + bias)


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
        If something is no number or not finite, gain does not fit the width, epsilon is negative, or it is 0 and all
        features of a token are 0.

    References
    ----------
    Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019), section 4.

    Examples
    --------
    >>> rms_norm([1.0, 7.0], epsilon=0).round(12)
    array([0.2, 1.4])
    """
    x = inputs.finite("x", x, min_axes=1)
    if x.shape[-1] == 0:
        raise ValueError(f"x must hold at least one feature along its last axis, got shape {x.shape}.")
    gain = _per_feature("gain", gain, x)
    epsilon = inputs.finite_number("epsilon", epsilon)
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon:g}. It is added to a mean square.")
    with np.errstate(over="ignore", invalid="ignore"):
        mean_square = np.mean(x * x, axis=-1, keepdims=True)
        plain = np.asarray(mean_square)
        if not np.isfinite(plain).all():
            raise ValueError(f"x must be small enough to be squared, but the mean square overflows {plain.dtype}.")
        if epsilon == 0 and (plain == 0).any():
            where = inputs.first(plain[..., 0] == 0, "x") if plain.ndim > 1 else "x"
            raise ValueError(
                f"epsilon must be greater than 0 where all features of a token are 0, as in {where}, got {epsilon:g}. "
                "There is nothing to divide by."
            )
        return _check_result("rms_norm", x / np.sqrt(mean_square + x.dtype.type(epsilon)) * gain)


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
    tail = _erfc(z) * 0.5  # the share beyond |x|
    return x * np.where(below, tail, 1 - tail)


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
    x = inputs.finite("x", x, min_axes=1)
    W_in, W_out = _weight_matrix("W_in", W_in), _weight_matrix("W_out", W_out)
    if x.shape[-1] != W_in.shape[0]:
        raise ValueError(f"x must be as wide as W_in has rows, got x {x.shape} and W_in {W_in.shape}.")
    if W_in.shape[1] != W_out.shape[0]:
        raise ValueError(
            f"W_out must have as many rows as W_in has columns, got W_in {W_in.shape} and W_out {W_out.shape}."
        )
    b_in, b_out = _bias("b_in", b_in, W_in.shape[1]), _bias("b_out", b_out, W_out.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        hidden = _bend(activation, _check_result("feed_forward", np.matmul(x, W_in) + b_in))
        return _check_result("feed_forward", np.matmul(hidden, W_out) + b_out)


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
    _check_parameters(parameters, _ENCODER)
    add = _adder(parameters, norm, epsilon)
    x, self_attention = add(x, "self_attention", num_heads=num_heads, mask=mask)
    x, _ = add(x, "feed_forward", activation=activation)
    return (x, {"self_attention": self_attention}) if with_attention else x


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
    _check_parameters(parameters, _DECODER)
    memory = inputs.finite("memory", memory, min_axes=2)
    add = _adder(parameters, norm, epsilon)
    x, self_attention = add(x, "self_attention", num_heads=num_heads, mask=mask)
    x, cross_attention = add(x, "cross_attention", num_heads=num_heads, context=memory, mask=memory_mask)
    x, _ = add(x, "feed_forward", activation=activation)
    attentions = {"self_attention": self_attention, "cross_attention": cross_attention}
    return (x, attentions) if with_attention else x


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

    def weights(num_inputs, num_outputs):
        return rng.normal(scale=num_inputs**-0.5, size=(num_inputs, num_outputs))

    layer = {}
    for name in _DECODER if decoder else _ENCODER:
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
            layer[name] = {f"W_{role}": weights(d_model, d_model) for role in _ROLES}
            layer[name] |= {f"b_{role}": np.zeros(d_model) for role in _ROLES}
    return layer


_ROLES = ("query", "key", "value", "output")
_ATTENTION = {f"W_{role}": True for role in _ROLES} | {f"b_{role}": False for role in _ROLES}  # True: must be there
_FEED_FORWARD = dict.fromkeys(["W_in", "b_in", "W_out", "b_out"], True)
_NORM = {"gain": False, "bias": False}
_ENCODER = {
    "self_attention": _ATTENTION,
    "self_attention_norm": _NORM,
    "feed_forward": _FEED_FORWARD,
    "feed_forward_norm": _NORM,
}
_DECODER = {
    "self_attention": _ATTENTION,
    "self_attention_norm": _NORM,
    "cross_attention": _ATTENTION,
    "cross_attention_norm": _NORM,
    "feed_forward": _FEED_FORWARD,
    "feed_forward_norm": _NORM,
}


def _adder(parameters, norm, epsilon):
    """Make the function that takes x through one step of a layer: residual and norm around attention or feed-forward."""
    if norm not in ("post", "pre"):
        raise ValueError(f'norm must be "post" (2017) or "pre", got {norm!r}.')

    def step(x, name, **how):
        if name == "feed_forward":
            return feed_forward(x, **parameters[name], **how), None
        attention = multi_head_attention(x, **parameters[name], **how)
        return attention.output, attention

    def add(x, name, **how):
        def normed(x):
            return layer_norm(x, **parameters[f"{name}_norm"], epsilon=epsilon)

        x = inputs.finite("x", x, min_axes=2)
        change, attention = step(normed(x) if norm == "pre" else x, name, **how)
        if change.shape[-1] != x.shape[-1]:
            last = "W_out" if name == "feed_forward" else "W_output"
            raise ValueError(
                f"{last} of {name} must have as many columns as x is wide, because its result is added to x, "
                f"got {change.shape[-1]} columns and x {x.shape}."
            )
        return (x + change if norm == "pre" else normed(x + change)), attention

    return add


def _check_parameters(parameters, wanted):
    _check_names("parameters", parameters, dict.fromkeys(wanted, True))
    for name, names in wanted.items():
        _check_names(f"parameters[{name!r}]", parameters[name], names)


def _check_names(where, given, names):
    if not isinstance(given, dict):
        raise TypeError(f"{where} must be a dict with {', '.join(names)}, got {type(given).__name__}.")
    missing = [name for name, must in names.items() if must and name not in given]
    unknown = [str(name) for name in given if name not in names]
    if missing:
        raise ValueError(f"{where} must hold {', '.join(names)}; missing: {', '.join(missing)}.")
    if unknown:
        raise ValueError(f"{where} must hold {', '.join(names)}; unknown: {', '.join(unknown)}.")


def _per_feature(name, values, x):
    if isinstance(values, (int, float)):
        return inputs.finite_number(name, values)  # a Python number leaves float32 as it is
    values = inputs.finite(name, values)
    if values.shape not in ((), x.shape[-1:]):
        raise ValueError(
            f"{name} must be a number or have one entry for each of {x.shape[-1]} features, got shape {values.shape}."
        )
    return values


def _bend(activation, hidden):
    if not callable(activation):
        raise TypeError(f"activation must be a function such as relu or gelu, got {activation!r}.")
    bent = activation(hidden)
    if np.shape(bent) != hidden.shape:
        raise ValueError(
            f"activation must bend each number by itself, but it made {type(bent).__name__} of shape {np.shape(bent)} "
            f"out of shape {hidden.shape}."
        )
    return inputs.finite("what activation returns", bent)


def _weight_matrix(name, values):
    values = inputs.finite(name, values)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"{name} must be a matrix (inputs, outputs), got shape {values.shape}.")
    return values


def _bias(name, values, width):
    values = inputs.finite(name, values)
    if values.shape not in ((), (width,)):
        raise ValueError(f"{name} must have one entry for each of {width} outputs, got shape {values.shape}.")
    return values


def _check_variance(x, variance, epsilon):
    if not np.isfinite(variance).all():
        raise ValueError(f"x must be small enough to be squared, but the variance overflows {variance.dtype}.")
    if epsilon > 0:
        return
    flat = np.all(x == x[..., :1], axis=-1)  # by itself the variance may be a rounding above 0
    if flat.any():
        where = inputs.first(flat, "x") if flat.ndim else "x"
        raise ValueError(
            f"epsilon must be greater than 0 where all features of a token are equal, as in {where}, got {epsilon:g}. "
            "There is no spread to divide by."
        )


def _check_result(name, result):
    if not np.isfinite(np.asarray(result)).all():
        raise ValueError(f"{name} must stay finite, but its numbers are too large for {result.dtype}.")
    return result


def _erfc_polynomial():
    """Fit P in erfc(z) = exp(-z²) P(s), where s runs from 1 at z = 0 to -1 at z = 8.

    Chebyshev points, degree 18, against math.erfc: the fit is as exact as a float (relative error below 1e-13), and made
    of powers, so that derivatives pass through it.
    """

    def smooth(s):
        z = np.maximum(2 / (0.6 + 0.4 * s) - 2, 0.0)
        return np.exp(z * z) * [math.erfc(float(each)) for each in z]

    fit = np.polynomial.chebyshev.chebinterpolate(smooth, 18)
    return [float(c) for c in np.polynomial.chebyshev.cheb2poly(fit)]


_P = _erfc_polynomial()


def _erfc(z):
    """What is missing from erf(z) to 1, for z >= 0."""
    s = (2 / (z + 2) - 0.6) * 2.5  # 2 / (z + 2) runs from 1 to 0.2
    value = s * _P[-1] + _P[-2]
    for coefficient in _P[-3::-1]:  # Horner
        value = value * s + coefficient
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(-(z * z)) * value

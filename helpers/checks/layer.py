"""Exercises on the layer around attention and on the stacks that layers make."""

import numpy as np

from helpers.attention import causal_mask, multi_head_attention
from helpers.checks.cases import Fine, whole
from helpers.checks.exercise import Exercise, Symptom
from helpers.layers import decoder_layer, encoder_layer, feed_forward, layer_norm, random_layer

# --- layer norm ------------------------------------------------------------------------------------------------------


def _norm(x, *, axis=-1, mean=np.mean, spread=np.std, epsilon=1e-5):
    """Layer norm with one thing changed."""
    centred = x - mean(x, axis=axis, keepdims=True)
    return centred / (spread(centred, axis=axis, keepdims=True) + epsilon)


def _explain_norm(got, want, *arguments):
    means, variances = got.mean(axis=-1), got.var(axis=-1)
    worst = means.flat[np.argmax(np.abs(means))]
    if abs(worst) > 1e-3:
        return f"Along the last axis the mean must be 0, yours is {worst:.3f}."
    gaps = np.abs(variances - want.var(axis=-1))
    if gaps.max() < 1e-3:
        return None  # mean and variance are right, and something else is not
    worst = variances.flat[np.argmax(gaps)]
    return f"Along the last axis the mean is 0, as it should, but the variance must be 1 and yours is {worst:.3f}."


LAYER_NORM = Exercise(
    name="layer_norm",
    stages={"means": lambda x: x.mean(axis=-1, keepdims=True), "variances": lambda x: x.var(axis=-1, keepdims=True)},
    solve=layer_norm,
    cases=[
        (np.array([1.0, 2.0, 3.0]),),
        (np.array([[4.0, 0.0, -1.0], [2.0, 2.0, 5.0], [1.0, 6.0, 3.0]]),),
        (np.array([[10.0, 20.0, 40.0, 0.0, 10.0], [3.0, -3.0, 1.0, 1.0, -2.0]]),),
        (np.arange(30.0).reshape(2, 3, 5) ** 2 % 17,),
        (np.array([[1000.0, 1002.0, 1003.0, 995.0]]),),
        (np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 4.0]]),),
        whole((np.array([[4.0, 0.0, -1.0], [2.0, 2.0, 5.0]]),)),
        (np.array([[[0.0, 2.0, 1.0]], [[1.0, 0.0, 1.0]]]),),
        (np.arange(48.0).reshape(2, 2, 3, 4) ** 2 % 11,),
        Fine((np.array([1.0, 2.0, 3.0, 4.0]) + 1e8,)),  # a difference of two large squares has lost its digits
    ],
    mistakes={
        "A token whose features are all equal gives 0/0: add ε = 0.00001 to the variance before the square root.": lambda x: (
            _norm(x, epsilon=0.0)
        ),
        "The variance was divided by n − 1; layer norm divides by n, which is what np.var does by itself.": lambda x: (
            _norm(x, spread=lambda c, **how: np.std(c, ddof=1, **how))
        ),
        "The variance was divided by n − 1; layer norm divides by n, and it needs an ε besides.": lambda x: _norm(
            x, spread=lambda c, **how: np.std(c, ddof=1, **how), epsilon=0.0
        ),
        "Mean and variance ran down the columns, over the tokens; each token needs its own: axis=-1, keepdims=True.": [
            lambda x: _norm(x, axis=0),
            lambda x: _norm(x, axis=0, epsilon=0.0),
        ],
        "Mean and variance ran over axis 1, which is not the last one in a stack of matrices: take axis=-1.": lambda x: (
            _norm(x, axis=min(1, x.ndim - 1))
        ),
        Symptom(
            "Each x[i] was taken for one token; with three axes it is a matrix of them, and with one axis a single number: go through x.reshape(-1, x.shape[-1])."
        ): lambda x: np.stack([_norm(part.ravel()).reshape(part.shape) for part in x]),
        "Rows were given other rows' means and variances: without keepdims=True these are laid along the columns.": lambda x: (
            (x - x.mean(axis=-1)) / np.sqrt(x.var(axis=-1) + 1e-5)
        ),
        "The mean was subtracted, and nothing divided: divide by √(variance + ε).": lambda x: _norm(
            x, spread=lambda c, **how: 1.0
        ),
        "Divided by √(variance + ε), but the mean was not subtracted: x − mean comes first.": lambda x: (
            x / np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-5)
        ),
        "The mean was not subtracted: this divides by the root of the mean square, which is called RMS norm.": lambda x: (
            _norm(x, mean=lambda x, **how: 0.0, spread=lambda c, **how: np.sqrt(np.mean(c * c, **how)))
        ),
        Symptom("Divided by √(mean square of x + ε); the variance is the mean square of x − mean."): lambda x: (
            (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5)
        ),
        "Divided by the length of the vector, so that its squares sum to 1; they must sum to n: divide by √(variance + ε).": lambda x: (
            _norm(x, spread=lambda c, **how: np.sqrt(np.sum(c * c, **how)))
        ),
        "Divided by the mean distance from the mean; take the square root of the mean square.": lambda x: _norm(
            x, spread=lambda c, **how: np.mean(np.abs(c), **how)
        ),
        "The variance is a difference of two large squares, and features of 10⁸ leave nothing of it: take the mean square of x − mean.": lambda x: (
            (x - x.mean(axis=-1, keepdims=True))
            / np.sqrt(np.maximum((x * x).mean(axis=-1, keepdims=True) - x.mean(axis=-1, keepdims=True) ** 2, 0) + 1e-5)
        ),
        "ε is 0.00001; here it is 1.": lambda x: _norm(
            x, spread=lambda c, **how: np.sqrt(np.var(c, **how) + 1.0), epsilon=0.0
        ),
        "Shares between 0 and 1 are softmax or a min-max scale; layer norm gives mean 0 and variance 1.": lambda x: (
            (x - x.min(axis=-1, keepdims=True)) / (np.ptp(x, axis=-1, keepdims=True) + 1e-5)
        ),
    },
    praise="Right, for any number of axes, and for a token whose features are all equal.",
    explain=_explain_norm,
)

# --- decoder layer ---------------------------------------------------------------------------------------------------

_ORDER = ("self_attention", "cross_attention", "feed_forward")


def _assemble(
    x, memory, parameters, num_heads, *, order=_ORDER, mask=causal_mask, residual=_ORDER, normed=_ORDER, norms=None,
    parts=None, first=(), asking=(), pre=False, ask_memory=True, inner=(), past_norm=(),
):  # fmt: skip
    """A decoder layer with one thing changed."""
    beginning, mask = x, mask(len(x)) if mask else None
    norms, parts = norms or {}, parts or {}
    for name in order:
        part = parameters[parts.get(name, name)]

        def norm(x, name=name):
            return layer_norm(x, **parameters[norms.get(name, f"{name}_norm")]) if name in normed else x

        asks = beginning if name in asking else x
        asks = norm(asks) if pre else asks
        if name == "feed_forward":
            change = feed_forward(asks, **part)
        elif name == "self_attention":
            change = multi_head_attention(asks, **part, num_heads=num_heads, mask=mask).output
        else:
            context = memory if ask_memory else None
            change = multi_head_attention(asks, **part, num_heads=num_heads, context=context).output
        if name in inner:
            x = x + norm(change)
            continue
        kept = beginning if name in first else asks if name in past_norm else x
        x = kept + change if name in residual else change
        x = x if pre else norm(x)
    return x


def _right(x, memory, parameters, num_heads):
    return decoder_layer(x, memory, parameters, num_heads=num_heads, mask=causal_mask(len(x)))


def _but(**changes):
    return lambda *arguments: _assemble(*arguments, **changes)


def _without(name):
    return tuple(each for each in _ORDER if each != name)


def _case(seed, num_tokens, num_source, d_model, num_heads):
    rng = np.random.default_rng(seed)
    parameters = random_layer(rng, d_model, num_heads, 2 * d_model, decoder=True)
    for part in parameters.values():
        for name in part:
            part[name] = part[name] + 0.3 * rng.normal(size=part[name].shape)  # no bias is 0 and no gain is 1
    return rng.normal(size=(num_tokens, d_model)), rng.normal(size=(num_source, d_model)), parameters, num_heads


def _hint_for_decoder(error, *arguments):
    text = str(error)
    if isinstance(error, (TypeError, ValueError)) and (
        "inhomogeneous" in text or "Attention" in text or "tuple" in text
    ):
        return "multi_head_attention returns output, weights and scores: take .output."
    if isinstance(error, KeyError):
        return f"parameters holds {', '.join(next(part for part in arguments if isinstance(part, dict)))}."
    if "num_heads" in text and "missing" in text:
        return "Every attention needs num_heads=num_heads."
    return None


DECODER_LAYER = Exercise(
    name="decoder_layer",
    stages={
        "output of self-attention, normalised": lambda *a: _assemble(*a, order=_ORDER[:1]),
        "output of cross-attention, normalised": lambda *a: _assemble(*a, order=_ORDER[:2]),
        "output of the layer": _assemble,
    },
    solve=_right,
    remakes=(decoder_layer,),
    cases=[
        _case(0, 3, 4, 4, 2),
        _case(1, 4, 2, 6, 3),
        _case(2, 3, 3, 4, 1),
        _case(3, 5, 7, 8, 4),
        _case(8, 1, 2, 4, 2),
    ],
    mistakes={
        "The self-attention sees the future: give it mask=attention.causal_mask(len(x)).": _but(mask=None),
        "The mask is the wrong way round: each token sees the future and not the past. True = may attend.": _but(
            mask=lambda n: causal_mask(n).T
        ),
        "The cross-attention does not look at the memory: give it context=memory.": _but(ask_memory=False),
        "This is an encoder layer: the cross-attention, with context=memory, is missing.": _but(
            order=_without("cross_attention")
        ),
        "The feed-forward step is missing.": _but(order=_without("feed_forward")),
        "The masked self-attention is missing.": _but(order=_without("self_attention")),
        "Cross-attention stands before self-attention; first look at what is written, then at the source.": _but(
            order=("cross_attention", "self_attention", "feed_forward")
        ),
        "Feed-forward stands before cross-attention; it comes last.": _but(
            order=("self_attention", "feed_forward", "cross_attention")
        ),
        "No step adds its input: x + step(x), three times.": _but(residual=()),
        "The norm stands inside the sum; it must be taken of the whole sum: layer_norm(x + step(x)).": [
            _but(inner=(name,)) for name in _ORDER
        ]
        + [_but(inner=_ORDER)],
        "The self-attention does not add its input: x + attention(x).": _but(residual=_without("self_attention")),
        "The cross-attention does not add its input: x + attention(x).": _but(residual=_without("cross_attention")),
        "The feed-forward step does not add its input: x + step(x).": _but(residual=_without("feed_forward")),
        "Every step adds the x from the very beginning; each adds its own input, the result of the step before.": _but(
            first=_ORDER
        ),
        "The cross-attention adds the x from the very beginning; it must add its own input, the result of the self-attention.": _but(
            first=("cross_attention",)
        ),
        "The feed-forward step adds the x from the very beginning; it must add its own input, the result of the cross-attention.": _but(
            first=("feed_forward",)
        ),
        "Every step is given the x from the very beginning; each must be given the result of the step before.": _but(
            asking=_ORDER
        ),
        "The layer shifted its tokens by one place; they come shifted already, with the start mark first.": lambda x, *rest: (
            _right(np.vstack([np.zeros_like(x[:1]), x[:-1]]), *rest)
        ),
        "The three layer norms are missing.": _but(normed=()),
        "The layer norm after the feed-forward step is missing.": _but(normed=_without("feed_forward")),
        "This is pre-norm, x + step(layer_norm(x)); the layer of 2017 is layer_norm(x + step(x)).": _but(pre=True),
        "One norm serves all three steps; each has its own gain and bias: self_attention_norm, cross_attention_norm, feed_forward_norm.": _but(
            norms=dict.fromkeys(_ORDER, "self_attention_norm")
        ),
        "The norms of cross-attention and feed-forward are exchanged.": _but(
            norms={"cross_attention": "feed_forward_norm", "feed_forward": "cross_attention_norm"}
        ),
        **{
            f"The {step} is closed by {other}_norm; it has its own: {name}_norm.": _but(norms={name: f"{other}_norm"})
            for name, step in zip(_ORDER, ("self-attention", "cross-attention", "feed-forward step"))
            for other in _without(name)
        },
        "The layer norms have no gain and bias: layer_norm(x, **parameters['self_attention_norm']), and so on.": lambda x, memory, parameters, num_heads: (
            _assemble(x, memory, parameters | {f"{name}_norm": {} for name in _ORDER}, num_heads)
        ),
        "The cross-attention uses the matrices of the self-attention; it has its own: parameters['cross_attention'].": _but(
            parts={"cross_attention": "self_attention"}
        ),
        "The attentions ran with one head; hand num_heads on.": lambda x, memory, parameters, num_heads: _assemble(
            x, memory, parameters, 1
        ),
        "That is the input: the three steps are missing.": lambda x, memory, parameters, num_heads: x,
    },
    praise="Right: three steps, each added to its input and normalised, and no look into the future.",
    hint=_hint_for_decoder,
)

# --- encoder layer ---------------------------------------------------------------------------------------------------


def _encoder(x, parameters, num_heads, norm, **changes):
    """An encoder layer with one thing changed."""
    changes = {"order": ("self_attention", "feed_forward"), "mask": None, "pre": norm == "pre"} | changes
    return _assemble(x, None, parameters, num_heads, **changes)


def _only(**changes):
    return lambda *arguments: _encoder(*arguments, **changes)


def _in(norm, **changes):
    """Changed where norm is this one, or in both where it is None."""
    return lambda *arguments: _encoder(*arguments, **(changes if norm in (None, arguments[3]) else {}))


def _normed_beside(x, parameters, num_heads, norm):
    """norm(x) + step(x), twice."""
    for name in ("self_attention", "feed_forward"):
        change = _encoder(x, parameters, num_heads, norm, order=(name,), residual=(), normed=())
        x = layer_norm(x, **parameters[f"{name}_norm"]) + change
    return x


def _twice(x, parameters, num_heads):
    """With "post", the attention's result added to itself."""
    x = multi_head_attention(x, **parameters["self_attention"], num_heads=num_heads).output
    x = layer_norm(x + x, **parameters["self_attention_norm"])
    return layer_norm(x + feed_forward(x, **parameters["feed_forward"]), **parameters["feed_forward_norm"])


def _encoder_case(seed, num_tokens, d_model, num_heads, norm):
    x, _, parameters, num_heads = _case(seed, num_tokens, 1, d_model, num_heads)
    kept = {name: part for name, part in parameters.items() if "cross" not in name}
    return x, kept, num_heads, norm


ENCODER_LAYER = Exercise(
    name="encoder_layer",
    stages={
        "output of the first step": lambda *a: _encoder(*a, order=("self_attention",)),
        "output of the layer": _encoder,
    },
    solve=_encoder,
    remakes=(encoder_layer,),
    cases=[
        _encoder_case(4, 3, 4, 2, "post"),
        _encoder_case(5, 3, 4, 2, "pre"),
        _encoder_case(6, 5, 6, 3, "post"),
        _encoder_case(7, 2, 6, 3, "pre"),
        _encoder_case(8, 1, 4, 2, "post"),
        _encoder_case(9, 1, 4, 2, "pre"),
    ],
    sorts=("post", "pre") * 3,
    mistakes={
        "This is post-norm whatever `norm` says: with “pre” a step is x + step(layer_norm(x)).": _only(pre=False),
        "This is pre-norm whatever `norm` says: with “post” a step is layer_norm(x + step(x)).": _only(pre=True),
        "With “post” the norm comes after the sum, layer_norm(x + step(x)), and not before it.": [
            _in("post", pre=True, past_norm=names) for names in (_ORDER, _ORDER[:1], _ORDER[2:])
        ],
        "With “post” the step gets the tokens as they are, and the norm comes after the sum: layer_norm(x + step(x)).": lambda *a: (
            _encoder(*a) if a[3] == "pre" else _normed_beside(*a)
        ),
        "With “pre” the normed tokens go on beside the step, too: each step is added to the x from before its norm.": (
            [_in("pre", past_norm=names) for names in (_ORDER, _ORDER[:1], _ORDER[2:])]
        ),
        "The feed-forward step is missing.": _only(order=("self_attention",)),
        "The attention has no say: it is missing, or its result is lost. Feed-forward must go on from it.": _only(
            order=("feed_forward",)
        ),
        "Feed-forward stands before attention; it comes second.": _only(order=("feed_forward", "self_attention")),
        "The norm stands inside the sum; with “post” it must be taken of the whole sum: layer_norm(x + step(x)).": [
            _in("post", inner=names) for names in (("self_attention",), ("feed_forward",), _ORDER)
        ],
        Symptom("With “pre” the norm comes before the step, x + step(layer_norm(x)), and not after it."): [
            _in("pre", pre=False, inner=names) for names in (("self_attention",), ("feed_forward",), _ORDER)
        ],
        Symptom("With “pre” feed-forward must be given what its norm makes."): _in("pre", normed=("self_attention",)),
        Symptom("With “pre” the attention must be given what its norm makes."): _in("pre", normed=("feed_forward",)),
        **{
            f"No step adds its input{where}: x + step(…).": _in(norm, residual=())
            for norm, where in (("post", " with “post”"), ("pre", " with “pre”"), (None, ""))
        },
        "One shortcut leads round the whole layer; each step has its own: x + attention, and then x + feed-forward.": _only(
            residual=("feed_forward",), first=("feed_forward",)
        ),
        "Both steps are given the x from the very beginning; feed-forward must be given the result of the attention.": _only(
            asking=("feed_forward",)
        ),
        **{
            f"The {step} does not add its input{where}: x + step(…).": _in(norm, residual=residual)
            for step, residual in (("attention", ("feed_forward",)), ("feed-forward step", ("self_attention",)))
            for norm, where in (("post", " with “post”"), ("pre", " with “pre”"), (None, ""))
        },
        "The attention does not add its input with “post”: x is its result alone, and x + x doubles it.": lambda x, p, n, norm: (
            _twice(x, p, n) if norm == "post" else _encoder(x, p, n, norm)
        ),
        "One norm serves both steps; each has its own gain and bias.": _only(
            norms={"feed_forward": "self_attention_norm"}
        ),
        "The layer norms have no gain and bias: hand **parameters['self_attention_norm'] on, and so on.": lambda x, p, n, norm: (
            _encoder(x, p | {"self_attention_norm": {}, "feed_forward_norm": {}}, n, norm)
        ),
        "The attention ran with one head; hand num_heads on.": lambda x, p, n, norm: _encoder(x, p, 1, norm),
    },
    praise="Right, post-norm and pre-norm: two steps, each added to its input.",
    hint=_hint_for_decoder,
)

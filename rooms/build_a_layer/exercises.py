"""Exercises on the layer around attention: layer norm, RMS norm, and the encoder layer.

Of layer norm ε may be any small number, under the root or after it: it only keeps 0/0 away. RMS norm is a part of the model
that the reader opens, whose numbers come out only with its own ε, under the root, where a small token feels it.
"""

import numpy as np

from helpers.attention import causal_mask, softmax
from helpers.layers import encoder_layer, layer_norm, rms_norm
from rooms.shared import edits, watch
from rooms.shared.layer_cases import hint_for_layer, layer_case
from rooms.shared.she import NAMED, SENTENCE, TOKENS, X, sizes
from rooms.shared.words import IS
from workbench import Drawn, Fine, like, whole

# --- layer norm ------------------------------------------------------------------------------------------------------


def _explain_norm(got, want, x, gain=None, bias=None):
    if gain is not None:
        return None
    means, variances = got.mean(axis=-1), got.var(axis=-1)
    worst = means.flat[np.argmax(np.abs(means))]
    if abs(worst) > 1e-3:
        return f"Along the last axis the mean must be 0, yours is {worst:.3f}."
    gaps = np.abs(variances - want.var(axis=-1))
    if gaps.max() < 1e-3:
        return None  # mean and variance are right, and something else is not
    worst = variances.flat[np.argmax(gaps)]
    return (
        f"Along the last axis the variance must be {want.var(axis=-1).flat[np.argmax(gaps)]:.3f}, yours is {worst:.3f}."
    )


_LAYER_NORM = edits.solution("""
def layer_norm(x, gain=1.0, bias=0.0):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    normed = (x - mean) / np.sqrt(variance + 1e-5)
    return gain * normed + bias
""")
_MISTAKES = """
x.var( => x.var(ddof=1, | The variance was divided by n − 1; layer norm divides by n, which is what np.var does by itself.
axis=-1 => axis=min(1, x.ndim - 1) | Mean and variance ran over axis 1, which is not the last one in a stack of matrices: take axis=-1.
normed = (x - mean) / np.sqrt(variance + 1e-5) => normed = np.stack([(part - part.mean()) / np.sqrt(part.var() + 1e-5) for part in x]) | Each x[i] was taken for one token; with three axes it is a matrix of them, and with one axis a single number: go through x.reshape(-1, x.shape[-1]).
(x - mean) / np.sqrt(variance + 1e-5) => x - mean | The mean was subtracted, and nothing divided: divide by √(variance + ε).
x.mean(axis=-1, keepdims=True) => x.mean(axis=-1) | Rows were given other rows' means: without keepdims=True these are laid along the columns.
x.mean(axis=-1, keepdims=True) => x.mean(axis=0) ;; x.var(axis=-1, keepdims=True) => ((x - mean) ** 2).mean(axis=-1, keepdims=True) | The mean ran down the columns, over the tokens; each token needs its own: axis=-1, keepdims=True.
x.mean(axis=-1, keepdims=True) => x.reshape(-1, x.shape[-1]).mean(axis=0) ;; x.var(axis=-1, keepdims=True) => ((x - mean) ** 2).mean(axis=-1, keepdims=True) |
(x - mean) / => x - mean / | Brackets are missing: take the mean off first, (x − mean) / √(variance + ε).
(x - mean) => (x + mean) | The mean was added; subtract it.
(x - mean) => x | Divided by √(variance + ε), but the mean was not subtracted: x − mean comes first.
(x - mean) / np.sqrt(variance + 1e-5) => x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) | The mean was not subtracted: this divides by the root of the mean square, which is called RMS norm.
(x - mean) / np.sqrt(variance + 1e-5) => (x - mean) / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) | Divided by √(mean square of x + ε); the variance is the mean square of x − mean.
x.var( => x.shape[-1] * x.var( | Divided by the length of the vector, so that its squares sum to 1; they must sum to n: divide by √(variance + ε).
np.sqrt(variance + 1e-5) => (np.abs(x - mean).mean(axis=-1, keepdims=True) + 1e-5) | Divided by the mean distance from the mean; take the square root of the mean square.
x.var(axis=-1, keepdims=True) => np.maximum((x * x).mean(axis=-1, keepdims=True) - mean**2, 0) | The variance is a difference of two large squares, and features of 10⁸ leave nothing of it: take the mean square of x − mean.
(x - mean) / np.sqrt(variance + 1e-5) => (x - x.min(axis=-1, keepdims=True)) / (np.ptp(x, axis=-1, keepdims=True) + 1e-5) | Shares between 0 and 1 are softmax or a min-max scale; layer norm gives mean 0 and variance 1.
(x - mean) / np.sqrt(variance + 1e-5) => softmax(x) |
x.mean(axis=-1, keepdims=True) => x.mean(axis=-1) ;; x.var(axis=-1, keepdims=True) => ((x - mean) ** 2).mean(axis=-1, keepdims=True) | Rows were given other rows' means: without keepdims=True these are laid along the columns.
"""
_WITH_GAIN = """\
gain * normed + bias => gain * normed | `bias` has no say: it is added at the end.
gain * normed + bias => normed + bias | `gain` has no say: the normed token is multiplied by it.
gain * normed + bias => normed | `gain` and `bias` have no say: the normed token is multiplied by `gain`, and then `bias` is added.
gain * normed + bias => gain * (normed + bias) | `bias` was added too early: multiply by `gain` first, and then add it.
gain * normed + bias => normed / gain + bias | The normed token was divided by `gain`; it is multiplied.
gain * normed + bias => gain * normed - bias | `bias` was subtracted; it is added.
gain * normed + bias => bias * normed + gain | `gain` and `bias` are exchanged: `gain` multiplies, and `bias` is added.
gain * normed + bias => (gain * x + bias - (gain * x + bias).mean(axis=-1, keepdims=True)) / np.sqrt((gain * x + bias).var(axis=-1, keepdims=True) + 1e-5) | `gain` and `bias` came before the norm, which takes them off again: they come last.
"""
_BARE = [
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
]
LAYER_NORM = edits.exercise(
    _LAYER_NORM,
    remakes=(layer_norm,),
    cases=[
        *_BARE,
        (np.array([[4.0, 0.0, -1.0], [2.0, 2.0, 5.0]]), np.array([2.0, 1.0, 0.5]), np.array([1.0, 0.0, -2.0])),
        (np.array([[[0.0, 2.0, 1.0]], [[1.0, 0.0, 4.0]]]), np.array([3.0, -1.0, 2.0]), np.array([0.5, 2.0, 1.0])),
    ],
    mistakes=_MISTAKES + _WITH_GAIN,
    steps="norm",
    explain=_explain_norm,
    praise="Right, for any number of axes, with a gain and a bias, and for a token whose features are all equal.",
)
LAYER_NORM = LAYER_NORM._replace(
    shorter=LAYER_NORM._replace(
        cases=_BARE,
        mistakes=edits.mistakes(_LAYER_NORM, _MISTAKES, "norm"),
        praise="Right, for any number of axes. To use it in a layer, take a gain and a bias, too, with gain=1.0 and bias=0.0 by default.",
    ),
)

# --- RMS norm --------------------------------------------------------------------------------------------------------


def _explain_size(got, want, x):
    sizes, wanted = (np.sqrt((each**2).mean(axis=-1)) for each in (got, want))
    gaps = np.abs(sizes - wanted)
    if gaps.max() < 1e-3:
        return None
    return f"Along the last axis the root of the mean square must be {wanted.flat[gaps.argmax()]:.3f}, yours is {sizes.flat[gaps.argmax()]:.3f}."


RMS_NORM = edits.exercise(
    edits.part("rms_norm"),
    remakes=(rms_norm, layer_norm),
    cases=[
        (np.array([3.0, 4.0]),),
        (np.array([[4.0, 0.0, -1.0], [2.0, 2.0, 5.0], [1.0, 6.0, 3.0]]),),
        (np.array([[10.0, 20.0, 40.0, 0.0, 10.0], [3.0, -3.0, 1.0, 1.0, -2.0]]),),
        (np.arange(30.0).reshape(2, 3, 5) ** 2 % 17,),
        (np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 4.0]]),),
        (np.array([[0.01, -0.02, 0.01, 0.0]]),),
        whole((np.array([[4.0, 0.0, -1.0], [2.0, 2.0, 5.0]]),)),
        (np.array([[[0.0, 2.0, 1.0]], [[1.0, 0.0, 1.0]]]),),
    ],
    mistakes="""
=> (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) | That is layer norm. RMS norm takes no mean off: it divides x itself by the root of its mean square.
=> (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(mean_square + 1e-5) | The mean was taken off. RMS norm leaves it: x divided by the root of its mean square.
=> x / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) | Divided by the standard deviation, which takes the mean off first; take the mean of the squares of x itself.
=> x / (np.sqrt((x**2).sum(axis=-1, keepdims=True)) + 1e-5) | This brings each token to length 1, as np.linalg.norm does: divide by the root of the squares' mean plus ε.
np.sqrt(mean_square + 1e-5) => (np.sqrt(mean_square) + 1e-5) | ε stands after the root; add it to the mean square, under the root.
mean( => sum( | The squares were added up; take their mean, so that the size does not depend on the width.
=> x / (np.abs(x).mean(axis=-1, keepdims=True) + 1e-5) | Divided by the mean of the absolute values; take the root of the mean of the squares.
=> x / (np.abs(x).max(axis=-1, keepdims=True) + 1e-5) | Divided by the largest number; take the root of the mean of the squares.
=> x / (x.max(axis=-1, keepdims=True) + 1e-5) |
=> np.sqrt(mean_square + 1e-5) + 0 * x | That is the root of the mean square; divide x by it.
=> np.sqrt(mean_square + 1e-5) |
1e-5 => 1e-6 | ε is 0.00001, as in the model that you will open; here it is smaller.
1e-5 => 1e-7 |
1e-5 => 1e-8 |
1e-5 => 1e-12 |
(x**2).mean(axis=-1, keepdims=True) => x.mean(axis=-1, keepdims=True) ** 2 | The mean was squared; take the mean of the squares.
""",
    steps="norm",
    praise="Right, and a line shorter than layer norm: the size is brought back to 1, and the mean may stay. Most of today's models norm this way.",
    explain=_explain_size,
)

# --- encoder layer ---------------------------------------------------------------------------------------------------


def _encoder_case(seed, num_tokens, d_model, num_heads, norm, *mask):
    x, _, parameters, num_heads = layer_case(seed, num_tokens, 1, d_model, num_heads)
    kept = {name: part for name, part in parameters.items() if "cross" not in name}
    return x, kept, num_heads, norm, *mask


_WITHOUT_MASK = [
    _encoder_case(4, 3, 4, 2, "post"), _encoder_case(5, 3, 4, 2, "pre"), _encoder_case(6, 5, 6, 3, "post"),
    _encoder_case(7, 2, 6, 3, "pre"), _encoder_case(8, 1, 4, 2, "post"), _encoder_case(9, 1, 4, 2, "pre"),
]  # fmt: skip
ENCODER_LAYER = edits.exercise(
    edits.part("encoder_layer"),
    remakes=(encoder_layer,),
    cases=[
        *_WITHOUT_MASK,
        _encoder_case(10, 4, 6, 2, "post", causal_mask(4)),
        _encoder_case(11, 3, 4, 2, "pre", np.array([[True, False, True]] * 3)),
    ],
    sorts=("post", "pre") * 4,
    mistakes="""
norm == "post" => norm != "post" | “pre” and “post” are exchanged: with “post” a step is layer_norm(x + step(x)), with “pre” x + step(layer_norm(x)).
norm == "post" => True | This is post-norm whatever `norm` says: with “pre” a step is x + step(layer_norm(x)).
norm == "post" => False | This is pre-norm whatever `norm` says: with “post” a step is layer_norm(x + step(x)).
layers.layer_norm(x + step(x), **closing) => layers.layer_norm(x, **closing) + step(x) | With “post” the step gets the tokens as they are, and the norm comes after the sum: layer_norm(x + step(x)).
x + step(layers.layer_norm(x, **closing)) => layers.layer_norm(x, **closing) + step(layers.layer_norm(x, **closing)) | With “pre” the normed tokens go on beside the step, too: each step is added to the x from before its norm.
x + step(layers.layer_norm(x, **closing)) => (layers.layer_norm(x, **closing) if name == "self_attention" else x) + step(layers.layer_norm(x, **closing)) |
x + step(layers.layer_norm(x, **closing)) => (layers.layer_norm(x, **closing) if name == "feed_forward" else x) + step(layers.layer_norm(x, **closing)) |
("self_attention", attend), ("feed_forward", think) => ("self_attention", attend), | The feed-forward step is missing.
("self_attention", attend), ("feed_forward", think) => ("feed_forward", think), | The attention has no say: it is missing, or its result is lost. Feed-forward must go on from it.
("self_attention", attend), ("feed_forward", think) => ("feed_forward", think), ("self_attention", attend) | Feed-forward stands before attention; it comes second.
layers.layer_norm(x + step(x), **closing) => x + layers.layer_norm(step(x), **closing) if name == "self_attention" else layers.layer_norm(x + step(x), **closing) | The norm stands inside the sum; with “post” it must be taken of the whole sum: layer_norm(x + step(x)).
layers.layer_norm(x + step(x), **closing) => x + layers.layer_norm(step(x), **closing) if name == "feed_forward" else layers.layer_norm(x + step(x), **closing) |
layers.layer_norm(x + step(x), **closing) => x + layers.layer_norm(step(x), **closing) |
x + step(layers.layer_norm(x, **closing)) => x + layers.layer_norm(step(x), **closing) if name == "self_attention" else layers.layer_norm(x + step(x), **closing) | With “pre” the norm comes before the step, x + step(layer_norm(x)), and not after it.
x + step(layers.layer_norm(x, **closing)) => x + layers.layer_norm(step(x), **closing) if name == "feed_forward" else layers.layer_norm(x + step(x), **closing) |
x + step(layers.layer_norm(x, **closing)) => x + layers.layer_norm(step(x), **closing) |
step(layers.layer_norm(x, **closing)) => step(layers.layer_norm(x, **closing) if name == "self_attention" else x) | With “pre” feed-forward must be given what its norm makes.
step(layers.layer_norm(x, **closing)) => step(layers.layer_norm(x, **closing) if name == "feed_forward" else x) | With “pre” the attention must be given what its norm makes.
x + step => step | No step adds its input: x + step(…).
for name => first = x⏎    for name ;; x + step => (0 * x if name == "self_attention" else first) + step | One shortcut leads round the whole layer; each step has its own: x + attention, and then x + feed-forward.
for name => first = x⏎    for name ;; step(x) => step(first) ;; step(layers.layer_norm(x, **closing)) => step(layers.layer_norm(first, **closing)) | Both steps are given the x from the very beginning; feed-forward must be given the result of the attention.
layers.layer_norm(x + step => layers.layer_norm((name != "self_attention") * x + step | The attention does not add its input with “post”: x + step(…).
x = x + step => x = (name != "self_attention") * x + step | The attention does not add its input with “pre”: x + step(…).
layers.layer_norm(x + step => layers.layer_norm((name != "feed_forward") * x + step | The feed-forward step does not add its input with “post”: x + step(…).
x = x + step => x = (name != "feed_forward") * x + step | The feed-forward step does not add its input with “pre”: x + step(…).
x + step => (name != "feed_forward") * x + step | The feed-forward step does not add its input: x + step(…).
layers.layer_norm(x + step(x), **closing) => layers.layer_norm((step(x) if name == "self_attention" else x) + step(x), **closing) ;; x = x + step(layers.layer_norm(x, **closing)) => x = (step(layers.layer_norm(x, **closing)) if name == "self_attention" else x) + step(layers.layer_norm(x, **closing)) | The attention does not add its input: x is its result alone, and x + x doubles it.
layers.layer_norm(x + step(x), **closing) => layers.layer_norm((step(x) if name == "self_attention" else x) + step(x), **closing) | The attention does not add its input with “post”: x is its result alone, and x + x doubles it.
f"{name}_norm" => "self_attention_norm" | One norm serves both steps; each has its own gain and bias.
, **closing => | The layer norms have no gain and bias: hand **parameters['self_attention_norm'] on, and so on.
x = x + step(layers.layer_norm(x, **closing)) => x = x + step(layers.layer_norm(x, **closing)) if name == "self_attention" else layers.layer_norm(x + step(x), **closing) | With “pre” the second step is post-norm: it must be x + step(layer_norm(x)), too.
x = x + step(layers.layer_norm(x, **closing)) => x = x + step(layers.layer_norm(x, **closing)) if name == "feed_forward" else layers.layer_norm(x + step(x), **closing) | With “pre” the first step is post-norm: it must be x + step(layer_norm(x)), too.
"num_heads": num_heads => "num_heads": 1 | The attention ran with one head; hand num_heads on.
, "mask": mask => | The mask has no say: hand it to the attention, mask=mask.
"mask": mask => "mask": None if norm == "post" else mask | With “post” the mask has no say: hand it to the attention there, too.
"mask": mask => "mask": None if norm == "pre" else mask | With “pre” the mask has no say: hand it to the attention there, too.
"mask": mask => "mask": None if mask is None else mask.T | The mask is turned round: it must reach the attention as it is given.
for name => first = x⏎    for name ;; layers.layer_norm(x + step => layers.layer_norm((first if name == "feed_forward" else x) + step | With “post” the feed-forward step adds the x from the very beginning; it must add its own input, what attention has left.
for name => first = x⏎    for name ;; step(layers.layer_norm(x, => step(layers.layer_norm(first, | With “pre” both norms are taken of the x from the very beginning; the second must be taken of what attention has left.
"mask": mask => "mask": attention.causal_mask(len(x)) | Tokens see only the past, which nobody asked for here: every token may ask every token, unless it is told otherwise.
for name => first = x⏎    for name ;; step(layers.layer_norm(x, => step(layers.layer_norm(x if name == "self_attention" else x - first, | With “pre” the network is given what attention found alone; it works on the sum, x + attention.
""",
    hint=hint_for_layer,
    praise="Right, post-norm and pre-norm, with a mask or without: two steps, each added to its input.",
)
ENCODER_LAYER = ENCODER_LAYER._replace(
    shorter=ENCODER_LAYER._replace(
        cases=_WITHOUT_MASK,
        mistakes={said: made for said, made in ENCODER_LAYER.mistakes.items() if "mask" not in said},
        sorts=("post", "pre") * 3,
        praise="Right, post-norm and pre-norm. A model that writes must not look ahead: take a mask, too, with mask=None by default.",
    ),
)

# --- drawn with the answer ------------------------------------------------------------------------------------------

LAYER_NORM_DRAWN, RMS_NORM_DRAWN = sizes("layer_norm"), sizes("rms_norm")


def _layer(asks, gives):
    """A layer whose head is set by hand, and whose network adds nothing: what stands in a row asks by `asks`, and gets `gives`."""
    d, flat = asks.shape[0], {"gain": np.ones(asks.shape[0]), "bias": np.zeros(asks.shape[0])}
    biases = {f"b_{name}": np.zeros(d) for name in ("query", "key", "value", "output")}
    network = {"W_in": np.zeros((d, 4)), "b_in": np.zeros(4), "W_out": np.zeros((4, d)), "b_out": np.zeros(d)}
    attend = {"W_query": asks, "W_key": np.eye(d), "W_value": gives, "W_output": np.eye(d), **biases}
    return {"self_attention": attend, "self_attention_norm": flat, "feed_forward": network, "feed_forward_norm": flat}


def _whose_watch(encoder_layer):
    """Two layers, pre-norm: She finds out who she is, then the watch whose it is. (2, 2), shares of Sarah and of Alex."""
    names = [*SENTENCE.features, *IS, "Sarah's", "Alex's"]
    female, name, worn, is_sarah, is_alex, sarahs, alexs = map(
        names.index, ("female", "name", "worn", *IS[:2], *names[-2:])
    )
    asks_1, asks_2, gives_1, gives_2 = np.zeros((4, len(names), len(names)))
    asks_1[female, [female, name]], asks_2[worn, [female, name]] = 16, (16, -16)
    gives_1[[is_sarah, is_alex], [is_sarah, is_alex]] = gives_2[[is_sarah, is_alex], [sarahs, alexs]] = 1
    tokens = np.hstack([X[NAMED], np.zeros((len(NAMED), 2))])
    she, watch = (NAMED.index(TOKENS.index(word)) for word in ("She", "watch"))
    first = like(encoder_layer(tokens, _layer(asks_1, gives_1), 1, "pre"), tokens.shape)
    second = like(encoder_layer(first, _layer(asks_2, gives_2), 1, "pre"), tokens.shape)
    return softmax(np.array([first[she, [is_sarah, is_alex]], second[watch, [sarahs, alexs]]]))


ENCODER_LAYER_DRAWN = Drawn(
    "encoder_layer", _whose_watch, watch.draw, "Whose is the watch? Two of these layers, pre-norm"
)

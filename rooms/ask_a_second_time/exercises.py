"""Exercise on a layer without norms: what attention finds is added, and so is what the network makes of it."""

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax
from helpers.layers import encoder_layer
from rooms.shared import edits, watch
from workbench import Drawn, like, whole


def _case(seed, num_tokens, d_model, d_ff):
    rng = np.random.default_rng(seed)
    shapes = [(num_tokens, d_model), (d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    x, *network = (rng.integers(-3, 4, size=shape) / 2 for shape in shapes)
    return x, _attention(rng, d_model), *network


def _attention(rng, d_model):
    W_query, W_key, W_value = rng.integers(-2, 3, size=(3, d_model, d_model)) / 2

    def attend(x):
        return scaled_dot_product_attention(x @ W_query, x @ W_key, x @ W_value).output

    return attend


def _hint(error, *arguments):
    text = str(error)
    if "enough dimensions" in text or any(word in text for word in ("function", "not subscriptable")):
        return "attend is a function: attend(x) gives what the heads found for each word."
    if isinstance(error, ValueError) and any(word in text for word in ("matmul", "align", "broadcast")):
        return "Words are rows, so the matrices stand on the right: x @ W_in + b_in is as wide as the network, and @ W_out + b_out brings it back."
    return None


ADD_AND_THINK = edits.exercise(
    """
def add_and_think(x, attend, W_in, b_in, W_out, b_out):
    x = x + attend(x)
    hidden = np.maximum(x @ W_in + b_in, 0)
    x = x + (hidden @ W_out + b_out)
    return x
""",
    remakes=(encoder_layer,),
    cases=[
        _case(3, 2, 4, 4),  # square, so that a wrong transpose gives numbers
        _case(1, 3, 2, 3),
        _case(2, 4, 3, 5),
        _case(5, 5, 3, 6),
        whole(_case(6, 3, 2, 4)),
        _case(7, 1, 3, 2),
    ],
    mistakes="""
x + attend(x) => attend(x) | What attention found replaces the word, and the word is lost: add it, x + attend(x).
x + attend(x) => attend(x) ;; x + (hidden @ W_out + b_out) => hidden @ W_out + b_out | Both steps replace the word, so nothing is left of what it was: add each of them, x + ….
x + (hidden @ W_out + b_out) => hidden @ W_out + b_out | What the network makes replaces the word: add it to the word, x + ….
x = x + attend(x) => first = x⏎    x = x + attend(x) ;; x + (hidden => first + (hidden | What attention found is lost: the network's answer must be added to x + attend(x), from which it was made.
x = x + attend(x) => first = x⏎    x = attend(x) ;; x + (hidden => first + (hidden | One residual leads round both steps; each step has its own: first x + attend(x), then that plus what the network makes of it.
x = x + (hidden @ W_out + b_out) => x = x | The network has no say, or its result is lost: add it to x, and return that.
x = x + attend(x) => x = x | Attention has no say: it comes first, x + attend(x).
x = x + attend(x) => first, x = x, x + attend(x) ;; x @ W_in => first @ W_in | The network is given the words from before attention; it must think about what they have become, x + attend(x).
x = x + attend(x) => x = x ;; return x => return x + attend(x) | The network comes before attention; it comes second, to think about what attention found.
x = x + attend(x) => x = x + attend(x) + attend(x) | What attention found is added twice; once is enough.
x = x + attend(x) => found = attend(x)⏎    x = x + found ;; x + (hidden => x + found + (hidden |
x = x + attend(x) => found = attend(x)⏎    x = x + found ;; x + (hidden => found + (hidden | The network's answer is added to what attention found alone: the word itself is lost. Add it to x + attend(x).
x = x + attend(x) => x = x + attend(x)⏎    x = x + attend(x) | Attention asks twice in one layer: one round, x + attend(x), and then the network.
np.maximum(x @ W_in + b_in, 0) => x @ W_in + b_in | The bend is missing: everything below 0 must become 0, np.maximum(…, 0), between the two matrices.
np.maximum(x @ W_in + b_in, 0) => np.maximum(x @ W_in, 0) + b_in | The bias b_in comes after the bend; it must be added before, so that it can say when a neuron lights up.
 + b_in => | The bias b_in is missing.
 + b_out => | The bias b_out is missing.
+ b_in => - b_in | The bias b_in is subtracted; it is added.
hidden = np.maximum(x @ W_in + b_in, 0) => hidden = x @ W_in + b_in ;; (hidden @ W_out + b_out) => np.maximum(hidden @ W_out + b_out, 0) | The bend comes after the second matrix; it belongs between the two.
(hidden @ W_out + b_out) => np.maximum(hidden @ W_out + b_out, 0) | One bend is enough, between the two matrices; after W_out it forbids the network to take anything away.
x + (hidden @ W_out + b_out) => np.maximum(x + (hidden @ W_out + b_out), 0) | The whole word was bent in the end; the bend belongs inside the network, between its two matrices.
attend(x) => np.maximum(attend(x), 0) | What attention found was bent; the bend belongs inside the network, between its two matrices.
x + attend(x) => layers.layer_norm(x + attend(x)) ;; x + (hidden @ W_out + b_out) => layers.layer_norm(x + (hidden @ W_out + b_out)) | There is no norm here yet: a step is x + step(x). The next lesson adds the norms, and says why.
x + attend(x) => layers.layer_norm(x + attend(x)) |
=> layers.layer_norm(x) |
x + attend(x) => x + attend(layers.layer_norm(x)) |
x + attend(x) => x + attend(layers.layer_norm(x)) ;; x @ W_in => layers.layer_norm(x) @ W_in |
np.maximum( => np.minimum( | np.minimum keeps what lies below 0, and the bend keeps what lies above: np.maximum.
np.maximum(x @ W_in + b_in, 0) => np.abs(x @ W_in + b_in) | np.abs turns what lies below 0 round; the bend makes it 0: np.maximum(…, 0).
np.maximum(x @ W_in + b_in, 0) => np.maximum(x @ W_in + b_in, 1) | The bend is at 1; it belongs at 0.
np.maximum(x @ W_in + b_in, 0) => (x @ W_in + b_in > 0) | The neurons say only whether they light up, and no longer how much: np.maximum(…, 0) keeps the number.
np.maximum(x @ W_in + b_in, 0) => np.tanh(x @ W_in + b_in) | np.tanh is another bend; ours makes everything below 0 to 0, and leaves the rest: np.maximum(…, 0).
@ W_out => @ W_out.T | W_out was turned round: hidden @ W_out.
@ W_in => @ W_in.T | W_in was turned round: x @ W_in.
x + (hidden => x - (hidden | What the network makes was subtracted: add it.
x + attend(x) => x - attend(x) | What comes of `attend(x)` is taken off x; each step is added to its input, x + ….
x + attend(x) => x * attend(x) | What comes of `attend(x)` is multiplied with x; each step is added to its input, x + ….
""",
    praise="Right: attention adds what it found, and the network adds what it makes of it. Another layer can go on from here.",
    hint=_hint,
)


# --- drawn with the answer ------------------------------------------------------------------------------------------


def _whose_watch(layer):
    """Two rounds of a layer: She finds out who she is, then the watch whose it is. (2, 2), shares of Sarah and of Alex.

    Two heads pass on who somebody is. A network of two neurons writes down whose a thing is: *worn* and *is Sarah*, *worn* and
    *is Alex*.
    """
    names, x = watch.text()
    heads, width = watch.heads(answer=(watch.IS_SARAH, watch.IS_ALEX)), len(watch.FEATURES)
    W_in, W_out = np.zeros((width, 2)), np.zeros((2, width))
    W_in[watch.WORN] = W_in[[watch.IS_SARAH, watch.IS_ALEX], [0, 1]] = 1
    W_out[[0, 1], [watch.SARAHS, watch.ALEXS]] = 1
    for _ in range(2):
        x = like(layer(x, lambda x: watch.attend(x, heads)[0], W_in, -np.ones(2), W_out, np.zeros(width)), x.shape)
    she, thing = x[names.index("She")], x[names.index("watch")]
    cells = np.array([she[[watch.IS_SARAH, watch.IS_ALEX]], thing[[watch.SARAHS, watch.ALEXS]]])
    return softmax(3 * np.clip(cells, 0, 1))  # half and half where nothing is known


ADD_AND_THINK_DRAWN = Drawn("add_and_think", _whose_watch, watch.draw, "Whose is the watch? Two of these layers")

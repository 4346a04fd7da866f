"""A decoder-only transformer: layers with a causal mask that give, at every place, logits for the token that comes next.

The parameters are a dict, as `random_decoder` makes it:

    embedding (vocabulary_size, d_model)                               one row for each token
    decoder                                                            a list of layers, as `layers.random_layer` makes them
    decoder_norm                                                       gain and bias of the last norm
    W_vocabulary (d_model, vocabulary_size), b_vocabulary (vocabulary_size,)

Its layers are those of an encoder: without a second sequence there is nothing to cross to. The mask alone makes it a
decoder. Norms come first ("pre"), as in every GPT since 2019.
"""

from typing import NamedTuple

import numpy as np

from helpers.attention import causal_mask, softmax
from helpers.layers import encoder_layer, layer_norm, random_layer
from helpers.support import inputs, shapes
from helpers.support.documented import documented
from helpers.transformer import embed

ROUNDING = 1e-9  # .6 and .3 make .9, though not in floats


class Decoded(NamedTuple):
    """What a decoder-only transformer says of a text.

    logits : (..., num_tokens, vocabulary_size); softmax makes probabilities of the next token of them
    attention : list of Attention, one for each layer, weights (..., num_heads, num_tokens, num_tokens)
    """

    logits: np.ndarray
    attention: list


@documented
def random_decoder(rng, *, vocabulary_size, d_model, num_heads, d_ff, num_layers):
    """Draw all parameters at random, as training starts.

    Parameters
    ----------
    rng : numpy.random.Generator
    vocabulary_size : whole number, at least 1, of tokens that exist
    d_model, num_heads, d_ff : as in `layers.random_layer`
    num_layers : whole number, at least 1, at most 1,000

    Returns
    -------
    parameters : dict

    Examples
    --------
    >>> sizes = {"vocabulary_size": 4, "d_model": 6, "num_heads": 2, "d_ff": 24, "num_layers": 1}
    >>> list(random_decoder(np.random.default_rng(0), **sizes))
    ['embedding', 'decoder', 'decoder_norm', 'W_vocabulary', 'b_vocabulary']
    """
    layers = [random_layer(rng, d_model, num_heads, d_ff) for _ in range(num_layers)]
    inputs.affordable(vocabulary_size=vocabulary_size, d_model=d_model)
    return {
        "embedding": rng.normal(scale=d_model**-0.5, size=(vocabulary_size, d_model)),
        "decoder": layers,
        "decoder_norm": {"gain": np.ones(d_model), "bias": np.zeros(d_model)},
        "W_vocabulary": rng.normal(scale=d_model**-0.5, size=(d_model, vocabulary_size)),
        "b_vocabulary": np.zeros(vocabulary_size),
    }


@documented
def decode(tokens, parameters, *, num_heads):
    """Read a text and give, at every place, logits for the token that comes next. No place sees what comes after it.

    Parameters
    ----------
    tokens : (..., num_tokens) whole numbers, at least 0, below the vocabulary_size
    parameters : dict, as in `random_decoder`
    num_heads : whole number, at least 1, of every layer

    Returns
    -------
    Decoded
        logits (..., num_tokens, vocabulary_size) and attention, a list of Attention, one for each layer

    References
    ----------
    Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), section 2.3.
    """
    shapes.decoder(parameters)
    x, attention = embed(tokens, parameters["embedding"]), []
    mask = causal_mask(x.shape[-2])
    for layer in parameters["decoder"]:
        x, looked = encoder_layer(x, layer, num_heads=num_heads, norm="pre", mask=mask, with_attention=True)
        attention.append(looked["self_attention"])
    x = layer_norm(x, **parameters["decoder_norm"])
    W, b = shapes.vocabulary(parameters)
    return Decoded(x @ W + b, attention)


@documented
def without_heads(parameters, heads, *, num_heads):
    """Switch heads off: the rows of W_output that read them are set to 0.

    Parameters
    ----------
    parameters : dict, as in `random_decoder`; it is not changed
    heads : pairs (layer, head), both counted from 0
    num_heads : whole number, at least 1, of every layer

    Returns
    -------
    parameters : dict
    """
    shapes.decoder(parameters)
    layers = list(parameters["decoder"])
    for pair in inputs.listed("heads", heads, (tuple, list), "pairs (layer, head)"):
        if len(pair) != 2:
            raise ValueError(f"heads must be pairs (layer, head), got {pair!r:.60}.")
        layer, head = pair
        layer = inputs.whole_number("layer", layer, minimum=0, maximum=len(layers) - 1)
        head = inputs.whole_number("head", head, minimum=0, maximum=num_heads - 1)
        W_output = np.array(inputs.floats("W_output", layers[layer]["self_attention"]["W_output"]))
        rows = len(W_output) // num_heads
        W_output[head * rows : (head + 1) * rows] = 0.0
        layers[layer] = layers[layer] | {"self_attention": layers[layer]["self_attention"] | {"W_output": W_output}}
    return parameters | {"decoder": layers}


@documented
def probabilities(logits, *, temperature=1.0, top_p=1.0):
    r"""Say how likely each token is drawn next.

    .. math:: p = \mathrm{softmax}(logits / T)

    Then only the likeliest tokens are kept, as few as it takes for their probabilities to sum to `top_p`, and the
    others' share is divided among them in proportion.

    Parameters
    ----------
    logits : (vocabulary_size,), finite or -inf, which is never drawn: those of one place
    temperature : number, at least 0: T; 0 leaves the largest logit only, the first one if several are equal
    top_p : number above 0, at most 1, which keeps all

    Returns
    -------
    probabilities : (vocabulary_size,), sum to 1

    References
    ----------
    Holtzman et al., "The Curious Case of Neural Text Degeneration" (2020), section 3.1: top-p, or nucleus sampling.

    Examples
    --------
    >>> probabilities(np.log([0.5, 0.25, 0.25]), top_p=0.7)
    array([0.66666667, 0.33333333, 0.        ])
    >>> probabilities(np.log([0.5, 0.25, 0.25]), top_p=1e-12)
    array([1., 0., 0.])
    """
    logits = np.asarray(logits, np.float64)
    if np.isneginf(logits).all():
        raise ValueError(
            "logits must hold a finite number, got nothing but -inf. There is nothing left to choose from."
        )
    if temperature == 0:
        return (np.arange(len(logits)) == np.argmax(logits)).astype(float)
    with np.errstate(over="ignore"):  # a gap too wide for a float is -inf: never drawn, which is right
        shares = softmax((logits - logits.max()) / temperature)
    if top_p == 1:
        return shares
    order = np.argsort(-shares, kind="stable")
    likelier = np.cumsum(shares[order]) - shares[order]  # the sum of all that come before
    kept = np.zeros_like(shares)
    stays = (likelier == 0) | (likelier < top_p - ROUNDING)  # the first one always
    kept[order] = np.where(stays, shares[order], 0.0)
    return kept / kept.sum()


@documented
def next_token(logits, *, temperature=1.0, top_p=1.0, rng=None):
    """Draw the next token with its probability.

    Parameters
    ----------
    logits, temperature, top_p : as in `probabilities`
    rng : numpy.random.Generator; None makes a new one, which draws other tokens each time

    Returns
    -------
    token : int, 0 to vocabulary_size - 1

    Examples
    --------
    >>> next_token([1.0, 3.0, 2.0], temperature=0)
    1
    """
    shares = probabilities(logits, temperature=temperature, top_p=top_p)
    return int((rng or np.random.default_rng()).choice(len(shares), p=shares))


def write(logits_of, tokens, *, num_tokens, temperature=1.0, top_p=1.0, rng=None):
    """Go on with a text: draw the next token, read it along with the others, and again.

    Parameters
    ----------
    logits_of : function(tokens) -> (n, vocabulary_size), logits of which the last row is that of the next token
    tokens : the prompt, whole numbers, at least one
    num_tokens : how many tokens to write, at most 100,000
    temperature, top_p, rng : as in `next_token`

    Returns
    -------
    written : list of int, the new tokens, without the prompt

    Examples
    --------
    >>> successor = lambda tokens: np.eye(5)[(np.array(tokens) + 1) % 5]
    >>> write(successor, [1, 2], num_tokens=4, temperature=0)
    [3, 4, 0, 1]
    """
    inputs.function("logits_of", logits_of)
    if np.size(inputs.rectangle("tokens", tokens)) == 0:
        raise ValueError("tokens must hold at least one token to go on from, got none.")
    text = inputs.whole_numbers("tokens", tokens, axes=1).tolist()
    num_tokens, length = inputs.whole_number("num_tokens", num_tokens, minimum=0, maximum=10**5), len(text)
    rng = np.random.default_rng() if rng is None else rng
    while len(text) < length + num_tokens:
        logits = logits_of(list(text))
        if isinstance(logits, tuple) or np.ndim(logits) != 2:
            raise ValueError(
                "logits_of must return rows of logits (num_tokens, vocabulary_size), such as decode(...).logits, "
                f"got {type(logits).__name__} of {'parts' if isinstance(logits, tuple) else f'shape {np.shape(logits)}'}."
            )
        text.append(next_token(inputs.numbers("logits", logits)[-1], temperature=temperature, top_p=top_p, rng=rng))
    return text[length:]


@documented
def induction_score(weights, period):
    r"""Say how much a head looks at what came after this token one period ago.

    .. math:: \frac{1}{n - P} \sum_{i \ge P} A_{i, \, i - P + 1}

    In a text that repeats itself after `period` tokens, that is the token to copy.

    Parameters
    ----------
    weights : (..., num_tokens, num_tokens), finite; rows are queries
    period : whole number, at least 1, below num_tokens

    Returns
    -------
    score : (...), from 0 to 1; a float for a single map

    References
    ----------
    Olsson et al., "In-context Learning and Induction Heads" (2022).

    Examples
    --------
    >>> looks_at_the_first = np.eye(4)[[0, 0, 0, 0]]
    >>> induction_score(looks_at_the_first, period=3)  # the query 3 looks at 3 - 3 + 1 = 1, if it copies
    0.0
    """
    scores = np.diagonal(weights, 1 - period, axis1=-2, axis2=-1)[..., 1:].mean(axis=-1)
    return float(scores) if scores.ndim == 0 else scores

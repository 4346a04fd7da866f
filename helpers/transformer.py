"""Layers stacked into the encoder and the decoder of 2017: from token numbers to scores for the next token.

The parameters are a dict, as `random_transformer` makes it:

    embedding (vocabulary_size, d_model)                  one row for each token, for source and target alike
    encoder, decoder                                      lists of layers, as `layers.random_layer` makes them
    W_vocabulary (d_model, vocabulary_size), b_vocabulary (vocabulary_size,)
    encoder_norm, decoder_norm                            gain and bias of a last norm, with pre-norm layers only
"""

import math

import numpy as np

from helpers import inputs
from helpers.attention import causal_mask
from helpers.layers import decoder_layer, encoder_layer, layer_norm, random_layer, relu
from helpers.positions import sinusoidal_positional_encoding

_NORMS = ("encoder_norm", "decoder_norm")
_NAMES = ("embedding", "encoder", "decoder", "W_vocabulary", "b_vocabulary")


def embed(tokens, embedding, positions=True):
    r"""Turn token numbers into vectors, and add their positions.

    .. math:: \sqrt{d} \; E_{token} + PE_{position}

    Parameters
    ----------
    tokens : (..., num_tokens) whole numbers, 0 to vocabulary_size - 1
    embedding : (vocabulary_size, d_model)
    positions : False leaves the positions out, to see what is missing then

    Returns
    -------
    x : (..., num_tokens, d_model)

    Raises
    ------
    TypeError, ValueError
        If tokens are no whole numbers, none at all, or not in the vocabulary; if embedding is no matrix of numbers.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), sections 3.4 and 3.5.

    Examples
    --------
    >>> embed([0, 1, 1], np.eye(2)).round(3)
    array([[1.414, 1.   ],
           [0.841, 1.955],
           [0.909, 0.998]])
    """
    embedding = _embedding(embedding)
    tokens = inputs.rectangle("tokens", tokens)
    if tokens.ndim == 0 or 0 in tokens.shape:
        raise ValueError(f"tokens must hold at least one token, got shape {tokens.shape}.")
    if tokens.dtype.kind not in "iu":
        raise TypeError(f"tokens must be whole numbers, one for each token, got {tokens.dtype}.")
    vocabulary_size, d_model = embedding.shape
    if tokens.min() < 0 or tokens.max() >= vocabulary_size:
        raise ValueError(
            f"tokens must lie between 0 and {vocabulary_size - 1}, the rows of embedding {embedding.shape}, "
            f"got {tokens.min() if tokens.min() < 0 else tokens.max()}."
        )
    ones = np.eye(vocabulary_size, dtype=embedding.dtype)[tokens]  # one 1 in each row, which picks a row of embedding
    # embedding[tokens] gives the same, and has slower derivatives
    x = np.matmul(ones, embedding) * inputs.scalar_like(embedding, math.sqrt(d_model))
    if not positions:
        return x
    return x + sinusoidal_positional_encoding(tokens.shape[-1], d_model).astype(x.dtype)


def encode(
    tokens, parameters, *, num_heads, norm="post", mask=None, activation=relu, positions=True, with_attention=False
):
    """Read the whole source, all positions at once.

    Parameters
    ----------
    tokens : (..., num_source) whole numbers
    parameters : dict, as in `random_transformer`
    num_heads : of every layer
    norm : "post" or "pre"
    mask : Boolean, usually padding_mask(lengths, num_source); None = everything may be attended
    activation : of the feed-forward networks
    positions : as in `embed`
    with_attention : also return what attention did

    Returns
    -------
    memory : (..., num_source, d_model), one vector for each token of the source; with `with_attention` the pair of it and
        a list with a dict name -> Attention for each layer

    Raises
    ------
    TypeError, ValueError
        If `parameters` lacks a name, something in it is no number or of another shape, or tokens are as in `embed`.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.1.
    """
    _check(parameters)
    x, attentions = embed(tokens, parameters["embedding"], positions), []
    how = {"num_heads": num_heads, "norm": norm, "mask": mask, "activation": activation}
    for layer in parameters["encoder"]:
        x, attention = encoder_layer(x, layer, **how, with_attention=True)
        attentions.append(attention)
    x = _last_norm(x, parameters, "encoder_norm")
    return (x, attentions) if with_attention else x


def decode(
    tokens, memory, parameters, *, num_heads, norm="post", mask=None, memory_mask=None, activation=relu, positions=True,
    with_attention=False,
):  # fmt: skip
    """Give, at every place of what is written so far, the scores of the token that comes next.

    Parameters
    ----------
    tokens : (..., num_tokens) whole numbers, beginning with a start token
    memory : (..., num_source, d_model), from `encode`
    parameters : dict, as in `random_transformer`
    num_heads : of every layer
    norm : "post" or "pre"
    mask : Boolean, of the self-attention; None = causal, each place sees itself and what is before it
    memory_mask : Boolean, of the cross-attention, usually padding_mask(lengths, num_source)
    activation : of the feed-forward networks
    positions : as in `embed`
    with_attention : also return what attention did

    Returns
    -------
    scores : (..., num_tokens, vocabulary_size); softmax makes probabilities of them; with `with_attention` the pair of
        them and a list with a dict name -> Attention for each layer

    Raises
    ------
    TypeError, ValueError
        As in `encode`.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), sections 3.1 and 3.4.
    """
    _check(parameters)
    x, attentions = embed(tokens, parameters["embedding"], positions), []
    mask = causal_mask(x.shape[-2]) if mask is None else mask
    how = {"num_heads": num_heads, "norm": norm, "mask": mask, "memory_mask": memory_mask, "activation": activation}
    for layer in parameters["decoder"]:
        x, attention = decoder_layer(x, memory, layer, **how, with_attention=True)
        attentions.append(attention)
    scores = (
        np.matmul(_last_norm(x, parameters, "decoder_norm"), parameters["W_vocabulary"]) + parameters["b_vocabulary"]
    )
    return (scores, attentions) if with_attention else scores


def generate(source, parameters, *, start, end, num_heads, norm="post", longest=32):
    """Write greedily: read the source once, then append the likeliest next token until it is the end token.

    Parameters
    ----------
    source : (num_source,) whole numbers
    parameters : dict, as in `random_transformer`
    start, end : numbers of the tokens that stand before the first and after the last one
    num_heads, norm : as in `encode`
    longest : stop after so many tokens

    Returns
    -------
    tokens : list of whole numbers, without the start token, with the end token if it came

    Examples
    --------
    >>> generate([0, 0, 1, 0, 3], copying_transformer(), start=2, end=3, num_heads=2)
    [0, 0, 1, 0, 3]
    """
    longest = inputs.whole_number("longest", longest, minimum=1)
    if np.ndim(source) != 1:
        raise ValueError(f"source must be one sequence of whole numbers, got shape {np.shape(source)}.")
    memory = encode(source, parameters, num_heads=num_heads, norm=norm)
    written = [start]
    while len(written) <= longest and (written[-1] != end or len(written) == 1):
        scores = decode(written, memory, parameters, num_heads=num_heads, norm=norm)
        written.append(int(np.argmax(np.asarray(scores)[-1])))
    return written[1:]


def random_transformer(rng, vocabulary_size, d_model, num_heads, d_ff, num_layers, norm="post"):
    """Draw all parameters at random, as training starts.

    Parameters
    ----------
    rng : numpy.random.Generator
    vocabulary_size : number of tokens that exist, start and end token included
    d_model, num_heads, d_ff : as in `layers.random_layer`
    num_layers : of the encoder, and again of the decoder
    norm : "post" or "pre"; with "pre" a last norm follows each stack

    Returns
    -------
    parameters : dict

    Examples
    --------
    >>> sorted(random_transformer(np.random.default_rng(0), 4, 6, 2, 24, num_layers=1))
    ['W_vocabulary', 'b_vocabulary', 'decoder', 'embedding', 'encoder']
    """
    if norm not in ("post", "pre"):
        raise ValueError(f'norm must be "post" (2017) or "pre", got {norm!r}.')
    vocabulary_size = inputs.whole_number("vocabulary_size", vocabulary_size, minimum=1)
    num_layers = inputs.whole_number("num_layers", num_layers, minimum=1)
    sizes = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
    parameters = {
        "encoder": [random_layer(rng, **sizes) for _ in range(num_layers)],
        "decoder": [random_layer(rng, **sizes, decoder=True) for _ in range(num_layers)],
        "embedding": rng.normal(scale=d_model**-0.5, size=(vocabulary_size, d_model)),
        "W_vocabulary": rng.normal(scale=d_model**-0.5, size=(d_model, vocabulary_size)),
        "b_vocabulary": np.zeros(vocabulary_size),
    }
    if norm == "pre":
        parameters |= {name: {"gain": np.ones(d_model), "bias": np.zeros(d_model)} for name in _NORMS}
    return parameters


def copying_transformer():
    """Set by hand what it takes to copy: each place asks the source for the letter at the same place.

    The vocabulary is A, B, start, end; d_model is 16, with 2 heads and 2 layers on each side. Positions fill the quick
    waves, dimensions 0 to 3; letters are put where slow waves are still 0. In the first decoder layer, the first head of
    the cross-attention compares the quick waves of both sides and brings the letter. All else in the layers is drawn at
    random, and its output matrices are turned down to a twentieth. It copies up to 7 letters.

    Returns
    -------
    parameters : dict, as in `random_transformer`
    """
    parameters = random_transformer(np.random.default_rng(13), 4, 16, 2, 32, num_layers=2)
    for layer in [*parameters["encoder"], *parameters["decoder"]]:
        for part in layer.values():
            for name in {"W_output", "W_out"} & set(part):
                part[name] *= 0.05
    quick, letters, head_1 = range(4), [8, 10, 12, 14], range(8)
    cross = parameters["decoder"][0]["cross_attention"]
    for role in ("query", "key"):
        cross[f"W_{role}"][:, head_1] = 0.0
        cross[f"W_{role}"][quick, quick] = 8.0
        cross[f"W_{role}"][15, quick] = -8.0  # dimension 15 stands still near 1: its shift is that of the layer norm
        cross[f"b_{role}"][quick] = 7.2
    cross["W_value"][:, head_1] = 0.0
    cross["W_value"][letters, range(4)] = 1.0
    cross["W_output"][head_1] = 0.0
    cross["W_output"][range(4), letters] = 2.0
    parameters["embedding"] = np.zeros((4, 16))
    parameters["embedding"][range(4), letters] = 1.0
    parameters["W_vocabulary"] = parameters["embedding"].T.copy()
    return parameters


def _embedding(values):
    embedding = inputs.finite("embedding", values, min_axes=2)
    if embedding.ndim > 2 or 0 in embedding.shape:
        raise ValueError(f"embedding must be a matrix with one row for each token, got shape {embedding.shape}.")
    return embedding


def _check(parameters):
    """Look at all but the layers, which look at themselves."""
    if not isinstance(parameters, dict):
        raise TypeError(f"parameters must be a dict with {', '.join(_NAMES)}, got {type(parameters).__name__}.")
    missing = [name for name in _NAMES if name not in parameters]
    if missing:
        raise ValueError(f"parameters must hold {', '.join(_NAMES)}; missing: {', '.join(missing)}.")
    unknown = [str(name) for name in parameters if name not in (*_NAMES, *_NORMS)]
    if unknown:
        raise ValueError(
            f"parameters must hold {', '.join(_NAMES)}, and perhaps {', '.join(_NORMS)}; unknown: {', '.join(unknown)}."
        )
    for name in ("encoder", "decoder"):
        if not isinstance(parameters[name], (list, tuple)):
            kind = type(parameters[name]).__name__
            raise TypeError(f"{name} must be a list of layers, as random_layer makes them, got {kind}.")
    for name in _NORMS:
        if name in parameters:
            _check_norm(name, parameters[name])
    embedding = _embedding(parameters["embedding"])
    W, b = (inputs.finite(name, parameters[name]) for name in ("W_vocabulary", "b_vocabulary"))
    vocabulary_size, d_model = embedding.shape
    if W.shape != (d_model, vocabulary_size):
        raise ValueError(
            f"W_vocabulary must have shape (d_model, vocabulary_size) = {(d_model, vocabulary_size)}, as embedding is "
            f"{embedding.shape}, got {W.shape}."
        )
    if b.shape not in ((), (vocabulary_size,)):
        raise ValueError(
            f"b_vocabulary must be one number, or {vocabulary_size} as embedding has rows, got shape {b.shape}."
        )


def _check_norm(name, norm):
    if not isinstance(norm, dict):
        raise TypeError(f"{name} must be a dict with gain, bias, got {type(norm).__name__}.")
    unknown = [str(key) for key in norm if key not in ("gain", "bias")]
    if unknown:
        raise ValueError(f"{name} must hold gain, bias; unknown: {', '.join(unknown)}.")


def _last_norm(x, parameters, name):
    return layer_norm(x, **parameters[name]) if name in parameters else x

"""Layers stacked into the encoder and the decoder of 2017: from token numbers to scores for the next token.

The parameters are a dict, as `random_transformer` makes it:

    embedding (vocabulary_size, d_model)                  one row for each token, for source and target alike
    encoder, decoder                                      lists of layers, as `layers.random_layer` makes them
    W_vocabulary (d_model, vocabulary_size), b_vocabulary (vocabulary_size,)
    encoder_norm, decoder_norm                            gain and bias of a last norm, with pre-norm layers only
"""

import math

import numpy as np

from helpers.attention import causal_mask
from helpers.layers import decoder_layer, encoder_layer, layer_norm, random_layer, relu
from helpers.positions import sinusoidal_positional_encoding
from helpers.support import inputs, shapes
from helpers.support.documented import documented


@documented
def embed(tokens, embedding, positions=True):
    r"""Turn token numbers into vectors, and add their positions.

    .. math:: \sqrt{d} \; E_{token} + PE_{position}

    Parameters
    ----------
    tokens : (..., num_tokens) whole numbers, at least 0, below vocabulary_size
    embedding : (vocabulary_size, d_model)
    positions : False leaves the positions out, to see what is missing then

    Returns
    -------
    x : (..., num_tokens, d_model)

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
    vocabulary_size, d_model = embedding.shape
    one_hot = np.eye(vocabulary_size, dtype=embedding.dtype)[tokens]
    # one_hot @ embedding is embedding[tokens], and has quicker derivatives
    x = one_hot @ embedding * inputs.scalar_like(embedding, math.sqrt(d_model))
    return x + sinusoidal_positional_encoding(tokens.shape[-1], d_model).astype(x.dtype) if positions else x


@documented
def encode(
    tokens, parameters, *, num_heads, norm="post", mask=None, activation=relu, positions=True, with_attention=False
):
    """Read the whole source, all positions at once.

    Parameters
    ----------
    tokens : (..., num_source) whole numbers
    parameters : dict, as in `random_transformer`
    num_heads : whole number, at least 1, of every layer
    norm : "post" or "pre"
    mask : Boolean, usually padding_mask(lengths, num_source); None = everything may be attended
    activation : function, of the feed-forward networks
    positions : as in `embed`
    with_attention : also return what attention did

    Returns
    -------
    memory : (..., num_source, d_model), one vector for each token of the source; with `with_attention` the pair of it and
        a list with a dict name -> Attention for each layer

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.1.
    """
    shapes.stacks(parameters)
    x, attentions = embed(tokens, parameters["embedding"], positions), []
    how = {"num_heads": num_heads, "norm": norm, "mask": mask, "activation": activation}
    for layer in parameters["encoder"]:
        x, attention = encoder_layer(x, layer, **how, with_attention=True)
        attentions.append(attention)
    if "encoder_norm" in parameters:
        x = layer_norm(x, **parameters["encoder_norm"])
    return (x, attentions) if with_attention else x


@documented
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
    num_heads : whole number, at least 1, of every layer
    norm : "post" or "pre"
    mask : Boolean, of the self-attention; None = causal, each place sees itself and what is before it
    memory_mask : Boolean, of the cross-attention, usually padding_mask(lengths, num_source)
    activation : function, of the feed-forward networks
    positions : as in `embed`
    with_attention : also return what attention did

    Returns
    -------
    scores : (..., num_tokens, vocabulary_size); softmax makes probabilities of them; with `with_attention` the pair of
        them and a list with a dict name -> Attention for each layer

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), sections 3.1 and 3.4.
    """
    shapes.stacks(parameters)
    x, attentions = embed(tokens, parameters["embedding"], positions), []
    mask = causal_mask(x.shape[-2]) if mask is None else mask
    how = {"num_heads": num_heads, "norm": norm, "mask": mask, "memory_mask": memory_mask, "activation": activation}
    for layer in parameters["decoder"]:
        x, attention = decoder_layer(x, memory, layer, **how, with_attention=True)
        attentions.append(attention)
    if "decoder_norm" in parameters:
        x = layer_norm(x, **parameters["decoder_norm"])
    W, b = shapes.vocabulary(parameters)
    scores = x @ W + b
    return (scores, attentions) if with_attention else scores


@documented
def random_transformer(rng, vocabulary_size, d_model, num_heads, d_ff, num_layers, norm="post"):
    """Draw all parameters at random, as training starts.

    Parameters
    ----------
    rng : numpy.random.Generator
    vocabulary_size : whole number, at least 1, of tokens that exist, start and end token included
    d_model : whole number, at least 1
    num_heads, d_ff : as in `layers.random_layer`
    num_layers : whole number, at least 1, at most 1,000, of the encoder, and again of the decoder
    norm : "post" or "pre"; with "pre" a last norm follows each stack

    Returns
    -------
    parameters : dict

    Examples
    --------
    >>> sorted(random_transformer(np.random.default_rng(0), 4, 6, 2, 24, num_layers=1))
    ['W_vocabulary', 'b_vocabulary', 'decoder', 'embedding', 'encoder']
    """
    inputs.affordable(vocabulary_size=vocabulary_size, d_model=d_model)
    sizes = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
    parameters = {
        "encoder": [random_layer(rng, **sizes) for _ in range(num_layers)],
        "decoder": [random_layer(rng, **sizes, decoder=True) for _ in range(num_layers)],
        "embedding": rng.normal(scale=d_model**-0.5, size=(vocabulary_size, d_model)),
        "W_vocabulary": rng.normal(scale=d_model**-0.5, size=(d_model, vocabulary_size)),
        "b_vocabulary": np.zeros(vocabulary_size),
    }
    if norm == "pre":
        parameters |= {name: {"gain": np.ones(d_model), "bias": np.zeros(d_model)} for name in shapes.LAST_NORMS}
    return parameters

"""What all models share that translate with an encoder and a decoder: how they are drawn, and what their training makes small."""

import numpy as np

from helpers import transformer
from helpers.attention import padding_mask
from helpers.learning import training
from helpers.learning.parameters import tree_map
from helpers.support import inputs


def random_model(seed, **sizes):
    """Draw parameters at random, in 32-bit floats.

    Parameters
    ----------
    seed : whole number
    sizes : as `transformer.random_transformer` takes them

    Returns
    -------
    parameters : as in `transformer.random_transformer`
    """
    return tree_map(np.float32, transformer.random_transformer(inputs.seeded("seed", seed), **sizes))


def loss_of(parameters, sources, lengths, targets, *, start, **model):
    """The surprise of a model at the right tokens, when it is shown all tokens before each.

    Parameters
    ----------
    parameters : of the model
    sources : (num_texts, longest) whole numbers, of which the first `lengths` (num_texts,) are read
    targets : (num_texts, num_tokens) whole numbers
    start : the number of the mark that stands before each target
    model : `num_heads` and `norm`

    Returns
    -------
    loss : one number, the mean over all tokens
    """
    seen = padding_mask(lengths, sources.shape[-1])
    memory = transformer.encode(sources, parameters, **model, mask=seen)
    shifted = np.concatenate([np.full((len(targets), 1), start), targets[:, :-1]], axis=1)  # <s> 2 0 2 6 - 1 1 - 2
    return training.cross_entropy(transformer.decode(shifted, memory, parameters, **model, memory_mask=seen), targets)

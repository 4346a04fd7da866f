"""What the exercises on whole layers share: a layer of random numbers, and a hint."""

import numpy as np

from helpers.layers import random_layer


def layer_case(seed, num_tokens, num_source, d_model, num_heads):
    """Arguments of a decoder layer: x (num_tokens, d_model), memory (num_source, d_model), parameters, num_heads."""
    rng = np.random.default_rng(seed)
    parameters = random_layer(rng, d_model, num_heads, 2 * d_model, decoder=True)
    for part in parameters.values():
        for name in part:
            part[name] = part[name] + 0.3 * rng.normal(size=part[name].shape)  # no bias is 0 and no gain is 1
    return rng.normal(size=(num_tokens, d_model)), rng.normal(size=(num_source, d_model)), parameters, num_heads


def hint_for_layer(error, *arguments):
    """What to say when a layer raises, or None."""
    text = str(error)
    of_several = any(word in text for word in ("inhomogeneous", "Attention", "tuple"))
    if of_several and isinstance(error, (TypeError, ValueError)):
        return "multi_head_attention returns output, weights and scores: take .output."
    if isinstance(error, KeyError):
        return f"parameters holds {', '.join(next(part for part in arguments if isinstance(part, dict)))}."
    rows = [len(part) for part in arguments[:2] if isinstance(part, np.ndarray)]
    if "broadcast" in text and len(rows) == 2 and all(f"({each}," in text for each in rows):
        return "The tokens ask and the memory answers: attention gives a row for each token of x, with context=memory."
    if "num_heads" in text and "missing" in text:
        return "Every attention needs num_heads=num_heads."
    return None

"""Shuffle tokens before attention, with and without positions; shared by words and patches."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from workbench.moving.engine import Rule


def shuffled_order(num_tokens, seed):
    """An order of so many tokens: as written for seed 0, else drawn at random."""
    return np.random.default_rng(seed).permutation(num_tokens) if seed else np.arange(num_tokens)


def shuffled(tokens, added, value, order, scale=None):
    """Attend as written and in another order; positions stay where they are, tokens move.

    Parameters
    ----------
    tokens, added : (num_tokens, d_model), the tokens and what is added for their positions
    value : (num_tokens, d_v); None = the tokens with what is added
    order : (num_tokens,), which token stands at each place
    scale : as in attention

    Returns
    -------
    shown : dict; row i of everything shuffled belongs to token order[i]
    """
    before, after = tokens + added, tokens[order] + added
    first = scaled_dot_product_attention(before, before, before if value is None else value, scale=scale)
    second = scaled_dot_product_attention(after, after, after if value is None else value[order], scale=scale)
    return {
        "order": order, "scores": first.scores, "weights": first.weights, "output": first.output,
        "shuffled_scores": second.scores, "shuffled_weights": second.weights, "shuffled_output": second.output,
        "difference": np.abs(second.output - first.output[order]).max(axis=-1),
    }  # fmt: skip


def only_shuffled(tokens):
    """The rule that a shuffle of the `tokens`, in words, does nothing but shuffle the outputs."""
    rule = f"shuffling the {tokens} only shuffles the outputs"
    return Rule(rule, lambda now: now.difference.max(), "an output changes by {:.3f} when the order does")

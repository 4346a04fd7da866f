"""Parts of a language model that are out, or wrong on purpose: what each of them was for shows in what the model then writes.

`OUT` has a stand-in for a part that is taken out, `WRONG` a slip that people make in it; each comes with a sentence. The signatures
are those of `helpers.parts`.
"""

import numpy as np

from helpers import parts


def no_softmax(scores):
    """Every word that may be looked at gets the same share."""
    seen = np.isfinite(scores)
    return seen / seen.sum(axis=-1, keepdims=True)


def no_mask(num_queries, num_keys=None):
    """Nothing is hidden, so a word reads its own answer."""
    return np.ones((num_queries, num_keys or num_queries), bool)


def no_norm(x):
    """Nothing gets back to one size before a step."""
    return x


def no_positions(x, positions, base=10_000):
    """Nothing is turned, so near and far look the same."""
    return x


def no_attention(query, key, value, mask):
    """No word gets anything from another one."""
    return np.zeros(query.shape[:-1] + value.shape[-1:], value.dtype)


def no_network(x, W_gate, W_up, W_down):
    """Attention fetches, and no network works on it."""
    return np.zeros_like(x)


def no_layer(x, W, sizes, cache=None):
    """A word leaves as it came in."""
    empty = np.zeros((sizes["num_key_value_heads"], 0 if cache is None else cache[0].shape[1], 1), x.dtype)
    more = np.zeros((len(empty), empty.shape[1] + len(x), 1), x.dtype)
    return x, (more, more)


def no_merges(word, merges):
    """A word stays cut into its letters."""
    return list(word)


def over_all(scores):
    """One sum for the whole matrix."""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def as_they_lie(x, num_heads):
    """Cut by reshape alone: a head gets pieces of several words."""
    return x.reshape(*x.shape[:-2], num_heads, x.shape[-2], -1)


def laid_end_to_end(x):
    """By reshape alone: words get pieces of one another."""
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)


def turned_round(num_queries, num_keys=None):
    """True and False exchanged: a word sees what comes, never what was."""
    return ~parts.causal_mask(num_queries, num_keys)


def over_the_words(x):
    """The mean runs over all the words rather than inside one."""
    return x / np.sqrt(np.mean(x**2, axis=0, keepdims=True) + 1e-5)


def least_likely(logits, temperature, top_p, rng):
    """The smallest logit wins."""
    return int(np.argmin(logits))


def last_rule_first(word, merges):
    """The merges are done in the wrong order."""
    return parts.merge_pairs(word, merges[::-1])


def turned_back(x, positions, base=10_000):
    """Turned the other way: who came before seems to come after."""
    return parts.rotate(x, -np.asarray(positions), base)


def keys_side_by_side(query, key, value, mask):
    """np.tile in place of np.repeat: a group of queries asks the keys of other groups."""
    group = len(query) // len(key)
    key, value = np.tile(key, (group, 1, 1)), np.tile(value, (group, 1, 1))
    return parts.shared_attention(query, key, value, mask)


def gate_without_a_bend(x, W_gate, W_up, W_down):
    """The gate is a plain product."""
    return ((x @ W_gate) * (x @ W_up)) @ W_down


OUT = {
    "softmax": no_softmax,
    "causal_mask": no_mask,
    "rms_norm": no_norm,
    "merge_pairs": no_merges,
    "rotate": no_positions,
    "shared_attention": no_attention,
    "swiglu": no_network,
    "model_layer": no_layer,
}
WRONG = {
    "softmax": over_all,
    "split_heads": as_they_lie,
    "merge_heads": laid_end_to_end,
    "causal_mask": turned_round,
    "rms_norm": over_the_words,
    "next_token": least_likely,
    "merge_pairs": last_rule_first,
    "rotate": turned_back,
    "shared_attention": keys_side_by_side,
    "swiglu": gate_without_a_bend,
}

WAYS = {"whole": {}}  # what a reader calls it: dict part -> what takes its place
WAYS |= {f"without {name}": {name: stand_in} for name, stand_in in OUT.items()}
WAYS |= {f"wrong {name}": {name: stand_in} for name, stand_in in WRONG.items()}

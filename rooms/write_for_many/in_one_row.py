"""A language model in the form of vLLM's model files: all texts' tokens in one row, matrices stacked, heads on several devices.

The one step that asks whose token it is, attention, is the page's.
"""

import numpy as np

from helpers.parts import merge_heads, rms_norm, rotate, split_heads
from rooms.shared.small_files import small_file


def forward(ids, positions, told, attention, file, sizes, devices=1):
    """The logits of all tokens of all texts.

    Parameters
    ----------
    ids : (num_tokens,) the tokens of all texts, one text behind the other
    positions : (num_tokens,) each token's place in its own text
    told : what attention alone is told, for example where each text begins in the row
    attention : function(query, key, value, told, layer) -> what each token finds, in the shape of query: (num_heads, num_tokens, d_head)
    file, sizes : as in `helpers.parts.read`
    devices : among how many the heads are shared out

    Returns
    -------
    logits : (num_tokens, vocabulary_size)
    """
    hidden, residual = file["token_embd"][ids], None
    for layer in range(sizes["num_layers"]):
        W = {name.split(".")[-1]: array for name, array in file.items() if name.startswith(f"blk.{layer}.")}

        def attend(query, key, value, layer=layer):
            return attention(query, key, value, told, layer)

        hidden, residual = normed(hidden, residual, W["attn_norm"])
        hidden = sum(of_device(hidden, positions, attend, W, sizes, k, devices) for k in range(devices))
        hidden, residual = normed(hidden, residual, W["ffn_norm"])
        gate, up = np.split(hidden @ np.concatenate([W["ffn_gate"], W["ffn_up"]]).T, 2, axis=1)
        hidden = gate / (1 + np.exp(-gate)) * up @ W["ffn_down"].T
    hidden, _ = normed(hidden, residual, file["output_norm"])
    return hidden @ file.get("output", file["token_embd"]).T


def normed(hidden, residual, gain):
    """Add what the last step found, and norm the sum: the norm of the next step, and the stream itself."""
    residual = hidden if residual is None else residual + hidden
    return rms_norm(residual) * gain, residual


def of_device(hidden, positions, attend, W, sizes, device, devices):
    """What the heads of one device add to all tokens.

    Parameters
    ----------
    hidden : (num_tokens, d_model), normed
    positions : as in `forward`
    attend : function(query (heads, num_tokens, d_head), key and value (shared heads, num_tokens, d_head)) -> (heads, num_tokens, d_head)
    W : dict name -> array, of one layer, for all devices
    sizes : as in `helpers.parts.read`
    device, devices : which one, counted from 0, of how many

    Returns
    -------
    added : (num_tokens, d_model), of which the sum over all devices is the layer's attention
    """
    own = [np.split(W[f"attn_{name}"], devices)[device] for name in "qkv"]
    heads = [sizes[name] // devices for name in ("num_heads", "num_key_value_heads", "num_key_value_heads")]
    stacked = np.split(hidden @ np.concatenate(own).T, np.cumsum([len(part) for part in own])[:2], axis=1)
    query, key, value = (split_heads(*pair) for pair in zip(stacked, heads))
    query, key = rotate(query, positions, sizes["base"]), rotate(key, positions, sizes["base"])
    return merge_heads(attend(query, key, value)) @ np.split(W["attn_output"], devices, axis=1)[device].T


def small_model():
    """A model with random weights, as its file has it: file, sizes."""
    return small_file(27, 2, 4, 2, 4, 24, 11)

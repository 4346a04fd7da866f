"""Nine ports of small layers to NumPy, eight with one bug each and one with none, and what the library transformers made on the way.

The ports believe what they are given. A bug is wrong on purpose; without it every tensor agrees with the library's.
"""

import functools
from typing import NamedTuple

import numpy as np

from helpers.attention import causal_mask, merge_heads, softmax, split_heads
from helpers.layers import gelu_tanh, rms_norm
from helpers.positions import turn
from helpers.since_2017.experts import share_out, silu, swiglu
from helpers.since_2017.gates import sigmoid
from helpers.since_2017.yarn import llama3_speeds
from helpers.support import data_files, inputs

PATH = data_files.path("porting_references.npz")
EPSILON = 1e-6
TOLERANCES = {"float64": 1e-12, "float32": 1e-5, "bfloat16": 2.0**-7}  # of the largest number of a tensor
NONE = "no bug"


class Bug(NamedTuple):
    """layer : the number of the layer that has it; first : the tensor that differs first"""

    layer: int
    first: str


BUGS = {  # in the order in which they are listed
    "neighbours turn together, not halves": Bug(8, "query_turned"),
    "rope_type llama3 is ignored": Bug(6, "query_turned"),
    "query and gate are cut in half, not by head": Bug(3, "query"),
    "the cached latent is not normed": Bug(7, "latent_normed"),
    "the gain is w, not 1 + w": Bug(2, "normed"),
    "with a cache, the mask starts top-left": Bug(4, "weights"),
    "the router's factor 2.5 is missing": Bug(5, "shares"),
    "softmax in bfloat16": Bug(1, "weights"),
    "nothing: pairs are only laid out otherwise": Bug(9, "query_turned"),
}
KINDS = {  # number: what the layer is
    1: "Llama, attention", 2: "Gemma 3, network", 3: "Qwen3-Next, attention", 4: "Llama, attention with a cache",
    5: "DeepSeek-V3, experts", 6: "Llama 3.1, attention", 7: "DeepSeek-V3, attention", 8: "Llama, attention",
    9: "DeepSeek-V3, attention",
}  # fmt: skip


def bug_of(number):
    """The words of the bug that a layer has."""
    return next(words for words, bug in BUGS.items() if bug.layer == number)


_file = functools.cache(lambda: data_files.arrays(PATH))


def given(number):
    """dict name -> array: the input `x` and the weights `W …`, as files keep them, (outputs, inputs)."""
    return _part(number, "given")


def reference(number):
    """dict name -> array that the library made, in the order of a port."""
    made = _part(number, "made")
    return {name: made[name] for name in port(number, NONE)}


def _part(number, kind):
    number = inputs.whole_number("number", number, minimum=1, maximum=len(KINDS))
    start = f"{7 if number == 9 else number} {kind} "  # two ports of one layer
    return {name.removeprefix(start): array for name, array in _file().items() if name.startswith(start)}


def port(number, bug):
    """Compute a layer with a bug.

    Parameters
    ----------
    number : of the port, from 1 to 9
    bug : words of BUGS, or NONE; one that the layer has no place for changes nothing

    Returns
    -------
    tensors : dict name -> array, from the top of the layer to its logits
    """
    file = {name: array.astype(float) for name, array in given(number).items()}
    tensors = _LAYERS[number](file, bug, number)
    stream = file["x"][-len(tensors["step"]) :] + tensors["step"]
    return {**tensors, "stream": stream, "logits": stream @ file["W head"].T}


def gap(a, b):
    """How far a tensor is from its reference: the largest difference, as a part of the reference's largest number.

    Examples
    --------
    >>> gap([1.0, 4.0], [1.0, 5.0])
    0.2
    """
    a, b = np.asarray(inputs.floats("a", a)), np.asarray(inputs.floats("b", b))
    if a.shape != b.shape:
        return np.inf
    return float(np.abs(a - b).max() / np.abs(b).max())


def divergence(logits, other):
    """KL divergence of two sets of logits, (num_tokens,), in nats: 0 where both foresee the same."""
    log_p, log_q = (x - np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)) - x.max(-1, keepdims=True)
                    for x in (np.asarray(other, float), np.asarray(logits, float)))  # fmt: skip
    return (np.exp(log_p) * (log_p - log_q)).sum(axis=-1)


def bfloat16(x):
    """Round to the nearest number of bfloat16, which keeps 8 bits of each; of two equally near the even one.

    Examples
    --------
    >>> bfloat16([1.0, 1.003, 1.006])
    array([1.       , 1.       , 1.0078125])
    """
    bits = np.asarray(inputs.floats("x", x), np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(float)


# --- the layers --------------------------------------------------------------------------------------------------------


def _norm(x, gain):
    return rms_norm(x, gain, epsilon=EPSILON)


def speeds(width, base=100.0, llama3=False):
    """By how much each pair of a head turns from token to token: plain, or as Llama 3.1's `rope_type: llama3` slows it.

    Parameters
    ----------
    width : of what is turned
    base : `rope_theta`
    llama3 : whether slow pairs are slowed: factor 8, from 64 / 1 to 64 / 4 tokens a turn

    Returns
    -------
    speeds : (width / 2,) radians
    """
    if llama3:
        return llama3_speeds(width, factor=8, num_positions=64, base=base, slow=1, fast=4)
    return base ** (-np.arange(0, width, 2) / width)


def _attend(query, key, value, mask, of=np.asarray):
    """(weights, heads mixed): a few keys for many queries; `of` is what softmax computes in."""
    share = len(query) // len(key)
    key, value = np.repeat(key, share, axis=0), np.repeat(value, share, axis=0)
    scores = np.where(mask, query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1]), -np.inf)
    if of is np.asarray:
        weights = softmax(scores)
    else:
        powers = of(np.exp(of(of(scores) - of(scores).max(axis=-1, keepdims=True))))
        weights = of(powers / of(powers.sum(axis=-1, keepdims=True)))
    return weights, merge_heads(weights @ value)


def _llama(file, bug, number):
    past = file["past_key"].shape[1] if "past_key" in file else 0
    x = file["x"][past:]
    normed = _norm(x, file["W norm"])
    query, key, value = (normed @ file[f"W {name}_proj"].T for name in "qkv")
    places = np.arange(past, past + len(x))[:, None]
    slowed = KINDS[number] == "Llama 3.1, attention" and bug != "rope_type llama3 is ignored"
    layout = "pairs" if bug == "neighbours turn together, not halves" else "halves"
    angles = places * speeds(8, llama3=slowed)
    turned = [turn(split_heads(z, z.shape[-1] // 8), angles, layout=layout) for z in (query, key)]
    keys, values = turned[1], split_heads(value, 1)
    if past:
        keys = np.concatenate([file["past_key"], keys], axis=1)
        values = np.concatenate([file["past_value"], values], axis=1)
    mask = causal_mask(len(x), past + len(x))
    if bug == "with a cache, the mask starts top-left":
        mask = np.tri(len(x), past + len(x), dtype=bool)
    weights, mixed = _attend(turned[0], keys, values, mask, bfloat16 if bug == "softmax in bfloat16" else np.asarray)
    return {
        **{"normed": normed, "query": query, "key": key, "value": value},
        **{"query_turned": turned[0], "key_turned": turned[1], "weights": weights, "mixed": mixed},
        "step": mixed @ file["W o_proj"].T,
    }


def _qwen(file, bug, number):
    normed = _norm(file["x"], 1 + file["W norm"])
    both = normed @ file["W q_proj"].T
    if bug == "query and gate are cut in half, not by head":
        query, gate = (half.reshape(len(both), 2, 8) for half in np.split(both, 2, axis=-1))
    else:
        query, gate = np.split(both.reshape(len(both), 2, 16), 2, axis=-1)
    key, value = (normed @ file[f"W {name}_proj"].T for name in "kv")
    query_normed = _norm(query, 1 + file["W q_norm"])
    key_normed = _norm(key[:, None], 1 + file["W k_norm"])
    angles = np.arange(len(both))[:, None] * speeds(4)  # half of each head turns
    turned = [
        np.concatenate([turn(z[..., :4], angles, layout="halves"), z[..., 4:]], axis=-1)
        for z in (np.swapaxes(query_normed, 0, 1), np.swapaxes(key_normed, 0, 1))
    ]
    weights, mixed = _attend(*turned, split_heads(value, 1), causal_mask(len(both)))
    mixed = mixed * sigmoid(gate).reshape(mixed.shape)
    return {
        **{"normed": normed, "query_and_gate": both, "query": query, "gate": gate, "query_normed": query_normed},
        **{"key_normed": key_normed, "value": value, "query_turned": turned[0], "key_turned": turned[1]},
        **{"weights": weights, "mixed": mixed, "step": mixed @ file["W o_proj"].T},
    }


def _latent(file, bug, number):
    normed = _norm(file["x"], file["W norm"])
    query = normed @ file["W q_proj"].T
    latent = normed @ file["W kv_a_proj_with_mqa"].T
    latent_normed, own = latent[:, :6], latent[None, :, 6:]
    if bug != "the cached latent is not normed":
        latent_normed = _norm(latent_normed, file["W kv_a_layernorm"])
    parts = split_heads(query, 2)
    angles = np.arange(len(normed))[:, None] * speeds(4)
    turned = []
    for z in (parts[..., 6:], own):  # neighbours turn together, and come out as halves
        z = turn(z, angles)
        stay = bug == "nothing: pairs are only laid out otherwise"
        turned.append(z if stay else np.concatenate([z[..., 0::2], z[..., 1::2]], axis=-1))
    both = latent_normed @ file["W kv_b_proj"].T
    key, value = np.split(split_heads(both, 2), [6], axis=-1)
    key = np.concatenate([key, np.repeat(turned[1], 2, axis=0)], axis=-1)
    query_whole = np.concatenate([parts[..., :6], turned[0]], axis=-1)
    weights, mixed = _attend(query_whole, key, value, causal_mask(len(normed)))
    return {
        **{"normed": normed, "query": query, "latent": latent, "latent_normed": latent_normed},
        **{"query_turned": turned[0], "key_turned": turned[1], "keys_and_values": both[None]},
        **{"weights": weights, "mixed": mixed, "step": mixed @ file["W o_proj"].T},
    }


def _gemma(file, bug, number):
    normed = _norm(file["x"], file["W norm"] + (bug != "the gain is w, not 1 + w"))
    gate, up = normed @ file["W gate_proj"].T, normed @ file["W up_proj"].T
    gated = gelu_tanh(gate) * up
    return {"normed": normed, "gate": gate, "up": up, "gated": gated, "step": gated @ file["W down_proj"].T}


def _experts(file, bug, number):
    normed = _norm(file["x"], file["W norm"])
    scores = normed @ file["W gate"].T
    factor = 1.0 if bug == "the router's factor 2.5 is missing" else 2.5
    groups = {"num_groups": 4, "num_open": 2}
    shares = share_out(scores, 2, kind="sigmoid", renormalised=True, bias=file["bias"], factor=factor, **groups).shares
    chosen = np.zeros(normed.shape)
    for share, gate_up, down in zip(shares.T, file["W experts.gate_up_proj"], file["W experts.down_proj"]):
        gate, up = np.split(normed @ gate_up.T, 2, axis=-1)
        chosen += share[:, None] * ((silu(gate) * up) @ down.T)
    shared = swiglu(normed, *(file[f"W shared_experts.{name}_proj"].T for name in ("gate", "up", "down")))
    return {
        **{"normed": normed, "scores": scores, "shares": shares, "chosen_experts": chosen, "shared": shared},
        "step": chosen + shared,
    }


_LAYERS = {1: _llama, 2: _gemma, 3: _qwen, 4: _llama, 5: _experts, 6: _llama, 7: _latent, 8: _llama, 9: _latent}

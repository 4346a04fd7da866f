"""Answers to the exercise on a layer of today, right and wrong; tests/test_checks.py tries them all."""

import numpy as np

from helpers.attention import causal_mask, merge_heads, scaled_dot_product_attention, split_heads
from helpers.layers import rms_norm
from helpers.positions import rotate
from helpers.since_2017.experts import silu, swiglu
from helpers.variants import grouped_query_attention


def right(x, W, num_heads, num_shared, mask=causal_mask, turn_value=lambda v: v, norm=rms_norm, bend=silu):
    h = norm(x, W["attn_norm"])
    query = rotate(split_heads(h @ W["W_query"], num_heads))
    key, value = (split_heads(h @ W[name], num_shared) for name in ("W_key", "W_value"))
    found = grouped_query_attention(query, rotate(key), turn_value(value), mask=mask(len(x)))
    x = x + merge_heads(found.output) @ W["W_output"]
    return x + swiglu(norm(x, W["ffn_norm"]), W["W_gate"], W["W_up"], W["W_down"], activation=bend)


def by_heads(x, W, num_heads, num_shared):
    h, d = rms_norm(x, W["attn_norm"]), x.shape[1] // num_heads
    found = []
    for k in range(num_heads):
        own, shared = (
            slice(k * d, k * d + d),
            slice(k * num_shared // num_heads * d, (k * num_shared // num_heads + 1) * d),
        )
        query, key = rotate((h @ W["W_query"])[:, own]), rotate((h @ W["W_key"])[:, shared])
        found.append(
            scaled_dot_product_attention(query, key, (h @ W["W_value"])[:, shared], mask=causal_mask(len(x))).output
        )
    x = x + np.hstack(found) @ W["W_output"]
    h = rms_norm(x, W["ffn_norm"])
    gate = h @ W["W_gate"]
    return x + (gate / (1 + np.exp(-gate)) * (h @ W["W_up"])) @ W["W_down"]


def without(*names, to=0.0):
    return lambda x, W, *heads: right(x, W | {name: 0 * W[name] + to for name in names}, *heads)


RIGHT = {
    "model_layer": {
        "functions": right,
        "heads": by_heads,
        "own norm": lambda *a: right(*a, norm=lambda x, g: g * x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)),
        "own bend": lambda *a: right(*a, bend=lambda g: g / (1 + np.exp(-g))),
        "32 bits": lambda *a: by_heads(*a).astype(np.float32),
    }
}
WRONG = {
    "model_layer": {
        "future": (lambda *a: right(*a, mask=lambda n: np.ones((n, n), bool)), r"see the future"),
        "values turned": (lambda *a: right(*a, turn_value=rotate), r"values are turned, too"),
        "no norms": (lambda *a: right(*a, norm=lambda x, gain: x), r"Both norms are missing"),
        "no gains": (without("attn_norm", "ffn_norm", to=1.0), r"attn_norm|after attention|right"),
        "relu": (lambda *a: right(*a, bend=lambda g: np.maximum(g, 0)), r"bent by relu"),
        "not bent": (lambda *a: right(*a, bend=lambda g: g), r"is not bent"),
        "exchanged": (lambda x, W, *h: right(x, W | {"W_up": W["W_gate"], "W_gate": W["W_up"]}, *h), r"exchanged"),
        "one gain": (lambda x, W, *h: right(x, W | {"ffn_norm": W["attn_norm"]}, *h), r"One gain serves both"),
        "no network": (without("W_down"), r"feed-forward network is missing|W_down"),
        "input": (lambda x, *a: x, r"That is the input"),
    }
}

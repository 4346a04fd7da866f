"""The exercise on a layer of a language model of today."""

import numpy as np

from helpers.attention import causal_mask, merge_heads, split_heads
from helpers.checks.exercise import Exercise
from helpers.layers import relu, rms_norm
from helpers.positions import rotate
from helpers.since_2017.experts import silu, swiglu
from helpers.variants import grouped_query_attention


def _layer(
    x, W, num_heads, num_shared, *, mask=causal_mask, turned=("query", "key"), share=lambda heads, count: heads, gains=("attn_norm", "ffn_norm"),
    add=(True, True), steps=2, pre=True, around=True, early=False, gate="W_gate", up="W_up", bend=silu,
):  # fmt: skip
    """The layer with one thing changed."""

    def attend(x):
        asked = {
            name: split_heads(rotate(x @ W[f"W_{name}"]) if early and name in turned else x @ W[f"W_{name}"], count)
            for name, count in zip(("query", "key", "value"), (num_heads, num_shared, num_shared))
        }
        asked |= {} if early else {name: rotate(asked[name]) for name in turned}
        key, value = (share(asked[name], num_heads // num_shared) for name in ("key", "value"))
        found = grouped_query_attention(asked["query"], key, value, mask=mask(len(x)) if mask else None)
        return merge_heads(found.output) @ W["W_output"]

    def think(x):
        return swiglu(x, W[gate], W[up], W["W_down"], activation=bend)

    for step, gain, adds in list(zip((attend, think), gains, add))[:steps]:
        normed = rms_norm(x, W[gain]) if gain and pre else x
        found = step(normed)
        x = (x if around else normed) + found if adds else found
        x = x if pre or not gain else rms_norm(x, W[gain])
    return x


def _but(**changes):
    return lambda *arguments: _layer(*arguments, **changes)


def _case(seed, num_tokens, num_heads, num_shared, d_head, d_ff):
    rng, d_model = np.random.default_rng(seed), num_heads * d_head
    shapes = {
        "W_query": (d_model, d_model),
        "W_key": (d_model, num_shared * d_head),
        "W_value": (d_model, num_shared * d_head),
    }
    shapes |= {
        "W_output": (d_model, d_model),
        "W_gate": (d_model, d_ff),
        "W_up": (d_model, d_ff),
        "W_down": (d_ff, d_model),
    }
    W = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    W |= {name: 1 + 0.5 * rng.normal(size=d_model) for name in ("attn_norm", "ffn_norm")}
    return rng.normal(size=(num_tokens, d_model)), W, num_heads, num_shared


def _hint(error, *arguments):
    text = str(error)
    if "Attention" in text or "tuple" in text or "inhomogeneous" in text:
        return "grouped_query_attention returns output, weights and scores: take .output."
    if isinstance(error, KeyError):
        return f"W holds {', '.join(arguments[1])}."
    if "query" in text and "key" in text:
        return "Queries have num_heads heads, keys and values num_key_value_heads: split each by its own count."
    return None


MODEL_LAYER = Exercise(
    name="model_layer",
    solve=_layer,
    stages={"the stream after attention": _but(steps=1)},
    cases=[
        _case(0, 3, 4, 2, 2, 6),
        _case(1, 5, 6, 2, 2, 5),
        _case(2, 4, 3, 3, 4, 7),
        _case(3, 1, 4, 1, 2, 8),
        _case(4, 6, 4, 1, 4, 10),
    ],
    mistakes={
        "The queries see the future: give the attention mask=attention.causal_mask(len(x)).": _but(mask=None),
        "Queries and keys are not turned: positions.rotate both, head by head.": _but(turned=()),
        "The values are turned, too. Only queries and keys know where they are.": _but(
            turned=("query", "key", "value")
        ),
        "Only the queries are turned; the keys must be, too, or the distance does not count.": _but(turned=("query",)),
        "Only the keys are turned; the queries must be, too, or the distance does not count.": _but(turned=("key",)),
        "Shared heads are tiled, 0 1 0 1; they must be repeated, 0 0 1 1, as grouped_query_attention does by itself.": _but(
            share=lambda heads, count: np.tile(heads, (count, 1, 1))
        ),
        "Queries and keys are turned before they are split into heads; split first, then turn each head.": _but(
            early=True
        ),
        "The norm replaces x, so the sums start from normed tokens: keep x as it is, and give the norm's result to the step alone.": _but(
            around=False
        ),
        "The norm before attention is missing.": _but(gains=(None, "ffn_norm")),
        "The norm before the feed-forward network is missing.": _but(gains=("attn_norm", None)),
        "Both norms are missing: rms_norm(x, W['attn_norm']), and W['ffn_norm'].": _but(gains=(None, None)),
        "One gain serves both norms; the second one is W['ffn_norm'].": _but(gains=("attn_norm", "attn_norm")),
        "The gains of the two norms are exchanged.": _but(gains=("ffn_norm", "attn_norm")),
        "The norms come after the sums. In this layer a step is x + step(rms_norm(x)).": _but(pre=False),
        "Attention does not add its input: x + what the heads find.": _but(add=(False, True)),
        "The feed-forward network does not add its input: x + what it gives.": _but(add=(True, False)),
        "No step adds its input: x + step(rms_norm(x)), twice.": _but(add=(False, False)),
        "Gate and up are exchanged: silu bends x @ W_gate, and x @ W_up stays as it is.": _but(
            gate="W_up", up="W_gate"
        ),
        "The gate is bent by relu; silu(x) is x times sigmoid of x.": _but(bend=relu),
        "The gate is not bent: silu(x @ W_gate), then times x @ W_up.": _but(bend=lambda gate: gate),
        "The gate goes through sigmoid alone; silu(x) is x times that.": _but(
            bend=lambda gate: 1 / (1 + np.exp(-gate))
        ),
        "The feed-forward network is missing.": _but(steps=1),
        "That is the input: both steps are missing.": _but(steps=0),
    },
    praise="Right. Thirty of these, a vocabulary below and above, and it is the model of this page.",
    hint=_hint,
)

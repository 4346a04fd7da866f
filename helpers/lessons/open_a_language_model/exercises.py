"""The exercise on a layer of a language model of today."""

import numpy as np

from helpers import positions, variants
from helpers.checks import edits
from helpers.checks.exercise import Exercise
from helpers.since_2017 import experts


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


_MODEL_LAYER = edits.solution(
    """
def model_layer(x, W, num_heads, num_key_value_heads):
    normed = layers.rms_norm(x, W["attn_norm"])
    query = positions.rotate(attention.split_heads(normed @ W["W_query"], num_heads))
    key = positions.rotate(attention.split_heads(normed @ W["W_key"], num_key_value_heads))
    value = attention.split_heads(normed @ W["W_value"], num_key_value_heads)
    mask = attention.causal_mask(len(x))
    found = variants.grouped_query_attention(query, key, value, mask=mask).output
    x = x + attention.merge_heads(found) @ W["W_output"]
    normed = layers.rms_norm(x, W["ffn_norm"])
    return x + experts.swiglu(normed, W["W_gate"], W["W_up"], W["W_down"])
""",
    positions=positions,
    variants=variants,
    experts=experts,
)
MODEL_LAYER = Exercise(
    name="model_layer",
    solve=_MODEL_LAYER,
    stages=edits.stages(_MODEL_LAYER, the_stream_after_attention="x"),
    cases=[
        _case(0, 3, 4, 2, 2, 6),
        _case(1, 5, 6, 2, 2, 5),
        _case(2, 4, 3, 3, 4, 7),
        _case(3, 1, 4, 1, 2, 8),
        _case(4, 6, 4, 1, 4, 10),
    ],
    mistakes=edits.mistakes(
        _MODEL_LAYER,
        """
, mask=mask => | The queries see the future: give the attention mask=attention.causal_mask(len(x)).
positions.rotate( => ( | Queries and keys are not turned: positions.rotate both, head by head.
value = attention.split_heads(normed @ W["W_value"], num_key_value_heads) => value = positions.rotate(attention.split_heads(normed @ W["W_value"], num_key_value_heads)) | The values are turned, too. Only queries and keys know where they are.
key = positions.rotate( => key = ( | Only the queries are turned; the keys must be, too, or the distance does not count.
query = positions.rotate( => query = ( | Only the keys are turned; the queries must be, too, or the distance does not count.
mask = attention => key, value = (np.tile(heads, (num_heads // num_key_value_heads, 1, 1)) for heads in (key, value))⏎    mask = attention | Shared heads are tiled, 0 1 0 1; they must be repeated, 0 0 1 1, as grouped_query_attention does by itself.
positions.rotate(attention.split_heads( => attention.split_heads(positions.rotate( ;; W_query"], => W_query"]), ;; num_heads)) => num_heads) ;; W_key"], => W_key"]), ;; num_key_value_heads)) => num_key_value_heads) | Queries and keys are turned before they are split into heads; split first, then turn each head.
normed => x | The norm replaces x, so the sums start from normed tokens: keep x as it is, and give the norm's result to the step alone.
layers.rms_norm(x, W["attn_norm"]) => x | The norm before attention is missing.
layers.rms_norm(x, W["ffn_norm"]) => x | The norm before the feed-forward network is missing.
layers.rms_norm(x, W["attn_norm"]) => x ;; layers.rms_norm(x, W["ffn_norm"]) => x | Both norms are missing: rms_norm(x, W['attn_norm']), and W['ffn_norm'].
ffn_norm => attn_norm | One gain serves both norms; the second one is W['ffn_norm'].
attn_norm => other ;; ffn_norm => attn_norm ;; other => ffn_norm | The gains of the two norms are exchanged.
layers.rms_norm(x, W["attn_norm"]) => x ;; normed = layers.rms_norm(x, W["ffn_norm"]) => x = normed = layers.rms_norm(x, W["attn_norm"]) ;; => layers.rms_norm(x + experts.swiglu(normed, W["W_gate"], W["W_up"], W["W_down"]), W["ffn_norm"]) | The norms come after the sums. In this layer a step is x + step(rms_norm(x)).
x = x + => x = | Attention does not add its input: x + what the heads find.
return x + => return | The feed-forward network does not add its input: x + what it gives.
x = x + => x = ;; return x + => return | No step adds its input: x + step(rms_norm(x)), twice.
W["W_gate"], W["W_up"] => W["W_up"], W["W_gate"] | Gate and up are exchanged: silu bends x @ W_gate, and x @ W_up stays as it is.
W["W_down"] => W["W_down"], activation=layers.relu | The gate is bent by relu; silu(x) is x times sigmoid of x.
W["W_down"] => W["W_down"], activation=lambda gate: gate | The gate is not bent: silu(x @ W_gate), then times x @ W_up.
W["W_down"] => W["W_down"], activation=lambda gate: 1 / (1 + np.exp(-gate)) | The gate goes through sigmoid alone; silu(x) is x times that.
=> x | The feed-forward network is missing.
x = x + attention.merge_heads(found) @ W["W_output"] => pass ;; => x | That is the input: both steps are missing.
""",
    ),
    praise="Right. Thirty of these, a vocabulary below and above, and it is the model of this page.",
    hint=_hint,
)

"""The forty lines of Llama 3, what published models put in their place, when, and which lesson prepares it.

The lines are those that lesson 29 shows; `model_lines` puts them together and runs them.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from rooms.read_a_model.config_json import LATENT, SPARED

BASE = """
def rms_norm(x, gain):
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    return x / np.sqrt(mean_square + said["rms_norm_eps"]) * gain


def speeds(kind):
    d, base, rope = said["head_dim"], said["rope_theta"], said["rope_scaling"]
    return base ** (-np.arange(0, d, 2) / d)


def rotate(x, kind):
    angles = np.arange(x.shape[-2])[:, None] * speeds(kind)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def attend(x, W, kind):
    heads, shared = said["num_attention_heads"], said["num_key_value_heads"]
    query = x @ W["self_attn.q_proj"].T
    key = x @ W["self_attn.k_proj"].T
    value = x @ W["self_attn.v_proj"].T
    query, key, value = split_heads(query, heads), split_heads(key, shared), split_heads(value, shared)
    query, key = rotate(query, kind), rotate(key, kind)
    key, value = np.repeat(key, heads // shared, axis=0), np.repeat(value, heads // shared, axis=0)
    scores = query @ np.swapaxes(key, 1, 2) / said["head_dim"] ** 0.5
    scores = np.where(causal_mask(len(x)), scores, -np.inf)
    weights = softmax(scores)
    mixed = merge_heads(weights @ value)
    return mixed @ W["self_attn.o_proj"].T


def think(x, W):
    gate, up = x @ W["mlp.gate_proj"].T, x @ W["mlp.up_proj"].T
    gate = silu(gate)
    return (gate * up) @ W["mlp.down_proj"].T


def layer(x, W, kind):
    step = attend(rms_norm(x, W["input_layernorm"]), W, kind)
    x = x + step
    step = think(rms_norm(x, W["post_attention_layernorm"]), W)
    return x + step


def read(ids):
    x = file["model.embed_tokens"][ids]
    for i, kind in enumerate(said["layer_types"]):
        start = f"model.layers.{i}."
        W = {name.removeprefix(start): file[name] for name in file if name.startswith(start)}
        x = layer(x, W, kind)
    vocabulary = file.get("lm_head", file["model.embed_tokens"])
    return rms_norm(x, file["model.norm"]) @ vocabulary.T
""".strip().split("\n")

BLOCKS = {  # what several additions put in, and whole functions, by their names
    "yarn": 'yarn_speeds(d, factor=rope["factor"], num_positions=length, base=base, whole=whole, **bounds)',
    "bounds": """\
length, whole = rope["original_max_position_embeddings"], rope["truncate"]
bounds = {"slow": rope["beta_slow"], "fast": rope["beta_fast"]}""",
    "experts": """\
for share, both, down in zip(shares.T, W["mlp.experts.gate_up_proj"], W["mlp.experts.down_proj"]):
    gate, up = np.split(both, 2)
    total = total + share[:, None] * swiglu(x, gate.T, up.T, down.T)
return total""",
    "carry": """\
def carry(x, W):
    n, keys, heads = len(x), said["linear_num_key_heads"], said["linear_num_value_heads"]
    d_k, each, taps = said["linear_key_head_dim"], heads // keys, said["linear_conv_kernel_dim"]
    groups = (x @ W["linear_attn.in_proj_qkvz"].T).reshape(n, keys, -1)
    d_v = (groups.shape[-1] - 2 * d_k) // (2 * each)
    parts = np.split(groups, [d_k, 2 * d_k, 2 * d_k + each * d_v], axis=-1)
    query, key, value, gate = (part.reshape(n, -1) for part in parts)
    strength, fade = np.split((x @ W["linear_attn.in_proj_ba"].T).reshape(n, keys, -1), 2, axis=-1)
    strength = sigmoid(strength.reshape(n, heads))
    fade = np.logaddexp(0, fade.reshape(n, heads) + W["linear_attn.dt_bias"])
    decay = np.exp(-np.exp(W["linear_attn.A_log"]) * fade)
    mixed = np.concatenate([query, key, value], axis=1)
    mixed = np.concatenate([np.zeros((taps - 1, mixed.shape[1])), mixed])
    mixed = silu(sum(mixed[k : k + n] * W["linear_attn.conv1d"][:, 0, k] for k in range(taps)))
    query, key, value = np.split(mixed, [keys * d_k, 2 * keys * d_k], axis=1)
    query, key = (np.repeat(split_heads(z, keys), each, axis=0) for z in (query, key))
    query, key = (z / np.sqrt((z**2).sum(axis=-1, keepdims=True) + 1e-6) for z in (query, key))
    how = {"decay": decay.T, "strength": strength.T}
    found = linear_attention(query / d_k**0.5, key, split_heads(value, heads), **how)
    mean_square = (found**2).mean(axis=-1, keepdims=True)
    normed = found / np.sqrt(mean_square + said["rms_norm_eps"]) * W["linear_attn.norm"]
    return (merge_heads(normed) * silu(gate)) @ W["linear_attn.out_proj"].T

""",
    "groups": """\
def choose(x, W):
    bias = W["mlp.gate.e_score_correction_bias"]
    how = {"kind": "sigmoid", "bias": bias, "renormalised": said["norm_topk_prob"], "factor": said["routed_scaling_factor"]}
    groups = {"num_groups": said["n_group"], "num_open": said["topk_group"]}
    shares = share_out(x @ W["mlp.gate"].T, said["num_experts_per_tok"], **how, **groups).shares
    total = swiglu(x, *(W[f"mlp.shared_experts.{name}_proj"].T for name in ("gate", "up", "down")))
    @experts

""",
    "loudest": """\
def choose(x, W):
    scores = x @ W["feed_forward.router"].T
    shares = share_out(scores, said["num_experts_per_tok"], kind="sigmoid").shares
    total = swiglu(x, *(W[f"feed_forward.shared_expert.{name}_proj"].T for name in ("gate", "up", "down")))
    for share, both, down in zip(shares.T, W["feed_forward.experts.gate_up_proj"], W["feed_forward.experts.down_proj"]):
        gate, up = np.split(both, 2, axis=1)
        total = total + swiglu(share[:, None] * x, gate, up, down)
    return total

""",
    "index": """\
def index(x, narrow, W):
    heads, d, turned = said["index_n_heads"], said["index_head_dim"], said["qk_rope_head_dim"]
    query = split_heads(narrow @ W["self_attn.indexer.wq_b"].T, heads)
    key = x @ W["self_attn.indexer.wk"].T
    key = layer_norm(key, W["self_attn.indexer.k_norm"], W["self_attn.indexer.k_norm.bias"], 1e-6)[None]
    angles = np.arange(len(x))[:, None] * speeds("index")
    halves = [turn(z[..., :turned], angles, layout="halves") for z in (query, key)]
    query, key = (np.concatenate([half, z[..., turned:]], axis=-1) for half, z in zip(halves, (query, key)))
    each = np.maximum(query @ np.swapaxes(key, 1, 2) / d**0.5, 0)
    share = x @ W["self_attn.indexer.weights_proj"].T / heads**0.5
    scores = np.einsum("nh,hnm->nm", share, each)
    return best_mask(scores, said["index_topk"], causal_mask(len(x)))

""",
}

# words | lesson | when, by the kind of the model, how it turns, and all that is said | the fields of config.json that decide it;
# then each line of the base that another one stands for, up to …, and what stands there: in it … is that line, and @name a block
ADDED = """
# slower turns, llama3 | 19 | turns == "llama3" | rope_scaling
return base ** …
    how = {"slow": rope["low_freq_factor"], "fast": rope["high_freq_factor"], "base": base}
    length = rope["original_max_position_embeddings"]
    return llama3_speeds(d, factor=rope["factor"], num_positions=length, **how)
# slower turns, yarn | 19 | turns == "yarn" and kind not in ("olmo3", "deepseek_v3", "deepseek_v32") | rope_scaling
d, base, rope …
    …
    @bounds
return base ** …
    return @yarn
cos, sin = …
    …
    cos, sin = (wave * yarn_sharpness(said["rope_scaling"]["factor"]) for wave in (cos, sin))
# slower turns, yarn, in whole layers alone | 19 | turns == "yarn" and kind == "olmo3" | rope_scaling layer_types
d, base, rope …
    …
    @bounds
return base ** …
    if kind == "full_attention":
        return @yarn
    …
cos, sin = …
    …
    if kind == "full_attention":
        cos, sin = (wave * yarn_sharpness(said["rope_scaling"]["factor"]) for wave in (cos, sin))
# slower turns, linear | 19 | turns == "linear" and kind != "gemma3_text" | rope_scaling
return base ** …
    … / rope["factor"]
# a base for windows, another for whole layers | 19 | kind == "gemma3_text" | rope_theta rope_local_base_freq
return base ** …
    if kind == "sliding_attention":
        base = said["rope_local_base_freq"]
    …
# slower turns, linear, in whole layers alone | 19 | turns == "linear" and kind == "gemma3_text" | rope_scaling layer_types
angles = np.arange(x.shape[-2])[:, …
    …
    if kind == "full_attention":
        angles = angles / said["rope_scaling"]["factor"]
# a part of each head turns | 19 | said.get("partial_rotary_factor", 1.0) < 1 | partial_rotary_factor
d, base, rope …
    …
    d = int(d * said["partial_rotary_factor"])
a, b = …
    x, rest = np.split(x, [2 * angles.shape[-1]], axis=-1)
    …
return np.concatenate([a * …
    return np.concatenate([a * cos - b * sin, a * sin + b * cos, rest], axis=-1)
# the gain is 1 + w | 29 | kind in ("gemma3_text", "qwen3_next") |
return x / …
    return x / np.sqrt(mean_square + said["rms_norm_eps"]) * (1 + gain)
# biases of queries, keys and values | 03 | kind == "qwen2" or said["attention_bias"] and kind not in ("mistral", "mixtral") | attention_bias
query = x …
    … + W["self_attn.q_proj.bias"]
key = x …
    … + W["self_attn.k_proj.bias"]
value = x …
    … + W["self_attn.v_proj.bias"]
# a bias of the output | 06 | said["attention_bias"] and kind not in ("qwen2", "mistral", "mixtral") | attention_bias
return mixed @ …
    … + W["self_attn.o_proj.bias"]
# a gate beside each head's query | 22 | kind == "qwen3_next" |
key = x …
    query, gate = np.split(query.reshape(len(x), heads, -1), 2, axis=-1)
    query, gate = query.reshape(len(x), -1), gate.reshape(len(x), -1)
    …
mixed = merge_heads(weights …
    …
    mixed = mixed * sigmoid(gate)
# norms of queries and keys, each head alone | 04 | kind in ("qwen3", "qwen3_moe", "gemma3_text", "qwen3_next") |
query, key, value …
    …
    query, key = rms_norm(query, W["self_attn.q_norm"]), rms_norm(key, W["self_attn.k_norm"])
# norms of queries and keys, all heads together | 04 | kind in ("olmo2", "olmo3") |
query, key, value …
    query, key = rms_norm(query, W["self_attn.q_norm"]), rms_norm(key, W["self_attn.k_norm"])
    …
# a scale of its own | 04 | kind == "gemma3_text" | query_pre_attn_scalar
scores = query …
    scores = query @ np.swapaxes(key, 1, 2) / said["query_pre_attn_scalar"] ** 0.5
# windows | 21 | "sliding_attention" in said["layer_types"] | layer_types sliding_window
scores = np.where(causal_mask(len(x)), …
    …
    if kind == "sliding_attention":
        scores = np.where(window_mask(len(x), window=said["sliding_window"]), scores, -np.inf)
# a sink in each head | 22 | kind == "gpt_oss" |
weights = softmax(scores)
    weights = softmax_with_sink(scores, W["self_attn.sinks"][:, None, None])
# GELU in the gate | 08 | kind == "gemma3_text" | hidden_activation
gate = silu(gate)
    gate = gelu_tanh(gate)
# experts, with biases and a clamped gate | 24 | kind == "gpt_oss" | num_local_experts num_experts_per_tok
gate, up = …
    scores = x @ W["mlp.router"].T + W["mlp.router.bias"]
    shares = share_out(scores, said["num_experts_per_tok"]).shares
gate = silu(gate)
    names = [f"mlp.experts.{name}" for name in "gate_up_proj down_proj gate_up_proj_bias down_proj_bias".split()]
return (gate * …
    experts = [clamped_swiglu(x, *(W[name][e] for name in names)) for e in range(said["num_local_experts"])]
    return sum(share[:, None] * expert for share, expert in zip(shares.T, experts))
# experts, and one for all with a gate of its own | 24 | kind == "qwen3_next" | num_experts num_experts_per_tok norm_topk_prob
gate, up = …
    scores, how = x @ W["mlp.gate"].T, {"renormalised": said["norm_topk_prob"]}
    shares = share_out(scores, said["num_experts_per_tok"], kind="softmax of all", **how).shares
gate = silu(gate)
    shared = swiglu(x, *(W[f"mlp.shared_expert.{name}_proj"].T for name in ("gate", "up", "down")))
    total = sigmoid(x @ W["mlp.shared_expert_gate"].T) * shared
return (gate * …
    @experts
# states in place of attention | 23 | "linear_attention" in said["layer_types"] | layer_types linear_num_key_heads linear_num_value_heads
def layer(x, W, kind):
    @carry
    …
step = attend(rms_norm(x, …
    normed = rms_norm(x, W["input_layernorm"])
    step = attend(normed, W, kind) if kind == "full_attention" else carry(normed, W)
# a norm behind each step, too | 29 | kind == "gemma3_text" |
x = x + step
    x = x + rms_norm(step, W["post_attention_layernorm"])
step = think(rms_norm(x, …
    step = think(rms_norm(x, W["pre_feedforward_layernorm"]), W)
return x + step
    return x + rms_norm(step, W["post_feedforward_layernorm"])
# a norm behind each step, none before | 29 | kind in ("olmo2", "olmo3") |
step = attend(rms_norm(x, …
    step = attend(x, W, kind)
x = x + step
    x = x + rms_norm(step, W["post_attention_layernorm"])
step = think(rms_norm(x, …
    step = think(x, W)
return x + step
    return x + rms_norm(step, W["post_feedforward_layernorm"])
# tokens times √d_model | 11 | kind == "gemma3_text" |
x = file["model.embed_tokens"][ids]
    … * said["hidden_size"] ** 0.5
# slower turns, yarn, sharpened in the scale | 19 | turns == "yarn" and kind in LATENT | rope_scaling
d, base, rope …
    …
    @bounds
return base ** …
    return @yarn
scores = query …
    …
    scores = scores * yarn_sharpness(said["rope_scaling"]["factor"]) ** 2
# experts, and nothing else | 24 | kind in ("qwen3_moe", "mixtral") | num_experts num_local_experts num_experts_per_tok
gate, up = …
    scores, how = x @ W["mlp.gate"].T, {"renormalised": said["norm_topk_prob"]}
    shares = share_out(scores, said["num_experts_per_tok"], kind="softmax of all", **how).shares
gate = silu(gate)
    total = 0
return (gate * …
    @experts
# queries through a narrow place | 29 | kind in LATENT | q_lora_rank
def rms_norm(x, gain):
    def rms_norm(x, gain, epsilon=said["rms_norm_eps"]):
return x / …
    return x / np.sqrt(mean_square + epsilon) * gain
query = x …
    narrow = rms_norm(x @ W["self_attn.q_a_proj"].T, W["self_attn.q_a_layernorm"], 1e-6)
    query = narrow @ W["self_attn.q_b_proj"].T
# keys and values from a latent vector, and a turned part for all heads | 20 | kind in LATENT | kv_lora_rank qk_rope_head_dim qk_nope_head_dim v_head_dim
d, base, rope …
    …
    d = said["qk_rope_head_dim"]
key = x …
    latent, turned = np.split(x @ W["self_attn.kv_a_proj_with_mqa"].T, [said["kv_lora_rank"]], axis=-1)
    latent = rms_norm(latent, W["self_attn.kv_a_layernorm"], 1e-6)
value = x …
    both = split_heads(latent @ W["self_attn.kv_b_proj"].T, heads)
query, key, value …
    query, plain = split_heads(query, heads), said["qk_nope_head_dim"]
    key, value = np.split(both, [plain], axis=-1)
query, key = …
    query = np.concatenate([query[..., :plain], rotate(query[..., plain:], kind)], axis=-1)
    key = np.concatenate([key, np.repeat(rotate(turned[None], kind), heads, axis=0)], axis=-1)
# neighbours turn, and come out in halves | 19 | kind in LATENT |
a, b = …
    a, b = x[..., 0::2], x[..., 1::2]
# the best keys, by an index with a norm and halves of its own | 21 | kind == "deepseek_v32" | index_n_heads index_head_dim index_topk
def attend(x, W, kind):
    @index
    …
scores = np.where(causal_mask(len(x)), …
    …
    scores = np.where(index(x, narrow, W), scores, -np.inf)
# experts in groups, chosen with a bias, and one for all; none in the first layers | 24 | kind in LATENT | n_routed_experts num_experts_per_tok n_group topk_group first_k_dense_replace
def layer(x, W, kind):
    @groups
    …
step = think(rms_norm(x, …
    normed = rms_norm(x, W["post_attention_layernorm"])
    step = choose(normed, W) if "mlp.gate" in W else think(normed, W)
# some layers do not turn | 19 | kind in SPARED | no_rope_layers
x = layer(x, W, kind)
    W["turns"] = said["no_rope_layers"][i]
    …
query, key = …
    if W["turns"]:
        …
# neighbours turn | 19 | kind == "llama4_text" |
a, b = …
    a, b = x[..., 0::2], x[..., 1::2]
return np.concatenate([a * …
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)
# a norm without a gain where queries and keys have turned | 04 | kind == "llama4_text" and said["use_qk_norm"] | use_qk_norm
key, value = …
    if kind == "chunked_attention":
        query, key = rms_norm(query, 1), rms_norm(key, 1)
    …
# queries grow with their position where nothing turns | 29 | kind == "llama4_text" and said["attn_temperature_tuning"] | attn_scale floor_scale
key, value = …
    if kind == "full_attention":
        steps = np.log1p((np.arange(len(x)) + 1) // said["floor_scale"])
        query = query * (1 + said["attn_scale"] * steps)[:, None]
    …
# chunks | 21 | "chunked_attention" in said["layer_types"] | attention_chunk_size
scores = np.where(causal_mask(len(x)), …
    …
    if kind == "chunked_attention":
        chunk = np.arange(len(x)) // said["attention_chunk_size"]
        scores = np.where(chunk[:, None] == chunk, scores, -np.inf)
# experts whose share multiplies what goes in, and one for all | 24 | kind == "llama4_text" | num_local_experts num_experts_per_tok interleave_moe_layer_step
def think(x, W):
    @loudest
    …
gate, up = …
    gate, up = x @ W["feed_forward.gate_proj"].T, x @ W["feed_forward.up_proj"].T
return (gate * …
    return (gate * up) @ W["feed_forward.down_proj"].T
step = think(rms_norm(x, …
    normed = rms_norm(x, W["post_attention_layernorm"])
    step = choose(normed, W) if "feed_forward.router" in W else think(normed, W)
"""


class Addition(NamedTuple):
    """What a model adds to the forty lines.

    words : what it is
    lesson : the number of the lesson that prepares it, as text
    when : function(configuration) -> bool; above it is written as an expression, which Python evaluates
    edits : dict, a line of the base -> the lines in its place; where the line is itself among them, it stays
    fields : the names in config.json that decide it
    """

    words: str
    lesson: str
    when: Callable
    edits: dict
    fields: tuple


def _read(text):
    """An addition, as it is written above."""
    head, *lines = text.strip().split("\n")
    words, lesson, condition, fields = (part.strip() for part in head.split("|"))
    edits, old = {}, ""
    for line in lines:
        if line.startswith("    "):
            edits[old] += _spelled(line[4:].replace("…", old))
        else:
            old = next((each.strip() for each in BASE if each.strip().startswith(line.removesuffix("…"))), None)
            if old is None:
                raise KeyError(line)
            edits[old] = []
    return Addition(words, lesson, _condition(condition), edits, tuple(fields.split()))


def _spelled(line):
    """A line, or those of the block that it names, as far to the right as it is."""
    if not (found := re.search(r"@(\w+)$", line)):
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    lines = line.replace(found[0], BLOCKS[found[1]]).split("\n")
    return [each for k, inner in enumerate(lines) for each in _spelled(indent * (k > 0 and inner != "") + inner)]


def _condition(text):
    code = compile(text, "<when>", "eval")
    names = {"LATENT": LATENT, "SPARED": SPARED}
    return lambda said: eval(
        code, names | {"said": said, "kind": said["model_type"], "turns": said["rope_scaling"]["rope_type"]}
    )


ADDITIONS = [_read(text) for text in re.split("^# ", ADDED, flags=re.MULTILINE)[1:]]

"""The forty lines of Llama 3, by name where other models put others in their place, and what an addition to them is.

The lines are those that lesson 29 shows; `model_lines` puts them together and runs them.
"""

from typing import NamedTuple

BASE = '''
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
'''.strip().split("\n")  # fmt: skip


class Addition(NamedTuple):
    """What a model adds to the forty lines.

    words : what it is
    lesson : the number of the lesson that prepares it, as text
    when : function(configuration) -> bool
    edits : dict, a line of the base -> the lines in its place; where the line is itself among them, it stays
    fields : the names in config.json that decide it
    """

    words: str
    lesson: str
    when: object
    edits: dict
    fields: tuple = ()


def of_kind(*names):
    """Whether a configuration is of one of these kinds."""
    return lambda said: said["model_type"] in names


def with_turns(word, *but):
    """Whether a configuration turns in this way, and is of none of those kinds."""
    return lambda said: said["rope_scaling"]["rope_type"] == word and said["model_type"] not in but


HALF = 'x @ W["self_attn.{}_proj"].T'
SPEEDS = "return base ** (-np.arange(0, d, 2) / d)"
WAVES = "cos, sin = np.cos(angles), np.sin(angles)"
SPLIT = "query, key, value = split_heads(query, heads), split_heads(key, shared), split_heads(value, shared)"
PAIRS = "a, b = np.split(x, 2, axis=-1)"
TURNED = "return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)"
MASKED = "scores = np.where(causal_mask(len(x)), scores, -np.inf)"
BEFORE_1, BEFORE_2 = (
    'step = attend(rms_norm(x, W["input_layernorm"]), W, kind)',
    'step = think(rms_norm(x, W["post_attention_layernorm"]), W)',
)
YARN = [
    'd, base, rope = said["head_dim"], said["rope_theta"], said["rope_scaling"]',
    'length, whole = rope["original_max_position_embeddings"], rope["truncate"]',
    'bounds = {"slow": rope["beta_slow"], "fast": rope["beta_fast"]}',
]
YARN_SPEEDS = 'yarn_speeds(d, factor=rope["factor"], num_positions=length, base=base, whole=whole, **bounds)'
THINK = [
    'gate, up = x @ W["mlp.gate_proj"].T, x @ W["mlp.up_proj"].T',
    "gate = silu(gate)",
    'return (gate * up) @ W["mlp.down_proj"].T',
]
DEFINE_LAYER = "def layer(x, W, kind):"
EXPERTS = [
    'for share, both, down in zip(shares.T, W["mlp.experts.gate_up_proj"], W["mlp.experts.down_proj"]):',
    "    gate, up = np.split(both, 2)",
    "    total = total + share[:, None] * swiglu(x, gate.T, up.T, down.T)",
    "return total",
]
REPEATED = "key, value = np.repeat(key, heads // shared, axis=0), np.repeat(value, heads // shared, axis=0)"
SCORED = 'scores = query @ np.swapaxes(key, 1, 2) / said["head_dim"] ** 0.5'
NORMED = 'return x / np.sqrt(mean_square + said["rms_norm_eps"]) * gain'

"""Published models as the forty lines of Llama 3 and the lines that each adds, which run: plain NumPy, on the library's own names.

What a model adds follows from its configuration: every addition says when it is there, and which of the forty lines it replaces. A
file is a dict from the name of a weight in the library transformers, without its ".weight", to an array.
"""

import functools
from typing import NamedTuple

import numpy as np

from helpers.attention import causal_mask, merge_heads, softmax, split_heads
from helpers.layers import gelu_tanh
from helpers.models import config_json
from helpers.since_2017.experts import clamped_swiglu, share_out, silu, swiglu
from helpers.since_2017.gates import sigmoid
from helpers.since_2017.softmax_variants import softmax_with_sink
from helpers.since_2017.yarn import llama3_speeds, yarn_sharpness, yarn_speeds
from helpers.support import data_files, inputs
from helpers.variants import linear_attention, window_mask

PATH = data_files.path("model_lines.json")
LIBRARY = "transformers 5.24"

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


def _kind(*names):
    return lambda said: said["model_type"] in names


def _turns(word, *but):
    return lambda said: said["rope_scaling"]["rope_type"] == word and said["model_type"] not in but


_HALF = 'x @ W["self_attn.{}_proj"].T'
_SPEEDS = "return base ** (-np.arange(0, d, 2) / d)"
_WAVES = "cos, sin = np.cos(angles), np.sin(angles)"
_SPLIT = "query, key, value = split_heads(query, heads), split_heads(key, shared), split_heads(value, shared)"
_PAIRS = "a, b = np.split(x, 2, axis=-1)"
_TURNED = "return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)"
_MASKED = "scores = np.where(causal_mask(len(x)), scores, -np.inf)"
_BEFORE_1, _BEFORE_2 = (
    'step = attend(rms_norm(x, W["input_layernorm"]), W, kind)',
    'step = think(rms_norm(x, W["post_attention_layernorm"]), W)',
)
_YARN = [
    'd, base, rope = said["head_dim"], said["rope_theta"], said["rope_scaling"]',
    'length, whole = rope["original_max_position_embeddings"], rope["truncate"]',
    'bounds = {"slow": rope["beta_slow"], "fast": rope["beta_fast"]}',
]
_YARN_SPEEDS = 'yarn_speeds(d, factor=rope["factor"], num_positions=length, base=base, whole=whole, **bounds)'
_THINK = [
    'gate, up = x @ W["mlp.gate_proj"].T, x @ W["mlp.up_proj"].T',
    "gate = silu(gate)",
    'return (gate * up) @ W["mlp.down_proj"].T',
]
_DEFINE_LAYER = "def layer(x, W, kind):"
_CARRY = '''\
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


'''.split("\n")[:-1]  # fmt: skip

ADDITIONS = [
    Addition(
        "slower turns, llama3",
        "17",
        _turns("llama3"),
        {
            _SPEEDS: [
                'how = {"slow": rope["low_freq_factor"], "fast": rope["high_freq_factor"], "base": base}',
                'length = rope["original_max_position_embeddings"]',
                'return llama3_speeds(d, factor=rope["factor"], num_positions=length, **how)',
            ]
        },
        ("rope_scaling",),
    ),
    Addition(
        "slower turns, yarn",
        "17",
        _turns("yarn", "olmo3"),
        {
            _YARN[0]: _YARN,
            _SPEEDS: [f"return {_YARN_SPEEDS}"],
            _WAVES: [_WAVES, 'cos, sin = (wave * yarn_sharpness(said["rope_scaling"]["factor"]) for wave in (cos, sin))'],
        },
        ("rope_scaling",),
    ),
    Addition(
        "slower turns, yarn, in whole layers alone",
        "17",
        lambda said: _turns("yarn")(said) and said["model_type"] == "olmo3",
        {
            _YARN[0]: _YARN,
            _SPEEDS: ['if kind == "full_attention":', f"    return {_YARN_SPEEDS}", _SPEEDS],
            _WAVES: [
                _WAVES,
                'if kind == "full_attention":',
                '    cos, sin = (wave * yarn_sharpness(said["rope_scaling"]["factor"]) for wave in (cos, sin))',
            ],
        },
        ("rope_scaling", "layer_types"),
    ),
    Addition(
        "slower turns, linear",
        "17",
        _turns("linear", "gemma3_text"),
        {_SPEEDS: [f'{_SPEEDS} / rope["factor"]']},
        ("rope_scaling",),
    ),
    Addition(
        "a base for windows, another for whole layers",
        "17",
        _kind("gemma3_text"),
        {
            _SPEEDS: [
                'if kind == "sliding_attention":',
                '    base = said["rope_local_base_freq"]',
                _SPEEDS,
            ]
        },
        ("rope_theta", "rope_local_base_freq"),
    ),
    Addition(
        "slower turns, linear, in whole layers alone",
        "17",
        lambda said: _turns("linear")(said) and said["model_type"] == "gemma3_text",
        {
            "angles = np.arange(x.shape[-2])[:, None] * speeds(kind)": [
                "angles = np.arange(x.shape[-2])[:, None] * speeds(kind)",
                'if kind == "full_attention":',
                '    angles = angles / said["rope_scaling"]["factor"]',
            ]
        },
        ("rope_scaling", "layer_types"),
    ),
    Addition(
        "a part of each head turns",
        "17",
        lambda said: said.get("partial_rotary_factor", 1.0) < 1,
        {
            'd, base, rope = said["head_dim"], said["rope_theta"], said["rope_scaling"]': [
                'd, base, rope = said["head_dim"], said["rope_theta"], said["rope_scaling"]',
                'd = int(d * said["partial_rotary_factor"])',
            ],
            _PAIRS: ["x, rest = np.split(x, [2 * angles.shape[-1]], axis=-1)", _PAIRS],
            _TURNED: ["return np.concatenate([a * cos - b * sin, a * sin + b * cos, rest], axis=-1)"],
        },
        ("partial_rotary_factor",),
    ),
    Addition(
        "the gain is 1 + w",
        "24",
        _kind("gemma3_text", "qwen3_next"),
        {
            'return x / np.sqrt(mean_square + said["rms_norm_eps"]) * gain': [
                'return x / np.sqrt(mean_square + said["rms_norm_eps"]) * (1 + gain)'
            ]
        },
    ),
    Addition(
        "biases of queries, keys and values",
        "03",
        lambda said: said["model_type"] == "qwen2" or (said["attention_bias"] and said["model_type"] != "mistral"),
        {
            f"{name} = {_HALF.format(name[0])}": [f'{name} = {_HALF.format(name[0])} + W["self_attn.{name[0]}_proj.bias"]']
            for name in ("query", "key", "value")
        },
        ("attention_bias",),
    ),
    Addition(
        "a bias of the output",
        "06",
        lambda said: said["attention_bias"] and said["model_type"] not in ("qwen2", "mistral"),
        {'return mixed @ W["self_attn.o_proj"].T': ['return mixed @ W["self_attn.o_proj"].T + W["self_attn.o_proj.bias"]']},
        ("attention_bias",),
    ),
    Addition(
        "a gate beside each head's query",
        "20",
        _kind("qwen3_next"),
        {
            "key = x @ W[\"self_attn.k_proj\"].T": [
                "query, gate = np.split(query.reshape(len(x), heads, -1), 2, axis=-1)",
                "query, gate = query.reshape(len(x), -1), gate.reshape(len(x), -1)",
                "key = x @ W[\"self_attn.k_proj\"].T",
            ],
            "mixed = merge_heads(weights @ value)": ["mixed = merge_heads(weights @ value)", "mixed = mixed * sigmoid(gate)"],
        },
    ),
    Addition(
        "norms of queries and keys, each head alone",
        "04",
        _kind("qwen3", "gemma3_text", "qwen3_next"),
        {_SPLIT: [_SPLIT, 'query, key = rms_norm(query, W["self_attn.q_norm"]), rms_norm(key, W["self_attn.k_norm"])']},
    ),
    Addition(
        "norms of queries and keys, all heads together",
        "04",
        _kind("olmo2", "olmo3"),
        {_SPLIT: ['query, key = rms_norm(query, W["self_attn.q_norm"]), rms_norm(key, W["self_attn.k_norm"])', _SPLIT]},
    ),
    Addition(
        "a scale of its own",
        "04",
        _kind("gemma3_text"),
        {
            'scores = query @ np.swapaxes(key, 1, 2) / said["head_dim"] ** 0.5': [
                'scores = query @ np.swapaxes(key, 1, 2) / said["query_pre_attn_scalar"] ** 0.5'
            ]
        },
        ("query_pre_attn_scalar",),
    ),
    Addition(
        "windows",
        "19",
        lambda said: "sliding_attention" in said["layer_types"],
        {
            _MASKED: [
                _MASKED,
                'if kind == "sliding_attention":',
                '    scores = np.where(window_mask(len(x), window=said["sliding_window"]), scores, -np.inf)',
            ]
        },
        ("layer_types", "sliding_window"),
    ),
    Addition(
        "a sink in each head",
        "20",
        _kind("gpt_oss"),
        {"weights = softmax(scores)": ['weights = softmax_with_sink(scores, W["self_attn.sinks"][:, None, None])']},
    ),
    Addition(
        "GELU in the gate",
        "08",
        _kind("gemma3_text"),
        {_THINK[1]: ["gate = gelu_tanh(gate)"]},
        ("hidden_activation",),
    ),
    Addition(
        "experts, with biases and a clamped gate",
        "22",
        _kind("gpt_oss"),
        {
            _THINK[0]: [
                'scores = x @ W["mlp.router"].T + W["mlp.router.bias"]',
                'shares = share_out(scores, said["num_experts_per_tok"]).shares',
            ],
            _THINK[1]: [
                'names = [f"mlp.experts.{name}" for name in "gate_up_proj down_proj gate_up_proj_bias down_proj_bias".split()]',
            ],
            _THINK[2]: [
                'experts = [clamped_swiglu(x, *(W[name][e] for name in names)) for e in range(said["num_local_experts"])]',
                "return sum(share[:, None] * expert for share, expert in zip(shares.T, experts))",
            ],
        },
        ("num_local_experts", "num_experts_per_tok"),
    ),
    Addition(
        "experts, and one for all with a gate of its own",
        "22",
        _kind("qwen3_next"),
        {
            _THINK[0]: [
                'scores, how = x @ W["mlp.gate"].T, {"renormalised": said["norm_topk_prob"]}',
                'shares = share_out(scores, said["num_experts_per_tok"], kind="softmax of all", **how).shares',
            ],
            _THINK[1]: [
                'shared = swiglu(x, *(W[f"mlp.shared_expert.{name}_proj"].T for name in ("gate", "up", "down")))',
                'total = sigmoid(x @ W["mlp.shared_expert_gate"].T) * shared',
            ],
            _THINK[2]: [
                'for share, both, down in zip(shares.T, W["mlp.experts.gate_up_proj"], W["mlp.experts.down_proj"]):',
                "    gate, up = np.split(both, 2)",
                "    total = total + share[:, None] * swiglu(x, gate.T, up.T, down.T)",
                "return total",
            ],
        },
        ("num_experts", "num_experts_per_tok", "norm_topk_prob"),
    ),
    Addition(
        "states in place of attention",
        "21",
        lambda said: "linear_attention" in said["layer_types"],
        {
            _DEFINE_LAYER: [*_CARRY, _DEFINE_LAYER],
            _BEFORE_1: [
                'normed = rms_norm(x, W["input_layernorm"])',
                'step = attend(normed, W, kind) if kind == "full_attention" else carry(normed, W)',
            ],
        },
        ("layer_types", "linear_num_key_heads", "linear_num_value_heads"),
    ),
    Addition(
        "a norm behind each step, too",
        "24",
        _kind("gemma3_text"),
        {
            "x = x + step": ['x = x + rms_norm(step, W["post_attention_layernorm"])'],
            _BEFORE_2: ['step = think(rms_norm(x, W["pre_feedforward_layernorm"]), W)'],
            "return x + step": ['return x + rms_norm(step, W["post_feedforward_layernorm"])'],
        },
    ),
    Addition(
        "a norm behind each step, none before",
        "24",
        _kind("olmo2", "olmo3"),
        {
            _BEFORE_1: ["step = attend(x, W, kind)"],
            "x = x + step": ['x = x + rms_norm(step, W["post_attention_layernorm"])'],
            _BEFORE_2: ["step = think(x, W)"],
            "return x + step": ['return x + rms_norm(step, W["post_feedforward_layernorm"])'],
        },
    ),
    Addition(
        "tokens times √d_model",
        "10",
        _kind("gemma3_text"),
        {
            'x = file["model.embed_tokens"][ids]': [
                'x = file["model.embed_tokens"][ids] * said["hidden_size"] ** 0.5'
            ]
        },
    ),
]  # fmt: skip


class Line(NamedTuple):
    """A line of a model's code. by : the index of the addition that put it there, or -1 for one of the forty."""

    text: str
    by: int


def additions(configuration):
    """List what a model adds.

    Parameters
    ----------
    configuration : as `config_json.read` takes it

    Returns
    -------
    added : list of Addition, in the order of the code
    """
    said = config_json.read(configuration)
    if said["model_type"] == "deepseek_v3":
        raise ValueError(
            "model_type must be one whose lines are here; those of deepseek_v3 are in lessons 18, 22 and 26."
        )
    return [each for each in ADDITIONS if each.when(said)]


def program(configuration, without=()):
    """Write the code of a model.

    Parameters
    ----------
    configuration : as `config_json.read` takes it
    without : indices of additions to leave out

    Returns
    -------
    lines : list of Line
    """
    added = additions(configuration)
    lines = [Line(text, -1) for text in BASE]
    for index, each in enumerate(added):
        if index in without:
            continue
        for old, new in each.edits.items():
            at = next(k for k, line in enumerate(lines) if line.text.strip() == old and line.by == -1)
            indent = lines[at].text[: -len(old)]
            lines[at : at + 1] = [Line(indent + text if text else "", -1 if text == old else index) for text in new]
    return lines


def run(configuration, file, ids, without=()):
    """Execute a model's code on a text.

    Parameters
    ----------
    configuration, without : as in `program`
    file : dict name -> array, the library's names without ".weight"
    ids : the tokens' numbers, (num_tokens,)

    Returns
    -------
    logits : (num_tokens, vocabulary)

    Raises
    ------
    ValueError
        If the file lacks a matrix, one has another shape, or a token is none of the vocabulary.
    """
    said = config_json.read(configuration)
    ids = inputs.whole_numbers("ids", ids, axes=1)
    if ids.min() < 0 or ids.max() >= said["vocab_size"]:
        raise ValueError(f"ids must be from 0 to {said['vocab_size'] - 1}, got {ids.min()} to {ids.max()}.")
    file = {name: np.asarray(inputs.finite(name, array)) for name, array in inputs.mapping("file", file).items()}
    names = {"said": said, "file": file, **_TOOLS}
    exec(_compiled("\n".join(line.text for line in program(said, without))), names)
    try:
        return names["read"](ids)
    except KeyError as error:
        raise ValueError(f"file must hold every matrix that the lines name, but {error.args[0]} is missing.") from None
    except ValueError as error:
        raise ValueError(f"the arrays of file must have the shapes that the configuration says ({error}).") from None


_TOOLS = {"np": np} | {
    each.__name__: each
    for each in (
        causal_mask, merge_heads, softmax, split_heads, clamped_swiglu, share_out, silu, swiglu, sigmoid, softmax_with_sink,
        llama3_speeds, yarn_sharpness, yarn_speeds, window_mask, linear_attention, gelu_tanh,
    )
}  # fmt: skip


@functools.cache
def _compiled(text):
    return compile(text, "<a model's lines>", "exec")


# --- the table: small models with random weights, and what the library's class makes of them ----------------------------


_SIZES = {
    "hidden_size": 18, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 10, "intermediate_size": 23, "vocab_size": 31,
    "num_hidden_layers": 2, "max_position_embeddings": 256, "rms_norm_eps": 1e-5, "rope_theta": 100.0,
}  # fmt: skip
_LONG = {"original_max_position_embeddings": 64}
_YARN_4 = {"rope_type": "yarn", "factor": 4.0, "beta_fast": 8.0, "beta_slow": 1.0, **_LONG}
MODELS = {
    "Llama 3": {"model_type": "llama", **_SIZES},
    "Llama 3.1": {
        "model_type": "llama", **_SIZES,
        "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, **_LONG},
    },
    "Qwen3": {"model_type": "qwen3", **_SIZES, "tie_word_embeddings": True},
    "Gemma 3": {
        "model_type": "gemma3_text", **_SIZES, "num_hidden_layers": 3, "sliding_window": 5, "sliding_window_pattern": 3,
        "query_pre_attn_scalar": 7, "rope_theta": 1000.0, "rope_local_base_freq": 100.0, "tie_word_embeddings": True,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    },
    "gpt-oss": {
        "model_type": "gpt_oss", **_SIZES, "sliding_window": 5, "num_local_experts": 5, "num_experts_per_tok": 2,
        "attention_bias": True, "rope_scaling": {**_YARN_4, "truncate": False},
    },
    "OLMo 3": {
        "model_type": "olmo3", **_SIZES, "head_dim": None, "hidden_size": 36, "num_hidden_layers": 4, "sliding_window": 5,
        "rope_scaling": _YARN_4, "rope_theta": 500_000.0,  # the class gives windows this base, whatever an older file says
    },
    "Qwen3-Next": {
        "model_type": "qwen3_next", **_SIZES, "num_hidden_layers": 4, "full_attention_interval": 4, "partial_rotary_factor": 0.4,
        "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 11, "shared_expert_intermediate_size": 13,
        "norm_topk_prob": True, "linear_num_key_heads": 2, "linear_num_value_heads": 6, "linear_key_head_dim": 5,
        "linear_value_head_dim": 7, "linear_conv_kernel_dim": 4,
    },
}  # fmt: skip
IDS = (3, 14, 15, 9, 26, 5, 3, 14, 15, 8, 9, 7, 30)


def random_file(shapes, seed=0):
    """Draw the weights of a small model.

    Parameters
    ----------
    shapes : dict name -> shape
    seed : whole number

    Returns
    -------
    file : dict name -> array; gains of norms lie around 1, all else around 0
    """
    rng = inputs.seeded("seed", seed)

    def draw(name, shape):
        if len(shape) == 1:
            return 0.3 * rng.normal(size=shape) + ("norm" in name)
        return rng.normal(size=shape) / np.sqrt(shape[-1]) * (1.0 if "embed" in name else 1.5)

    return {name: draw(name, shape) for name, shape in shapes.items()}


@functools.cache
def _stored():
    return data_files.json_file(PATH)


def stored_file(name):
    """The weights of a model of the table, drawn again as they were for the library's class."""
    return random_file(inputs.one_of("name", name, _stored())["shapes"])


def stored_class(name):
    """The class of the library that made the logits of a model of the table.

    Examples
    --------
    >>> stored_class("Llama 3.1")
    'LlamaForCausalLM'
    """
    return inputs.one_of("name", name, _stored())["class"]


@functools.cache
def compare(name, without=()):
    """Execute a model of the table and hold it beside the library's class.

    Parameters
    ----------
    name : of MODELS
    without : tuple of additions left out

    Returns
    -------
    Comparison
    """
    stored = inputs.one_of("name", name, _stored())
    try:
        logits = run(MODELS[name], stored_file(name), IDS, without)
    except ValueError as error:
        return Comparison(np.inf, 0, str(error))
    want = np.array(stored["logits"])
    agree = int((logits.argmax(axis=-1) == want.argmax(axis=-1)).sum())
    return Comparison(float(np.abs(logits - want).max()), agree, "")


class Comparison(NamedTuple):
    """What a model's lines and the library's class make of the same text.

    gap : the largest difference of two logits; infinite where the lines stop
    agree : at how many of the 13 tokens the largest logit is the same
    error : why they stop, or ""
    """

    gap: float
    agree: int
    error: str

"""The forty lines of Llama 3, and what other published models put in their place: which lines, when, and which lesson prepares them.

The lines are those that lesson 29 shows; `model_lines` puts them together and runs them.
"""

from typing import NamedTuple

from rooms.read_a_model.config_json import LATENT, SPARED

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

_EXPERTS = [
    'for share, both, down in zip(shares.T, W["mlp.experts.gate_up_proj"], W["mlp.experts.down_proj"]):',
    "    gate, up = np.split(both, 2)",
    "    total = total + share[:, None] * swiglu(x, gate.T, up.T, down.T)",
    "return total",
]
_GROUPS = f'''\
def choose(x, W):
    bias = W["mlp.gate.e_score_correction_bias"]
    how = {{"kind": "sigmoid", "bias": bias, "renormalised": said["norm_topk_prob"], "factor": said["routed_scaling_factor"]}}
    groups = {{"num_groups": said["n_group"], "num_open": said["topk_group"]}}
    shares = share_out(x @ W["mlp.gate"].T, said["num_experts_per_tok"], **how, **groups).shares
    total = swiglu(x, *(W[f"mlp.shared_experts.{{name}}_proj"].T for name in ("gate", "up", "down")))
    {"|    ".join(_EXPERTS)}


'''.replace("|", chr(10)).split(chr(10))[:-1]  # fmt: skip
_LOUDEST = '''\
def choose(x, W):
    scores = x @ W["feed_forward.router"].T
    shares = share_out(scores, said["num_experts_per_tok"], kind="sigmoid").shares
    total = swiglu(x, *(W[f"feed_forward.shared_expert.{name}_proj"].T for name in ("gate", "up", "down")))
    for share, both, down in zip(shares.T, W["feed_forward.experts.gate_up_proj"], W["feed_forward.experts.down_proj"]):
        gate, up = np.split(both, 2, axis=1)
        total = total + swiglu(share[:, None] * x, gate, up, down)
    return total


'''.split("\n")[:-1]  # fmt: skip
_INDEX = '''\
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


'''.split("\n")[:-1]  # fmt: skip
_REPEATED = "key, value = np.repeat(key, heads // shared, axis=0), np.repeat(value, heads // shared, axis=0)"
_SCORED = 'scores = query @ np.swapaxes(key, 1, 2) / said["head_dim"] ** 0.5'
_NORMED = 'return x / np.sqrt(mean_square + said["rms_norm_eps"]) * gain'

ADDITIONS = [
    Addition(
        "slower turns, llama3",
        "19",
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
        "19",
        _turns("yarn", "olmo3", "deepseek_v3", "deepseek_v32"),
        {
            _YARN[0]: _YARN,
            _SPEEDS: [f"return {_YARN_SPEEDS}"],
            _WAVES: [_WAVES, 'cos, sin = (wave * yarn_sharpness(said["rope_scaling"]["factor"]) for wave in (cos, sin))'],
        },
        ("rope_scaling",),
    ),
    Addition(
        "slower turns, yarn, sharpened in the scale",
        "19",
        lambda said: _turns("yarn")(said) and said["model_type"] in LATENT,
        {
            _YARN[0]: _YARN,
            _SPEEDS: [f"return {_YARN_SPEEDS}"],
            _SCORED: [_SCORED, 'scores = scores * yarn_sharpness(said["rope_scaling"]["factor"]) ** 2'],
        },
        ("rope_scaling",),
    ),
    Addition(
        "slower turns, yarn, in whole layers alone",
        "19",
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
        "19",
        _turns("linear", "gemma3_text"),
        {_SPEEDS: [f'{_SPEEDS} / rope["factor"]']},
        ("rope_scaling",),
    ),
    Addition(
        "a base for windows, another for whole layers",
        "19",
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
        "19",
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
        "19",
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
        "29",
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
        lambda said: said["model_type"] == "qwen2" or (said["attention_bias"] and said["model_type"] not in ("mistral", "mixtral")),
        {
            f"{name} = {_HALF.format(name[0])}": [f'{name} = {_HALF.format(name[0])} + W["self_attn.{name[0]}_proj.bias"]']
            for name in ("query", "key", "value")
        },
        ("attention_bias",),
    ),
    Addition(
        "a bias of the output",
        "06",
        lambda said: said["attention_bias"] and said["model_type"] not in ("qwen2", "mistral", "mixtral"),
        {'return mixed @ W["self_attn.o_proj"].T': ['return mixed @ W["self_attn.o_proj"].T + W["self_attn.o_proj.bias"]']},
        ("attention_bias",),
    ),
    Addition(
        "a gate beside each head's query",
        "22",
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
        _kind("qwen3", "qwen3_moe", "gemma3_text", "qwen3_next"),
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
        "21",
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
        "22",
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
        "24",
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
        "24",
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
            _THINK[2]: _EXPERTS,
        },
        ("num_experts", "num_experts_per_tok", "norm_topk_prob"),
    ),
    Addition(
        "experts, and nothing else",
        "24",
        _kind("qwen3_moe", "mixtral"),
        {
            _THINK[0]: [
                'scores, how = x @ W["mlp.gate"].T, {"renormalised": said["norm_topk_prob"]}',
                'shares = share_out(scores, said["num_experts_per_tok"], kind="softmax of all", **how).shares',
            ],
            _THINK[1]: ["total = 0"],
            _THINK[2]: _EXPERTS,
        },
        ("num_experts", "num_local_experts", "num_experts_per_tok"),
    ),
    Addition(
        "queries through a narrow place",
        "29",
        _kind(*LATENT),
        {
            "def rms_norm(x, gain):": ['def rms_norm(x, gain, epsilon=said["rms_norm_eps"]):'],
            _NORMED: ["return x / np.sqrt(mean_square + epsilon) * gain"],
            "query = " + _HALF.format("q"): [
                'narrow = rms_norm(x @ W["self_attn.q_a_proj"].T, W["self_attn.q_a_layernorm"], 1e-6)',
                'query = narrow @ W["self_attn.q_b_proj"].T',
            ],
        },
        ("q_lora_rank",),
    ),
    Addition(
        "keys and values from a latent vector, and a turned part for all heads",
        "20",
        _kind(*LATENT),
        {
            _YARN[0]: [_YARN[0], 'd = said["qk_rope_head_dim"]'],
            "key = " + _HALF.format("k"): [
                'latent, turned = np.split(x @ W["self_attn.kv_a_proj_with_mqa"].T, [said["kv_lora_rank"]], axis=-1)',
                'latent = rms_norm(latent, W["self_attn.kv_a_layernorm"], 1e-6)',
            ],
            "value = " + _HALF.format("v"): ['both = split_heads(latent @ W["self_attn.kv_b_proj"].T, heads)'],
            _SPLIT: [
                'query, plain = split_heads(query, heads), said["qk_nope_head_dim"]',
                "key, value = np.split(both, [plain], axis=-1)",
            ],
            "query, key = rotate(query, kind), rotate(key, kind)": [
                "query = np.concatenate([query[..., :plain], rotate(query[..., plain:], kind)], axis=-1)",
                "key = np.concatenate([key, np.repeat(rotate(turned[None], kind), heads, axis=0)], axis=-1)",
            ],
        },
        ("kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"),
    ),
    Addition(
        "neighbours turn, and come out in halves",
        "19",
        _kind(*LATENT),
        {_PAIRS: ["a, b = x[..., 0::2], x[..., 1::2]"]},
    ),
    Addition(
        "the best keys, by an index with a norm and halves of its own",
        "21",
        _kind("deepseek_v32"),
        {
            "def attend(x, W, kind):": [*_INDEX, "def attend(x, W, kind):"],
            _MASKED: [_MASKED, "scores = np.where(index(x, narrow, W), scores, -np.inf)"],
        },
        ("index_n_heads", "index_head_dim", "index_topk"),
    ),
    Addition(
        "experts in groups, chosen with a bias, and one for all; none in the first layers",
        "24",
        _kind(*LATENT),
        {
            _DEFINE_LAYER: [*_GROUPS, _DEFINE_LAYER],
            _BEFORE_2: [
                'normed = rms_norm(x, W["post_attention_layernorm"])',
                'step = choose(normed, W) if "mlp.gate" in W else think(normed, W)',
            ],
        },
        ("n_routed_experts", "num_experts_per_tok", "n_group", "topk_group", "first_k_dense_replace"),
    ),
    Addition(
        "some layers do not turn",
        "19",
        _kind(*SPARED),
        {
            "x = layer(x, W, kind)": ['W["turns"] = said["no_rope_layers"][i]', "x = layer(x, W, kind)"],
            "query, key = rotate(query, kind), rotate(key, kind)": [
                'if W["turns"]:',
                "    query, key = rotate(query, kind), rotate(key, kind)",
            ],
        },
        ("no_rope_layers",),
    ),
    Addition(
        "neighbours turn",
        "19",
        _kind("llama4_text"),
        {
            _PAIRS: ["a, b = x[..., 0::2], x[..., 1::2]"],
            _TURNED: ["return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)"],
        },
    ),
    Addition(
        "a norm without a gain where queries and keys have turned",
        "04",
        lambda said: said["model_type"] == "llama4_text" and said["use_qk_norm"],
        {
            _REPEATED: [
                'if kind == "chunked_attention":',
                "    query, key = rms_norm(query, 1), rms_norm(key, 1)",
                _REPEATED,
            ]
        },
        ("use_qk_norm",),
    ),
    Addition(
        "queries grow with their position where nothing turns",
        "29",
        lambda said: said["model_type"] == "llama4_text" and said["attn_temperature_tuning"],
        {
            _REPEATED: [
                'if kind == "full_attention":',
                '    steps = np.log1p((np.arange(len(x)) + 1) // said["floor_scale"])',
                '    query = query * (1 + said["attn_scale"] * steps)[:, None]',
                _REPEATED,
            ]
        },
        ("attn_scale", "floor_scale"),
    ),
    Addition(
        "chunks",
        "21",
        lambda said: "chunked_attention" in said["layer_types"],
        {
            _MASKED: [
                _MASKED,
                'if kind == "chunked_attention":',
                '    chunk = np.arange(len(x)) // said["attention_chunk_size"]',
                "    scores = np.where(chunk[:, None] == chunk, scores, -np.inf)",
            ]
        },
        ("attention_chunk_size",),
    ),
    Addition(
        "experts whose share multiplies what goes in, and one for all",
        "24",
        _kind("llama4_text"),
        {
            "def think(x, W):": [*_LOUDEST, "def think(x, W):"],
            _THINK[0]: ['gate, up = x @ W["feed_forward.gate_proj"].T, x @ W["feed_forward.up_proj"].T'],
            _THINK[2]: ['return (gate * up) @ W["feed_forward.down_proj"].T'],
            _BEFORE_2: [
                'normed = rms_norm(x, W["post_attention_layernorm"])',
                'step = choose(normed, W) if "feed_forward.router" in W else think(normed, W)',
            ],
        },
        ("num_local_experts", "num_experts_per_tok", "interleave_moe_layer_step"),
    ),
    Addition(
        "states in place of attention",
        "23",
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
        "29",
        _kind("gemma3_text"),
        {
            "x = x + step": ['x = x + rms_norm(step, W["post_attention_layernorm"])'],
            _BEFORE_2: ['step = think(rms_norm(x, W["pre_feedforward_layernorm"]), W)'],
            "return x + step": ['return x + rms_norm(step, W["post_feedforward_layernorm"])'],
        },
    ),
    Addition(
        "a norm behind each step, none before",
        "29",
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
        "11",
        _kind("gemma3_text"),
        {
            'x = file["model.embed_tokens"][ids]': [
                'x = file["model.embed_tokens"][ids] * said["hidden_size"] ** 0.5'
            ]
        },
    ),
]  # fmt: skip

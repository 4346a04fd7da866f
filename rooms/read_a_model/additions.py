"""What published models put in the place of Llama 3's forty lines: which lines, when, and which lesson prepares them."""

from rooms.read_a_model.later_additions import LATER
from rooms.read_a_model.llama_lines import (
    BEFORE_1,
    BEFORE_2,
    DEFINE_LAYER,
    EXPERTS,
    HALF,
    MASKED,
    PAIRS,
    SPEEDS,
    SPLIT,
    THINK,
    TURNED,
    WAVES,
    YARN,
    YARN_SPEEDS,
    Addition,
    of_kind,
    with_turns,
)

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
        "19",
        with_turns("llama3"),
        {
            SPEEDS: [
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
        with_turns("yarn", "olmo3", "deepseek_v3", "deepseek_v32"),
        {
            YARN[0]: YARN,
            SPEEDS: [f"return {YARN_SPEEDS}"],
            WAVES: [WAVES, 'cos, sin = (wave * yarn_sharpness(said["rope_scaling"]["factor"]) for wave in (cos, sin))'],
        },
        ("rope_scaling",),
    ),
    Addition(
        "slower turns, yarn, in whole layers alone",
        "19",
        lambda said: with_turns("yarn")(said) and said["model_type"] == "olmo3",
        {
            YARN[0]: YARN,
            SPEEDS: ['if kind == "full_attention":', f"    return {YARN_SPEEDS}", SPEEDS],
            WAVES: [
                WAVES,
                'if kind == "full_attention":',
                '    cos, sin = (wave * yarn_sharpness(said["rope_scaling"]["factor"]) for wave in (cos, sin))',
            ],
        },
        ("rope_scaling", "layer_types"),
    ),
    Addition(
        "slower turns, linear",
        "19",
        with_turns("linear", "gemma3_text"),
        {SPEEDS: [f'{SPEEDS} / rope["factor"]']},
        ("rope_scaling",),
    ),
    Addition(
        "a base for windows, another for whole layers",
        "19",
        of_kind("gemma3_text"),
        {
            SPEEDS: [
                'if kind == "sliding_attention":',
                '    base = said["rope_local_base_freq"]',
                SPEEDS,
            ]
        },
        ("rope_theta", "rope_local_base_freq"),
    ),
    Addition(
        "slower turns, linear, in whole layers alone",
        "19",
        lambda said: with_turns("linear")(said) and said["model_type"] == "gemma3_text",
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
            PAIRS: ["x, rest = np.split(x, [2 * angles.shape[-1]], axis=-1)", PAIRS],
            TURNED: ["return np.concatenate([a * cos - b * sin, a * sin + b * cos, rest], axis=-1)"],
        },
        ("partial_rotary_factor",),
    ),
    Addition(
        "the gain is 1 + w",
        "29",
        of_kind("gemma3_text", "qwen3_next"),
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
            f"{name} = {HALF.format(name[0])}": [f'{name} = {HALF.format(name[0])} + W["self_attn.{name[0]}_proj.bias"]']
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
        of_kind("qwen3_next"),
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
        of_kind("qwen3", "qwen3_moe", "gemma3_text", "qwen3_next"),
        {SPLIT: [SPLIT, 'query, key = rms_norm(query, W["self_attn.q_norm"]), rms_norm(key, W["self_attn.k_norm"])']},
    ),
    Addition(
        "norms of queries and keys, all heads together",
        "04",
        of_kind("olmo2", "olmo3"),
        {SPLIT: ['query, key = rms_norm(query, W["self_attn.q_norm"]), rms_norm(key, W["self_attn.k_norm"])', SPLIT]},
    ),
    Addition(
        "a scale of its own",
        "04",
        of_kind("gemma3_text"),
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
            MASKED: [
                MASKED,
                'if kind == "sliding_attention":',
                '    scores = np.where(window_mask(len(x), window=said["sliding_window"]), scores, -np.inf)',
            ]
        },
        ("layer_types", "sliding_window"),
    ),
    Addition(
        "a sink in each head",
        "22",
        of_kind("gpt_oss"),
        {"weights = softmax(scores)": ['weights = softmax_with_sink(scores, W["self_attn.sinks"][:, None, None])']},
    ),
    Addition(
        "GELU in the gate",
        "08",
        of_kind("gemma3_text"),
        {THINK[1]: ["gate = gelu_tanh(gate)"]},
        ("hidden_activation",),
    ),
    Addition(
        "experts, with biases and a clamped gate",
        "24",
        of_kind("gpt_oss"),
        {
            THINK[0]: [
                'scores = x @ W["mlp.router"].T + W["mlp.router.bias"]',
                'shares = share_out(scores, said["num_experts_per_tok"]).shares',
            ],
            THINK[1]: [
                'names = [f"mlp.experts.{name}" for name in "gate_up_proj down_proj gate_up_proj_bias down_proj_bias".split()]',
            ],
            THINK[2]: [
                'experts = [clamped_swiglu(x, *(W[name][e] for name in names)) for e in range(said["num_local_experts"])]',
                "return sum(share[:, None] * expert for share, expert in zip(shares.T, experts))",
            ],
        },
        ("num_local_experts", "num_experts_per_tok"),
    ),
    Addition(
        "experts, and one for all with a gate of its own",
        "24",
        of_kind("qwen3_next"),
        {
            THINK[0]: [
                'scores, how = x @ W["mlp.gate"].T, {"renormalised": said["norm_topk_prob"]}',
                'shares = share_out(scores, said["num_experts_per_tok"], kind="softmax of all", **how).shares',
            ],
            THINK[1]: [
                'shared = swiglu(x, *(W[f"mlp.shared_expert.{name}_proj"].T for name in ("gate", "up", "down")))',
                'total = sigmoid(x @ W["mlp.shared_expert_gate"].T) * shared',
            ],
            THINK[2]: EXPERTS,
        },
        ("num_experts", "num_experts_per_tok", "norm_topk_prob"),
    ),
    Addition(
        "states in place of attention",
        "23",
        lambda said: "linear_attention" in said["layer_types"],
        {
            DEFINE_LAYER: [*_CARRY, DEFINE_LAYER],
            BEFORE_1: [
                'normed = rms_norm(x, W["input_layernorm"])',
                'step = attend(normed, W, kind) if kind == "full_attention" else carry(normed, W)',
            ],
        },
        ("layer_types", "linear_num_key_heads", "linear_num_value_heads"),
    ),
    Addition(
        "a norm behind each step, too",
        "29",
        of_kind("gemma3_text"),
        {
            "x = x + step": ['x = x + rms_norm(step, W["post_attention_layernorm"])'],
            BEFORE_2: ['step = think(rms_norm(x, W["pre_feedforward_layernorm"]), W)'],
            "return x + step": ['return x + rms_norm(step, W["post_feedforward_layernorm"])'],
        },
    ),
    Addition(
        "a norm behind each step, none before",
        "29",
        of_kind("olmo2", "olmo3"),
        {
            BEFORE_1: ["step = attend(x, W, kind)"],
            "x = x + step": ['x = x + rms_norm(step, W["post_attention_layernorm"])'],
            BEFORE_2: ["step = think(x, W)"],
            "return x + step": ['return x + rms_norm(step, W["post_feedforward_layernorm"])'],
        },
    ),
    Addition(
        "tokens times √d_model",
        "11",
        of_kind("gemma3_text"),
        {
            'x = file["model.embed_tokens"][ids]': [
                'x = file["model.embed_tokens"][ids] * said["hidden_size"] ** 0.5'
            ]
        },
    ),
    *LATER,
]  # fmt: skip

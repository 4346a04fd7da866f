"""What DeepSeek-V3 and V3.2, Llama 4, SmolLM3, Mixtral and Qwen3-MoE put in the place of Llama 3's lines; see `additions`."""

from rooms.read_a_model.config_json import LATENT, SPARED
from rooms.read_a_model.llama_lines import (
    BEFORE_2,
    DEFINE_LAYER,
    EXPERTS,
    HALF,
    MASKED,
    NORMED,
    PAIRS,
    REPEATED,
    SCORED,
    SPEEDS,
    SPLIT,
    THINK,
    TURNED,
    YARN,
    YARN_SPEEDS,
    Addition,
    of_kind,
    with_turns,
)

_GROUPS = f'''\
def choose(x, W):
    bias = W["mlp.gate.e_score_correction_bias"]
    how = {{"kind": "sigmoid", "bias": bias, "renormalised": said["norm_topk_prob"], "factor": said["routed_scaling_factor"]}}
    groups = {{"num_groups": said["n_group"], "num_open": said["topk_group"]}}
    shares = share_out(x @ W["mlp.gate"].T, said["num_experts_per_tok"], **how, **groups).shares
    total = swiglu(x, *(W[f"mlp.shared_experts.{{name}}_proj"].T for name in ("gate", "up", "down")))
    {"|    ".join(EXPERTS)}


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

LATER = [
    Addition(
        "slower turns, yarn, sharpened in the scale",
        "19",
        lambda said: with_turns("yarn")(said) and said["model_type"] in LATENT,
        {
            YARN[0]: YARN,
            SPEEDS: [f"return {YARN_SPEEDS}"],
            SCORED: [SCORED, 'scores = scores * yarn_sharpness(said["rope_scaling"]["factor"]) ** 2'],
        },
        ("rope_scaling",),
    ),
    Addition(
        "experts, and nothing else",
        "24",
        of_kind("qwen3_moe", "mixtral"),
        {
            THINK[0]: [
                'scores, how = x @ W["mlp.gate"].T, {"renormalised": said["norm_topk_prob"]}',
                'shares = share_out(scores, said["num_experts_per_tok"], kind="softmax of all", **how).shares',
            ],
            THINK[1]: ["total = 0"],
            THINK[2]: EXPERTS,
        },
        ("num_experts", "num_local_experts", "num_experts_per_tok"),
    ),
    Addition(
        "queries through a narrow place",
        "29",
        of_kind(*LATENT),
        {
            "def rms_norm(x, gain):": ['def rms_norm(x, gain, epsilon=said["rms_norm_eps"]):'],
            NORMED: ["return x / np.sqrt(mean_square + epsilon) * gain"],
            "query = " + HALF.format("q"): [
                'narrow = rms_norm(x @ W["self_attn.q_a_proj"].T, W["self_attn.q_a_layernorm"], 1e-6)',
                'query = narrow @ W["self_attn.q_b_proj"].T',
            ],
        },
        ("q_lora_rank",),
    ),
    Addition(
        "keys and values from a latent vector, and a turned part for all heads",
        "20",
        of_kind(*LATENT),
        {
            YARN[0]: [YARN[0], 'd = said["qk_rope_head_dim"]'],
            "key = " + HALF.format("k"): [
                'latent, turned = np.split(x @ W["self_attn.kv_a_proj_with_mqa"].T, [said["kv_lora_rank"]], axis=-1)',
                'latent = rms_norm(latent, W["self_attn.kv_a_layernorm"], 1e-6)',
            ],
            "value = " + HALF.format("v"): ['both = split_heads(latent @ W["self_attn.kv_b_proj"].T, heads)'],
            SPLIT: [
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
        of_kind(*LATENT),
        {PAIRS: ["a, b = x[..., 0::2], x[..., 1::2]"]},
    ),
    Addition(
        "the best keys, by an index with a norm and halves of its own",
        "21",
        of_kind("deepseek_v32"),
        {
            "def attend(x, W, kind):": [*_INDEX, "def attend(x, W, kind):"],
            MASKED: [MASKED, "scores = np.where(index(x, narrow, W), scores, -np.inf)"],
        },
        ("index_n_heads", "index_head_dim", "index_topk"),
    ),
    Addition(
        "experts in groups, chosen with a bias, and one for all; none in the first layers",
        "24",
        of_kind(*LATENT),
        {
            DEFINE_LAYER: [*_GROUPS, DEFINE_LAYER],
            BEFORE_2: [
                'normed = rms_norm(x, W["post_attention_layernorm"])',
                'step = choose(normed, W) if "mlp.gate" in W else think(normed, W)',
            ],
        },
        ("n_routed_experts", "num_experts_per_tok", "n_group", "topk_group", "first_k_dense_replace"),
    ),
    Addition(
        "some layers do not turn",
        "19",
        of_kind(*SPARED),
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
        of_kind("llama4_text"),
        {
            PAIRS: ["a, b = x[..., 0::2], x[..., 1::2]"],
            TURNED: ["return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)"],
        },
    ),
    Addition(
        "a norm without a gain where queries and keys have turned",
        "04",
        lambda said: said["model_type"] == "llama4_text" and said["use_qk_norm"],
        {
            REPEATED: [
                'if kind == "chunked_attention":',
                "    query, key = rms_norm(query, 1), rms_norm(key, 1)",
                REPEATED,
            ]
        },
        ("use_qk_norm",),
    ),
    Addition(
        "queries grow with their position where nothing turns",
        "29",
        lambda said: said["model_type"] == "llama4_text" and said["attn_temperature_tuning"],
        {
            REPEATED: [
                'if kind == "full_attention":',
                '    steps = np.log1p((np.arange(len(x)) + 1) // said["floor_scale"])',
                '    query = query * (1 + said["attn_scale"] * steps)[:, None]',
                REPEATED,
            ]
        },
        ("attn_scale", "floor_scale"),
    ),
    Addition(
        "chunks",
        "21",
        lambda said: "chunked_attention" in said["layer_types"],
        {
            MASKED: [
                MASKED,
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
        of_kind("llama4_text"),
        {
            "def think(x, W):": [*_LOUDEST, "def think(x, W):"],
            THINK[0]: ['gate, up = x @ W["feed_forward.gate_proj"].T, x @ W["feed_forward.up_proj"].T'],
            THINK[2]: ['return (gate * up) @ W["feed_forward.down_proj"].T'],
            BEFORE_2: [
                'normed = rms_norm(x, W["post_attention_layernorm"])',
                'step = choose(normed, W) if "feed_forward.router" in W else think(normed, W)',
            ],
        },
        ("num_local_experts", "num_experts_per_tok", "interleave_moe_layer_step"),
    ),
]  # fmt: skip

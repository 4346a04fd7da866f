"""A config.json of anybody's, read: what its kind takes where it says nothing, and one sentence where it cannot be read."""

import json

from helpers.support import inputs

FILLED = {  # what a kind assumes; None = worked out from the other sizes
    "llama": {"head_dim": None, "num_key_value_heads": None, "rope_theta": 10_000.0},
    "mistral": {
        "head_dim": None, "num_key_value_heads": 8, "rope_theta": 10_000.0, "sliding_window": 4096,
        "max_position_embeddings": 131_072,
    },
    "qwen2": {"head_dim": None, "num_key_value_heads": 32, "rope_theta": 10_000.0, "max_position_embeddings": 32_768},
    "qwen3": {"head_dim": 128, "num_key_value_heads": 32, "rope_theta": 10_000.0, "max_position_embeddings": 32_768},
    "gemma3_text": {
        "head_dim": 256, "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 262_208, "rope_theta": 1_000_000.0,
        "rope_local_base_freq": 10_000.0, "query_pre_attn_scalar": 256, "sliding_window": 4096, "tie_word_embeddings": True,
        "max_position_embeddings": 131_072,
    },
    "olmo2": {"head_dim": None, "num_key_value_heads": None, "rope_theta": 10_000.0, "rms_norm_eps": 1e-5},
    "olmo3": {
        "head_dim": None, "num_key_value_heads": None, "rope_theta": 500_000.0, "rms_norm_eps": 1e-5, "sliding_window": 4096,
    },
    "gpt_oss": {
        "head_dim": 64, "num_key_value_heads": 8, "rope_theta": 150_000.0, "sliding_window": 128, "attention_bias": True,
        "rms_norm_eps": 1e-5, "max_position_embeddings": 131_072, "rope_scaling": {
            "rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False,
            "original_max_position_embeddings": 4096,
        },
    },
    "qwen3_next": {
        "head_dim": 256, "num_key_value_heads": 2, "rope_theta": 10_000.0, "partial_rotary_factor": 0.25, "norm_topk_prob": True,
        "max_position_embeddings": 32_768,
    },
    "deepseek_v3": {
        "num_key_value_heads": None, "rope_theta": 10_000.0, "head_dim": None, "max_position_embeddings": 4096, "n_group": 8,
        "topk_group": 4, "norm_topk_prob": True, "routed_scaling_factor": 2.5,
    },
    "qwen3_moe": {
        "head_dim": None, "num_key_value_heads": 4, "rope_theta": 10_000.0, "max_position_embeddings": 32_768, "norm_topk_prob": False,
    },
    "mixtral": {
        "head_dim": None, "num_key_value_heads": 8, "rope_theta": 1_000_000.0, "max_position_embeddings": 131_072,
        "rms_norm_eps": 1e-5, "norm_topk_prob": True,
    },
    "smollm3": {
        "head_dim": None, "num_key_value_heads": 4, "rope_theta": 2_000_000.0, "max_position_embeddings": 32_768,
        "tie_word_embeddings": True, "no_rope_layer_interval": 4,
    },
    "llama4_text": {
        "head_dim": 128, "num_key_value_heads": 8, "rope_theta": 500_000.0, "max_position_embeddings": 131_072, "rms_norm_eps": 1e-5,
        "no_rope_layer_interval": 4, "attention_chunk_size": 8192, "use_qk_norm": True, "attn_temperature_tuning": True,
        "attn_scale": 0.1, "floor_scale": 8192, "interleave_moe_layer_step": 1,
    },
}  # fmt: skip
FILLED["deepseek_v32"] = FILLED["deepseek_v3"] | {"max_position_embeddings": 163_840}
LATENT = ("deepseek_v3", "deepseek_v32")
SPARED = ("smollm3", "llama4_text")  # kinds in which some layers do not turn
ALL = {"rms_norm_eps": 1e-6, "tie_word_embeddings": False, "attention_bias": False, "max_position_embeddings": 2048}
SAID_BY_NOTHING = ("sliding_window", "num_key_value_heads")  # null here is no window, and no sharing
SIZES = "hidden_size num_hidden_layers num_attention_heads intermediate_size vocab_size".split()
MORE = {  # sizes without which a kind cannot be read
    "gpt_oss": "num_local_experts num_experts_per_tok".split(),
    "qwen3_next": """num_experts num_experts_per_tok moe_intermediate_size shared_expert_intermediate_size linear_num_key_heads
        linear_num_value_heads linear_key_head_dim linear_value_head_dim linear_conv_kernel_dim""".split(),
    "deepseek_v3": """n_routed_experts num_experts_per_tok moe_intermediate_size first_k_dense_replace n_shared_experts q_lora_rank
        kv_lora_rank qk_rope_head_dim qk_nope_head_dim v_head_dim""".split(),
    "qwen3_moe": "num_experts num_experts_per_tok moe_intermediate_size".split(),
    "mixtral": "num_local_experts num_experts_per_tok".split(),
    "llama4_text": "num_local_experts num_experts_per_tok intermediate_size_mlp".split(),
}
MORE["deepseek_v32"] = [*MORE["deepseek_v3"], "index_n_heads", "index_head_dim", "index_topk"]
NO_OTHER = {  # fields that would change what is computed, and the values under which they do not
    "hidden_act": ("silu", None), "hidden_activation": ("gelu_pytorch_tanh", None), "mlp_bias": (False, None),
    "attn_logit_softcapping": (None,), "final_logit_softcapping": (None,), "use_bidirectional_attention": (False, None),
    "mlp_only_layers": ([], None), "decoder_sparse_step": (1, None), "swiglu_limit": (7.0, None), "swiglu_alpha": (1.702, None),
    "rope_interleave": (True, None),
}  # fmt: skip
LAYERS = ("full_attention", "sliding_attention", "linear_attention", "chunked_attention")
TURNS = ("default", "linear", "llama3", "yarn")
OF_YARN = {"beta_fast": 32.0, "beta_slow": 1.0, "truncate": True}


def read(text):
    """Read a config.json.

    Parameters
    ----------
    text : the file's text, or the dict that it holds

    Returns
    -------
    said : dict, whole: what the file leaves out is what its kind assumes. Turns have the older names `rope_theta` and `rope_scaling`,
        and each layer has its word in `layer_types`

    Raises
    ------
    TypeError, ValueError
        If it is no JSON, the kind is unknown, or a field is missing, of another type, or contradicts another.

    Examples
    --------
    >>> sizes = {"hidden_size": 6, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 5, "vocab_size": 7}
    >>> read({"model_type": "llama", **sizes})["head_dim"]
    2
    """
    said = dict(inputs.mapping("a configuration", _parsed(text) if isinstance(text, str) else text))
    if "text_config" in said:  # a model that also sees pictures
        if said["text_config"] is None:
            raise ValueError("text_config must hold the sizes of the model that reads, but this page says null.")
        said = dict(inputs.mapping("text_config", said["text_config"]))
    kind = said.get("model_type")
    if not isinstance(kind, str) or kind not in FILLED:
        got = "no model_type" if kind is None else f"{kind!r:.60}"
        raise ValueError(
            f"model_type must be one of {', '.join(FILLED)}, got {got}. Other kinds add lines that are not here."
        )
    empty = [name for name, value in said.items() if value is None and name not in SAID_BY_NOTHING]
    said = ALL | FILLED[kind] | {name: value for name, value in said.items() if name not in empty}
    for name in [*SIZES, *MORE.get(kind, [])]:
        if name not in said:
            raise ValueError(f"{name} must be there in a configuration of kind {kind}, but it is missing.")
    for name in [*SIZES, *MORE.get(kind, []), "max_position_embeddings"]:
        said[name] = inputs.whole_number(name, said[name], minimum=int(name != "first_k_dense_replace"), maximum=10**9)
    if said["num_hidden_layers"] > 1000:
        raise ValueError(f"num_hidden_layers must be at most 1,000, got {said['num_hidden_layers']}.")
    for name in ("tie_word_embeddings", "attention_bias", "norm_topk_prob"):
        if name in said:
            inputs.yes_or_no(name, said[name])
    for name, allowed in NO_OTHER.items():
        if said.get(name) not in allowed:
            want = " or ".join("absent" if value is None else json.dumps(value) for value in allowed)
            raise ValueError(f"{name} must be {want} in a configuration that is read here, got {said[name]!r:.60}.")
    inputs.number_from("rms_norm_eps", said["rms_norm_eps"])
    _heads(said)
    _layers(said)
    _turns(said)
    _experts(said)
    return said


def _parsed(text):
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "something else"
        start = f"{text.strip()[:30]!r}" if text.strip() else "nothing"
        raise ValueError(f"a configuration must be JSON, as in a config.json, got {start} ({where}).") from None


def _heads(said):
    kind, width, heads = said["model_type"], said["hidden_size"], said["num_attention_heads"]
    if said.get("num_key_value_heads") is None:
        said["num_key_value_heads"] = heads
    shared = inputs.whole_number("num_key_value_heads", said["num_key_value_heads"], minimum=1)
    if heads % shared:
        raise ValueError(f"num_key_value_heads must divide num_attention_heads, got {shared} for {heads}.")
    if said.get("head_dim") is None:
        if width % heads and kind not in LATENT:
            raise ValueError(
                f"head_dim must be there, or num_attention_heads divide hidden_size, got {heads} heads for {width}."
            )
        said["head_dim"] = width // heads
    if kind in LATENT:  # the parts of a key that do not turn and that do
        said["head_dim"] = said["qk_nope_head_dim"] + said["qk_rope_head_dim"]
        if said["attention_bias"] or said["num_key_value_heads"] != heads or said["qk_rope_head_dim"] % 2:
            raise ValueError(
                f"a {kind} that is read here must have no attention_bias, as many num_key_value_heads as num_attention_heads, "
                f"and an even qk_rope_head_dim, got {said['attention_bias']}, {shared} of {heads}, {said['qk_rope_head_dim']}."
            )
    if inputs.whole_number("head_dim", said["head_dim"], minimum=1, maximum=10**6) % 2 and kind not in LATENT:
        raise ValueError(f"head_dim must be even, because its dimensions turn in pairs, got {said['head_dim']}.")
    if kind == "gemma3_text":
        inputs.number_from("query_pre_attn_scalar", said["query_pre_attn_scalar"], 1.0)
        if width % heads:
            raise ValueError(f"num_attention_heads must divide hidden_size in Gemma 3, got {heads} heads for {width}.")
    if kind == "qwen3_next" and said["linear_num_value_heads"] % said["linear_num_key_heads"]:
        raise ValueError(
            "linear_num_key_heads must divide linear_num_value_heads, "
            f"got {said['linear_num_key_heads']} for {said['linear_num_value_heads']}."
        )


def _layers(said):
    """The word of each layer, and the window of those that have one."""
    kind, count = said["model_type"], said["num_hidden_layers"]
    if kind in ("qwen2", "qwen3", "qwen3_moe", "smollm3"):
        if not inputs.yes_or_no("use_sliding_window", said.get("use_sliding_window", False)):
            said["sliding_window"] = None  # whatever number the file has there
        elif kind in ("qwen3_moe", "smollm3"):
            raise ValueError(f"use_sliding_window must be false or absent in a {kind} that is read here, got True.")
    if kind in SPARED:
        every = inputs.whole_number("no_rope_layer_interval", said["no_rope_layer_interval"], minimum=1)
        said["no_rope_layers"] = said.get("no_rope_layers") or [int((i + 1) % every > 0) for i in range(count)]
        if len(inputs.listed("no_rope_layers", said["no_rope_layers"], int, "numbers, 1 where a layer turns")) != count:
            raise ValueError(f"no_rope_layers must have a number for each of num_hidden_layers = {count} layers.")
    if kind == "llama4_text":
        inputs.whole_number("attention_chunk_size", said["attention_chunk_size"], minimum=1)
        said["layer_types"] = ["chunked_attention" if turns else "full_attention" for turns in said["no_rope_layers"]]
    if kind in LATENT:
        said.pop("layer_types", None)
    window = said.get("sliding_window")
    if "layer_types" not in said:
        every = {"gemma3_text": said.get("sliding_window_pattern", 6), "olmo3": 4, "gpt_oss": 2}.get(kind)
        if kind == "qwen3_next":
            every = said.get("full_attention_interval", 4)
        if every is not None:
            every = inputs.whole_number("the number of layers from one whole to the next", every, minimum=1)
            other = "linear_attention" if kind == "qwen3_next" else "sliding_attention"
            said["layer_types"] = [other if (i + 1) % every else "full_attention" for i in range(count)]
        elif kind in ("qwen2", "qwen3") and window is not None:
            whole = inputs.whole_number("max_window_layers", said.get("max_window_layers", 28), minimum=0)
            said["layer_types"] = ["sliding_attention" if i >= whole else "full_attention" for i in range(count)]
        else:
            all_windows = kind in ("mistral", "mixtral") and window is not None
            said["layer_types"] = ["sliding_attention" if all_windows else "full_attention"] * count
    kinds = inputs.listed("layer_types", said["layer_types"], str, "words")
    if len(kinds) != count:
        raise ValueError(
            f"layer_types must have a word for each of num_hidden_layers = {count} layers, got {len(kinds)}."
        )
    for word in set(kinds):
        only = {"linear_attention": "qwen3_next", "chunked_attention": "llama4_text"}
        if word not in LAYERS or only.get(word, kind) != kind:
            raise ValueError(f"layer_types must be words such as {LAYERS[0]} that a {kind} has, got {word!r:.60}.")
    if "sliding_attention" in kinds:
        if window is None:
            raise ValueError(
                "sliding_window must be there, because layer_types has sliding_attention, but it is missing."
            )
        inputs.whole_number("sliding_window", window, minimum=1)


def _turns(said):
    """rope_theta and rope_scaling, also where a newer file has both in rope_parameters."""
    new, kind = said.get("rope_parameters"), said["model_type"]
    if new is not None:
        new = dict(inputs.mapping("rope_parameters", new))
        if "full_attention" in new:  # one for each kind of layer
            local, new = (
                new.get("sliding_attention") or {},
                dict(inputs.mapping("full_attention", new["full_attention"])),
            )
            base = "rope_local_base_freq" if kind == "gemma3_text" else "rope_theta"
            said[base] = dict(inputs.mapping("sliding_attention", local)).get("rope_theta", said[base])
        said |= {name: new[name] for name in ("rope_theta", "partial_rotary_factor") if name in new}
        said["rope_scaling"] = new
    said["rope_theta"] = inputs.finite_number("rope_theta", said["rope_theta"])
    if said["rope_theta"] <= 1:
        raise ValueError(f"rope_theta must be greater than 1, got {said['rope_theta']:g}.")
    rope = dict(inputs.mapping("rope_scaling", said.get("rope_scaling") or {"rope_type": "default"}))
    word = rope.setdefault("rope_type", rope.get("type", "default"))  # older files: type
    if not isinstance(word, str) or word not in TURNS:
        raise ValueError(f"rope_type must be one of {', '.join(TURNS)}, got {word!r:.60}.")
    needed = {"llama3": ["factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"],
              "yarn": ["factor", "original_max_position_embeddings"], "linear": ["factor"]}.get(word, [])  # fmt: skip
    if word == "yarn":
        rope = OF_YARN | rope
        rope.setdefault("original_max_position_embeddings", said["max_position_embeddings"])
    for name in needed:
        if name not in rope:
            raise ValueError(f"{name} must be there in rope_scaling of rope_type {word}, but it is missing.")
        inputs.number_from(f"{name} in rope_scaling", rope[name], 1.0)
    said["rope_scaling"] = rope
    if kind in LATENT and word == "yarn" and (rope.get("mscale"), rope.get("mscale_all_dim")) != (1.0, 1.0):
        raise ValueError(f"mscale and mscale_all_dim must be 1.0 in rope_scaling of a {kind} that is read here.")
    part = said.get("partial_rotary_factor", 1.0)
    turned = said["qk_rope_head_dim"] if kind in LATENT else said["head_dim"]
    if not 0 < inputs.finite_number("partial_rotary_factor", part) <= 1 or int(turned * part) % 2:
        raise ValueError(
            f"partial_rotary_factor must leave an even part of head_dim = {said['head_dim']}, got {part:g}."
        )


def _experts(said):
    """No more experts for a token than there are; which layers have some."""
    if said["model_type"] == "llama4_text":
        step = inputs.whole_number("interleave_moe_layer_step", said["interleave_moe_layer_step"], minimum=1)
        said["moe_layers"] = said.get("moe_layers") or list(range(step - 1, said["num_hidden_layers"], step))
    if said["model_type"] in LATENT and (
        said["n_routed_experts"] % said["n_group"] or said["topk_group"] > said["n_group"]
    ):
        raise ValueError(
            "n_group must divide n_routed_experts, and topk_group be at most n_group, "
            f"got {said['n_group']}, {said['n_routed_experts']} and {said['topk_group']}."
        )
    for name in ("num_local_experts", "num_experts", "n_routed_experts"):
        if name in said and said.get("num_experts_per_tok", 0) > said[name]:
            raise ValueError(
                f"num_experts_per_tok must be at most {name} = {said[name]}, got {said['num_experts_per_tok']}."
            )

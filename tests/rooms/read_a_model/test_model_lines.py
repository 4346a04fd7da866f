"""Models as forty lines and what each adds: held against the library's classes, with random weights; and bad configurations."""

import importlib.util
import json
import math

import numpy as np
import pytest

from helpers.support import data_files
from rooms.read_a_model import config_json, configurations, model_lines
from tests import library
from tests.refusals import refused, says

CLOSE = {"Qwen3-Next": 2e-4}  # the library carries states in 32 bits
SIZES = {
    "hidden_size": 30, "num_attention_heads": 6, "num_key_value_heads": 3, "head_dim": 14, "intermediate_size": 19, "vocab_size": 31,
    "num_hidden_layers": 3, "max_position_embeddings": 128,
}  # fmt: skip
LLAMA = {"model_type": "llama", **SIZES}


@pytest.mark.parametrize("name", model_lines.MODELS)
def test_lines_of_a_model_give_the_logits_of_the_librarys_class(name):
    found = model_lines.compare(name)
    assert found.gap < CLOSE.get(name, 1e-5) and found.agree == len(model_lines.IDS) and not found.error


@pytest.mark.parametrize("name", model_lines.MODELS)
def test_without_one_of_its_additions_a_model_differs_or_stops(name):
    for index, added in enumerate(model_lines.additions(model_lines.MODELS[name])):
        assert model_lines.compare(name, (index,)).gap > 0.1, added.words


def test_llama_3_is_the_base_and_the_others_only_add():
    assert sum(map(bool, model_lines.BASE)) == 41
    assert not model_lines.additions(model_lines.MODELS["Llama 3"])
    for configuration in model_lines.MODELS.values():
        lines = model_lines.program(configuration)
        added = model_lines.additions(configuration)
        assert {line.by for line in lines} == {-1, *range(len(added))}
        taken_out = sum(old not in new for each in added for old, new in each.edits.items())
        assert [line.text for line in lines if line.by == -1].__len__() == len(model_lines.BASE) - taken_out


def test_five_models_have_1_to_16_lines_that_are_more_or_other_and_four_have_25_to_42():
    counts = {
        name: sum(line.by >= 0 and bool(line.text.strip()) for line in model_lines.program(configuration))
        for name, configuration in model_lines.MODELS.items()
    }
    assert counts.pop("Llama 3") == 0
    many = [counts.pop(name) for name in ("Qwen3-Next", "Llama 4", "DeepSeek-V3", "DeepSeek-V3.2")]
    assert many == [40, 25, 29, 42] and len(counts) == 5 and min(counts.values()) == 1 and max(counts.values()) == 16


def test_some_lines_are_missed_by_no_largest_logit():
    silent = [
        (name, added.words)
        for name, configuration in model_lines.MODELS.items()
        for index, added in enumerate(model_lines.additions(configuration))
        if model_lines.compare(name, (index,)).agree == len(model_lines.IDS)
    ]
    assert silent == [
        ("Gemma 3", "a scale of its own"), ("OLMo 3", "slower turns, yarn, in whole layers alone"),
        ("Llama 4", "queries grow with their position where nothing turns"),
    ]  # fmt: skip


# --- against the library -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def maker():
    """The script that makes the stored table."""
    library.needed()
    spec = importlib.util.spec_from_file_location("make_model_lines", data_files.path("made_by/make_model_lines.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.everything
@pytest.mark.parametrize("name", model_lines.MODELS)
def test_stored_logits_are_what_the_library_says_today(maker, name):
    stored = data_files.json_file(model_lines.PATH)[name]
    model = maker.theirs(model_lines.MODELS[name])
    assert type(model).__name__ == stored["class"] and maker.shapes_of(model) == stored["shapes"]
    logits = maker.logits_of(model, model_lines.stored_file(name), list(model_lines.IDS))
    np.testing.assert_allclose(stored["logits"], logits, atol=CLOSE.get(name, 1e-5))


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32, "beta_fast": 4.0, "beta_slow": 1.0}
STATES = {
    "num_experts": 7, "num_experts_per_tok": 3, "moe_intermediate_size": 11, "shared_expert_intermediate_size": 13,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 5, "linear_value_head_dim": 3,
    "linear_conv_kernel_dim": 3,
}  # fmt: skip
ANYBODYS = {
    "llama, plain": LLAMA,
    "llama, tied, biases": {**LLAMA, "tie_word_embeddings": True, "attention_bias": True},
    "llama, no head_dim, no sharing": {**LLAMA, "head_dim": None, "num_key_value_heads": None, "hidden_size": 36},
    "llama, yarn": {**LLAMA, "rope_scaling": YARN, "rope_theta": 50.0},
    "llama, linear": {**LLAMA, "rope_scaling": {"type": "linear", "factor": 3.0}},
    "llama, newer names": {**LLAMA, "rope_parameters": {"rope_type": "default", "rope_theta": 77.0}},
    "mistral, windows": {**LLAMA, "model_type": "mistral", "sliding_window": 3},
    "mistral, none": {**LLAMA, "model_type": "mistral", "sliding_window": None},
    "qwen2": {**LLAMA, "model_type": "qwen2", "head_dim": None, "hidden_size": 36},
    "qwen2, a window that is not used": {**LLAMA, "model_type": "qwen2", "head_dim": None, "hidden_size": 36, "sliding_window": 3},
    "qwen2, a window that is": {
        **LLAMA, "model_type": "qwen2", "head_dim": None, "hidden_size": 36, "sliding_window": 3, "use_sliding_window": True, "max_window_layers": 1,
    },
    "qwen3": {**LLAMA, "model_type": "qwen3", "rope_theta": 33.0},
    "gemma 3": {**LLAMA, "model_type": "gemma3_text", "sliding_window": 4, "num_hidden_layers": 7, "query_pre_attn_scalar": 9},
    "gemma 3, newer names": {
        **LLAMA, "model_type": "gemma3_text", "sliding_window": 4, "layer_types": ["full_attention", "sliding_attention"] * 2,
        "num_hidden_layers": 4, "rope_parameters": {
            "full_attention": {"rope_type": "linear", "rope_theta": 500.0, "factor": 2.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 20.0},
        },
    },
    "olmo 2": {**LLAMA, "model_type": "olmo2"},
    "olmo 3": {**LLAMA, "model_type": "olmo3", "num_hidden_layers": 4, "sliding_window": 3, "rope_theta": 500_000.0},
    "gpt-oss": {**LLAMA, "model_type": "gpt_oss", "num_local_experts": 3, "num_experts_per_tok": 1, "sliding_window": 3},
    "gpt-oss, no biases": {
        **LLAMA, "model_type": "gpt_oss", "num_local_experts": 3, "num_experts_per_tok": 3, "attention_bias": False,
    },
    "qwen3-next": {**LLAMA, "model_type": "qwen3_next", "head_dim": 16, **STATES, "full_attention_interval": 2},
    "qwen3-next, all whole": {
        **LLAMA, "model_type": "qwen3_next", "head_dim": 16, **STATES, "layer_types": ["full_attention"] * 3, "norm_topk_prob": False,
    },
    "qwen3-moe": {**LLAMA, "model_type": "qwen3_moe", "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 11},
    "qwen3-moe, shares of 1": {
        **LLAMA, "model_type": "qwen3_moe", "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 11, "norm_topk_prob": True,
    },
    "mixtral": {**LLAMA, "model_type": "mixtral", "num_local_experts": 5, "num_experts_per_tok": 2},
    "mixtral, windows": {**LLAMA, "model_type": "mixtral", "num_local_experts": 5, "num_experts_per_tok": 2, "sliding_window": 3},
    "smollm3": {**LLAMA, "model_type": "smollm3", "num_hidden_layers": 4, "pad_token_id": 0},
    "llama 4, experts in every layer, two for a token": {
        **LLAMA, "model_type": "llama4_text", "num_hidden_layers": 4, "num_local_experts": 5, "num_experts_per_tok": 2,
        "intermediate_size_mlp": 23, "use_qk_norm": False, "attn_temperature_tuning": False,
    },
    "deepseek-v3, plain turns": {**model_lines.MODELS["DeepSeek-V3"], "rope_scaling": None, "rms_norm_eps": 1e-3},
    "deepseek-v3.2, plain turns": {**model_lines.MODELS["DeepSeek-V3.2"], "rope_scaling": None},
}  # fmt: skip


@pytest.mark.everything
@pytest.mark.parametrize("case", ANYBODYS)
def test_lines_follow_from_anybodys_configuration(maker, case):
    configuration = ANYBODYS[case]
    model = maker.theirs(configuration)
    file = model_lines.random_file(maker.shapes_of(model), seed=len(case))
    ids = np.random.default_rng(1).integers(31, size=11)
    want = maker.logits_of(model, file, ids.tolist())
    np.testing.assert_allclose(model_lines.run(configuration, file, ids), want, atol=1e-4)
    assert sum(configurations.count_parameters(configuration)) == sum(each.numel() for each in model.parameters())
    with maker.torch.no_grad():
        kept = model(maker.torch.tensor([ids.tolist()]), use_cache=True).cache
    for layer, (kind, count) in enumerate(
        zip(configurations.layer_kinds(configuration), configurations.kept_numbers(configuration, 11))
    ):
        if kind == "latent":
            index = configurations.whole(configuration).get("index_head_dim", 0)
            row = kept.layers[layer]
            assert row.keys.numel() + row.values.numel() + 11 * index == count
        elif kind != "state":
            keys = kept.layers[layer].keys
            whole = configurations.whole(configuration)
            window = whole.get("attention_chunk_size") or whole.get("sliding_window")
            # a cache of the library keeps one row less than the window, until the next token brings its own
            assert 2 * keys.numel() == count - 2 * keys[:, :, :1].numel() * (kind == "window" and window <= 11)


@pytest.mark.everything
def test_what_a_kind_assumes_is_what_its_class_assumes():
    transformers = pytest.importorskip("transformers", reason=library.NEEDS)
    for kind, filled in config_json.FILLED.items():
        said = transformers.AutoConfig.for_model(kind).to_dict()
        rope = said["rope_parameters"]
        rope = {**rope, **rope.get("full_attention", {})}
        for name, value in (config_json.ALL | filled).items():
            if name == "rope_scaling":
                assert {key: rope[key] for key in value} == value
            elif name == "rope_theta":
                assert rope["rope_theta"] == value, kind
            elif name == "rope_local_base_freq":
                assert rope["sliding_attention"]["rope_theta"] == value
            elif name == "partial_rotary_factor":
                assert rope[name] == value
            elif value is not None and name in said:
                assert said[name] == value, (kind, name)


# --- a learner's own configuration ---------------------------------------------------------------------------------------


def changed(**fields):
    return {**LLAMA, **fields}


def without(*names):
    return {name: value for name, value in LLAMA.items() if name not in names}


KNOWN = ", ".join(config_json.FILLED)
VALUES = [
    ({}, f"model_type must be one of {KNOWN}, got no model_type. Other kinds add lines that are not here."),
    (changed(model_type="mamba"), f"model_type must be one of {KNOWN}, got 'mamba'. Other kinds add lines that are not here."),
    (changed(model_type=["llama"]), f"model_type must be one of {KNOWN}, got ['llama']. Other kinds add lines that are not here."),
    ("", "a configuration must be JSON, as in a config.json, got nothing (line 1: Expecting value)."),
    ('{"hidden_size": 5,\n}', "a configuration must be JSON, as in a config.json, got '{\"hidden_size\": 5,\\n}' (line 2: …"),
    ("[" * 10**5, "a configuration must be JSON, as in a config.json, got '[[[[[[…"),
    (without("hidden_size"), "hidden_size must be there in a configuration of kind llama, but it is missing."),
    (changed(hidden_size=0), "hidden_size must be at least 1, got 0."),
    (changed(num_hidden_layers=10**6), "num_hidden_layers must be at most 1,000, got 1000000."),
    (changed(vocab_size=10**30), "vocab_size must be at most 1,000,000,000, got a number of more than 20 digits."),
    (changed(num_key_value_heads=4), "num_key_value_heads must divide num_attention_heads, got 4 for 6."),
    (changed(head_dim=None, hidden_size=31), "head_dim must be there, or num_attention_heads divide hidden_size, got 6 heads for 31."),
    (changed(head_dim=7), "head_dim must be even, because its dimensions turn in pairs, got 7."),
    (changed(layer_types=["full_attention"]), "layer_types must have a word for each of num_hidden_layers = 3 layers, got 1."),
    (changed(layer_types=["whole"] * 3), "layer_types must be words such as full_attention that a llama has, got 'whole'."),
    (changed(layer_types=["linear_attention"] * 3), "layer_types must be words such as full_attention that a llama has, got 'linear_attention'."),
    (changed(layer_types=["sliding_attention"] * 3), "sliding_window must be there, because layer_types has sliding_attention, but it is missing."),
    (changed(rope_theta=math.nan), "rope_theta must be a finite number, got nan."),
    (changed(rope_theta=1), "rope_theta must be greater than 1, got 1."),
    (changed(rope_scaling={"rope_type": "longrope"}), "rope_type must be one of default, linear, llama3, yarn, got 'longrope'."),
    (changed(rope_scaling={"rope_type": "llama3", "factor": 8.0}), "low_freq_factor must be there in rope_scaling of rope_type llama3, but it is missing."),
    (changed(rope_scaling={"rope_type": "linear", "factor": 0.5}), "factor in rope_scaling must be at least 1, got 0.5."),
    (changed(rms_norm_eps=math.nan), "rms_norm_eps must be a finite number, got nan."),
    (changed(partial_rotary_factor=0.25), "partial_rotary_factor must leave an even part of head_dim = 14, got 0.25."),
    (changed(hidden_act="gelu"), 'hidden_act must be "silu" or absent in a configuration that is read here, got \'gelu\'.'),
    (changed(mlp_bias=True), "mlp_bias must be false or absent in a configuration that is read here, got True."),
    (changed(model_type="gpt_oss", num_local_experts=3, num_experts_per_tok=4), "num_experts_per_tok must be at most num_local_experts = 3, got 4."),
    (changed(model_type="gpt_oss"), "num_local_experts must be there in a configuration of kind gpt_oss, but it is missing."),
    ({"text_config": None}, "text_config must hold the sizes of the model that reads, but this page says null."),
    (changed(model_type="smollm3", use_sliding_window=True), "use_sliding_window must be false or absent in a smollm3 that is read here, got True."),
    (changed(model_type="smollm3", no_rope_layers=[1, 0]), "no_rope_layers must have a number for each of num_hidden_layers = 3 layers."),
    ({**model_lines.MODELS["DeepSeek-V3"], "attention_bias": True}, "a deepseek_v3 that is read here must have no attention_bias, as many …"),
    ({**model_lines.MODELS["DeepSeek-V3"], "rope_scaling": YARN}, "mscale and mscale_all_dim must be 1.0 in rope_scaling of a deepseek_v3 that is read here."),
    ({**model_lines.MODELS["DeepSeek-V3"], "n_group": 3}, "n_group must divide n_routed_experts, and topk_group be at most n_group, got 3, 8 and 2."),
    (changed(model_type="gemma3_text", hidden_size=31), "num_attention_heads must divide hidden_size in Gemma 3, got 6 heads for 31."),
]  # fmt: skip
TYPES = [
    (7, "a configuration must be a dict, got int."),
    ("[1, 2]", "a configuration must be a dict, got list."),
    (changed(hidden_size=30.0), "hidden_size must be a whole number, got 30.0."),
    (changed(hidden_size=math.nan), "hidden_size must be a whole number, got nan."),
    (changed(hidden_size="30"), "hidden_size must be a whole number, got '30'."),
    (changed(hidden_size=True), "hidden_size must be a whole number, got True."),
    (changed(tie_word_embeddings="yes"), "tie_word_embeddings must be True or False, got 'yes'."),
    (changed(rope_scaling="yarn"), "rope_scaling must be a dict, got str."),
    (changed(rope_parameters=[1]), "rope_parameters must be a dict, got list."),
    (changed(layer_types="full_attention"), "layer_types must be a list of words, got str."),
    ({"text_config": [1]}, "text_config must be a dict, got list."),
]


def reading(given):
    return lambda: config_json.read(given)


test_a_configuration_says_what_is_wrong = refused(ValueError, [(reading(given), words) for given, words in VALUES])
test_a_field_says_what_it_must_be = refused(TypeError, [(reading(given), words) for given, words in TYPES])


def test_a_configuration_is_read_once_as_it_is_read_twice_and_stays_as_it_was():
    for configuration in [*ANYBODYS.values(), *model_lines.MODELS.values()]:
        before = json.dumps(configuration)
        said = config_json.read(configuration)
        assert config_json.read(said) == said and json.dumps(configuration) == before
        assert config_json.read(json.dumps(configuration)) == said
    assert config_json.read({"model_type": "gemma3", "text_config": LLAMA}) == config_json.read(LLAMA)


def test_lines_say_what_is_wrong_with_a_file():
    name, ids = "Llama 3", [1, 2, 3]
    said, file = model_lines.MODELS[name], model_lines.stored_file(name)
    says(lambda: model_lines.run(said, file, [1, 31]), ValueError, "ids must be from 0 to 30, got 1 to 31.")
    says(lambda: model_lines.run(said, file, [0.5]), TypeError, "ids must be whole numbers, got float64.")
    lacking = {name: array for name, array in file.items() if "o_proj" not in name}
    says(
        lambda: model_lines.run(said, lacking, ids),
        ValueError,
        "file must hold every matrix that the lines name, but self_attn.o_proj is missing.",
    )
    other = file | {"model.norm": np.ones(17)}
    says(
        lambda: model_lines.run(said, other, ids),
        ValueError,
        "the arrays of file must have the shapes that the configuration says (operands could not be …",
    )
    unknown = file | {"model.norm": np.full(18, np.nan)}
    says(
        lambda: model_lines.run(said, unknown, ids),
        ValueError,
        "model.norm must not hold NaN (not a number), got 18 of 18 entries (the first at index [0]).",
    )
    says(
        lambda: model_lines.compare("GPT-9"),
        ValueError,
        f"name must be one of {', '.join(map(repr, model_lines.MODELS))}, got 'GPT-9'.",
    )

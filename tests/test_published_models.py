"""What lessons 19 to 24, 29 to 31 say of published models: plain NumPy against the classes of the library transformers, with random
weights, and the sizes that it assumes. What stands only in a published file is named in the lesson with its source."""

import collections
import importlib
import inspect
from pathlib import Path

import numpy as np
import pytest

from helpers import variants
from helpers.attention import causal_mask, scaled_dot_product_attention
from helpers.layers import layer_norm, rms_norm
from helpers.positions import rotate, turn
from helpers.since_2017.experts import silu
from helpers.since_2017.gates import sigmoid
from helpers.since_2017.softmax_variants import softmax_with_sink, unit_length
from helpers.since_2017.yarn import llama3_speeds, turns_in_training, yarn_sharpness, yarn_speeds
from rooms.read_a_model import configurations, model_lines
from tests import library, notebooks
from tests.library import filled, sizes_of, theirs

pytestmark = pytest.mark.everything
RNG = np.random.default_rng(17)


@pytest.fixture(scope="module", autouse=True)
def torch():
    return library.needed()


def matrix(linear):
    """A linear layer's matrix, to be multiplied from the right."""
    return linear.weight.detach().numpy().T


def unwrapped(layer):
    """The names that its forward pass uses, in their order."""
    return inspect.unwrap(layer.forward).__code__.co_names


def masked(torch, n):
    return torch.tensor(np.where(causal_mask(n), 0.0, -np.inf))[None, None]


# --- 19: positions ---------------------------------------------------------------------------------------------------


def their_speeds(kind, width, base, **more):
    functions = importlib.import_module("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS
    parameters = {"rope_type": kind, "rope_theta": base, **more}
    length = int(more["factor"] * more["original_max_position_embeddings"])
    sizes = {"hidden_size": 2 * width, "num_attention_heads": 2, "head_dim": width, "max_position_embeddings": length}
    speeds, sharpness = functions[kind](sizes_of("llama", "LlamaConfig", **sizes, rope_parameters=parameters), None)
    return speeds.numpy(), sharpness


@pytest.mark.parametrize(
    ("width", "base", "factor", "length", "whole"),
    [
        (8, 10_000.0, 4.0, 4096, True),  # the lesson's
        (64, 150_000.0, 32.0, 4096, False),  # gpt-oss
        (64, 10_000.0, 40.0, 4096, True),  # DeepSeek-V3, the part that is turned
        (128, 1_000_000.0, 4.0, 32_768, True),  # Qwen3
        (32, 10_000.0, 2.0, 512, True),
        (6, 10.0, 3.0, 40, False),
    ],
)
def test_yarn_is_what_the_library_runs(width, base, factor, length, whole):
    speeds, sharpness = their_speeds(
        "yarn", width, base, factor=factor, original_max_position_embeddings=length, truncate=whole
    )
    ours = yarn_speeds(width, factor=factor, num_positions=length, base=base, whole=whole)
    np.testing.assert_allclose(ours, speeds, rtol=1e-6)
    assert yarn_sharpness(factor) == pytest.approx(sharpness)


def test_pair_2_of_the_lesson_keeps_0_625_in_code_and_0_384_by_the_paper():
    plain = 10_000.0 ** (-np.arange(4) / 4)
    by_code = yarn_speeds(8, factor=4, num_positions=4096) / plain
    by_turns = llama3_speeds(8, factor=4, num_positions=4096, base=10_000.0, fast=32) / plain
    assert [f"{each:.3f}" for each in (by_code[2], by_turns[2])] == ["0.625", "0.384"]
    assert turns_in_training(8, 4096).round(1).tolist() == [651.9, 65.2, 6.5, 0.7]


def test_gpt_oss_parts_slow_and_fast_pairs_at_fractions_and_the_wrong_setting_turns_9_pairs_wrongly():
    assert sizes_of("gpt_oss", "GptOssConfig").rope_parameters["truncate"] is False
    plain = 10_000.0 ** (-np.arange(4) / 4)
    kept = [yarn_speeds(8, factor=4, num_positions=4096, whole=whole)[2] / plain[2] for whole in (True, False)]
    assert [f"{each:.3f}" for each in kept] == ["0.625", "0.656"]
    how = {"factor": 32.0, "num_positions": 4096, "base": 150_000.0}
    wrong, right = (yarn_speeds(64, **how, whole=whole) for whole in (True, False))
    off = np.abs(right / wrong - 1)
    assert (off > 1e-9).sum() == 9 and f"{off.max():.0%}" == "43%"


def test_llama_3_1_turns_35_of_64_pairs_more_slowly_in_every_text_29_of_them_by_8():
    how = {"factor": 8.0, "original_max_position_embeddings": 8192, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    speeds, sharpness = their_speeds("llama3", 128, 500_000.0, **how)
    np.testing.assert_allclose(llama3_speeds(128), speeds, rtol=1e-6)
    plain = 500_000.0 ** (-np.arange(64) / 64)
    assert (llama3_speeds(128) < plain * (1 - 1e-9)).sum() == 35 and sharpness == 1
    assert np.isclose(llama3_speeds(128) * 8, plain, rtol=1e-9).sum() == 29  # the other six only in part


LAYOUTS = {
    "llama": ("LlamaRotaryEmbedding", "apply_rotary_pos_emb", "LlamaConfig", "halves"),
    "qwen3": ("Qwen3RotaryEmbedding", "apply_rotary_pos_emb", "Qwen3Config", "halves"),
    "gemma": ("GemmaRotaryEmbedding", "apply_rotary_pos_emb", "GemmaConfig", "halves"),
    "gpt_oss": ("GptOssRotaryEmbedding", "apply_rotary_pos_emb", "GptOssConfig", "halves"),
    "deepseek_v3": ("DeepseekV3RotaryEmbedding", "apply_rotary_pos_emb_interleave", "DeepseekV3Config", "pairs"),
    "cohere": ("CohereRotaryEmbedding", "apply_rotary_pos_emb", "CohereConfig", "pairs"),
    "glm4": ("Glm4RotaryEmbedding", "apply_rotary_pos_emb", "Glm4Config", "pairs"),
    "llama4": ("Llama4TextRotaryEmbedding", "apply_rotary_emb", "Llama4TextConfig", "pairs"),
}


@pytest.mark.parametrize("model", LAYOUTS)
def test_which_two_numbers_are_a_pair_is_the_model_files_choice(torch, model):
    embedding, apply, config, layout = LAYOUTS[model]
    embedding, apply = theirs(model, embedding, apply)
    rope = {"rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": 1.0}
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "head_dim": 8, "rope_parameters": rope}
    config = sizes_of(model, config, **sizes, **({"qk_rope_head_dim": 8} if model == "deepseek_v3" else {}))
    x, places = torch.tensor(RNG.normal(size=(2, 1, 1, 5, 8))), torch.arange(5)[None]
    if model == "llama4":
        x = x.transpose(2, 3)
        query, key = (each.transpose(1, 2) for each in apply(x[0], x[1], embedding(config)(x[0], places)))
        x = x.transpose(2, 3)
    else:
        query, key = apply(x[0], x[1], *embedding(config)(x[0], places))
    query, key, x = query[0, 0].double().numpy(), key[0, 0].double().numpy(), x[:, 0, 0].numpy()
    ours = {kind: rotate(x[0], layout=kind) @ rotate(x[1], layout=kind).T for kind in ("pairs", "halves")}
    np.testing.assert_allclose(query @ key.T, ours[layout], atol=1e-5)
    assert np.abs(ours["pairs"] - ours["halves"]).max() > 0.1


def test_deepseek_lays_its_turned_neighbours_out_in_halves_and_no_score_feels_it(torch):
    """So a port that leaves them where they were has other queries and keys, and the same weights."""
    (apply,) = [theirs("deepseek_v3", "apply_rotary_pos_emb_interleave")]
    angles = np.outer(np.arange(5), 100.0 ** (-np.arange(4) / 4))
    query, key = RNG.normal(size=(2, 5, 8))
    waves = [torch.tensor(np.tile(wave(angles), 2))[None] for wave in (np.cos, np.sin)]
    got = [each[0, 0].numpy() for each in apply(torch.tensor(query)[None, None], torch.tensor(key)[None, None], *waves)]
    ours = [rotate(each, base=100.0) for each in (query, key)]
    for theirs_turned, turned in zip(got, ours):
        np.testing.assert_allclose(theirs_turned, np.concatenate([turned[:, 0::2], turned[:, 1::2]], axis=1), atol=1e-9)
        assert np.abs(theirs_turned - turned).max() > 0.5
    np.testing.assert_allclose(got[0] @ got[1].T, ours[0] @ ours[1].T, atol=1e-9)


def test_some_layers_do_not_turn_and_some_models_have_two_bases_or_turn_a_part():
    for model, name in (("llama4", "Llama4TextConfig"), ("smollm3", "SmolLM3Config")):
        assert sizes_of(model, name).no_rope_layers[:8] == [1, 1, 1, 0, 1, 1, 1, 0]
    rope = sizes_of("gemma3", "Gemma3TextConfig").rope_parameters
    assert [rope[kind]["rope_theta"] for kind in ("sliding_attention", "full_attention")] == [10_000, 1_000_000]
    deepseek, qwen = sizes_of("deepseek_v3", "DeepseekV3Config"), sizes_of("qwen3_next", "Qwen3NextConfig")
    assert (deepseek.qk_rope_head_dim, deepseek.qk_nope_head_dim) == (64, 128)
    assert qwen.rope_parameters["partial_rotary_factor"] == 0.25


def test_deepseek_sharpens_in_the_scale_and_not_in_the_turn():
    attention = theirs("deepseek_v3", "DeepseekV3Attention")
    rope = {
        "rope_type": "yarn", "rope_theta": 10_000.0, "factor": 40.0, "original_max_position_embeddings": 4096,
        "mscale": 1.0, "mscale_all_dim": 1.0,
    }  # fmt: skip
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64}
    config = sizes_of("deepseek_v3", "DeepseekV3Config", **sizes, max_position_embeddings=163_840, rope_parameters=rope)
    assert attention(config, 0).scaling == pytest.approx(yarn_sharpness(40) ** 2 / np.sqrt(192))
    assert their_speeds("yarn", 64, **{k: v for k, v in rope.items() if "rope" not in k}, base=10_000.0)[1] == 1


# --- 20: caches ------------------------------------------------------------------------------------------------------


def latent_attention(x, module, places, norm=rms_norm):
    """DeepSeek's, from the two things that are cached: the normed latent vector, and the part of a key that is turned."""
    heads, plain, turned = module.num_heads, module.qk_nope_head_dim, module.qk_rope_head_dim
    both = x @ matrix(module.kv_a_proj_with_mqa)
    latent, shared = both[:, : module.kv_lora_rank], rotate(both[:, module.kv_lora_rank :], places)
    if norm:
        latent = norm(latent, module.kv_a_layernorm.weight.detach().numpy(), epsilon=1e-6)
    narrow = rms_norm(
        x @ matrix(module.q_a_proj), module.q_a_layernorm.weight.detach().numpy(), epsilon=1e-6
    )  # fmt: skip
    query = (narrow @ matrix(module.q_b_proj)).reshape(len(x), heads, -1).swapaxes(0, 1)
    built = (latent @ matrix(module.kv_b_proj)).reshape(len(x), heads, -1).swapaxes(0, 1)
    key = np.concatenate([built[..., :plain], np.broadcast_to(shared, (heads, len(x), turned))], axis=-1)
    query = np.concatenate([query[..., :plain], rotate(query[..., plain:], places)], axis=-1)
    found = scaled_dot_product_attention(query, key, built[..., plain:], mask=causal_mask(len(x))).output
    return found.swapaxes(0, 1).reshape(len(x), -1) @ matrix(module.o_proj)


def test_the_cached_latent_vector_is_normed_and_one_product_makes_it_and_the_turned_part(torch):
    attention, embedding = theirs("deepseek_v3", "DeepseekV3Attention", "DeepseekV3RotaryEmbedding")
    config = sizes_of(
        "deepseek_v3", "DeepseekV3Config", hidden_size=12, num_attention_heads=3, num_key_value_heads=3, q_lora_rank=7,
        kv_lora_rank=5, qk_nope_head_dim=4, qk_rope_head_dim=2, v_head_dim=6, attn_implementation="eager",
    )  # fmt: skip
    module, x = filled(attention(config, 0), torch), RNG.normal(size=(5, 12))
    assert module.kv_a_proj_with_mqa.out_features == 5 + 2
    with torch.no_grad():
        there = torch.tensor(x)[None]
        turns = [each.double() for each in embedding(config)(there, torch.arange(5)[None])]
        want = module(there, turns, masked(torch, 5))[0][0].numpy()
    np.testing.assert_allclose(latent_attention(x, module, np.arange(5)), want, atol=1e-6)
    assert np.abs(latent_attention(x, module, np.arange(5), norm=None) - want).max() > 0.1


def test_the_library_keeps_the_latent_vector_and_builds_all_keys_again_in_each_step(torch, monkeypatch):
    published = sizes_of("deepseek_v3", "DeepseekV3Config")
    named = ("kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "num_attention_heads")
    assert [getattr(published, name) for name in named] == [512, 64, 128, 128, 128]
    attention, embedding = theirs("deepseek_v3", "DeepseekV3Attention", "DeepseekV3RotaryEmbedding")
    config = sizes_of(
        "deepseek_v3", "DeepseekV3Config", hidden_size=12, num_attention_heads=3, num_key_value_heads=3, q_lora_rank=7,
        kv_lora_rank=5, qk_nope_head_dim=4, qk_rope_head_dim=2, v_head_dim=6, attn_implementation="eager",
    )  # fmt: skip
    module, cache, built = attention(config, 0).eval(), importlib.import_module("transformers").DynamicCache(), []
    build = module.expand_kv
    monkeypatch.setattr(module, "expand_kv", lambda *given: built.append(given[0].shape[-2]) or build(*given))
    for place in range(3):
        x = torch.tensor(RNG.normal(size=(1, 1, 12)), dtype=torch.float32)
        module(x, embedding(config)(x, torch.tensor([[place]])), None, cache)
    assert [tuple(each.shape) for each in (cache.layers[0].keys, cache.layers[0].values)] == [
        (1, 1, 3, 5),
        (1, 1, 3, 2),
    ]
    assert built == [1, 2, 3]


SMALL = {
    "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "vocab_size": 31, "sliding_window": 9,
    "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "vocab_size_per_layer_input": 31,
}  # fmt: skip


def cache_of(torch, config, dtype=None):
    """A small model with random weights, and the layers of its cache after five tokens."""
    config._experts_implementation = "eager"  # the faster one wants other sizes
    model = importlib.import_module("transformers").AutoModelForCausalLM.from_config(config).to(dtype).eval()
    with torch.no_grad():
        return model.model, model(torch.tensor([[3, 1, 4, 1, 5]]), use_cache=True).cache.layers


def test_last_layers_of_gemma_3n_keep_nothing_and_read_the_cache_of_another(torch):
    published = sizes_of("gemma3n", "Gemma3nTextConfig")
    assert (published.num_kv_shared_layers, published.num_hidden_layers) == (15, 35)
    config = sizes_of(
        "gemma3n", "Gemma3nTextConfig", **SMALL, intermediate_size=[24] * 4, num_kv_shared_layers=2, laurel_rank=3,
        hidden_size_per_layer_input=4, activation_sparsity_pattern=[0.0] * 4, altup_num_inputs=2,
    )  # fmt: skip
    _, cache = cache_of(torch, config)
    assert [layer.keys is not None for layer in cache] == [True, True, False, False]


def test_gemma_4_makes_keys_and_values_by_one_matrix_in_whole_layers_and_caches_both(torch):
    config = sizes_of(
        "gemma4", "Gemma4TextConfig", **SMALL, intermediate_size=24, global_head_dim=8, num_global_key_value_heads=1,
        attention_k_eq_v=True, num_kv_shared_layers=0, hidden_size_per_layer_input=0,
    )  # fmt: skip
    model, cache = cache_of(torch, config)
    assert [layer.self_attn.v_proj is None for layer in model.layers] == [False, True] * 2
    assert all(layer.keys.shape == layer.values.shape and (layer.keys != layer.values).any() for layer in cache)


def test_only_every_fourth_layer_of_kimi_linear_keeps_a_latent_vector():
    kimi = sizes_of("kimi_linear", "KimiLinearConfig")
    whole = [k for k, kind in enumerate(kimi.layer_types, start=1) if kind == "full_attention"]
    assert kimi.kv_lora_rank == 512 and len(kimi.layer_types) == 27 and len(whole) < 27 / 3
    assert set(np.diff(whole)) == {4}


# --- 21: few keys ----------------------------------------------------------------------------------------------------


def test_sliding_window_counts_the_token_itself_and_a_chunk_forgets_all_at_once(torch):
    masks = importlib.import_module("transformers.masking_utils")
    config = sizes_of("llama4", "Llama4TextConfig", attention_chunk_size=4, num_hidden_layers=2, hidden_size=8)
    config._attn_implementation = "eager"
    x = torch.zeros(1, 6, 8)
    how = {"config": config, "inputs_embeds": x, "attention_mask": None, "cache": None}
    chunk = masks.create_chunked_causal_mask(**how, position_ids=torch.arange(6)[None])
    assert [int(row.sum()) for row in chunk[0, 0] == 0] == [1, 2, 3, 4, 1, 2]  # token 4 sees itself alone
    assert chunk.min() == torch.finfo(torch.float32).min  # additive: 0, and the smallest number there is
    config = sizes_of("mistral", "MistralConfig", sliding_window=2, num_hidden_layers=2, hidden_size=8)
    config._attn_implementation = "eager"
    window = masks.create_sliding_window_causal_mask(**{**how, "config": config}, position_ids=torch.arange(6)[None])
    np.testing.assert_array_equal((window[0, 0] == 0).numpy(), variants.window_mask(6, window=2))


def test_flash_attention_leaves_the_token_itself_out_of_its_window():
    arguments = importlib.import_module("transformers.modeling_flash_attention_utils")._process_flash_attention_kwargs
    supports = collections.defaultdict(lambda: True)
    found = arguments(query_length=9, key_length=9, is_causal=True, sliding_window=4, supports_mapping=supports)
    assert found["window_size"][0] == 3  # where transformers says 4


def test_sizes_of_the_table_of_models_that_ask_few():
    oss, gemma = sizes_of("gpt_oss", "GptOssConfig"), sizes_of("gemma3", "Gemma3TextConfig")
    assert sizes_of("mistral", "MistralConfig").sliding_window == 4096
    assert sizes_of("deepseek_v4", "DeepseekV4Config").num_hidden_layers == 43
    assert oss.sliding_window == 128 and oss.layer_types[:4] == ["sliding_attention", "full_attention"] * 2
    assert gemma.layer_types[:6] == [*["sliding_attention"] * 5, "full_attention"]
    index = sizes_of("deepseek_v32", "DeepseekV32Config")
    assert (index.index_topk, index.index_n_heads, index.index_head_dim) == (2048, 64, 128)
    flash = sizes_of("deepseek_v4", "DeepseekV4Config", compress_ratios=[0, 0, 4, 128, 4, 128], num_hidden_layers=6)
    assert flash.layer_types[:2] == ["sliding_attention"] * 2 and flash.sliding_window == 128
    assert flash.index_topk == 512 and set(flash.compress_rates.values()) == {4, 128}
    llama4 = sizes_of("llama4", "Llama4TextConfig")
    assert llama4.attention_chunk_size == 8192 and llama4.layer_types[:4].count("chunked_attention") == 3


def an_indexer(torch):
    """DeepSeek-V3.2's index with random matrices, and six tokens and their narrow queries."""
    config = sizes_of(
        "deepseek_v32", "DeepseekV32Config", hidden_size=11, q_lora_rank=7, index_n_heads=3, index_head_dim=10,
        qk_rope_head_dim=4, index_topk=2,
    )  # fmt: skip
    indexer = filled(theirs("deepseek_v32", "DeepseekV32Indexer")(config, 0), torch)
    return indexer, *(torch.tensor(RNG.normal(size=(1, 6, width))) for width in (11, 7))


def test_the_lightning_indexer_marks_keys_as_the_lesson_does(torch):
    indexer, x, narrow = an_indexer(torch)
    unturned = torch.ones(1, 6, 4).double(), torch.zeros(1, 6, 4).double()
    chosen = indexer(x, narrow, unturned, torch.zeros(1, 6, 6), None)[0].numpy()
    with torch.no_grad():
        query = indexer.wq_b(narrow)[0].reshape(6, 3, 10).transpose(0, 1).numpy()
        key, share = indexer.k_norm(indexer.wk(x))[0].numpy(), indexer.weights_proj(x)[0].numpy()
    marks = notebooks.after_cell("attend_to_few", "def index_scores")["index_scores"](query, key, share)
    best = -np.sort(-marks)[:, :2]  # ties at 0 may go either way
    np.testing.assert_allclose(np.take_along_axis(marks, chosen, axis=1), best, atol=1e-5)


def test_the_index_norms_its_key_and_turns_halves_beside_an_attention_that_turns_neighbours(torch):
    indexer, x, narrow = an_indexer(torch)
    angles = np.outer(np.arange(6), [1.0, 0.1])
    waves = [torch.tensor(np.tile(wave(angles), 2))[None] for wave in (np.cos, np.sin)]
    chosen = indexer(x, narrow, tuple(waves), torch.zeros(1, 6, 6), None)[0].numpy()
    with torch.no_grad():
        query = indexer.wq_b(narrow)[0].reshape(6, 3, 10).transpose(0, 1).numpy()
        plain, share = indexer.wk(x)[0].numpy(), indexer.weights_proj(x)[0].numpy()
    gain, bias = (each.detach().numpy() for each in indexer.k_norm.parameters())

    def best(layout, normed):
        key = normed(plain)
        q, k = (np.concatenate([turn(a[..., :4], angles, layout=layout), a[..., 4:]], axis=-1) for a in (query, key))
        marks = np.einsum("qh,hqk->qk", share, np.maximum(q @ k.T, 0))
        return np.take_along_axis(marks, chosen, axis=1), -np.sort(-marks)[:, :2]

    got, want = best("halves", lambda key: layer_norm(key, gain, bias, epsilon=1e-6))
    np.testing.assert_allclose(got, want, atol=1e-5)
    for wrong in (
        best("pairs", lambda key: layer_norm(key, gain, bias, epsilon=1e-6)),
        best("halves", lambda key: key),
    ):
        assert np.abs(wrong[0] - wrong[1]).max() > 0.1


def test_every_layer_of_deepseek_v4_has_a_window_whatever_stands_beside_it(torch):
    kinds = ["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"]
    config = sizes_of(
        "deepseek_v4", "DeepseekV4Config", hidden_size=12, num_attention_heads=4, head_dim=16, q_lora_rank=6, o_groups=2,
        o_lora_rank=3, num_hidden_layers=3, layer_types=kinds, sliding_window=3, vocab_size=13, moe_intermediate_size=8,
        n_routed_experts=4, num_experts_per_tok=2, index_n_heads=2, index_head_dim=16, attn_implementation="eager",
    )  # fmt: skip
    model, masks = theirs("deepseek_v4", "DeepseekV4Model")(config).eval(), []
    for layer in model.layers:
        layer.self_attn.register_forward_pre_hook(
            lambda module, given, how: masks.append(how["attention_mask"][0, 0]), with_kwargs=True
        )
    with torch.no_grad():
        model(torch.arange(7)[None], use_cache=False)
    assert len(masks) == len(kinds)
    for mask in masks:
        np.testing.assert_array_equal((mask == 0).numpy(), variants.window_mask(7, window=3))


# --- 22: silence -----------------------------------------------------------------------------------------------------


def test_gpt_oss_puts_its_sinks_beside_the_scores_and_has_no_fused_call(torch):
    forward, model = theirs("gpt_oss", "eager_attention_forward", "GptOssPreTrainedModel")
    assert model._supports_sdpa is False
    query, key, value = (torch.tensor(RNG.normal(size=(1, 2, 4, 3))) for _ in range(3))
    module = torch.nn.Module()
    module.num_key_value_groups, module.sinks = 1, torch.tensor([0.7, -1.0], dtype=torch.float64)
    got = forward(module, query, key, value, masked(torch, 4), scaling=0.5)[1][0].numpy()
    for head, sink in enumerate((0.7, -1.0)):
        scores = np.where(causal_mask(4), (query @ key.transpose(2, 3))[0, head].numpy() * 0.5, -np.inf)
        np.testing.assert_allclose(got[head], softmax_with_sink(scores, sink), atol=1e-6)


def test_other_models_have_sinks_too(torch):
    sizes = {
        "hidden_size": 16,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 8,
        "num_hidden_layers": 2,
    }
    kinds = {"layer_types": ["full_attention", "sliding_attention"]}
    mimo = theirs("mimo_v2_flash", "MiMoV2FlashAttention")
    config = sizes_of("mimo_v2_flash", "MiMoV2FlashConfig", **sizes, **kinds)
    found = [mimo(config, layer).sinks is not None for layer in (0, 1)]
    assert found == [False, True]  # in windows alone, and no setting of the page is asked
    assert "add_swa_attention_sink_bias" not in inspect.getsource(inspect.getmodule(mimo))
    assert "sinks" in unwrapped(theirs("deepseek_v4", "DeepseekV4Attention"))


def test_query_and_gate_alternate_per_head_and_both_norms_come_before_the_turn(torch):
    attention, embedding = theirs("qwen3_next", "Qwen3NextAttention", "Qwen3NextRotaryEmbedding")
    sizes = {"hidden_size": 12, "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 8}
    config = sizes_of("qwen3_next", "Qwen3NextConfig", **sizes, attn_implementation="eager")
    module, x, n = filled(attention(config, 3), torch), RNG.normal(size=(5, 12)), 5
    with torch.no_grad():
        turns = [each.double() for each in embedding(config)(torch.tensor(x)[None], torch.arange(n)[None])]
        want = module(torch.tensor(x)[None], turns, masked(torch, n))[0][0].numpy()

    def ours(query, gate):
        normed = [
            rms_norm(heads, 1 + norm.weight.detach().numpy(), epsilon=1e-6)  # the file holds how far a gain is from 1
            for heads, norm in ((query, module.q_norm), (split(x @ matrix(module.k_proj), 1), module.k_norm))
        ]
        query, key = (np.concatenate([rotate(each[..., :2]), each[..., 2:]], axis=-1) for each in normed)  # a quarter
        value = split(x @ matrix(module.v_proj), 1)
        found = variants.grouped_query_attention(query, key, value, mask=causal_mask(n)).output
        return (found * sigmoid(gate)).swapaxes(0, 1).reshape(n, -1) @ matrix(module.o_proj)

    def split(rows, heads):
        return rows.reshape(n, heads, -1).swapaxes(0, 1)

    both = x @ matrix(module.q_proj)
    per_head = split(both, 3)  # (3, 5, 16): for each head its query, then its gate
    np.testing.assert_allclose(ours(per_head[..., :8], per_head[..., 8:]), want, atol=1e-5)
    in_half = ours(split(both[:, :24], 3), split(both[:, 24:], 3))
    assert np.abs(in_half - want).max() > 0.1


def test_queries_and_keys_are_normed_after_the_turn_in_llama_4():
    names = unwrapped(theirs("llama4", "Llama4TextAttention"))
    assert names.index("apply_rotary_emb") < names.index("qk_norm")  # in Llama 4 after


# --- 23: states ------------------------------------------------------------------------------------------------------


def gated_delta_net(x, module):
    """Qwen3-Next's state layer in plain NumPy, token by token."""
    keys, heads, d_k, d_v = module.num_k_heads, module.num_v_heads, module.head_k_dim, module.head_v_dim
    each = heads // keys  # heads of values that share a key
    groups = (x @ matrix(module.in_proj_qkvz)).reshape(len(x), keys, -1)
    parts = np.split(groups, [d_k, 2 * d_k, 2 * d_k + each * d_v], axis=-1)
    query, key, value, out_gate = (part.reshape(len(x), -1) for part in parts)
    strength, fade = np.split((x @ matrix(module.in_proj_ba)).reshape(len(x), keys, -1), 2, axis=-1)
    beta = sigmoid(strength.reshape(len(x), heads))
    rate = np.exp(module.A_log.detach().numpy())
    gamma = np.exp(-rate * np.logaddexp(0, fade.reshape(len(x), heads) + module.dt_bias.detach().numpy()))
    mixed, kernel = np.concatenate([query, key, value], axis=1), module.conv1d.weight.detach().numpy()[:, 0].T
    padded = np.concatenate([np.zeros((3, mixed.shape[1])), mixed])  # three tokens before, and the token itself
    mixed = silu(sum(padded[k : k + len(x)] * kernel[k] for k in range(4)))
    query, key, value = np.split(mixed, [keys * d_k, 2 * keys * d_k], axis=1)
    query, key = (np.repeat(part.reshape(len(x), keys, d_k), each, axis=1) for part in (query, key))
    query, key = unit_length(query) / np.sqrt(d_k), unit_length(key)
    value, states, rows = value.reshape(len(x), heads, d_v), np.zeros((heads, d_k, d_v)), []
    for q, k, v, b, g in zip(query, key, value, beta, gamma):
        for h in range(heads):
            states[h] *= g[h]
            states[h] += b[h] * np.outer(k[h], v[h] - k[h] @ states[h])
        rows.append(np.einsum("hk,hkv->hv", q, states))
    normed = rms_norm(np.array(rows), module.norm.weight.detach().numpy(), epsilon=1e-6)
    return (normed * silu(out_gate.reshape(len(x), heads, d_v))).reshape(len(x), -1) @ matrix(module.out_proj)


def test_qwen_next_carries_its_state_as_the_lesson_says(torch):
    layer = theirs("qwen3_next", "Qwen3NextGatedDeltaNet")
    config = sizes_of(
        "qwen3_next", "Qwen3NextConfig", hidden_size=12, linear_num_key_heads=2, linear_num_value_heads=4,
        linear_key_head_dim=5, linear_value_head_dim=3, num_hidden_layers=4,
    )  # fmt: skip
    module, x = filled(layer(config, 0), torch), RNG.normal(size=(7, 12))
    with torch.no_grad():
        want = module(torch.tensor(x)[None])[0].numpy()
    np.testing.assert_allclose(gated_delta_net(x, module), want, atol=1e-5)
    assert module.conv1d.kernel_size == (4,)


def test_qwen_next_keeps_its_states_in_4_bytes_a_number_where_its_keys_take_2(torch):
    sizes = {name: value for name, value in model_lines.MODELS["Qwen3-Next"].items() if name != "model_type"}
    _, cache = cache_of(torch, sizes_of("qwen3_next", "Qwen3NextConfig", **sizes), torch.bfloat16)
    found = [(layer.keys if k == 3 else layer.recurrent_states[0]).element_size() for k, layer in enumerate(cache)]
    assert found == [4, 4, 4, 2]
    assert configurations.kept_bytes("Qwen3-Next-80B-A3B", 262_144)[:4] == [4 * 32 * 128 * 128] * 3 + [
        2 * 2 * 2 * 256 * 262_144
    ]


def test_kimi_lets_each_number_of_a_key_fade_at_its_own_pace(torch):
    kimi = sizes_of("kimi_linear", "KimiLinearConfig", hidden_size=16, linear_num_heads=2, linear_head_dim=8)
    gate = filled(theirs("kimi_linear", "KimiLinearForgetGate")(kimi), torch)
    x = RNG.normal(size=(3, 16))
    with torch.no_grad():
        fade = np.exp(gate(torch.tensor(x)[None])[0].numpy())  # γ, (3, heads, d_k), and not one for each head
    rate = np.exp(gate.A_log.detach().numpy().reshape(1, 2, 1))
    given = (x @ matrix(gate.f_a_proj) @ matrix(gate.f_b_proj) + gate.dt_bias.detach().numpy()).reshape(3, 2, 8)
    np.testing.assert_allclose(fade, np.exp(-rate * np.logaddexp(0, given)), atol=1e-6)


def test_the_delta_rule_is_that_of_the_librarys_blocks_and_loop(torch):
    chunked, loop = theirs("qwen3_next", "torch_chunk_gated_delta_rule", "torch_recurrent_gated_delta_rule")
    lesson = notebooks.after_cell("carry_a_state", "def delta_rule_in_blocks")
    query, key, value = lesson["query"], lesson["key"], lesson["value"]
    exact = variants.linear_attention(query, key, value, strength=0.5)
    rows = [torch.tensor(each)[None, :, None] for each in (query * np.sqrt(8), key, value)]  # queries are divided there
    still, half = torch.zeros(1, len(key), 1).double(), torch.full((1, len(key), 1), 0.5).double()
    for rule in (chunked, loop):
        got = rule(*rows, still, half, initial_state=None, output_final_state=False)[0][0, :, 0].numpy()
        np.testing.assert_allclose(got, exact, atol=1e-5)


def test_padding_that_is_not_wiped_before_a_state_spoils_it(torch, monkeypatch):
    module = importlib.import_module("transformers.models.qwen3_next.modeling_qwen3_next")
    sizes = {name: size for name, size in model_lines.MODELS["Qwen3-Next"].items() if name != "model_type"}
    torch.manual_seed(0)
    how = {"initializer_range": 0.3, "attn_implementation": "eager", "experts_implementation": "eager"}
    config = sizes_of("qwen3_next", "Qwen3NextConfig", **sizes | how)
    model, ids = module.Qwen3NextForCausalLM(config).eval(), torch.arange(1, 7)[None]

    def gap():
        real = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1, 1, 1]])
        padded = torch.cat([torch.full((1, 4), 9), ids], dim=1)
        with torch.no_grad():
            alone = model(ids, use_cache=False).logits[0]
            behind = model(padded, attention_mask=real, use_cache=False).logits[0, 4:]
        return float((alone - behind).abs().max() / alone.abs().max())

    assert gap() < 1e-4
    monkeypatch.setattr(module, "apply_mask_to_padding_states", lambda hidden_states, attention_mask: hidden_states)
    assert gap() > 0.3


# --- 29: what a model adds -------------------------------------------------------------------------------------------


def lessons_logits(ids, state, sizes, layout, speeds):
    """Llama in plain NumPy, as the learner writes it, with the layout and speeds of its turns."""
    heads, shared = sizes["num_attention_heads"], sizes["num_key_value_heads"]
    x, places = state["model.embed_tokens.weight"][ids], np.arange(len(ids))[:, None]

    def split(rows, count):
        return rows.reshape(len(rows), count, -1).swapaxes(0, 1)

    for layer in range(sizes["num_hidden_layers"]):
        W = {name: state[f"model.layers.{layer}.{name}.weight"] for name in NAMES}
        normed = rms_norm(x, W["input_layernorm"], epsilon=1e-6)
        query, key, value = (
            split(normed @ W[f"self_attn.{name}_proj"].T, count)
            for name, count in (("q", heads), ("k", shared), ("v", shared))
        )
        query, key = (turn(each, places * speeds, layout=layout) for each in (query, key))
        found = variants.grouped_query_attention(query, key, value, mask=causal_mask(len(ids))).output
        x = x + found.swapaxes(0, 1).reshape(len(ids), -1) @ W["self_attn.o_proj"].T
        normed = rms_norm(x, W["post_attention_layernorm"], epsilon=1e-6)  # before the network, whatever its name says
        x = x + (silu(normed @ W["mlp.gate_proj"].T) * (normed @ W["mlp.up_proj"].T)) @ W["mlp.down_proj"].T
    return rms_norm(x, state["model.norm.weight"], epsilon=1e-6) @ state["lm_head.weight"].T


NAMES = [
    *(f"self_attn.{name}_proj" for name in "qkvo"), "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
    "input_layernorm", "post_attention_layernorm",
]  # fmt: skip


def agreement(torch, rope, layout, speeds):
    """How many of 400 largest logits agree, and by how much the logits differ at most."""
    sizes = {"num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2}
    torch.manual_seed(0)
    config = sizes_of(
        "llama", "LlamaConfig", hidden_size=64, intermediate_size=96, vocab_size=100, head_dim=16, rope_parameters=rope,
        max_position_embeddings=131_072, attn_implementation="eager", initializer_range=0.2, **sizes,
    )  # fmt: skip
    model = theirs("llama", "LlamaForCausalLM")(config).eval().double()
    ids = np.random.default_rng(0).integers(100, size=400)
    with torch.no_grad():
        want = model(torch.tensor(ids)[None]).logits[0].numpy()
    state = {name: each.detach().numpy() for name, each in model.state_dict().items()}
    ours = lessons_logits(ids, state, sizes, layout, speeds)
    return (ours.argmax(axis=-1) == want.argmax(axis=-1)).mean(), np.abs(ours - want).max()


def test_llama_3_is_what_the_learner_wrote_and_3_1_turns_otherwise(torch):
    plain, base = np.arange(8) / 8, 500_000.0
    rope = {"rope_type": "default", "rope_theta": base}
    share, gap = agreement(torch, rope, "halves", base**-plain)
    assert share == 1 and gap < 1e-3
    share, gap = agreement(torch, rope, "pairs", base**-plain)
    assert share < 0.2  # the rows of a file of the library must be put in another order, as GGUF files have them
    rope = {
        "rope_type": "llama3", "rope_theta": base, "factor": 8.0, "original_max_position_embeddings": 8192,
        "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    }  # fmt: skip
    share, gap = agreement(torch, rope, "halves", base**-plain)
    assert f"{share:.0%}" == "84%" and gap > 2  # and no message says so
    share, gap = agreement(torch, rope, "halves", llama3_speeds(16))
    assert share == 1 and gap < 1e-3


def test_softmax_rounds_once_whether_a_file_asks_for_32_bits_or_not(torch):
    for kind in (torch.bfloat16, torch.float16):
        scores = (3 * torch.randn(64, 257)).to(kind)
        asked = torch.softmax(scores, dim=-1, dtype=torch.float32).to(kind)
        assert torch.equal(torch.softmax(scores, dim=-1), asked)
    asks = {
        model: "softmax(attn_weights, dim=-1, dtype=torch.float32)"
        in inspect.getsource(theirs(model, "eager_attention_forward"))
        for model in ("llama", "qwen3", "gemma3", "llama4", "deepseek_v4", "mimo_v2_flash", "gpt_oss", "bert")
    }
    assert [model for model, does in asks.items() if does] == ["llama", "qwen3", "gemma3"]


def test_one_name_is_a_norm_before_the_network_in_llama_and_a_norm_of_what_attention_found_in_gemma_and_olmo(torch):
    """Whether the norm of that name works on what attention adds, alone: then a scaled o_proj changes nothing but for epsilon."""
    for model, name, on_what_is_added in (
        ("llama", "Llama", False),
        ("gemma3", "Gemma3", True),
        ("olmo3", "Olmo3", True),
    ):
        sizes = {
            "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 24,
            "num_hidden_layers": 2, "attn_implementation": "eager",
        }  # fmt: skip
        config = sizes_of(model, f"{name}TextConfig" if model == "gemma3" else f"{name}Config", **sizes)
        layer = filled(theirs(model, f"{name}DecoderLayer")(config, 0), torch)
        angles = torch.tensor(np.arange(4)[:, None] * np.ones(8))[None]
        seen = []  # what goes into the norm
        layer.post_attention_layernorm.register_forward_hook(
            lambda module, given, found, seen=seen: seen.append(given[0])
        )
        for factor in (1.0, 3.0):
            with torch.no_grad():
                layer.self_attn.o_proj.weight.mul_(factor)
                x = torch.tensor(np.random.default_rng(3).normal(size=(1, 4, 16)))
                layer(x, position_embeddings=(angles.cos(), angles.sin()), attention_mask=masked(torch, 4))
        grows = seen[1] / seen[0]
        assert bool(torch.allclose(grows, torch.full_like(grows, 3.0))) == on_what_is_added, model


def test_deepseek_v4_has_four_streams_and_a_modular_file_holds_what_differs():
    assert sizes_of("deepseek_v4", "DeepseekV4Config").hc_mult == 4
    folder = Path(importlib.import_module("transformers.models.gemma3").__file__).parent
    inherits, whole = ((folder / f"{kind}_gemma3.py").read_text(encoding="utf-8") for kind in ("modular", "modeling"))
    assert "class Gemma3Attention(Gemma2Attention):" in inherits and len(inherits) < len(whole)


# --- 30: values may not turn, or must be turned back -----------------------------------------------------------------


def test_deepseek_v4_turns_values_and_turns_the_output_back(torch):
    """One token alone mixes nothing but its own value, so its output must not know where it stands."""
    attention, embedding = theirs("deepseek_v4", "DeepseekV4Attention", "DeepseekV4RotaryEmbedding")
    config = sizes_of(
        "deepseek_v4", "DeepseekV4Config", hidden_size=12, num_attention_heads=4, head_dim=16, q_lora_rank=6, o_groups=2,
        o_lora_rank=3, num_hidden_layers=1, layer_types=["sliding_attention"], attn_implementation="eager",
    )  # fmt: skip
    module, x, values = filled(attention(config, 0), torch), torch.tensor(RNG.normal(size=(1, 1, 12))), []

    class Cache:
        def update(self, key, value, layer, kwargs):
            values.append(value.numpy())
            return key, value

    outputs = []
    for place in (0, 5):
        ids = torch.tensor([[place]])
        turns = [each.double() for each in embedding(config)(x, position_ids=ids, layer_type="main")]
        with torch.no_grad():
            outputs.append(module(x, {"main": turns}, ids, None, Cache())[0].numpy())
    assert np.abs(values[1] - values[0]).max() > 0.1
    np.testing.assert_allclose(outputs[1], outputs[0], atol=1e-5)

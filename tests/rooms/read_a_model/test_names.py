"""The lesson's table of names that mean two things, and its table of habits, each row held against the library transformers."""

import importlib
import inspect
import re

import numpy as np
import pytest

from helpers.attention import split_heads
from helpers.layers import rms_norm
from helpers.parts import causal_mask, shared_attention
from helpers.positions import rotate
from helpers.since_2017.experts import silu
from rooms.read_a_model import configurations, model_lines
from rooms.write_for_many import in_one_row
from tests import library, notebooks

SIZES = {
    "hidden_size": 18, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 10, "intermediate_size": 23,
    "vocab_size": 31, "num_hidden_layers": 2,
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def torch():
    return library.needed()


def theirs(kind, **sizes):
    """A small model of the library."""
    sizes = {**SIZES, **({"head_dim": None} if "kv_lora_rank" in sizes else {}), **sizes}  # there it is worked out
    transformers = importlib.import_module("transformers")
    sizes = {name: value for name, value in sizes.items() if value is not None}
    config = transformers.AutoConfig.for_model(kind, **sizes)
    config._experts_implementation = "eager"
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")


def assumed(kind, **fields):
    return importlib.import_module("transformers").AutoConfig.for_model(kind, **fields)


EXPERTS = {"num_local_experts": 5, "num_experts_per_tok": 2}
NEXT = {
    "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 11, "shared_expert_intermediate_size": 13,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 5, "linear_value_head_dim": 3,
    "linear_conv_kernel_dim": 4, "layer_types": ["full_attention"] * 2, "partial_rotary_factor": 0.4,
}  # fmt: skip


def a_norm(torch):
    """Where the norm of that name works is held in tests/test_published_models.py; here, that what runs agrees."""
    assert 'step = think(rms_norm(x, W["post_attention_layernorm"]), W)' in "\n".join(model_lines.BASE)
    for kind in ("gemma3_text", "olmo3"):
        program = "\n".join(
            line.text for line in model_lines.program({"model_type": kind, **SIZES, "sliding_window": 5})
        )
        assert 'x = x + rms_norm(step, W["post_attention_layernorm"])' in program


def a_weight(torch):
    x = torch.randn(3, 18)
    for kind, name, gain in (
        ("llama", "Llama", 0),
        ("gpt_oss", "GptOss", 0),
        ("gemma3", "Gemma3", 1),
        ("qwen3_next", "Qwen3Next", 1),
    ):
        norm = library.theirs(kind, f"{name}RMSNorm")(18)
        with torch.no_grad():
            norm.weight.fill_(2.0)
            ratio = norm(x) / (x / x.pow(2).mean(-1, keepdim=True).sqrt())
        assert torch.allclose(ratio, torch.full_like(ratio, 2.0 + gain), atol=1e-4), kind


def a_q_norm(torch):
    for kind, more, width in (("qwen3", {}, 10), ("gemma3_text", {}, 10), ("olmo3", {}, 60)):
        assert theirs(kind, **more).model.layers[0].self_attn.q_norm.weight.shape == (width,), kind


def no_head_dim(torch):
    sizes = {"hidden_size": 1536, "num_attention_heads": 16}
    assert [assumed(kind, **sizes).head_dim for kind in ("llama", "gemma3_text", "qwen3")] == [96, 256, 128]


def no_tie(torch):
    assert [assumed(kind).tie_word_embeddings for kind in ("llama", "qwen3", "gemma3_text")] == [False, False, True]


def a_window(torch):
    kinds = {
        kind: configurations.layer_kinds({"model_type": kind, **SIZES, **more, "sliding_window": 5})
        for kind, more in (("mistral", {}), ("gpt_oss", EXPERTS), ("qwen3", {}))
    }
    assert kinds == {"mistral": ["window"] * 2, "gpt_oss": ["window", "whole"], "qwen3": ["whole"] * 2}
    assert assumed("qwen3", sliding_window=5).sliding_window is None
    assert assumed("qwen3", sliding_window=5, use_sliding_window=True).sliding_window == 5
    assert assumed("gpt_oss", num_hidden_layers=2).layer_types == ["sliding_attention", "full_attention"]


def a_base(torch):
    rope = assumed("gemma3_text", rope_theta=77.0).rope_parameters
    assert (rope["full_attention"]["rope_theta"], rope["sliding_attention"]["rope_theta"]) == (77.0, 10_000.0)
    assert assumed("llama", rope_theta=77.0).rope_parameters["rope_theta"] == 77.0


def a_q_proj(torch):
    assert theirs("llama").model.layers[0].self_attn.q_proj.out_features == 60
    assert theirs("qwen3_next", **NEXT).model.layers[0].self_attn.q_proj.out_features == 120


def a_gate_up(torch):
    assert theirs("qwen3_next", **NEXT).model.layers[0].mlp.experts.gate_up_proj.shape == (5, 2 * 11, 18)
    assert theirs("gpt_oss", **EXPERTS).model.layers[0].mlp.experts.gate_up_proj.shape == (5, 18, 2 * 23)


def an_activation(torch):
    experts = theirs("gpt_oss", **EXPERTS).model.layers[0].mlp.experts
    assert assumed("gpt_oss").hidden_act == "silu"
    both = torch.tensor([[1.0, 2.0, 9.0, -9.0]])  # gate, up, gate, up
    gate, up = np.array([1.0, 7.0]), np.array([2.0, -7.0])
    want = gate / (1 + np.exp(-1.702 * gate)) * (1 + up)
    np.testing.assert_allclose(experts._apply_gate(both)[0].numpy(), want, rtol=1e-5)
    llama = theirs("llama").model.layers[0].mlp.act_fn
    np.testing.assert_allclose(llama(torch.tensor([1.0, -2.0])).numpy(), silu([1.0, -2.0]), rtol=1e-6)


def no_attention_bias(torch):
    assert theirs("llama").model.layers[0].self_attn.q_proj.bias is None
    attention = theirs("qwen2").model.layers[0].self_attn
    found = [getattr(attention, f"{name}_proj").bias is not None for name in "qkvo"]
    assert found == [True, True, True, False] and not hasattr(assumed("qwen2"), "attention_bias")


def a_truncate(torch):
    ropes = importlib.import_module("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS["yarn"]
    rope = {**model_lines._YARN_4, "beta_fast": 3.0, "rope_theta": 100.0}  # the bounds are no whole numbers
    assert assumed("gpt_oss").rope_parameters["truncate"] is False

    def speeds(**more):
        return ropes(assumed("qwen3", **SIZES, max_position_embeddings=256, rope_parameters={**rope, **more}))[0]

    assert torch.equal(speeds(), speeds(truncate=True)) and not torch.equal(speeds(), speeds(truncate=False))


def a_k_norm(torch):
    assert type(theirs("qwen3").model.layers[0].self_attn.k_norm).__name__ == "Qwen3RMSNorm"
    norm = theirs(**INDEXED).model.layers[0].self_attn.indexer.k_norm
    assert type(norm) is torch.nn.LayerNorm and norm.bias is not None


def a_turn(torch):
    """The same function turns Llama's halves and those of DeepSeek's index, beside an attention whose neighbours turn."""
    index, attention = (
        inspect.getsource(each) for each in library.theirs("deepseek_v32", "DeepseekV32Indexer", "DeepseekV32Attention")
    )
    assert "apply_rotary_pos_emb(" in index and "apply_rotary_pos_emb_interleave(" in attention
    both, neighbours = library.theirs("deepseek_v32", "apply_rotary_pos_emb", "apply_rotary_pos_emb_interleave")
    x = torch.randn(1, 1, 5, 8)
    angles = torch.arange(5)[None, :, None] * 100.0 ** (-torch.arange(4) / 4)
    cos, sin = (torch.cat([wave, wave], dim=-1) for wave in (angles.cos(), angles.sin()))
    for turned, layout in ((both(x, x, cos, sin)[0], "halves"), (neighbours(x, x, cos, sin)[0], "pairs")):
        want = rotate(x[0, 0].numpy(), base=100.0, layout=layout)
        want = (
            want if layout == "halves" else np.concatenate([want[:, ::2], want[:, 1::2]], axis=1)
        )  # comes out in halves
        np.testing.assert_allclose(turned[0, 0].numpy(), want, atol=1e-5)


INDEXED = {"kind": "deepseek_v32"} | {
    name: value
    for name, value in model_lines.MODELS["DeepSeek-V3.2"].items()
    if name != "model_type" and value is not None
}
TRAPS = {
    "`post_attention_layernorm`": a_norm, "`weight` of a norm": a_weight, "`q_norm`": a_q_norm, "no `head_dim`": no_head_dim,
    "no `tie_word_embeddings`": no_tie, "`sliding_window`": a_window, "`rope_theta`": a_base, "`q_proj`": a_q_proj,
    "`gate_up_proj`": a_gate_up, "`hidden_act: silu`": an_activation, "no `attention_bias`": no_attention_bias,
    "`truncate` of YaRN": a_truncate, "`k_norm`": a_k_norm, "`apply_rotary_pos_emb`": a_turn,
}  # fmt: skip


@pytest.mark.everything
@pytest.mark.parametrize("name", TRAPS)
def test_a_name_means_two_things(name, torch):
    TRAPS[name](torch)


# --- habits of modelling files -------------------------------------------------------------------------------------------


def views(torch):
    x = torch.randn(2, 5, 12)
    heads = x.view(2, 5, -1, 4).transpose(1, 2)
    np.testing.assert_array_equal(heads.numpy(), split_heads(x.numpy(), 3))


def repeats(torch):
    heads = torch.randn(2, 3, 5, 4)
    repeated = library.theirs("qwen3", "repeat_kv")(heads, 2)
    np.testing.assert_array_equal(repeated.numpy(), np.repeat(heads.numpy(), 2, axis=1))


def halves(torch):
    embedding, apply = library.theirs("qwen3", "Qwen3RotaryEmbedding", "apply_rotary_pos_emb")
    config = assumed("qwen3", **SIZES, rope_theta=10_000.0)
    x = torch.randn(1, 1, 5, 10)
    cos, sin = embedding(config)(x, torch.arange(5)[None])
    assert torch.equal(cos[..., :5], cos[..., 5:])  # each angle twice
    turned = apply(x, x, cos, sin)[0]
    np.testing.assert_allclose(turned[0, 0].numpy(), rotate(x[0, 0].numpy(), layout="halves"), atol=1e-5)


def sharpness(torch):
    rope = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "rope_theta": 100.0}
    embedding = library.theirs("qwen3", "Qwen3RotaryEmbedding")(assumed("qwen3", **SIZES, rope_parameters=rope))
    assert embedding.attention_scaling == pytest.approx(0.1 * np.log(4) + 1)


def additive(torch):
    masks = importlib.import_module("transformers.masking_utils")
    config = assumed("qwen3", **SIZES)
    config._attn_implementation = "eager"
    how = {"inputs_embeds": torch.zeros(1, 4, 18), "attention_mask": None, "cache": None}
    mask = masks.create_causal_mask(config=config, **how, position_ids=torch.arange(4)[None])[0, 0]
    np.testing.assert_array_equal((mask == 0).numpy(), np.tri(4, dtype=bool))
    assert mask.min() == torch.finfo(torch.float32).min


def wide(torch):
    for kind, name in (("qwen3", "Qwen3"), ("gpt_oss", "GptOss")):
        norm = library.theirs(kind, f"{name}RMSNorm")(4)
        x = torch.tensor([[300.0, 1.0, 2.0, 3.0]], dtype=torch.float16)  # 300² is too large for 16 bits
        assert torch.isinf(x * x).any() and torch.isfinite(norm(x)).all()
    query = torch.randn(1, 2, 3, 4, dtype=torch.bfloat16)
    module = torch.nn.Module()
    module.num_key_value_groups = 1
    weights = library.theirs("qwen3", "eager_attention_forward")(module.eval(), query, query, query, None, scaling=0.5)[
        1
    ]
    scores = (query @ query.transpose(2, 3) * 0.5).float()
    assert torch.equal(weights, torch.softmax(scores, dim=-1).to(torch.bfloat16))
    assert "softmax(attn_weights, dim=-1)" in inspect.getsource(library.theirs("llama4", "eager_attention_forward"))
    low = 4 * torch.randn(4, 9, dtype=torch.bfloat16)  # where nobody asks for 32 bits
    assert torch.equal(torch.softmax(low, dim=-1), torch.softmax(low.float(), dim=-1).to(torch.bfloat16))
    less, exact = low - low.max(dim=-1, keepdim=True).values, low.float() - low.float().max(dim=-1, keepdim=True).values
    assert "combined_logits - combined_logits.max(" in inspect.getsource(
        library.theirs("gpt_oss", "eager_attention_forward")
    )
    assert not torch.equal(less.float(), exact)


def reciprocal(torch):
    x = torch.rand(7)
    assert torch.allclose(torch.rsqrt(x + 1e-6), 1 / (x + 1e-6).sqrt())


def appends(torch):
    cache = importlib.import_module("transformers").DynamicCache()
    one, two = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 1, 4)
    cache.update(one, one, 0)
    keys, _ = cache.update(two, two, 0)
    assert torch.equal(keys, torch.cat([one, two], dim=2))


def dispatch(torch):
    model, fused = theirs("qwen3").eval(), theirs("qwen3").eval()
    fused.load_state_dict(model.state_dict())
    fused.set_attn_implementation("sdpa")
    ids = torch.arange(5)[None]
    with torch.no_grad():
        assert torch.allclose(model(ids).logits, fused(ids).logits, atol=1e-4)
    source = inspect.getsource(library.theirs("gpt_oss", "GptOssAttention"))
    assert "s_aux=self.sinks" in source


def each_expert(torch):
    """What the loop adds up is what the formula says: each expert's answer times its share, for its tokens alone."""
    mlp = theirs("gpt_oss", **EXPERTS).model.layers[0].mlp
    with torch.no_grad():
        for each in mlp.parameters():
            each.normal_(std=0.5)
        x = torch.randn(1, 7, 18)
        got, _ = mlp(x)
    source = inspect.getsource(type(mlp.experts).forward)
    assert all(word in source for word in ("one_hot", "where", "index_add_"))
    file = {f"mlp.{name.removesuffix('.weight')}": each.detach().numpy() for name, each in mlp.named_parameters()}
    names = {"said": EXPERTS, **model_lines._TOOLS}
    text = "\n".join(line.text for line in model_lines.program({"model_type": "gpt_oss", **SIZES, **EXPERTS}))
    exec(text, names)
    np.testing.assert_allclose(names["think"](x[0].numpy(), file), got[0].numpy(), atol=1e-4)


def decorated(torch):
    """The turns and the norm as their lines say, whatever is wrapped around them."""
    embedding = library.theirs("qwen3", "Qwen3RotaryEmbedding")(assumed("qwen3", **SIZES, rope_theta=100.0))
    x, places = torch.randn(1, 5, 10), torch.arange(5)[None]
    plain = inspect.unwrap(type(embedding).forward)
    assert type(embedding).forward is not plain
    for one, other in zip(embedding(x, places), plain(embedding, x, places)):
        assert torch.equal(one, other)
    for kind, name in (("qwen3", "Qwen3"), ("gpt_oss", "GptOss")):
        norm = library.theirs(kind, f"{name}RMSNorm")(10)
        np.testing.assert_allclose(norm(x).detach().numpy(), rms_norm(x.numpy(), epsilon=1e-6), atol=1e-6)


def is_none(torch):
    """Of an unpadded text the fused attention gets no mask; `is_causal` says it."""
    masks = importlib.import_module("transformers.masking_utils")
    config = assumed("qwen3", **SIZES)
    config._attn_implementation = "sdpa"
    how = {"inputs_embeds": torch.zeros(2, 4, 18), "cache": None, "position_ids": torch.arange(4)[None].repeat(2, 1)}
    assert masks.create_causal_mask(config=config, **how, attention_mask=None) is None
    padded = torch.tensor([[0, 1, 1, 1], [1, 1, 1, 1]], dtype=torch.bool)
    assert masks.create_causal_mask(config=config, **how, attention_mask=padded).dtype is torch.bool


def cast_after(torch):
    """4,096 numbers: the gain before the rounding, and after it, differ in some."""
    x, gain = torch.randn(1, 4096).to(torch.bfloat16), 1 + 0.3 * torch.randn(4096)
    found = []
    for kind, name in (("gpt_oss", "GptOss"), ("llama", "Llama")):
        norm = library.theirs(kind, f"{name}RMSNorm")(4096).to(torch.bfloat16)
        with torch.no_grad():
            norm.weight.copy_(gain)
        norm.variance_epsilon = 1e-6
        wide = x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
        before, after = (norm.weight * wide).to(torch.bfloat16), norm.weight * wide.to(torch.bfloat16)
        assert torch.equal(norm(x), before if kind == "gpt_oss" else after)
        found.append(norm(x))
    assert 0 < (found[0] != found[1]).sum() < 2048


def router_wide(torch):
    model = theirs(**LATENT).model.to(torch.bfloat16)
    logits, *_ = model.layers[1].mlp.gate(torch.randn(1, 3, 18, dtype=torch.bfloat16))
    assert logits.dtype is torch.float32
    source = inspect.getsource(library.theirs("gpt_oss", "GptOssPreTrainedModel"))
    assert "norm" in source.split("_keep_in_fp32_modules")[1].split("\n")[0]


def nobody(torch):
    """A number one beyond the last expert stands for no expert at all."""
    experts = theirs(**LATENT).model.layers[1].mlp.experts
    with torch.no_grad():
        for each in experts.parameters():
            each.normal_()
        x, shares = torch.randn(2, 18), torch.ones(2, 1)
        found = experts(x, torch.tensor([[8], [0]]), shares)
    assert not found[0].any() and found[1].any()


def narrow(torch):
    attention = theirs(**LATENT, rms_norm_eps=1e-3).model.layers[0].self_attn
    assert attention.q_a_proj.out_features == 9 and attention.q_a_layernorm.weight.shape == (9,)
    assert attention.q_a_layernorm.variance_epsilon == attention.kv_a_layernorm.variance_epsilon == 1e-6


def first_dense(torch):
    names = [type(layer.mlp).__name__ for layer in theirs(**LATENT).model.layers]
    assert names == ["DeepseekV3MLP", "DeepseekV3MoE", "DeepseekV3MoE"]


def one_more_layer(torch):
    kept = library.theirs("deepseek_v3", "DeepseekV3PreTrainedModel")._keys_to_ignore_on_load_unexpected
    assert assumed("deepseek_v3").num_hidden_layers == 61 and re.match(kept[0], "model.layers.61.embed_tokens.weight")


def last_row(torch):
    model = theirs("qwen3").eval()
    with torch.no_grad():
        ids = torch.arange(5)[None]
        assert torch.allclose(model(ids, logits_to_keep=1).logits, model(ids).logits[:, -1:], atol=1e-5)


def grows(torch):
    """Llama 4's scale, in a layer that does not turn."""
    assert model_lines.compare("Llama 4").gap < 1e-4
    source = inspect.getsource(library.theirs("llama4", "Llama4TextAttention"))
    assert "torch.log1p(torch.floor((positions.float() + 1.0) / self.floor_scale)) * self.attn_scale + 1.0" in source


LATENT = {"kind": "deepseek_v3"} | {
    name: value
    for name, value in model_lines.MODELS["DeepSeek-V3"].items()
    if name not in ("model_type", "rms_norm_eps", "head_dim")
}
HABITS = [
    views, repeats, halves, sharpness, additive, is_none, wide, cast_after, router_wide, reciprocal, appends, dispatch, each_expert,
    nobody, narrow, first_dense, one_more_layer, last_row, grows, decorated,
]  # fmt: skip


@pytest.mark.everything
@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_is_what_the_lesson_says(habit, torch):
    habit(torch)


def test_layers_and_vocabulary_can_be_cut_across_devices():
    """What the lesson says of vLLM, in NumPy: hidden and residual are all that the second device needs of the first."""
    file, sizes = in_one_row.small_model()
    ids, positions = np.array([3, 1, 4, 1]), np.arange(4)

    def attention(query, key, value, told=None, layer=0):
        return shared_attention(query, key, value, causal_mask(4))

    hidden, residual = file["token_embd"][ids], None
    for layer in range(2):  # each on a device of its own
        own = {name.split(".")[-1]: array for name, array in file.items() if name.startswith(f"blk.{layer}.")}
        hidden, residual = in_one_row.normed(hidden, residual, own["attn_norm"])
        hidden = in_one_row.of_device(hidden, positions, attention, own, sizes, 0, 1)
        hidden, residual = in_one_row.normed(hidden, residual, own["ffn_norm"])
        gate, up = hidden @ own["ffn_gate"].T, hidden @ own["ffn_up"].T
        hidden = silu(gate) * up @ own["ffn_down"].T
    last, _ = in_one_row.normed(hidden, residual, file["output_norm"])
    cut = np.concatenate([last @ part.T for part in np.array_split(file["token_embd"], 2)], axis=1)
    np.testing.assert_allclose(cut, in_one_row.forward(ids, positions, None, attention, file, sizes), atol=1e-9)


def test_every_row_of_both_tables_has_its_test():
    text = "\n".join(notebooks.cells("read_a_model", "markdown"))
    rows = re.findall(r"^\| (.*?) \| .* \| .* \|$", text.split("| name | in one model")[1].split("</details>")[0], re.M)
    assert [row for row in rows if row not in (":--", "name")] == list(TRAPS)
    habits = text.split("| in the file | here |")[1].split("</details>")[0]
    assert len(re.findall(r"^\| `", habits, re.M)) == len(HABITS)

"""Routers and experts: sums from paper, loops, and the classes of the library transformers with random weights."""

import numpy as np
import pytest

from helpers.since_2017 import experts
from helpers.since_2017.experts import KINDS, clamped_swiglu, evening_bias, route, share_out, silu
from tests import library, notebooks
from tests.library import filled, theirs
from tests.notebooks import function_of

SCORES = [[2.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    ("switches", "shares"),
    [
        ({}, [3 / 4, 0, 1 / 4]),
        ({"kind": "softmax of all"}, [9 / 13, 0, 3 / 13]),
        ({"kind": "softmax of all", "renormalised": True}, [3 / 4, 0, 1 / 4]),
        ({"kind": "sigmoid"}, [9 / 10, 0, 3 / 4]),
        ({"kind": "sigmoid", "renormalised": True, "factor": 2.5}, [2.5 * 6 / 11, 0, 2.5 * 5 / 11]),
        ({"kind": "sigmoid", "bias": [0, 0.5, 0]}, [9 / 10, 1 / 2, 0]),
        ({"kind": "softmax of all", "bias": [0, 0.5, 0]}, [9 / 13, 1 / 13, 0]),
        ({"bias": [0, 1.5, 0]}, [9 / 10, 1 / 10, 0]),
    ],
)
def test_shares_are_those_of_pencil_and_paper_in_powers_of_3(switches, shares):
    np.testing.assert_allclose(share_out(SCORES, k=2, base=3, **switches).shares[0], shares, rtol=1e-12)


def test_of_equal_scores_the_first_wins_and_exactly_k_do():
    assert share_out([[1.0, 3.0, 1.0, 1.0]], 2).chosen.tolist() == [[True, True, False, False]]


def test_a_group_is_as_good_as_its_best_two():
    scores = np.array([[9.0, 0.0, 0.0, 5.0, 5.0, 0.0]])  # 9 alone loses to 5 and 5
    assert share_out(scores, 1, num_groups=2, num_open=1).chosen.argmax() == 3
    assert share_out(scores, 1, num_groups=2, num_open=2).chosen.argmax() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_router_is_a_loop_over_tokens(kind):
    rng = np.random.default_rng(3)
    scores, bias, k = rng.normal(size=(5, 6)), rng.normal(size=6), 2
    found = share_out(scores, k, kind=kind, bias=bias, num_groups=3, num_open=2, renormalised=True, factor=1.7)
    for row, got in zip(scores, found.shares):
        powers = np.exp(row)
        said = {KINDS[0]: row, KINDS[1]: powers / powers.sum(), KINDS[2]: 1 / (1 + np.exp(-row))}[kind]
        groups = sorted(range(3), key=lambda g: -sum(said[2 * g : 2 * g + 2] + bias[2 * g : 2 * g + 2]))[:2]
        allowed = [e for e in range(6) if e // 2 in groups]
        best = sorted(allowed, key=lambda e: -(said[e] + bias[e]))[:k]
        counted = powers if kind == KINDS[0] else said
        want = [1.7 * counted[e] / sum(counted[f] for f in best) if e in best else 0 for e in range(6)]
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_evening_bias_moves_against_the_load():
    np.testing.assert_array_equal(evening_bias([[2.0, 0.0], [1.0, 0.0]], k=1, num_steps=1, rate=0.5), [-0.5, 0.5])
    scores = np.random.default_rng(1).normal(size=(200, 8)) + np.linspace(0, 1, 8)
    before = share_out(scores, 2).chosen.sum(axis=0)
    after = share_out(scores, 2, bias=evening_bias(scores, 2, 200, rate=0.01)).chosen.sum(axis=0)
    assert np.ptp(after) < np.ptp(before) / 4


def test_router_of_the_lesson_is_that_of_the_helper():
    rng = np.random.default_rng(5)
    scores, bias = rng.normal(size=(7, 12)), rng.normal(size=12)
    choose = function_of("choose_experts", "choose")
    for kind, named in zip(("softmax of the chosen", "softmax", "sigmoid"), KINDS, strict=True):
        for divide in (False, True):
            got = choose(scores, 3, kind, divide, bias, num_groups=4, num_open=2, factor=2.5)
            want = share_out(
                scores, 3, kind=named, renormalised=divide, bias=bias, num_groups=4, num_open=2, factor=2.5
            )
            np.testing.assert_allclose(got, want.shares, rtol=1e-12)


def test_experts_of_the_lesson_are_a_sum_over_all():
    rng = np.random.default_rng(5)
    x, router, maps = rng.normal(size=(7, 3)), rng.normal(size=(3, 5)), rng.normal(size=(5, 3, 3))
    mixture = function_of("choose_experts", "mixture")
    helper = np.einsum("te,td,edo->to", route(x, router, k=2).shares, x, maps)
    np.testing.assert_allclose(mixture(x, router, [lambda x, W=W: x @ W for W in maps], 2), helper, atol=1e-12)


def test_capped_gate_by_hand_and_alternating():
    assert clamped_swiglu([[1.0]], [[100.0, 100.0]], [[1.0]])[0, 0] == pytest.approx(56, abs=1e-3)
    assert clamped_swiglu([[1.0]], [[1.0, -100.0]], [[1.0]])[0, 0] == pytest.approx(-6 / (1 + np.exp(-1.702)))


def test_more_experts_than_the_open_groups_have_are_refused():
    with pytest.raises(ValueError, match="k must fit in the groups that are open, got 2 for 1 of 1 experts each"):
        share_out(SCORES, 2, num_groups=3, num_open=1)


# --- the classes of the library ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch():
    return library.needed()


def placed(shares, index, num_experts):
    """Shares of the chosen, (num_tokens, k), in a column for each expert."""
    found = np.zeros((len(shares), num_experts))
    np.put_along_axis(found, index.numpy(), shares.detach().numpy(), axis=-1)
    return found


@pytest.mark.everything
def test_deepseek_mixtral_qwen_and_gpt_oss_route_as_said(torch):
    (DeepseekV3Config, DeepseekV3TopkRouter) = theirs("deepseek_v3", "DeepseekV3Config", "DeepseekV3TopkRouter")
    GptOssConfig, GptOssTopKRouter = theirs("gpt_oss", "GptOssConfig", "GptOssTopKRouter")
    MixtralConfig, MixtralTopKRouter = theirs("mixtral", "MixtralConfig", "MixtralTopKRouter")
    Qwen3MoeConfig, Qwen3MoeTopKRouter = theirs("qwen3_moe", "Qwen3MoeConfig", "Qwen3MoeTopKRouter")

    sizes = {"hidden_size": 5, "num_experts_per_tok": 3}
    x = np.random.default_rng(2).normal(size=(11, 5))

    def hold(module, bias_in_scores=False, **switches):
        module = filled(module, torch)
        logits, shares, index = module(torch.tensor(x))
        weight = module.weight.detach().numpy()
        scores = x @ weight.T + (module.bias.detach().numpy() if bias_in_scores else 0)
        np.testing.assert_allclose(scores, logits.detach().numpy(), atol=2e-6)
        np.testing.assert_allclose(
            share_out(scores, 3, **switches).shares, placed(shares, index, len(weight)), atol=2e-6
        )

    config = DeepseekV3Config(**sizes, n_routed_experts=8, n_group=4, topk_group=2)
    assert config.routed_scaling_factor == 2.5 and DeepseekV3Config().n_group == 8
    module = filled(DeepseekV3TopkRouter(config), torch)
    bias = module.e_score_correction_bias.numpy()
    _, shares, index = module(torch.tensor(x))
    ours = share_out(
        x @ module.weight.detach().numpy().T, 3, kind="sigmoid", renormalised=True, bias=bias, num_groups=4, num_open=2,
        factor=2.5,
    )  # fmt: skip
    np.testing.assert_allclose(ours.shares, placed(shares, index, 8), atol=2e-6)

    hold(MixtralTopKRouter(MixtralConfig(**sizes, num_local_experts=7)), kind="softmax of all", renormalised=True)
    for divides in (False, True):
        config = Qwen3MoeConfig(**sizes, num_experts=7, norm_topk_prob=divides)
        hold(Qwen3MoeTopKRouter(config), kind="softmax of all", renormalised=divides)
    hold(GptOssTopKRouter(GptOssConfig(**sizes, num_local_experts=7)), bias_in_scores=True)


@pytest.mark.everything
def test_an_expert_of_gpt_oss_caps_and_alternates_and_mixtral_cuts_in_half(torch):
    GptOssConfig, GptOssExperts = theirs("gpt_oss", "GptOssConfig", "GptOssExperts")
    MixtralConfig, MixtralExperts = theirs("mixtral", "MixtralConfig", "MixtralExperts")

    x = 9 * np.random.default_rng(2).normal(size=(11, 5))
    alone, counts = torch.zeros(11, 1, dtype=torch.long), torch.ones(11, 1, dtype=torch.float64)
    module = filled(GptOssExperts(GptOssConfig(hidden_size=5, intermediate_size=3, num_local_experts=2)), torch)
    both = x @ module.gate_up_proj[0].detach().numpy()
    assert (module.alpha, module.limit) == (1.702, 7.0) and np.abs(both).max() > 7
    parts = (module.gate_up_proj, module.down_proj, module.gate_up_proj_bias, module.down_proj_bias)
    ours = clamped_swiglu(x, *(part[0].detach().numpy() for part in parts))
    np.testing.assert_allclose(ours, module(torch.tensor(x), alone, counts).detach().numpy(), atol=1e-10)

    module = filled(MixtralExperts(MixtralConfig(hidden_size=5, intermediate_size=3, num_local_experts=2)), torch)
    gate, up = np.split(x @ module.gate_up_proj[0].detach().numpy().T, 2, axis=-1)
    ours = (silu(gate) * up) @ module.down_proj[0].detach().numpy().T
    np.testing.assert_allclose(ours, module(torch.tensor(x), alone, counts).detach().numpy(), atol=1e-10)


@pytest.mark.everything
def test_deepseek_adds_a_shared_expert_and_qwen_next_gates_it(torch):
    DeepseekV3Config, DeepseekV3MoE = theirs("deepseek_v3", "DeepseekV3Config", "DeepseekV3MoE")
    Qwen3NextConfig, Qwen3NextSparseMoeBlock = theirs("qwen3_next", "Qwen3NextConfig", "Qwen3NextSparseMoeBlock")

    x = torch.tensor(np.random.default_rng(2).normal(size=(1, 4, 5)))
    config = DeepseekV3Config(
        hidden_size=5, moe_intermediate_size=3, n_routed_experts=8, n_group=4, topk_group=2, num_experts_per_tok=2
    )
    module = filled(DeepseekV3MoE(config), torch)
    with torch.no_grad():
        whole, shared = module(x), module.shared_experts(x)
        module.experts.down_proj.zero_()
        np.testing.assert_allclose(module(x).numpy(), shared.numpy(), atol=1e-10)
        assert np.abs((whole - shared).numpy()).max() > 1e-3
        sizes = {"hidden_size": 5, "moe_intermediate_size": 3, "shared_expert_intermediate_size": 3, "num_experts": 6}
        module = filled(Qwen3NextSparseMoeBlock(Qwen3NextConfig(**sizes, num_experts_per_tok=2)), torch)
        module.experts.down_proj.zero_()
        gate = torch.sigmoid(x @ module.shared_expert_gate.weight.T)
        np.testing.assert_allclose(module(x).numpy(), (gate * module.shared_expert(x)).numpy(), atol=1e-10)


SIZES = {
    "hidden_size": 6, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 4, "intermediate_size": 7,
    "vocab_size": 11, "num_hidden_layers": 1, "num_experts_per_tok": 2,
}  # fmt: skip
LATENT = {
    "n_group": 2, "topk_group": 1, "first_k_dense_replace": 0, "q_lora_rank": 3, "kv_lora_rank": 3, "qk_rope_head_dim": 2,
    "qk_nope_head_dim": 2, "v_head_dim": 2,
}  # fmt: skip
KEPT = {  # kind: sizes, and where its file keeps the two branches of expert 1; None = in one matrix
    "mixtral": ({"num_local_experts": 3}, "block_sparse_moe.experts.1.w{}.weight", (1, 3)),
    "qwen3_moe": ({"num_experts": 3, "moe_intermediate_size": 7}, "mlp.experts.1.{}_proj.weight", ("gate", "up")),
    "deepseek_v3": (
        {"n_routed_experts": 4, "moe_intermediate_size": 7, **LATENT},
        "mlp.experts.1.{}_proj.weight",
        ("gate", "up"),
    ),
    "gpt_oss": ({"num_local_experts": 3}, None, ()),
}


@pytest.mark.everything
@pytest.mark.parametrize("kind", KEPT)
def test_file_keeps_both_branches_apart_and_the_library_joins_them_but_those_of_gpt_oss_alternate_in_it(
    torch, kind, tmp_path
):
    transformers, safetensors = pytest.importorskip("transformers"), pytest.importorskip("safetensors.numpy")
    more, name, branches = KEPT[kind]
    config = transformers.AutoConfig.for_model(kind, **SIZES, **more)
    model = transformers.AutoModelForCausalLM.from_config(config)
    (layer,) = model.model.layers
    model.save_pretrained(tmp_path)
    (path,) = tmp_path.glob("*.safetensors")
    file, joined = safetensors.load_file(path), layer.mlp.experts.gate_up_proj[1].detach().numpy()
    if name:
        both = [file[f"model.layers.0.{name.format(branch)}"] for branch in branches]
        np.testing.assert_array_equal(np.concatenate(both), joined)
    else:  # (inputs, outputs), and how the columns alternate is held above
        np.testing.assert_array_equal(file["model.layers.0.mlp.experts.gate_up_proj"][1], joined)
    assert ("model.layers.0.mlp.gate.e_score_correction_bias" in file) == (kind == "deepseek_v3")


def test_the_expert_that_is_never_computed_would_fail():
    space = notebooks.after_cell("choose_experts", "def mixture", experts=experts)
    with pytest.raises(ZeroDivisionError):
        space["mixture"](space["token"], space["router"], space["three"], k=3)

"""What the text of this lesson says in numbers, played and computed on its own; and its table of models."""

import importlib
import re

import pytest

from rooms.read_a_model import configurations
from tests import notebooks


def test_sizes_of_gpt_oss_are_published_and_its_sums_are_those_of_the_text():
    said, text = configurations.load("gpt-oss-120b"), notebooks.prose("choose_experts")
    names = "num_hidden_layers", "num_local_experts", "num_experts_per_tok", "hidden_size", "intermediate_size"
    layers, networks, chosen, width, inner = (said[name] for name in names)
    assert inner == width
    written = f"layers, networks, chosen, width = {layers}, {networks}, {chosen}, {width}"
    assert written in "".join(notebooks.cells("choose_experts", "code"))
    held, met = sum(configurations.count_parameters("gpt-oss-120b")), configurations.count_met("gpt-oss-120b")
    assert f"it has {held / 1e9:.1f} billion numbers, and a token meets {met / 1e9:.1f} billion of them" in text
    assert f"pays for {chosen} networks in each layer, and the model holds {networks // chosen} times as many" in text


@pytest.mark.everything
def test_sizes_of_the_table_are_those_that_the_librarys_classes_assume():
    transformers = pytest.importorskip(
        "transformers", reason="PyTorch, a second opinion, and transformers are not installed"
    )
    rows = re.findall(
        r"^\| (\S+)[^|]*\| (\d+) \| (\d+) \|.*\| (.*) \| ([\d.]+) \|$", notebooks.prose("choose_experts"), re.M
    )
    kinds = {"Mixtral": "mixtral", "gpt-oss-120b": "gpt_oss", "Qwen3-MoE": "qwen3_moe", "DeepSeek-V3": "deepseek_v3"}
    assert [name for name, *_ in rows] == list(kinds)
    for name, experts, chosen, groups, factor in rows:
        said = transformers.AutoConfig.for_model(kinds[name])
        held = [getattr(said, each, None) for each in ("num_local_experts", "num_experts", "n_routed_experts")]
        assert int(experts) in held and said.num_experts_per_tok == int(chosen), name
        assert getattr(said, "routed_scaling_factor", 1) == float(factor), name
        assert groups == (f"{said.topk_group} of {said.n_group}" if hasattr(said, "n_group") else "–"), name
    divide = [transformers.AutoConfig.for_model(kind).norm_topk_prob for kind in ("qwen3_moe", "deepseek_v3")]
    assert divide == [False, True]  # the table: only if it is said, and yes


@pytest.mark.everything
def test_models_of_2025_have_a_penalty_for_an_uneven_load_and_deepseek_routes_in_32_bits():
    transformers = pytest.importorskip("transformers", reason="PyTorch and transformers are not installed")
    torch = pytest.importorskip("torch")
    for kind in ("gpt_oss", "qwen3_moe"):
        module = importlib.import_module(f"transformers.models.{kind}.modeling_{kind}")
        assert callable(module.load_balancing_loss_func)
        assert transformers.AutoConfig.for_model(kind).router_aux_loss_coef == 0.001
    deepseek = importlib.import_module("transformers.models.deepseek_v3.modeling_deepseek_v3")
    assert not hasattr(deepseek, "load_balancing_loss_func")
    said = transformers.AutoConfig.for_model("deepseek_v3", hidden_size=16, n_routed_experts=8, n_group=2, topk_group=1)
    router = deepseek.DeepseekV3TopkRouter(said).to(torch.bfloat16)
    torch.nn.init.normal_(router.weight)
    said = router(torch.ones(1, 3, 16, dtype=torch.bfloat16))
    assert {each.dtype for each in said if each.is_floating_point()} == {torch.float32}

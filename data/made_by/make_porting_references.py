"""Make data/porting_references.npz: eight small layers as the library transformers computes them, with random weights, and every
tensor on the way. Lesson port_and_prove compares ports of them, each with a bug.

    python -m pip install torch==2.13.0 transformers==5.24.0
    python data/made_by/make_porting_references.py
"""

import contextlib
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from transformers import DynamicCache
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek
from transformers.models.gemma3 import modeling_gemma3 as gemma
from transformers.models.llama import modeling_llama as llama
from transformers.models.qwen3_next import modeling_qwen3_next as qwen

WIDTH, HEADS, SHARED, D_HEAD, VOCABULARY = 16, 2, 1, 8, 11
ATTENTION = {
    "hidden_size": WIDTH, "num_attention_heads": HEADS, "num_key_value_heads": SHARED, "head_dim": D_HEAD,
    "num_hidden_layers": 1, "attn_implementation": "eager",
}  # fmt: skip
PLAIN = {"rope_type": "default", "rope_theta": 100.0}
LLAMA_3 = {
    "rope_type": "llama3", "rope_theta": 100.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}  # fmt: skip


def filled(module, middle=0.0):
    """A module whose weights are random; those of norms lie around `middle`."""
    with torch.no_grad():
        for each in [*module.parameters(), *module.buffers()]:
            each.normal_(middle if each.ndim == 1 else 0.0, 0.35)
    return module.eval()


class Recorder:
    """What goes through modules and functions, under names, in the order in which it was asked for."""

    def __init__(self, x):
        self.kept, self.tensors = {"x": x[0]}, {}

    def weights(self, **modules):
        for name, module in modules.items():
            for key, value in module.named_parameters():
                if key.endswith("weight") or value.ndim == 3:
                    short = ".".join(part for part in key.split(".") if part != "weight")
                    self.kept[f"W {short or name}"] = value

    @contextlib.contextmanager
    def watch(self, file=None, turned="apply_rotary_pos_emb", **modules):
        """Keep outputs of modules, inputs where a name begins with `into_`, and what is turned by a function of the file."""
        hooks = []
        for name, module in modules.items():
            if name.startswith("into_"):
                hooks.append(module.register_forward_pre_hook(lambda _, given, name=name[5:]: self.put(name, given[0])))
            else:
                hooks.append(module.register_forward_hook(lambda _, given, out, name=name: self.put(name, out)))
        real = getattr(file, turned, None)

        def turn(*given, **named):
            query, key = real(*given, **named)
            self.put("query_turned", query)
            self.put("key_turned", key)
            return query, key

        with mock.patch.object(file, turned, turn) if file else contextlib.nullcontext():
            yield
        for hook in hooks:
            hook.remove()

    def put(self, name, tensor):
        self.tensors[name] = tensor[0] if tensor.ndim > 2 and len(tensor) == 1 else tensor

    def finish(self, x, step, norm, weights=None):
        head = filled(torch.nn.Linear(WIDTH, VOCABULARY, bias=False))
        self.weights(norm=norm, head=head)
        if weights is not None:
            self.put("weights", weights)
        self.put("stream", x + step)
        self.put("logits", head(x + step))
        return self


def causal(num_queries, num_keys):
    seen = torch.ones(num_queries, num_keys).tril(num_keys - num_queries).bool()
    return torch.zeros(num_queries, num_keys).masked_fill(~seen, float("-inf"))[None, None]


def attend_as_llama(rope, past=0):
    config = llama.LlamaConfig(**ATTENTION, rope_parameters=rope)
    norm, attend = filled(llama.LlamaRMSNorm(WIDTH), 1.0), filled(llama.LlamaAttention(config, 0))
    x, rotary, cache = torch.randn(1, 6, WIDTH), llama.LlamaRotaryEmbedding(config), DynamicCache()
    angles = rotary(x, torch.arange(6)[None])
    if past:
        before = [each[:, :past] for each in angles]
        attend(norm(x[:, :past]), tuple(before), causal(past, past), cache)
    record = Recorder(x)
    record.weights(attend=attend)
    if past:
        record.kept |= {"past_key": cache.layers[0].keys[0], "past_value": cache.layers[0].values[0]}
    x, angles = x[:, past:], tuple(each[:, past:] for each in angles)
    with record.watch(
        llama,
        normed=norm,
        query=attend.q_proj,
        key=attend.k_proj,
        value=attend.v_proj,
        into_mixed=attend.o_proj,
        step=attend.o_proj,
    ):
        step, weights = attend(norm(x), angles, causal(6 - past, 6), cache if past else None)
    return record.finish(x, step, norm, weights)


def attend_as_qwen():
    config = qwen.Qwen3NextConfig(**ATTENTION, rope_parameters=PLAIN | {"partial_rotary_factor": 0.5})
    norm, attend = filled(qwen.Qwen3NextRMSNorm(WIDTH)), filled(qwen.Qwen3NextAttention(config, 0))
    x, rotary = torch.randn(1, 6, WIDTH), qwen.Qwen3NextRotaryEmbedding(config)
    record, real = Recorder(x), torch.chunk
    record.weights(attend=attend)

    def chunk(tensor, *how, **named):
        query, gate = real(tensor, *how, **named)
        record.put("query", query)
        record.put("gate", gate)
        return query, gate

    with (
        record.watch(
            qwen, normed=norm, query_and_gate=attend.q_proj, query_normed=attend.q_norm, key_normed=attend.k_norm,
            value=attend.v_proj, into_mixed=attend.o_proj, step=attend.o_proj,
        ),
        mock.patch.object(torch, "chunk", chunk),
    ):  # fmt: skip
        step, weights = attend(norm(x), rotary(x, torch.arange(6)[None]), causal(6, 6))
    return record.finish(x, step, norm, weights)


def attend_as_deepseek():
    config = deepseek.DeepseekV3Config(
        hidden_size=WIDTH, num_attention_heads=HEADS, num_key_value_heads=HEADS, q_lora_rank=None, kv_lora_rank=6,
        qk_nope_head_dim=6, qk_rope_head_dim=4, v_head_dim=8, rope_parameters=PLAIN, attn_implementation="eager",
    )  # fmt: skip
    norm, attend = filled(deepseek.DeepseekV3RMSNorm(WIDTH), 1.0), filled(deepseek.DeepseekV3Attention(config, 0), 1.0)
    x, rotary = torch.randn(1, 6, WIDTH), deepseek.DeepseekV3RotaryEmbedding(config)
    record = Recorder(x)
    record.weights(attend=attend)
    with record.watch(
        deepseek, "apply_rotary_pos_emb_interleave", normed=norm, query=attend.q_proj, latent=attend.kv_a_proj_with_mqa,
        latent_normed=attend.kv_a_layernorm, keys_and_values=attend.kv_b_proj, into_mixed=attend.o_proj, step=attend.o_proj,
    ):  # fmt: skip
        step, weights = attend(norm(x), rotary(x, torch.arange(6)[None]), causal(6, 6))
    return record.finish(x, step, norm, weights)


def think_as_gemma():
    config = gemma.Gemma3TextConfig(hidden_size=WIDTH, intermediate_size=24)
    norm, think = filled(gemma.Gemma3RMSNorm(WIDTH)), filled(gemma.Gemma3MLP(config))
    record, x = Recorder(torch.randn(1, 6, WIDTH)), None
    x = record.kept["x"][None]
    record.weights(think=think)
    with record.watch(normed=norm, gate=think.gate_proj, up=think.up_proj, into_gated=think.down_proj, step=think):
        step = think(norm(x))
    return record.finish(x, step, norm)


def think_as_deepseek():
    config = deepseek.DeepseekV3Config(
        hidden_size=WIDTH, moe_intermediate_size=6, n_routed_experts=8, n_group=4, topk_group=2, num_experts_per_tok=2
    )
    norm, think = filled(deepseek.DeepseekV3RMSNorm(WIDTH), 1.0), filled(deepseek.DeepseekV3MoE(config))
    x = torch.randn(1, 6, WIDTH)
    record = Recorder(x)
    record.weights(think=think)
    record.kept["bias"] = think.gate.e_score_correction_bias

    def spread(_, given, out):
        scores, shares, index = out
        record.put("scores", scores)
        record.put("shares", torch.zeros(6, 8).scatter(1, index, shares))

    hook = think.gate.register_forward_hook(spread)
    with record.watch(normed=norm, shared=think.shared_experts, chosen_experts=think.experts, step=think):
        step = think(norm(x))
    hook.remove()
    return record.finish(x, step, norm)


def main():
    makers = [
        lambda: attend_as_llama(PLAIN), think_as_gemma, attend_as_qwen, lambda: attend_as_llama(PLAIN, past=4),
        think_as_deepseek, lambda: attend_as_llama(LLAMA_3), attend_as_deepseek, lambda: attend_as_llama(PLAIN),
    ]  # fmt: skip
    arrays = {}
    for number, make in enumerate(makers, start=1):
        torch.manual_seed(number)
        with torch.no_grad():
            record = make()
        for kind, found in (("given", record.kept), ("made", record.tensors)):
            for name, tensor in found.items():
                arrays[f"{number} {kind} {name}"] = tensor.detach().float().numpy()
    np.savez_compressed(Path(__file__).parents[1] / "porting_references.npz", **arrays)


if __name__ == "__main__":
    main()

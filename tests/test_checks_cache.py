"""Answers to the exercise on the cache, right and wrong; tests/test_checks.py tries them all."""

import math

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax


def attend(query, keys, values, scale=None):
    return softmax(keys @ query * (keys.shape[1] ** -0.5 if scale is None else scale)) @ values


def both(x, keys, values, W_key, W_value):
    return np.vstack([keys, x @ W_key]), np.vstack([values, x @ W_value])


def right(x, keys, values, W_query, W_key, W_value):
    return attend(x @ W_query, *both(x, keys, values, W_key, W_value))


def by_loops(x, keys, values, W_query, W_key, W_value):
    query, key, value = (
        [sum(x[i] * W[i, j] for i in range(len(x))) for j in range(W.shape[1])] for W in (W_query, W_key, W_value)
    )
    all_keys, all_values = [*keys.tolist(), key], [*values.tolist(), value]
    scores = [sum(a * b for a, b in zip(query, row)) / math.sqrt(len(key)) for row in all_keys]
    powers = [math.exp(score - max(scores)) for score in scores]
    return [sum(p * row[j] for p, row in zip(powers, all_values)) / sum(powers) for j in range(len(value))]


def newest_first(x, keys, values, W_query, W_key, W_value):
    return attend(x @ W_query, np.vstack([x @ W_key, keys]), np.vstack([x @ W_value, values]))


def with_the_helper(x, keys, values, W_query, W_key, W_value):
    keys, values = both(x, keys, values, W_key, W_value)
    return scaled_dot_product_attention((x @ W_query)[None], keys, values).output[0]


def without_stacking(x, keys, values, W_query, W_key, W_value):
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    weights = softmax(np.append(keys @ query, key @ query) / math.sqrt(len(query)))
    return weights[:-1] @ values + weights[-1] * value


def from_lists(x, keys, values, W_query, W_key, W_value):
    keys, values = [*keys, x @ W_key], [*values, x @ W_value]
    return attend(x @ W_query, np.array(keys), np.array(values)).astype(np.float32)


def shifted_cache(x, keys, values, W_query, W_key, W_value):
    return attend(x @ W_query, np.vstack([keys, x @ W_key]), np.vstack([x @ W_value, values]))


def last_one_overwritten(x, keys, values, W_query, W_key, W_value):
    if len(keys) == 0:
        return x @ W_value
    return attend(x @ W_query, *both(x, keys[:-1], values[:-1], W_key, W_value))


def writes_into_the_cache(x, keys, values, W_query, W_key, W_value):
    result = right(x, keys, values, W_query, W_key, W_value)
    if len(keys):
        keys[-1] = x @ W_key
    return result


def appends_to_an_array(x, keys, values, W_query, W_key, W_value):
    keys.append(x @ W_key)
    return attend(x @ W_query, keys, values)


def no_first_token(x, keys, values, W_query, W_key, W_value):
    best = keys[-1]
    return right(x, keys, values, W_query, W_key, W_value) + 0 * best[0]


def one_axis(x, keys, values, W_query, W_key, W_value):
    return attend(x @ W_query, np.concatenate([keys, x @ W_key]), values)


def scaled(scale):
    return lambda x, K, V, *W: attend(x @ W[0], *both(x, K, V, *W[1:]), scale=scale(x, K))


RIGHT = {
    "write_one_token": {
        "stack, then ask": right,
        "loops, lists": by_loops,
        "the newest first": newest_first,
        "with the helper of the course": with_the_helper,
        "nothing is stacked": without_stacking,
        "lists, float32": from_lists,
    }
}
WRONG = {
    "write_one_token": {
        "does not ask itself": (lambda x, K, V, *W: attend(x @ W[0], K, V), r"does not ask itself"),
        "not scaled": (scaled(lambda x, K: 1), r"√d_k is missing"),
        "divided by d_k": (scaled(lambda x, K: 1 / K.shape[1]), r"not by its root"),
        "divided by the count": (scaled(lambda x, K: (len(K) + 1) ** -0.5), r"how many keys there are"),
        "divided by the width of x": (scaled(lambda x, K: len(x) ** -0.5), r"width of x"),
        "query and key exchanged": (
            lambda x, K, V, Wq, Wk, Wv: right(x, K, V, Wk, Wq, Wv),
            r"changed places",
        ),
        "key by W_query": (
            lambda x, K, V, Wq, Wk, Wv: right(x, K, V, Wq, Wq, Wv),
            r"Wq does not belong here; Wk does",
        ),
        "query by W_key": (
            lambda x, K, V, Wq, Wk, Wv: right(x, K, V, Wk, Wk, Wv),
            r"Wk does not belong here; Wq does",
        ),
        "value above, key below": (shifted_cache, r"need the same row"),
        "the last one is overwritten": (last_one_overwritten, r"overwritten the last ones"),
        "no softmax": (
            lambda x, K, V, *W: both(x, K, V, *W[1:])[0] @ (x @ W[0]) @ both(x, K, V, *W[1:])[1],
            r"Softmax is missing",
        ),
        "weights": (
            lambda x, K, V, *W: softmax(both(x, K, V, *W[1:])[0] @ (x @ W[0]) / K.shape[1] ** 0.5),
            r"These are the weights",
        ),
        "keys are mixed": (
            lambda x, K, V, *W: attend(x @ W[0], *[both(x, K, V, *W[1:])[0]] * 2),
            r"keys were mixed",
        ),
        "no query": (lambda x, K, V, Wq, Wk, Wv: attend(x, *both(x, K, V, Wk, Wv)), r"query is x itself"),
        "another scale": (scaled(lambda x, K: 2), r"where \[0.752, 0.752\] is right"),
        "outside of the values": (lambda *a: right(*a) + 9, r"outside by"),
        "appends to an array": (appends_to_an_array, r"puts a row below an array.$"),
        "one axis": (one_axis, r"np.vstack puts x @ W_key below keys.$"),
        "no first token": (no_first_token, r"keys does not belong here; W_key does"),
        "writes into the cache": (writes_into_the_cache, r"keys is overwritten"),
    }
}

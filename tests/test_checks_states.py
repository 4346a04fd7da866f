"""Answers to the exercise on a state, right and wrong; tests/test_checks.py tries them all."""

import itertools

import numpy as np


def run(write, read=lambda q, old, new: q @ new):
    def answer(query, key, value, decay):
        state, rows = np.zeros((key.shape[1], value.shape[1])), []
        for q, k, v in zip(query, key, value):
            new = write(state, np.outer(k, v), decay)
            rows.append(read(q, state, new))
            state = new
        return np.array(rows)

    return answer


right = run(lambda old, product, decay: decay * old + product)


def fade(n, decay):
    return np.array([[float(decay) ** (i - j) if j <= i else 0.0 for j in range(n)] for i in range(n)])


def by_the_mask(query, key, value, decay):
    return (query @ key.T * fade(len(query), decay)) @ value


def by_loops(query, key, value, decay):
    rows = []
    for t in range(len(query)):
        row = [0.0] * value.shape[1]
        for j in range(t + 1):
            score = sum(a * b for a, b in zip(query[t], key[j])) * float(decay) ** (t - j)
            row = [r + score * v for r, v in zip(row, value[j])]
        rows.append(row)
    return rows


def all_states_at_once(query, key, value, decay):
    products = key[:, :, None] * value[:, None, :]
    states = np.array(list(itertools.accumulate(products, lambda old, new: decay * old + new)))
    return np.einsum("ia,iab->ib", query, states)


def by_recursion(query, key, value, decay):
    def state(t):
        return 0 if t < 0 else decay * state(t - 1) + np.outer(key[t], value[t])

    return [query[t] @ state(t) for t in range(len(query))]


def filling(query, key, value, decay):
    output, state = np.empty(value.shape), np.zeros((value.shape[1], key.shape[1]))
    for t in range(len(query)):
        state *= decay
        state += np.outer(value[t], key[t])  # transposed, and read the other way
        output[t] = state @ query[t]
    return output


def last_state(query, key, value, decay):
    state = np.zeros((key.shape[1], value.shape[1]))
    for k, v in zip(key, value):
        state = decay * state + np.outer(k, v)
    return state


def square_state(query, key, value, decay):
    state, rows = np.zeros((key.shape[1], key.shape[1])), []
    for q, k, v in zip(query, key, value):
        state = decay * state + np.outer(k, v)
        rows.append(q @ state)
    return np.array(rows)


def writes_into_values(query, key, value, decay):
    value[...] = right(query, key, value, decay)
    return value


def absolute(n, decay):
    return np.array([[float(decay) ** abs(i - j) for j in range(n)] for i in range(n)])


def newer_fade(query, key, value, decay):
    n = len(query)
    powers = np.array([[float(decay) ** j if j <= i else 0.0 for j in range(n)] for i in range(n)])
    return (query @ key.T * powers) @ value


RIGHT = {
    "linear_attention": {
        "one state": right,
        "loops, lists": by_loops,
        "all states at once": all_states_at_once,
        "recursion": by_recursion,
        "transposed state": filling,
        "float32": lambda q, k, v, d: right(*(x.astype(np.float32) for x in (q, k, v)), d),
    }
}
WRONG = {
    "linear_attention": {
        "the mask": (by_the_mask, r"line \d+, .* makes a matrix of shape \(7, 7\)"),
        "reads first": (run(lambda S, p, d: d * S + p, lambda q, old, new: q @ old), r"write first, then read"),
        "no decay": (run(lambda S, p, d: S + p), r"does not fade"),
        "all fades": (run(lambda S, p, d: d * (S + p)), r"new product fades as well"),
        "the new fades": (run(lambda S, p, d: S + d * p), r"other way round"),
        "moving average": (run(lambda S, p, d: d * S + (1 - d) * p), r"moving average"),
        "no sum": (run(lambda S, p, d: p), r"last token's product alone"),
        "from the last state": (lambda q, k, v, d: q @ last_state(q, k, v, d), r"what comes after it"),
        "query and key exchanged": (lambda q, k, v, d: right(k, q, v, d), r"changed places"),
        "key and value exchanged": (lambda q, k, v, d: right(q, v, k, d), r"one row for each number of a key"),
        "no mask": (lambda q, k, v, d: q @ k.T @ v, r"causal mask is missing"),
        "divided by the root": (lambda q, k, v, d: right(q, k, v, d) / np.sqrt(k.shape[1]), r"nothing is divided"),
        "the state": (last_state, r"the last state"),
        "newer ones fade": (newer_fade, r"how long ago"),
        "faded both ways": (lambda q, k, v, d: (q @ k.T * absolute(len(q), d)) @ v, r"keys after the query count"),
        "square state": (square_state, r"key does not belong here; value does"),
        "squared decay": (lambda q, k, v, d: right(q, k, v, d * d), r"2.062, 2.25 \]\], where .* is right"),
        "overwrites its input": (writes_into_values, r"value is overwritten"),
        "one number": (lambda q, k, v, d: 1.0, r"must have shape"),
    }
}

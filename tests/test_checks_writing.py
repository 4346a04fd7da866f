"""Answers to the exercises on models that write and copy, right and wrong; tests/test_checks.py tries them all."""

import numpy as np

from helpers import decoder
from helpers.attention import softmax


def _kept(logits, temperature, top_p):
    """The tokens that are kept, the likeliest first, and their shares."""
    shares = softmax(logits / temperature)
    order = np.argsort(-shares)
    kept = order[np.cumsum(shares[order]) - shares[order] < top_p]
    return kept, shares[kept] / shares[kept].sum()


def by_choice(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    kept, shares = _kept(logits, temperature, top_p)
    return rng.choice(kept, p=shares)


def by_a_sum(logits, temperature, top_p, rng):
    if temperature == 0:
        return list(logits).index(max(logits))
    kept, shares = _kept(logits, temperature, top_p)
    point, place = rng.random(), 0
    while point >= shares[place] and place < len(kept) - 1:
        point -= shares[place]
        place += 1
    return int(kept[place])


def by_gumbel_noise(logits, temperature, top_p, rng):
    if temperature == 0:
        return logits.argmax()
    kept, _ = _kept(logits, temperature, top_p)
    return kept[np.argmax(logits[kept] / temperature + rng.gumbel(size=len(kept)))]


def by_chance_of_a_count(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    kept, shares = _kept(logits, temperature, top_p)
    return int(kept[rng.multinomial(1, shares).argmax()])


def in_place(logits, temperature, top_p, rng):
    logits -= logits.max()
    return by_choice(logits, temperature, top_p, rng)


def before_the_sum(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    shares = softmax(logits / temperature)
    order = np.argsort(-shares)
    order = order[: max(1, (np.cumsum(shares[order]) <= top_p).sum())]
    return rng.choice(order, p=shares[order] / shares[order].sum())


def unlikely_first(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    shares = softmax(logits / temperature)
    order = np.argsort(shares)
    order = order[np.cumsum(shares[order]) - shares[order] < top_p]
    return rng.choice(order, p=shares[order] / shares[order].sum())


def place_of_it(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    kept, shares = _kept(logits, temperature, top_p)
    return rng.choice(len(kept), p=shares)


def kept_at_1(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    kept, _ = _kept(logits, 1.0, top_p)
    return rng.choice(kept, p=softmax(logits[kept] / temperature))


def without_the_rest(logits, temperature, top_p, rng):
    if temperature == 0:
        return int(np.argmax(logits))
    shares = softmax(logits / temperature)
    kept, _ = _kept(logits, temperature, top_p)
    return rng.choice(kept, p=shares[kept])


def by_a_loop(weights, period):
    total = 0.0
    for i in range(period, len(weights)):
        total += weights[i][i - period + 1]
    return total / (len(weights) - period)


def by_indices(weights, period):
    i = np.arange(period, len(weights))
    return weights[i, i - period + 1].mean()


RIGHT = {
    "next_token": {
        "choice": by_choice,
        "sum": by_a_sum,
        "gumbel": by_gumbel_noise,
        "multinomial": by_chance_of_a_count,
        "the course's": lambda *given: decoder.next_token(
            given[0], **dict(zip(("temperature", "top_p", "rng"), given[1:]))
        ),
    },
    "induction_score": {
        "loop": by_a_loop,
        "indices": by_indices,
        "diagonal": lambda w, p: np.diag(w, 1 - p)[1:].mean(),
        "plain lists": lambda w, p: by_a_loop(w.tolist(), p),
        "mask": lambda w, p: w[p:][np.eye(len(w) - p, len(w), k=1, dtype=bool)].mean(),
    },
}

WRONG = {
    "next_token": {
        "in place": (in_place, r"logits is overwritten"),
        "greedy": (lambda logits, t, p, rng: np.argmax(logits), r"always takes the likeliest"),
        "dice": (lambda logits, t, p, rng: rng.integers(len(logits)), r"equally often"),
        "no temperature": (lambda logits, t, p, rng: by_choice(logits, 1.0, p, rng), r"temperature changes nothing"),
        "times": (lambda logits, t, p, rng: by_choice(logits, 1 / t if t else 0, p, rng), r"multiplied by"),
        "no top_p": (lambda logits, t, p, rng: by_choice(logits, t, 1.0, rng), r"top_p changes nothing"),
        "before the sum": (before_the_sum, r"brings the sum to top_p is left out"),
        "unlikely first": (unlikely_first, r"from the least likely token up"),
        "a place": (place_of_it, r"order\[place\]"),
        "kept at temperature 1": (kept_at_1, r"at temperature 1\. Divide by the temperature first"),
        "without the rest": (without_the_rest, r"no longer sums to 1"),
        "division by 0": (lambda logits, t, p, rng: rng.choice(4, p=softmax(logits / t)), r"temperature of 0"),
        "another token at 0": (
            lambda logits, t, p, rng: by_choice(logits, t, p, rng) if t else 0,
            r"At temperature 0 .*token 0 has a probability of 0\.00, and it was drawn 48 of 48 times",
        ),
        "logits": (lambda logits, t, p, rng: logits / 2, r"one whole number, the token's"),
    },
    "induction_score": {
        "the same token": (lambda w, p: np.diag(w, -p).mean(), r"the same token one period ago"),
        "the token before it": (
            lambda w, p: np.mean([w[i, i - p - 1] for i in range(p, len(w))]),
            r"before the one that repeats|brackets",
        ),
        "one query more": (lambda w, p: np.diag(w, 1 - p).mean(), r"start at i = period"),
        "sum": (lambda w, p: np.diag(w, 1 - p)[1:].sum(), r"This is the sum"),
        "over all": (lambda w, p: np.diag(w, 1 - p)[1:].sum() / len(w), r"divided by all tokens"),
        "columns": (lambda w, p: np.diag(w.T, 1 - p)[1:].mean(), r"Rows are queries|\.T"),
        "one before": (lambda w, p: np.diag(w, -1)[p - 1 :].mean(), r"right before"),
        "itself": (lambda w, p: np.diag(w)[p:].mean(), r"gives to itself"),
        "vector": (lambda w, p: np.diag(w, 1 - p)[1:], r"one number"),
        "votes": (
            lambda w, p: np.mean([w[i].argmax() == i - p + 1 for i in range(p, len(w))]),
            r"look there most",
        ),
    },
}

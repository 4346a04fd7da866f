"""What the explorers of the cache must show, in plain loops; tests/test_explorers.py holds them beside it."""

import pytest

from helpers import explorers
from tests.references import dot, mix, powers_over_sum

X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, 1.0], [1.0, 0.0]]


def cache(written, cached):
    scores = [[dot(X[i], X[j]) if j <= i else -float("inf") for j in range(written)] for i in range(written)]
    weights = [[*powers_over_sum(row[: i + 1], 3.0), *[0.0] * (written - i - 1)] for i, row in enumerate(scores)]
    computed = [[float(j == i or (j < i and not cached)) for j in range(written)] for i in range(written)]
    return {"X": X, "scores": scores, "weights": weights, "output": mix(weights[-1], X[:written]), "computed": computed}


def cache_bytes(tokens, texts, size):
    kept = [2 * 32 * 128, 2 * 8 * 128, 2 * 1 * 128, 512 + 64]
    return {
        "gib": [numbers * 32 * tokens * texts * size / 1024**3 for numbers in kept],
        "tokens_fit": [80 * 1024**3 // (numbers * 32 * size) for numbers in kept],
    }


REFERENCES = {"explore_cache": cache, "explore_cache_bytes": cache_bytes}
TABLES = {"explore_cache": lambda shown, values: {}, "explore_cache_bytes": lambda shown, values: {}}


def counts(shown, values):
    n, computed = values["written"], sum(map(sum, shown["computed"]))
    return [n, computed, n * (n + 1) / 2 if values["cached"] else n, *shown["output"]]


SENTENCES = {
    "explore_cache": counts,
    "explore_cache_bytes": lambda shown, values: [
        values["texts"], values["tokens"], shown["gib"][0], shown["gib"][1], 8, shown["gib"][3],
    ],
}  # fmt: skip
LIGHTS = {
    "explore_cache": lambda shown, values: [("every row is as in one pass over all tokens", 0)],
    "explore_cache_bytes": lambda shown, values: [],
}


def test_explore_cache_counts_6_keys_with_a_cache_and_21_without():
    explorer = explorers.explore_cache()
    assert explorer.shown["computed"].sum() == 6
    explorer.set(cached=False)
    assert explorer.shown["computed"].sum() == 21
    explorer._touched({"type": "click", "target": {"className": "touch at-steps r2"}})
    assert explorer.controls["written"].value == 3
    assert explorer.shown["weights"][2] * 5 == pytest.approx([1, 1, 3])


def test_explore_cache_bytes_weighs_what_the_lesson_says():
    explorer = explorers.explore_cache_bytes()
    assert explorer.shown["gib"].tolist() == [64, 16, 2, 4.5]
    assert (80 // explorer.shown["gib"]).tolist() == [1, 5, 40, 17]
    explorer.set(tokens=4096)
    assert explorer.shown["gib"].tolist() == [2, 0.5, 0.0625, 0.140625]
    assert explorer.shown["tokens_fit"].tolist() == [163_840, 655_360, 5_242_880, 2_330_168]

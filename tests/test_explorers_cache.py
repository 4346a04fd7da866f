"""What the explorers of the cache must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import cache
from tests.references import dot, mix, powers_over_sum

X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, 1.0], [1.0, 0.0]]


def row(query, keys, seen):
    shares = iter(powers_over_sum([dot(query, keys[j]) for j in seen], 3.0))
    return [next(shares) if j in seen else 0.0 for j in range(len(keys))]


def written_so_far(written, cached, window):
    seen = [[j for j in range(i + 1) if i - j < window] for i in range(written)]
    rows = [row(X[i], X[:written], seen[i]) for i in range(written)]
    return {
        "X": X,
        "scores": [[dot(X[i], X[j]) if j in seen[i] else -math.inf for j in range(written)] for i in range(written)],
        "weights": rows,
        "output": mix(rows[-1], X[:written]),
        "computed": [1 if cached else sum(j in line for line in seen) for j in range(written)],
        "kept": [1 if written - j < window else 0 for j in range(written)],  # the next token is number `written`
    }


def shared_heads(shared, copies, tokens, head):
    which = [h // (8 // shared) if copies == "np.repeat" else h % shared for h in range(8)]
    asks = [[float(each == k) for k in range(shared)] for each in which]
    return {"asks": asks, "gib": 2 * 32 * shared * 128 * tokens * 2 / 2**30}


def turned(x, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [x[0] * c - x[1] * s, x[0] * s + x[1] * c]


def wrong_cache(recipe):
    scores, weights = [], []
    for t in range(4):
        query, degrees, seen = 60 * t, [60 * j for j in range(t + 1)], list(range(t + 1))
        if recipe.startswith("asks first"):
            seen = seen[:-1] or [0]
        elif recipe == "query turned by place 0":
            query = 0
        elif recipe == "query and key turned by place 0":
            query, degrees = 0, [0] * (t + 1)
        elif recipe.startswith("all kept"):
            degrees = [60 * j * (t - j + 1) for j in range(t + 1)]
        elif recipe.startswith("masked"):
            seen = [0]
        elif recipe.startswith("only two"):
            seen = seen[-2:]
        keys = [turned(X[j], degrees[j]) for j in range(t + 1)]
        weights.append(row(turned(X[t], query), keys, seen) + [0.0] * (3 - t))
        scores.append([dot(turned(X[t], query), keys[j]) if j in seen else -math.inf for j in range(t + 1)])
        scores[-1] += [-math.inf] * (3 - t)
    right = (
        weights if recipe.startswith("turned") else wrong_cache("turned by its place, appended, then asks")["weights"]
    )
    gaps = [max(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in zip(weights, right, strict=True)]
    return {"scores": scores, "weights": weights, "whole": right, "gaps": gaps}


REFERENCES = {
    "explore_cache": written_so_far,
    "explore_shared_heads": shared_heads,
    "explore_wrong_cache": wrong_cache,
}


def with_sums(rows):
    return [[*line, sum(line)] for line in rows]


def heads_tables(shown, values):
    head, asks = values["head"], shown["asks"]
    which = asks[head].index(1.0)
    others = [h + 1 for h in range(8) if asks[h][which] and h != head]
    return {
        "which key head a query head asks": asks,
        f"query head {head + 1}": [
            [which + 1],
            [others if others else "none"],
            [shown["gib"]],
            [shown["gib"] * 2**20 / values["tokens"]],
        ],
    }


TABLES = {
    "explore_cache": lambda shown, values: {
        "X = Q = K = V": X,
        "weights": with_sums(shown["weights"]),
        "key computed": [[x] for x in [*shown["computed"], sum(shown["computed"])]],
        "needed by the next token": [[x] for x in shown["kept"]],
    },
    "explore_shared_heads": heads_tables,
    "explore_wrong_cache": lambda shown, values: {
        "weights": with_sums(shown["weights"]),
        "off by": [[x] for x in shown["gaps"]],
    },
}


def cache_sentence(shown, values):
    n = values["written"]
    without = sum(min(t, values["window"]) for t in range(1, n + 1))
    return [n, *((n, without) if values["cached"] else (without, n)), *shown["output"]]


def wrong_sentence(shown, values):
    wrong = [k + 1 for k, gap in enumerate(shown["gaps"]) if gap > 1e-9]
    return [wrong[0], len(wrong), 4] if wrong else []


SENTENCES = {
    "explore_cache": cache_sentence,
    "explore_shared_heads": lambda shown, values: [
        8, values["shared"], shown["gib"], values["tokens"], 32, 8, shown["gib"] * 8 / values["shared"],
    ],
    "explore_wrong_cache": wrong_sentence,
}  # fmt: skip


def astray(shown, values):
    group = 8 // values["shared"]
    gap = sum(line.index(1.0) != h // group for h, line in enumerate(shown["asks"]))
    return ("each query head asks the key head that np.repeat gives it", gap)


LIGHTS = {
    "explore_cache": lambda shown, values: [
        ("every row sums to 1", 0),
        ("the newest row is as in one pass over all tokens", 0),
    ],
    "explore_shared_heads": lambda shown, values: [astray(shown, values)],
    "explore_wrong_cache": lambda shown, values: [
        ("every row sums to 1", 0),
        (cache.WHOLE, max(shown["gaps"]) if max(shown["gaps"]) > 1e-9 else 0),
    ],
}

# --- known answers and the hand --------------------------------------------------------------------------------------


def test_explore_cache_starts_with_3_instead_of_6():
    explorer = explorers.explore_cache()
    np.testing.assert_allclose(explorer.shown["weights"] * [[1], [4], [5]], [[1, 0, 0], [1, 3, 0], [1, 1, 3]])
    assert "3 keys computed with a cache; without it 6." in explorer.text
    explorer.set(cached=False)
    assert explorer.shown["computed"].tolist() == [3, 2, 1]
    explorer.set(window=2)
    np.testing.assert_allclose(explorer.shown["weights"][2], [0, 1 / 4, 3 / 4])
    assert explorer.shown["kept"].tolist() == [0, 0, 1]  # the next token sees the newest key, and itself


def test_a_click_writes_up_to_a_token():
    explorer = explorers.explore_cache()
    explorer._touched({"type": "click", "target": {"className": "touch at-X r4 c0"}})
    assert explorer.controls["written"].value == 5 and 'title="write up to token 2"' in explorer.html


@pytest.mark.parametrize(("copies", "heads"), [("np.repeat", [1, 1, 1, 1, 2, 2, 2, 2]), ("np.tile", [1, 2] * 4)])
def test_explore_shared_heads_repeats_and_tiles(copies, heads):
    explorer = explorers.explore_shared_heads()
    explorer.set(copies=copies)
    assert (explorer.shown["asks"].argmax(axis=-1) + 1).tolist() == heads
    assert explorer.shown["gib"] == 0.125
    for shared in (8, 1):
        explorer.set(shared=shared)
        assert "✗" not in explorer.html


@pytest.mark.parametrize("recipe", list(cache._RECIPES)[1:])
def test_every_spoiled_cache_differs_in_a_row_and_still_sums_to_1(recipe):
    explorer = explorers.explore_wrong_cache()
    explorer.set(recipe=recipe)
    assert "✓ every row sums to 1" in explorer.html and f"✗ {cache.WHOLE}" in explorer.html


def test_without_a_window_every_key_is_still_needed_by_the_next_token():
    explorer = explorers.explore_cache()
    for written in range(1, 7):
        explorer.set(written=written)
        assert explorer.shown["kept"].tolist() == [1] * written

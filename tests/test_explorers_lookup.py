"""What the explorers of the soft select must show, in plain loops; tests/test_explorers.py holds them beside it."""

import numpy as np

from helpers import explorers
from helpers.attention import softmax

KEYS = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]


def of_the_best(scores, sharpness):
    """Part of each key beside the best one's 1: by a base that grows with the sharpness, or by the rule of the winner."""
    if sharpness == 1:
        return [1.0 if score == max(scores) else 0.0 for score in scores]
    base = (1 + sharpness) / (1 - sharpness)
    return [1 / base ** (max(scores) - score) for score in scores]


def answered(weights, value):
    weighted = [weight * x for weight, x in zip(weights, value, strict=True)]
    return {"weights": weights, "weighted_values": weighted, "output": sum(weighted)}


def asked(query):
    scores = [key[0] * query[0] + key[1] * query[1] for key in KEYS]
    return {"query": list(query), "key": KEYS, "scores": scores}


def soft_select(sharpness, query, **entries):
    value = [entries[f"values[1, {j}]"] for j in (1, 2, 3, 4)]
    shown = asked(query)
    parts = of_the_best(shown["scores"], sharpness)
    every = [of_the_best(shown["scores"], k / 100) for k in range(101)]
    return {
        **shown,
        "value": value,
        "parts": parts,
        **answered([part / sum(parts) for part in parts], value),
        "curve": [sum(p * x for p, x in zip(some, value, strict=True)) / sum(some) for some in every],
    }


def wrong_lookup(recipe, query):
    shown = asked(query)
    powers = [3.0**score for score in shown["scores"]]
    weights = {
        "powers of 3, divided by their sum": [power / sum(powers) for power in powers],
        "powers of 3, not divided": powers,
        "the scores themselves": shown["scores"],
    }[recipe]
    value = [10.0, 10.0, 20.0, 10.0]
    return {**shown, "value": value, **answered(weights, value)}


REFERENCES = {"explore_soft_select": soft_select, "explore_wrong_lookup": wrong_lookup}


def tables(caption, *more):
    def rows(shown, values):
        lines = [[*shown["key"], ""], [*shown["scores"], ""]]
        lines += [[*shown[name], sum(shown[name])] for name in (*more, "weights")]
        return {caption: [*lines, [*shown["value"], ""], [*shown["weighted_values"], shown["output"]]]}

    return rows


TABLES = {"explore_soft_select": tables("soft select", "parts"), "explore_wrong_lookup": tables("what comes out")}


def soft_select_sentence(shown, values):
    best = [w for w, score in zip(shown["weights"], shown["scores"], strict=True) if score == max(shown["scores"])]
    if len(best) == 4 or values["sharpness"] == 0:
        return [shown["output"]]
    takes = [f"{100 * best[0]:.1f}%"] if len(best) == 1 else [len(best), f"{100 * best[0]:.1f}%"]
    grows = [] if values["sharpness"] == 1 else [(1 + values["sharpness"]) / (1 - values["sharpness"])]
    return [*grows, *takes, shown["output"]]


def wrong_lookup_sentence(shown, values):
    named = [3] if values["recipe"].startswith("powers of 3") else []
    return [*named, sum(shown["weights"]), shown["output"], 10, 10, 20, 10]


SENTENCES = {"explore_soft_select": soft_select_sentence, "explore_wrong_lookup": wrong_lookup_sentence}


def lights(shown, values):
    off = abs(sum(shown["weights"]) - 1)
    outside = max(shown["output"] - max(shown["value"]), min(shown["value"]) - shown["output"], 0)
    return [
        ("every row sums to 1", off if off > 1e-6 else 0),
        ("the output lies between the smallest and the largest value", outside if outside > 1e-9 else 0),
    ]


LIGHTS = {"explore_soft_select": lights, "explore_wrong_lookup": lights}

# --- known answers ---------------------------------------------------------------------------------------------------


def move(**values):
    explorer = explorers.explore_soft_select()
    explorer.set(**values)
    return explorer


def test_explore_soft_select_starts_with_the_sixths():
    shown = explorers.explore_soft_select().shown
    np.testing.assert_allclose(shown["weights"], [1 / 6, 1 / 6, 1 / 2, 1 / 6], rtol=1e-14)
    np.testing.assert_allclose(shown["output"], 15, rtol=1e-14)


def test_explore_soft_select_reaches_both_ends_exactly():
    uniform, hard = move(sharpness=0.0), move(sharpness=1.0)
    assert uniform.shown["weights"].tolist() == [0.25] * 4 and uniform.shown["output"] == 12.5
    assert hard.shown["weights"].tolist() == [0, 0, 1, 0] and hard.shown["output"] == 20
    assert hard.shown["curve"][[0, 100]].tolist() == [12.5, 20]


def test_explore_soft_select_shares_between_equals_at_the_hard_end():
    assert move(sharpness=1.0, query=(1.0, 1.0)).shown["weights"].tolist() == [0.25] * 4
    np.testing.assert_array_equal(move(sharpness=1.0, query=(1.0, 0.0)).shown["weights"] * 3, [1, 1, 0, 1])


def test_explore_soft_select_is_softmax_with_the_base_that_it_names():
    for sharpness in (0.1, 0.46, 0.5, 0.99):
        explorer = move(sharpness=sharpness, query=(0.0, 2.0))
        base = (1 + sharpness) / (1 - sharpness)
        np.testing.assert_allclose(explorer.shown["weights"], softmax([0, 0, 2, 0], base=base), rtol=1e-12)
        assert f"{base:.2f} times" in explorer.text


def test_explore_soft_select_goes_from_end_to_end_without_a_jump():
    curve = move(query=(0.0, 2.0)).shown["curve"]
    assert (np.diff(curve) > 0).all() and np.diff(curve).max() < 0.2


def test_explore_wrong_lookup_may_look_right_by_luck():
    explorer = explorers.explore_wrong_lookup()
    explorer.set(recipe="the scores themselves", query=(0.0, 1.0))
    assert "✗" not in explorer.html and explorer.shown["output"] == 20
    explorer.set(query=(1.0, 0.0))
    assert explorer.html.count("✗") == 2 and explorer.shown["output"] == 30

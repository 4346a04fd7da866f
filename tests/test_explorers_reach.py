"""What the explorers of windows and best keys must show, in plain loops; tests/test_explorers.py holds them beside it."""

import pytest

from helpers import explorers
from tests.references import powers_over_sum


def window_reach(window, layers, whole):
    rows, cone = [[float(token == 15) for token in range(16)]], {15}
    for layer in range(layers, 0, -1):
        cone = {j for i in cone for j in range(16) if j <= i and (layer == whole or j > i - window)}
        rows.append([float(token in cone) for token in range(16)])
    kept = sum(16 if layer == whole else window for layer in range(1, layers + 1))
    return {"heard": rows[::-1], "reach": len(cone), "kept": kept}


def best_keys(k, index):
    guesses = [3.0, 0, 2, 0, 0, 1, 0, 1] if index == "knows names" else [float(place) for place in range(8)]
    scores = [2.0, 0, 1, 0, 0, 0, 0, 0]
    asked = sorted(range(8), key=lambda place: (-guesses[place], place))[:k]
    whole = powers_over_sum(scores, 3.0)
    few = iter(powers_over_sum([scores[place] for place in sorted(asked)], 3.0))
    weights = [next(few) if place in asked else 0.0 for place in range(8)]
    kept = sum(whole[place] for place in asked)
    return {"guesses": guesses, "scores": scores, "weights": weights, "whole": whole, "kept": kept}


REFERENCES = {"explore_window_reach": window_reach, "explore_best_keys": best_keys}
TABLES = {"explore_window_reach": lambda shown, values: {}, "explore_best_keys": lambda shown, values: {}}
SENTENCES = {
    "explore_window_reach": lambda shown, values: [
        values["layers"], values["window"], shown["reach"], 16, shown["kept"], 16 * values["layers"],
    ],
    "explore_best_keys": lambda shown, values: [values["k"], 8, f"{100 * shown['kept']:.0f}%"],
}  # fmt: skip


def by_formula(shown, values):
    alone = not 1 <= values["whole"] <= values["layers"]
    return [("windows alone reach layers × (window − 1) + 1 tokens", 0)] if alone else []


LIGHTS = {"explore_window_reach": by_formula, "explore_best_keys": lambda shown, values: []}


def test_explore_window_reach_of_five_windows_and_of_one_whole_layer():
    explorer = explorers.explore_window_reach()
    assert (explorer.shown["reach"], explorer.shown["kept"]) == (11, 15)
    explorer._touched({"type": "click", "target": {"className": "touch at-layer r2"}})
    assert explorer.values["whole"] == 3 and (explorer.shown["reach"], explorer.shown["kept"]) == (16, 28)


def test_explore_best_keys_asks_ada_and_tom_and_an_index_that_is_wrong_loses_ada():
    explorer = explorers.explore_best_keys()
    assert 4 * explorer.shown["weights"] == pytest.approx([3, 0, 1, 0, 0, 0, 0, 0])
    assert explorer.shown["kept"] == pytest.approx(2 / 3)
    explorer.set(index="prefers the newest")
    assert 2 * explorer.shown["weights"] == pytest.approx([0, 0, 0, 0, 0, 0, 1, 1])
    assert explorer.shown["kept"] == pytest.approx(1 / 9)
    explorer._touched({"type": "click", "target": {"className": "touch at-guesses r0"}})
    assert explorer.values["k"] == 8

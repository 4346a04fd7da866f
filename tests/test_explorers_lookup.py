"""What the explorers of the soft select must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math
import re

import numpy as np
import pytest

from helpers import explorers
from helpers.attention import softmax
from tests import driving

KEYS = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]


def temperature(heat):
    return math.inf if heat == 1 else heat / (1 - heat)


def of_the_best(scores, heat):
    """Part of each key beside the best one's 1: a power of 3, or the rule of the winner where the temperature is 0."""
    if heat == 0:
        return [1.0 if score == max(scores) else 0.0 for score in scores]
    return [3.0 ** ((score - max(scores)) / temperature(heat)) for score in scores]


def answered(weights, value):
    weighted = [weight * x for weight, x in zip(weights, value, strict=True)]
    return {"weights": weights, "weighted_values": weighted, "output": sum(weighted)}


def asked(query):
    scores = [key[0] * query[0] + key[1] * query[1] for key in KEYS]
    return {"query": list(query), "key": KEYS, "scores": scores}


def soft_select(heat, query, **entries):
    value = [entries[f"values[1, {j}]"] for j in (1, 2, 3, 4)]
    shown = asked(query)
    parts = of_the_best(shown["scores"], heat)
    every = [of_the_best(shown["scores"], k / 40) for k in range(41)]
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


TABLES = {"explore_soft_select": tables("the table", "parts"), "explore_wrong_lookup": tables("the table")}


def soft_select_sentence(shown, values):
    best = [w for w, score in zip(shown["weights"], shown["scores"], strict=True) if score == max(shown["scores"])]
    if len(best) == 4 or values["heat"] == 1:
        return [shown["output"]]
    takes = [f"{100 * best[0]:.1f}%"] if len(best) == 1 else [len(best), f"{100 * best[0]:.1f}%"]
    grows = [] if values["heat"] == 0 else [3 ** (1 / temperature(values["heat"]))]
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


def test_explore_soft_select_reaches_both_limits_exactly():
    uniform, hard = move(heat=1.0), move(heat=0.0)
    assert uniform.shown["weights"].tolist() == [0.25] * 4 and uniform.shown["output"] == 12.5
    assert hard.shown["weights"].tolist() == [0, 0, 1, 0] and hard.shown["output"] == 20
    assert hard.shown["curve"][[0, 40]].tolist() == [20, 12.5]


def test_explore_soft_select_shares_between_equals_where_it_is_cold():
    assert move(heat=0.0, query=(1.0, 1.0)).shown["weights"].tolist() == [0.25] * 4
    np.testing.assert_array_equal(move(heat=0.0, query=(1.0, 0.0)).shown["weights"] * 3, [1, 1, 0, 1])


@driving.unpainted()
def test_explore_soft_select_is_softmax_in_base_3_at_the_temperature_that_it_names():
    for heat in (0.1, 0.475, 0.5, 0.975):
        explorer = move(heat=heat, query=(0.0, 2.0))
        scores = np.array([0, 0, 2, 0]) * (1 - heat) / heat
        np.testing.assert_allclose(explorer.shown["weights"], softmax(scores, base=3), rtol=1e-12)
        label = explorer.controls["heat"].label
        assert float(label) == pytest.approx(heat / (1 - heat), abs=0.005)


def test_a_query_twice_as_loud_answers_like_half_the_temperature():
    """T = 2/3 and T = 1/3."""
    loud, cold = move(heat=0.4, query=(0.0, 2.0)), move(heat=0.25)
    np.testing.assert_allclose(loud.shown["weights"], cold.shown["weights"], rtol=1e-12)


def test_explore_soft_select_goes_from_end_to_end_without_a_jump():
    curve = move(query=(0.0, 2.0)).shown["curve"]
    assert (np.diff(curve) <= 0).all() and -np.diff(curve).min() < 0.6


@driving.unpainted()
def test_the_puzzle_of_lesson_01_has_a_solution_only_with_the_louder_query():
    found = set()
    for k in range(41):
        for name, query in explorers.explore_soft_select().controls["query"].options.items():
            if (
                abs(
                    soft_select(k / 40, query, **{f"values[1, {j}]": v for j, v in enumerate([10, 10, 20, 10], 1)})[
                        "output"
                    ]
                    - 18
                )
                <= 0.1
            ):
                found.add((name, k / 40))
    assert found == {("B, louder [0, 2]", 0.475)}


@pytest.mark.parametrize("name", ["explore_soft_select", "explore_wrong_lookup"])
def test_a_click_on_a_column_of_the_table_asks_for_its_letter(name):
    explorer = getattr(explorers, name)()
    explorer.set(query=(1.0, 1.0))
    for k, letter in enumerate("AABA"):
        driving.click(explorer, "table", k)
        assert explorer.controls["query"].value == tuple(KEYS[k])
        assert driving.titles(explorer)["table", (k,)] == f"click: ask for {letter}, chosen"
    columns = re.findall(r'class="touch at-table r2"', explorer.html)
    assert len(columns) == (7 if name == "explore_soft_select" else 6)  # the letter and all that stands under it


def test_the_dot_is_dragged_along_the_curve_to_the_nearest_temperature():
    explorer = explorers.explore_soft_select()
    for x, heat in ((0.31, 0.3), (-0.02, 0.0), (1.0, 1.0), (0.49, 0.5)):
        driving.point(explorer, "curve", x, 15.0)
        assert explorer.controls["heat"].value == pytest.approx(heat)


def test_explore_wrong_lookup_may_look_right_by_luck():
    explorer = explorers.explore_wrong_lookup()
    explorer.set(recipe="the scores themselves", query=(0.0, 1.0))
    assert "✗" not in explorer.html and explorer.shown["output"] == 20
    explorer.set(query=(1.0, 0.0))
    assert explorer.html.count("✗") == 2 and explorer.shown["output"] == 30


def test_the_arrow_waits_at_the_nearer_end_of_its_range():
    explorer = explorers.explore_lookup()
    for place, angle in (((-2, 0.2), 135), ((-2, -0.2), 135), ((0.2, -2), -45), ((2, 2), 45), ((-0.2, -2), -45)):
        driving.point(explorer, "query", *place)
        assert explorer.controls["angle"].value == angle

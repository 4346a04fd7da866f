"""What the explorers of rows that fall short must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math

import numpy as np
import pytest

from helpers import attention_maps, explorers
from helpers.explorers import short_rows
from tests.references import dot, powers_over_sum

VALUES = [10.0, 10.0, 20.0, 10.0]
KEYS = [[4.0, 3.0], [3.0, 4.0], [0.0, 5.0]]


def beside(scores, sink, base):
    total = sum(base**score for score in scores) + base**sink
    return [base**score / total for score in scores]


def sink(sink, shift, letter, base):
    scores = [shift + (k == letter) for k in range(4)]
    weights = beside(scores, sink, base)
    weighted = [w * v for w, v in zip(weights, VALUES, strict=True)]
    return {
        "scores": scores,
        "plain": powers_over_sum(scores, base),
        "with_sink": weights,
        "weighted_values": weighted,
        "output": [sum(weighted)],
        "sum": sum(weights),
    }


def resting(on, head):
    she = attention_maps.load("She")
    at = she.tokens.index(on)
    rest = [[math.fsum(row[at] for row in rows) / 22 for rows in layer] for layer in she.weights]
    return {"rest": rest, "row": [row[at] for row in she.weights[head]]}


def scores_of(query, how, cap):
    products = [dot(key, query) for key in KEYS]
    if how == "soft cap":
        return [cap * math.tanh(product / cap) for product in products]
    if how == "as they are":
        return products
    return [
        cap * product / (math.hypot(*query) * math.hypot(*key)) for product, key in zip(products, KEYS, strict=True)
    ]


def bounds(longer, how, cap):
    query = [3.0 * longer, 4.0 * longer]
    scores, of_one, of_ten = (scores_of(each, how, cap) for each in (query, [3.0, 4.0], [30.0, 40.0]))
    return {
        "keys": KEYS,
        "plain": [dot(key, query) for key in KEYS],
        "scores": scores,
        "weights": powers_over_sum(scores, math.e),
        "of_one": powers_over_sum(of_one, math.e),
        "of_ten": powers_over_sum(of_ten, math.e),
    }


def weights_of(recipe, scores):
    seen = scores[:3]
    if recipe in {"softmax alone", "beside a sink, then divided by their sum", "softmax of scores − sink"}:
        return [*powers_over_sum(seen, 3.0), 0.0]
    if recipe.startswith("beside"):
        return [*beside(seen, 0.0, 3.0), 0.0]
    if recipe.startswith("masked"):
        return beside([*(2 * math.tanh(score / 2) for score in seen), -2.0], 0.0, 3.0)
    if recipe.startswith("the difference"):
        return [*(share - 1 / 3 for share in powers_over_sum(seen, 3.0)), 0.0]
    return [*(3.0**score for score in seen), 0.0]


def wrong_short(recipe):
    weights = weights_of(recipe, [0.0, 0.0, 1.0, 0.0])
    return {
        "weights": weights,
        "output": [dot(weights, VALUES)],
        "low": sum(weights_of(recipe, [-5.0, -5.0, -4.0, -5.0])),
    }


REFERENCES = {
    "explore_sink": sink,
    "explore_resting": resting,
    "explore_bounds": bounds,
    "explore_wrong_short": wrong_short,
}


def weighted(weights):
    return [w * v for w, v in zip(weights, VALUES, strict=True)]


TABLES = {
    "explore_sink": lambda shown, values: {
        "AABA": [
            [*shown["scores"], ""],
            [*shown["plain"], 1.0],
            [*shown["with_sink"], shown["sum"]],
            [*VALUES, ""],
            [*shown["weighted_values"], shown["output"][0]],
        ]
    },
    "explore_resting": lambda shown, values: {
        f"mean weight on {values['on']}": shown["rest"],
        "tokens 1 to 8": [[*shown["row"][:8], ""]],
        "tokens 9 to 15": [[*shown["row"][8:15], ""]],
        "tokens 16 to 22": [[*shown["row"][15:], ""]],
    },
    "explore_bounds": lambda shown, values: {
        "keys": KEYS,
        "query · key": [[x] for x in shown["plain"]],
        "score": [[x] for x in shown["scores"]],
        "weight": [[x] for x in shown["weights"]],
    },
    "explore_wrong_short": lambda shown, values: {
        "AABA, the last A is masked": [
            [*shown["weights"], sum(shown["weights"])],
            [*VALUES, ""],
            [*weighted(shown["weights"]), shown["output"][0]],
        ]
    },
}


def percent(x):
    return f"{100 * x:.0f}%"


SENTENCES = {
    "explore_sink": lambda shown, values: [
        shown["sum"], 1 - shown["sum"], shown["output"][0], dot(shown["plain"], VALUES),
    ],
    "explore_resting": lambda shown, values: [
        values["head"][0] + 1,
        values["head"][1] + 1,
        percent(shown["rest"][values["head"][0]][values["head"][1]]),
        72,
        percent(sum(map(sum, shown["rest"])) / 72),
        "5%",
    ],
    "explore_bounds": lambda shown, values: [
        5 * values["longer"], min(shown["scores"]), max(shown["scores"]), max(shown["weights"]),
    ],
    "explore_wrong_short": lambda shown, values: [sum(shown["weights"]), shown["output"][0]],
}  # fmt: skip


def hangs(shown):
    gap = max(abs(a - b) for a, b in zip(shown["of_ten"], shown["of_one"], strict=True))
    return gap if gap > 1e-9 else 0


def quiet(shown):
    return (short_rows.QUIET, 0 if shown["low"] < sum(shown["weights"]) - 1e-9 else None)


LIGHTS = {
    "explore_sink": lambda shown, values: [
        (short_rows.OFF, 1 - shown["sum"] if abs(1 - shown["sum"]) > 1e-9 else 0),
        (short_rows.SHORT, 0),
    ],
    "explore_resting": lambda shown, values: [],
    "explore_bounds": lambda shown, values: [
        ("the weights do not depend on how long the query is", hangs(shown)),
        (short_rows.OFF, 0),
    ],
    "explore_wrong_short": lambda shown, values: [
        (short_rows.SHORT, max(0, sum(shown["weights"]) - 1) if sum(shown["weights"]) - 1 > 1e-9 else 0),
        (short_rows.MASKED, shown["weights"][3]),
        quiet(shown),
    ],
}

# --- known answers and the hand --------------------------------------------------------------------------------------


def test_explore_sink_starts_with_the_ninths_of_the_lesson():
    explorer = explorers.explore_sink()
    np.testing.assert_allclose(9 * explorer.shown["with_sink"], [1, 1, 3, 1])
    explorer.set(base=math.e)
    assert explorer.shown["sum"] == pytest.approx((3 + math.e) / (3 + 2 * math.e))


def test_the_letters_keep_one_half_between_two_stops_of_the_sink():
    explorer, kept = explorers.explore_sink(), {}
    for sink in (1.5, 2.0):
        explorer.set(sink=sink)
        kept[sink] = float(explorer.shown["sum"])
    assert kept[1.5] > 0.5 > kept[2.0]
    explorer.set(sink=-1.5)
    assert explorer.shown["sum"] < 0.98
    explorer.set(sink=-2.0)
    assert explorer.shown["sum"] > 0.98


def test_a_low_row_falls_silent_beside_a_sink_alone():
    explorer = explorers.explore_sink()
    explorer.set(shift=-5.0, sink=0.0)
    assert explorer.shown["sum"] < 0.03 and explorer.shown["plain"].sum() == pytest.approx(1)


def test_a_click_raises_a_letter():
    explorer = explorers.explore_sink()
    explorer._touched({"type": "click", "target": {"className": "touch at-with_sink r0"}})
    assert explorer.controls["letter"].value == 0 and explorer.shown["scores"].tolist() == [1, 0, 0, 0]


def test_explore_resting_finds_half_of_the_weight_on_cls_in_the_middle_layers():
    explorer = explorers.explore_resting()
    assert explorer.text.endswith(". The mean of all 72 heads is 44%; at equal shares it would be 5%.")
    assert explorer.shown["rest"].mean(axis=-1).round(2).tolist() == [0.17, 0.51, 0.56, 0.5, 0.61, 0.28]
    explorer._touched({"type": "click", "target": {"className": "touch at-rest r3 c1"}})
    assert explorer.controls["head"].value == (3, 1)


def test_explore_bounds_keeps_the_normed_scores_whatever_the_length():
    explorer = explorers.explore_bounds()
    explorer.set(how="query and key of length 1", cap=1.0)
    for longer in (1, 10, 100):
        explorer.set(longer=longer)
        np.testing.assert_allclose(explorer.shown["scores"], [0.96, 1, 0.8])
    explorer.set(how="as they are", longer=10)
    assert explorer.shown["plain"][0] == explorer.shown["scores"][0] == 240
    assert "✗ the weights do not depend" in explorer.html


def test_a_cap_after_the_mask_lets_the_masked_letter_back_in():
    explorer = explorers.explore_wrong_short()
    explorer.set(recipe="masked, then capped at 2, beside a sink")
    assert explorer.shown["weights"][3] > 0.01 and f"✗ {short_rows.MASKED}" in explorer.html


def test_whether_weights_depend_on_the_length_is_told_at_every_length():
    explorer = explorers.explore_bounds()
    for how, mark in (("as they are", "✗"), ("soft cap", "✗"), ("query and key of length 1", "✓")):
        for longer in (1, 10):
            explorer.set(how=how, longer=longer)
            assert f"{mark} the weights do not depend on how long the query is" in explorer.html

"""What the explorers of a string that is asked for a B must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math

import numpy as np
import pytest

from helpers import explorers
from tests import driving


def shares(letters, scores, weights):
    found = [sum(w for w, each in zip(weights, letters, strict=True) if each == letter) for letter in "AB"]
    return {"scores": scores, "weights": weights, "output": found}


def ask(asked, counts, string):
    letters = string.strip().upper()
    if not 1 <= len(letters) <= 12 or letters.strip("AB"):
        return None  # refused
    scores = [1.0 if letter == asked else 0.0 for letter in letters]
    if counts == math.inf:
        parts = [1.0 if score == max(scores) else 0.0 for score in scores]
    else:
        parts = [counts**score for score in scores]
    return shares(letters, scores, [part / sum(parts) for part in parts])


def ask_wrongly(recipe, score):
    scores = [0.0, 0.0, score, 0.0]
    weights = {
        "squares of the scores, over their sum": [0.0, 0.0, 1.0, 0.0],
        "the scores, over their sum": [0.0, 0.0, 1.0, 0.0],
        "sigmoids of the scores": [0.5, 0.5, 1 / (1 + math.exp(-score)), 0.5],
        "powers of e, not divided": [1.0, 1.0, math.exp(score), 1.0],
        "powers of e, over their sum": [part / (3 + math.exp(score)) for part in (1, 1, math.exp(score), 1)],
    }[recipe]
    return shares("AABA", scores, weights)


def said(shown, values):
    found = shown["output"]["AB".index(values["asked"])]
    if max(shown["scores"]) == 0:
        return [shown["weights"][0]]
    heat = [] if values["counts"] == 1 else [1 / math.log(values["counts"])]
    return [] if values["counts"] == math.inf else [found, values["counts"], *heat]


def rules(shown, values):
    off = abs(sum(shown["weights"]) - 1)
    pairs = [(shown["scores"][i], shown["weights"][i]) for i in range(4)]
    wrong = any(s > t and not w > v for s, w in pairs for t, v in pairs)
    return [
        ("every row sums to 1", off if off > 1e-6 else 0),
        ("a higher score gets a larger weight", None if wrong else 0),
    ]


REFERENCES = {"explore_ask_for_b": ask, "explore_wrong_weights": ask_wrongly}
TABLES = {name: lambda shown, values: {} for name in REFERENCES}
SENTENCES = {
    "explore_ask_for_b": said,
    "explore_wrong_weights": lambda shown, values: [
        values["score"], shown["weights"][2], 0, shown["weights"][0], sum(shown["weights"]),
    ],
}  # fmt: skip
LIGHTS = {"explore_ask_for_b": lambda shown, values: [("every row sums to 1", 0)], "explore_wrong_weights": rules}


def move(**values):
    explorer = explorers.explore_ask_for_b()
    explorer.set(**values)
    return explorer


def test_it_starts_with_the_sixths_of_the_notes():
    explorer = move()
    np.testing.assert_allclose(explorer.shown["weights"], [1 / 6, 1 / 6, 1 / 2, 1 / 6], rtol=1e-14)
    assert "scores 0 0 1 0, weights 1/6 1/6 1/2 1/6, output A 1/2, B 1/2" in explorer.html
    assert explorer.text == "The answer is 50% B. A point of score multiplies a weight by 3 (temperature 0.91)."


@pytest.mark.parametrize(
    ("counts", "on_b"),
    [(1.0, 0.25), (math.e, 0.4754), (math.exp(10), 0.9999), (math.inf, 1.0)],
)
def test_one_knob_leads_from_the_average_to_select(counts, on_b):
    assert move(counts=counts).shown["output"][1] == pytest.approx(on_b, abs=5e-5)


def test_select_shares_between_equals_and_nothing_found_is_an_average():
    assert move(counts=math.inf, asked="A").shown["weights"].tolist() == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    assert "There is no B, so every letter gets the same weight, 0.333." == move(string="AAA").text


def test_a_click_on_a_letter_turns_it_and_its_title_says_into_what():
    explorer = move()
    for k, want in ((0, "BABA"), (2, "BAAA"), (0, "AAAA")):
        assert driving.titles(explorer)["letters", (k,)] == f"click: make it {want[k]}"
        driving.click(explorer, "letters", k)
        assert explorer.controls["string"].value == want


def test_a_space_that_nobody_sees_is_named():
    explorer = move()
    explorer.controls["string"].value = "A B"
    assert "A and B only; a space is neither." in explorer._view.value


def test_only_powers_over_their_sum_keep_both_rules_at_every_score():
    explorer, keeps = explorers.explore_wrong_weights(), {}
    assert "✗" in explorer.html  # it opens broken
    for recipe in driving.choices(explorer.controls["recipe"]):
        for score in driving.choices(explorer.controls["score"]):
            explorer.set(recipe=recipe, score=score)
            keeps[recipe] = keeps.get(recipe, True) and "✗" not in explorer.html
    assert [recipe for recipe, whole in keeps.items() if whole] == ["powers of e, over their sum"]

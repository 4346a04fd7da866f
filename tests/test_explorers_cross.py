"""What the explorers of two sequences must show, in plain loops; tests/test_explorers.py holds them beside it."""

import numpy as np

from helpers import explorers
from tests import driving
from tests.references import dot, mix, powers_over_sum

LETTERS = {"A": [1.0, 0.0], "B": [0.0, 1.0]}


def ask(queries, keys, values, base):
    scores = [[dot(query, key) for key in keys] for query in queries]
    weights = [powers_over_sum(line, base) for line in scores]
    return {"scores": scores, "weights": weights, "output": [mix(line, values) for line in weights]}


def cross(asking, source, side, length, asks):
    strings = [text.strip().upper() for text in (asking, source)]
    if not all(1 <= len(text) <= 12 and not text.strip("AB") for text in strings):
        return None
    first, second = strings if side == "the first asks the second" else strings[::-1]
    query = [[length * x for x in LETTERS[letter]] for letter in first]
    key = [LETTERS[letter] for letter in second]
    value = [[{"A": 10.0, "B": 20.0}[letter]] for letter in second]
    return {
        "query": query,
        "key": key,
        "value": value,
        **ask(query, key, value, 3),
        "chosen": min(asks, len(first)) - 1,
    }


REFERENCES = {"explore_cross": cross}


TABLES = {
    "explore_cross": lambda shown, values: {
        "values": shown["value"],
        "scores": shown["scores"],
        "weights": shown["weights"],
        "output": shown["output"],
    },
}


def cross_sentence(shown, values):
    asks, asked = len(shown["query"]), len(shown["key"])
    ends = [min(shown["output"])[0], max(shown["output"])[0]]
    return [asks, asked, asks, asked, asks, *(ends if asks > 1 else ends[:1])]


SENTENCES = {
    "explore_cross": cross_sentence,
}


LIGHTS = {
    "explore_cross": lambda shown, values: [
        ("every row sums to 1", 0),
        ("every output lies between the values", 0),
    ],
}

# --- known answers ---------------------------------------------------------------------------------------------------


def test_explore_cross_starts_with_15_and_11_and_turns_round_to_four_rows_of_two():
    explorer = explorers.explore_cross()
    np.testing.assert_allclose(explorer.shown["output"], [[15], [11]], rtol=1e-12)
    driving.buttons(explorer)["roles reversed"].click()
    assert explorer.shown["weights"].shape == (4, 2) and explorer.shown["output"].shape == (4, 1)
    driving.buttons(explorer)["queries twice as long"].click()  # takes the roles and the strings back, too
    np.testing.assert_allclose(explorer.shown["weights"][0] * 12, [1, 1, 9, 1], rtol=1e-12)
    np.testing.assert_allclose(explorer.shown["output"][0], 17.5, rtol=1e-12)
    explorer.set(asking="AB", source="B")
    driving.buttons(explorer)["queries twice as long"].click()
    np.testing.assert_allclose(explorer.shown["output"][0], 17.5, rtol=1e-12)


def test_letters_of_explore_cross_are_clicked():
    explorer = explorers.explore_cross()
    driving.click(explorer, "who asks", 1)
    assert explorer.values["asks"] == 2 and explorer.shown["chosen"] == 1
    assert "those of letter 2, A, are dark" in explorer.html
    driving.click(explorer, "weights", 0, 3)
    assert explorer.values["asks"] == 1
    driving.click(explorer, "who is asked", 2)
    assert explorer.values["source"] == "AAAA" and explorer.shown["output"].ravel().tolist() == [10, 10]
    explorer.set(side="the second asks the first")
    driving.click(explorer, "who is asked", 0)
    assert explorer.values["asking"] == "AA" and explorer.shown["weights"].shape == (4, 2)


def test_explore_cross_tells_how_its_numbers_are_made():
    said = driving.titles(explorers.explore_cross())
    assert said["weights", (0, 2)].startswith("weights [1, 3] = 3^1 / (3^0 + 3^0 + 3^1 + 3^0) = 0.5")
    assert said["output", (1, 0)] == "output [2, 1] = 0.300·10 + 0.300·10 + 0.100·20 + 0.300·10 = 11.000"


def test_one_letter_that_asks_one_has_one_weight_and_one_output():
    explorer = explorers.explore_cross()
    for asking, source, told in [
        ("A", "B", "1 asks 1: 1 × 1 weight, and 1 output, 20.000."),
        ("A", "BA", "1 asks 2: 1 × 2 weights, and 1 output, 12.500."),
        ("AB", "B", "2 ask 1: 2 × 1 weights, and 2 outputs, from 20.000 to 20.000."),
    ]:
        explorer.set(asking=asking, source=source)
        assert explorer.text == told


def test_every_row_of_a_larger_map_lights_up_too():
    explorer = explorers.explore_cross()
    explorer.set(asking="AAAAAA", source="AABAABA")
    style = explorer.children[0].value
    assert all(f".at-weights.r{row}" in style for row in range(6)) and ".at-weights.r6" not in style
    explorer.set(asking="A", source="AB")
    assert ".at-weights.r0" in explorer.children[0].value and ".at-weights.r1" not in explorer.children[0].value

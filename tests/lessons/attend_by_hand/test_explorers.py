"""Known answers of the explorers of this lesson; tests/test_explorers.py holds them against recorded states."""

import math

import numpy as np
import pytest

from helpers import explorers
from tests import driving

TOKENS = "Sarah was walking in the park with her cat , Alex . She was wearing a beautiful gold watch .".split()


def test_similarity_cannot_tell_sarah_from_her_and_she():
    explorer = explorers.explore_similar_words()
    weights = explorer.shown["weights"]
    assert [f"{weights[TOKENS.index(word)]:.3f}" for word in ("Sarah", "her", "She", "Alex", "cat")] == [
        "0.226", "0.226", "0.226", "0.083", "0.031",
    ]  # fmt: skip
    assert explorer.text == "“She” gives 23% of its weight each to “Sarah”, “her” and “She”."
    explorer.set(swapped=True)
    assert explorer.text.endswith("each to “her”, “Sarah” and “She”.")


@pytest.mark.parametrize(("strength", "share"), [(0, 0.05), (1.5, 0.406), (2, 0.59), (4, 0.943)])
def test_a_question_of_its_own_finds_sarah(strength, share):
    explorer = explorers.explore_question()
    explorer.set(strength=strength)
    assert explorer.shown["weights"][0] == pytest.approx(share, abs=0.006)


def test_explore_three_tokens_starts_with_the_outputs_of_the_notes():
    explorer = explorers.explore_three_tokens()
    np.testing.assert_allclose(explorer.shown["outputs"], [[0.802, 0.599], [0.599, 0.802], [0.752, 0.752]], atol=5e-4)
    driving.buttons(explorer)["twins"].click()
    np.testing.assert_array_equal(explorer.shown["outputs"][0], explorer.shown["outputs"][1])


def test_every_sentence_of_explore_three_tokens_is_a_true_equation():
    explorer = explorers.explore_three_tokens()
    for scale in driving.choices(explorer.controls["scale"]):
        for base in driving.choices(explorer.controls["base"]):
            explorer.set(scale=scale, base=base)
            for cell in driving.choices(explorer.controls["cell"]):
                explorer.controls["cell"].value = cell
                sides = [side for side in explorer.text.split(" = ")[1:] if "token" not in side]
                results = [eval(side.replace("·", "*").replace("^", "**"), {"e": math.e}) for side in sides]
                assert len(results) == 2 and abs(results[0] - results[1]) < 2e-3, explorer.text

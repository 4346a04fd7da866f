"""Known answers of the explorers of this lesson; tests/test_explorers.py holds them against recorded states."""

import math
import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving, sentences

CAUSAL = np.tri(4, dtype=bool)


def test_a_model_that_sees_everything_cheats_three_times_and_a_masked_one_cannot():
    explorer = explorers.explore_mask()
    assert explorer.text == "16 of 16 cells are open, and in all 3 exercises the model reads the answer."
    assert ">what each word reads<" in explorer.html and "masked before" not in explorer.html
    assert _worth(explorer) == ["it cheats"] * 3 and "✗ a later word moves an output" in explorer.html
    explorer.set(mask=CAUSAL)
    assert explorer.text == "10 of 16 cells are open, and 3 of 3 exercises are honest."
    assert ">read, masked before softmax<" in explorer.html
    assert _worth(explorer) == ["has to guess"] * 3 and "✗" not in explorer.html


def test_lines_light_up_one_by_one_as_the_answers_are_painted_over():
    explorer = explorers.explore_mask()
    for pairs, lit in ((((2, 3),), 1), (((1, 2), (1, 3)), 2), (((0, 1), (0, 2), (0, 3)), 3)):
        driving.stroke(explorer, "mask", *pairs)
        assert _worth(explorer).count("has to guess") == lit == int(explorer.text.split(" of 3 exercises")[0][-1])


def _worth(explorer):
    return re.findall(r"→ ([^;.]+)", explorer._picture_text)


@pytest.mark.parametrize(("row", "column"), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
def test_each_pair_above_the_diagonal_leaks(row, column):
    explorer, mask = explorers.explore_mask(), CAUSAL.copy()
    mask[row, column] = True
    explorer.set(mask=mask)
    moved = explorer.shown["moved"]
    assert moved[row, column] > 1e-3 and np.count_nonzero(np.triu(moved, 1)) == 1
    assert "✗ a later word moves an output" in explorer.html


def test_explore_mask_is_painted_and_ticked_the_same():
    painted, ticked = explorers.explore_mask(), explorers.explore_mask()
    assert "to keep 'I' from seeing 'love'" in driving.titles(painted)["mask", (0, 1)]
    driving.stroke(
        painted, "mask", (0, 1), (0, 2), (1, 3)
    )  # the first cell is turned, and the stroke makes the others like it
    for i, j in ((1, 2), (1, 3), (2, 4)):
        ticked.controls[f"mask[{i}, {j}]"].value = False
    assert painted.html == ticked.html and painted.shown["mask"].sum() == 13
    assert "to let 'I' see 'love'" in driving.titles(painted)["mask", (0, 1)]
    driving.stroke(painted, "mask", (3, 0), (3, 1), (3, 2), (3, 3))  # nothing left to see: shown, and painted on
    assert driving.titles(painted)["mask", (3, 0)].startswith("0/0; click")
    assert np.isnan(painted.shown["weights"][3]).all() and "'.' may see nothing" in painted.text
    driving.stroke(painted, "mask", (3, 3))
    assert painted.shown["mask"][3].tolist() == [False] * 3 + [True] and np.isfinite(painted.shown["weights"]).all()


@pytest.mark.parametrize(("when", "left"), [("before softmax", math.nan), ("after softmax", 0.0)])
def test_explore_mask_shows_what_a_row_with_nothing_to_see_becomes(when, left):
    explorer, mask = explorers.explore_mask(), CAUSAL.copy()
    mask[1] = False
    explorer.set(when=when, mask=mask)
    np.testing.assert_array_equal(explorer.shown["weights"][1], [left] * 4)
    assert explorer.text.startswith("8 of 16 cells are open") and "✗ a row " in explorer.html
    assert ("'love' may see nothing" in explorer.text) == (left != 0) == (">0/0</text>" in explorer.html)
    assert _worth(explorer)[1] == "nothing to read"


def test_a_mask_after_softmax_leaks_through_the_sum():
    explorer = explorers.explore_mask()
    explorer.set(mask=CAUSAL, when="after softmax")
    assert "✗ a row " in explorer.html and "✗ a later word moves an output" in explorer.html
    assert _worth(explorer) == ["hears ahead"] * 3
    scores = np.eye(4) + 4 * np.eye(4, k=1)
    gone = [
        np.exp(row)[k + 1 :].sum() / np.exp(row).sum() for k, row in enumerate(scores[:3])
    ]  # what is hidden, a hole
    assert [f"{share:.0%}" for share in gone] == re.findall(r"(\d+%) of", explorer._picture_text)
    explorer.set(when="before softmax")
    assert "Missing" not in explorer._picture_text


def test_guesses_and_blind_words_are_told_right_whatever_is_painted():
    rng = np.random.default_rng(7)
    masks = [CAUSAL, ~CAUSAL, ~np.ones((4, 4), bool), *(rng.random((80, 4, 4)) < rng.random((80, 1, 1)))]
    assert sentences.complaints_in_all_states("explore_mask", mask=masks) == []

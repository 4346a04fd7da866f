"""Rows and columns: known answers of the explorer that turns matrices over."""

import numpy as np
import pytest

from helpers import explorers
from rooms.read_rows_or_columns import explorers as room
from rooms.shared import examples


@pytest.mark.parametrize(("name", "id"), [("three tokens", "three tokens: y1"), ("A A B A", "whole string: weights")])
def test_examples_of_the_explorer_are_those_of_the_notes(name, id):
    given, setting = examples.get(id).given, room.SETTINGS[name]
    tokens = given["X"] if "X" in given else given["E"]
    assert np.array_equal(setting.X, tokens)
    assert np.array_equal(setting.W_query, given["W_query"]) and np.array_equal(setting.W_key, given["W_key"])


def test_columns_are_those_of_the_slides():
    explorer = explorers.explore_notation()
    explorer.controls["token_is"].value = "a column"
    np.testing.assert_allclose(explorer.shown["A"], examples.get("columns: weights").right, atol=1e-8)
    np.testing.assert_allclose(explorer.shown["Y"], examples.get("columns: output").right, atol=1e-8)


def test_switch_turns_every_matrix_and_back():
    explorer = explorers.explore_notation()
    explorer.controls["example"].value = "all sizes differ"
    rows, picture = explorer.shown, explorer.html
    explorer.controls["token_is"].value = "a column"
    for letter in ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "Y"):
        np.testing.assert_allclose(explorer.shown[letter], rows[letter].T)
    explorer.controls["token_is"].value = "a row"
    assert explorer.html == picture


def test_followed_token_is_marked_as_row_or_as_column():
    explorer = explorers.explore_notation()
    assert explorer.html.count("▸ 3") == 7 and "▾" not in explorer.html  # in X, Q, K, V, S, A and Y
    explorer.controls["token_is"].value = "a column"
    assert "▸" not in explorer.html and explorer.html.count("▾ 3") == 7

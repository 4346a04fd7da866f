"""Tables of words, ribbons of shapes, matrices in few letters, and columns that are followed."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.matrices import (
    Html,
    Places,
    Product,
    compact,
    exact_fractions,
    fewest_decimals,
    matrix,
    ribbon,
    table,
    without_places,
)
from tests import driving

quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def one(shown):
    (found,) = driving.tables(shown.html)
    return found


# --- columns that are followed ---------------------------------------------------------------------------------------


def test_chosen_column_is_marked_in_word_and_line():
    shown = matrix(np.arange(6).reshape(2, 3), "X", chosen_column=1)
    assert one(shown).heads == ["1", "▾ 2", "3"] and "▾ 2" in shown.text
    bordered = ["border-left" in cell for cell in re.findall(r"<td style=[^>]*>", shown.html)[1:]]
    assert bordered == [False, True, False] * 2


def test_column_sums_stand_below_sigma():
    shown = matrix([[0.25, 1], [0.5, 2]], "A", column_sums=True, decimals=2)
    assert one(shown).rows == {"1": ["0.25", "1.00"], "2": ["0.50", "2.00"], "Σ": ["0.75", "3.00"]}


def test_both_sums_leave_their_corner_empty():
    shown = matrix([[1, 2], [3, 4]], "A", column_sums=True, row_sums=True, decimals=0)
    assert one(shown).rows == {"1": ["1", "2", "3"], "2": ["3", "4", "7"], "Σ": ["4", "6", ""]}


# --- table -----------------------------------------------------------------------------------------------------------


def test_table_holds_every_word_under_its_head():
    shown = table([["a", "b", "c"], ["d", "e", "f"]], "words", ["second", "third"], corner="first")
    found = one(shown)
    assert (found.caption, found.corner, found.heads) == ("words", "first", ["second", "third"])
    assert found.rows == {"a": ["b", "c"], "d": ["e", "f"]}
    assert shown.text == "words\nfirst | second | third\na | b | c\nd | e | f"


def test_table_escapes_words_and_keeps_markup_that_is_meant():
    shown = table([["<i>", "<script>", Html("<b>2</b>", "two")]], "a < b", ["x", "y"])
    assert "<script>" not in shown.html and "<i>" not in shown.html and "<b>2</b>" in shown.html
    assert shown.text.endswith("<i> | <script> | two")


def test_table_names_its_entries_and_outlines_those_that_are_marked():
    lines = [["a", "b", "c"], ["d", "e", Html("<b>2</b>", "two")]]
    places = Places("rules", "touch", lambda i, j: f"open {i} {j}")
    shown = table(lines, "words", ["x", "y"], places=places, marks={(1, 1): "result"})
    cells = re.findall(r"<td[^>]*>", shown.html)[1:]
    assert 'class="touch at-rules r1 c0" title="open 1 0"' in cells[2]
    assert ["outline" in cell for cell in cells] == [False, False, False, True]
    assert without_places(shown.html) == table(lines, "words", ["x", "y"], marks={(1, 1): "result"}).html


def test_table_breaks_lines_where_the_words_do():
    shown = table([["a", "one\ntwo"]], "words", ["x"])
    assert "one<br>two" in shown.html and "a | one two" in shown.text


def test_table_headers_have_their_scope():
    heads = re.findall(r"<th [^>]*>", table([["a", "b"]], "words", ["x"]).html)
    assert len(heads) == 2 and all("scope=" in head for head in heads)


def test_table_refuses_a_line_of_another_length():
    with pytest.raises(ValueError, match=r"^a line of words must have 2 entries, got 3: a\.$"):
        table([["a", "b", "c"]], "words", ["x"])


# --- ribbon ----------------------------------------------------------------------------------------------------------


@quick
@given(st.integers(1, 99), st.integers(1, 99), st.integers(1, 99))
def test_ribbon_outlines_the_sizes_that_meet(rows, inner, columns):
    shown = ribbon([Product("Y = A V", [("A", (rows, inner)), ("V", (inner, columns))], ("Y", (rows, columns)))], "r")
    assert one(shown).rows == {"Y = A V": [f"A {rows}×{inner}", f"V {inner}×{columns}", f"Y {rows}×{columns}"]}
    assert re.findall(r'<b style="outline[^>]*>(\d+)</b>', shown.html) == [str(inner)] * 2
    assert f"A {rows}×{inner} | V {inner}×{columns} | Y {rows}×{columns}" in shown.text


def test_ribbon_says_what_happens_where_it_is_no_product():
    shown = ribbon([Product("softmax", [("S", (3, 3))], ("A", (3, 3)), "of each row")], "shapes")
    assert one(shown).rows == {"softmax": ["S 3×3", "of each row", "A 3×3"]}
    assert "outline" not in shown.html


def test_ribbon_refuses_sizes_that_do_not_meet():
    with pytest.raises(ValueError, match=r"^scores must have inner sizes that meet, got \(3, 2\) times \(3, 2\)\.$"):
        ribbon([Product("scores", [("Q", (3, 2)), ("K", (3, 2))], ("S", (3, 2)))], "shapes")


def test_ribbon_without_a_result_says_which_sizes_do_not_meet():
    shown = ribbon([Product("1.", [("Q", ("n", "d")), ("V", ("n", "d_v"))], None)], "shapes")
    assert "✗ d and n do not meet" in shown.text and "Q n×d" in shown.text and "V n×d_v" in shown.text
    assert re.findall(r"<b style=[^>]*>(\w+)</b>", shown.html) == ["d", "n"]


def test_ribbon_refuses_a_result_of_another_shape():
    with pytest.raises(ValueError, match=r"^scores must have the outer sizes of .* got \(2, 2\)\.$"):
        ribbon([Product("scores", [("Q", (3, 2)), ("Kᵀ", (2, 3))], ("S", (2, 2)))], "shapes")


# --- matrices in few letters -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (3, "3"),
        (0.91023923, "0.9102"),
        ([0, 0, 10, 0], "[0 0 10 0]"),
        ([[1, 0], [0, 1]], "[1 0]\n[0 1]"),
        ([1 / 6, 1 / 2], "[1/6 1/2]"),
        ([0.5, 0.25], "[0.5 0.25]"),
        ([0.7, 0.3, 1 - 0.5 - 0.45], "[0.7 0.3 0.05]"),
        ([1.0, 4.5e-5, 0.9999], "[1 0.0000 0.9999]"),
        ([-1.22474487, -0.0], "[-1.2247 0]"),
        ([[[1, 2]], [[3, 4]]], "[1 2]\n\n[3 4]"),
    ],
)
def test_compact_writes_numbers_short_and_exact(values, text):
    shown = compact(values)
    assert shown.text == text
    assert re.sub("<[^b][^>]*>", "", shown.html).replace("<br>", "\n") == text


def test_compact_shows_as_many_decimals_as_asked():
    assert compact([0.40111209], decimals=3).text == "[0.401]"


def test_compact_outlines_what_is_marked():
    shown = compact([[1, 2], [3, 4]], marked=[[False, True], [False, False]])
    assert re.findall(r"<b [^>]*>([^<]*)</b>", shown.html) == ["2"]


def test_compact_sets_lines_so_far_apart_that_outlines_do_not_meet():
    shown, size = compact([[1], [2]], marked=[[True], [True]]).html, 13  # px, of the letters in a table
    (outline,) = set(re.findall(r"outline:(\d+)px", shown))
    (line,) = re.findall(r"line-height:([\d.]+)", shown)
    assert "padding:0 " in shown and float(line) * size >= 1.2 * size + 2 * int(outline)


def test_compact_refuses_marks_of_another_shape():
    with pytest.raises(ValueError, match=r"^marked must have the shape of the values, \(2,\), got \(3,\)\.$"):
        compact([1, 2], marked=[True] * 3)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1 / 3, 2 / 3], True), ([0.5, 0.25], False), ([1, 2], False), ([1 / 3, 0.123456], False), (2 / 7, True)],
)
def test_exact_fractions_are_small_ones_without_end(values, expected):
    assert exact_fractions(values) is expected


@pytest.mark.parametrize(
    ("values", "decimals"), [([1, 2], 0), ([0.5, 1], 1), ([0.707], 3), (1 / 3, 4), ([0.1 + 0.2], 1)]
)
def test_fewest_decimals_are_enough(values, decimals):
    assert fewest_decimals(values) == decimals


def test_fewest_decimals_stop_where_asked():
    assert fewest_decimals([1 / 3], most=2) == 2

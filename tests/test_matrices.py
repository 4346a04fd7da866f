"""Matrices as tables: read back as XML, they hold the numbers and the names, and refuse what is no matrix."""

import re
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.refusals import refused
from workbench.matrices import (
    Html,
    Places,
    Product,
    beside,
    chain,
    compact,
    exact_fractions,
    fewest_decimals,
    matrix,
    ribbon,
    running,
    sentence,
    table,
    under,
    without_places,
)

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
NASTY = ["<script>alert(1)</script>", 'say "hi"', "R&D", "it's", "&lt;"]


def read(shown):
    """The rows of the one table of a picture, as lists of elements; its markup must be nested as it should."""
    page = ElementTree.fromstring(f"<div>{shown.html.replace('<br>', '<br/>')}</div>")
    (found,) = page.iter("table")
    return [list(row) for row in found.iter("tr")]


def words(shown):
    return [["".join(cell.itertext()) for cell in row] for row in read(shown)]


def numbers(shown):
    return [row[1:] for row in words(shown)[1:]]


def styles(shown):
    return [[cell.get("style") for cell in row[1:]] for row in read(shown)[1:]]


# --- what a matrix says ----------------------------------------------------------------------------------------------


def test_matrix_holds_its_numbers_between_its_labels_under_name_and_shape():
    shown = matrix([[1, 0.5], [-0.25, 1e3]], "X", rows=["I", "love"], columns=["a", "b"], corner="query ↓")
    assert words(shown) == [["query ↓", "a", "b"], ["I", "1.000", "0.500"], ["love", "-0.250", "1000.000"]]
    assert "<b>X</b> 2×2</caption>" in shown.html
    assert words(matrix([3, 5, 7], "q")) == [["", "1", "2", "3"], ["1", "3.000", "5.000", "7.000"]]
    assert shown._repr_mimebundle_() == {"text/html": shown.html, "text/plain": shown.text}


def test_headers_have_their_scope():
    head, *body = [[(cell.tag, cell.get("scope")) for cell in row] for row in read(matrix(np.ones((2, 3)), "X", row_sums=True))]  # fmt: skip
    assert head == [("td", None), *[("th", "col")] * 4]
    assert body == [[("th", "row"), *[("td", None)] * 4]] * 2


def test_every_word_of_the_learner_is_escaped():
    for shown in (
        matrix(np.ones((5, 5)), NASTY[0], rows=NASTY, columns=NASTY, corner=NASTY[0]),
        table([[word, *NASTY] for word in NASTY], NASTY[0], NASTY, corner=NASTY[0]),
    ):
        assert words(shown)[0] == [NASTY[0], *NASTY] and [row[0] for row in words(shown)[1:]] == NASTY
        assert "<script" not in shown.html and shown.text.startswith(NASTY[0])
    assert "<script" not in sentence(NASTY[0]).html + running(NASTY, np.ones(5), NASTY[0]).html


def test_minus_zero_nan_and_infinity_are_shown_as_what_they_are():
    shown = matrix([[-0.0, -1e-9, -0.0004], [-0.0005001, 0, -0.4]], "X")
    assert numbers(shown) == [["0.000", "0.000", "0.000"], ["-0.001", "0.000", "-0.400"]]
    assert numbers(matrix([[-0.0, -1e-12]], "X", fractions=True)) == [["0", "0"]]
    for kind in ("plain", "scores", "weights"):
        shown = matrix([[np.nan, np.inf, -np.inf, 1]], "X", kind=kind, row_sums=True)
        assert numbers(shown) == [["NaN", "∞", "-∞", "1.000", "NaN"]]
    assert compact([[1.0, np.nan], [np.inf, 0.5]]).text == "[1 NaN]\n[∞ 0.5]"


def test_decimals_are_as_many_as_asked():
    assert [numbers(matrix([[2 / 3]], "X", decimals=k)) for k in (0, 2, 4)] == [[["1"]], [["0.67"]], [["0.6667"]]]


@quick
@given(st.fractions(min_value=-50, max_value=50, max_denominator=99))
def test_fractions_are_exact(number):
    for values in ([[float(number)]], [[number]]):
        assert Fraction(numbers(matrix(values, "X", fractions=True))[0][0]) == number


@pytest.mark.parametrize("number", [0.3334, 0.16667, 1 / 101, 3.14159])
def test_no_fraction_is_shown_that_is_only_near(number):
    assert numbers(matrix([[number]], "X", fractions=True)) == [[f"{number:.3f}"]]


def test_sums_stand_at_sigma_and_never_tell_a_number_that_is_hidden():
    both = matrix([[1, 2], [3, 4]], "A", column_sums=True, row_sums=True, decimals=0)
    assert words(both) == [["", "1", "2", "Σ"], ["1", "1", "2", "3"], ["2", "3", "4", "7"], ["Σ", "4", "6", ""]]
    hidden = [[False, True], [False, False]]
    blocked = matrix([[1, 2], [3, 4]], "x", kind="scores", blocked=hidden, row_sums=True, column_sums=True, decimals=0)
    assert numbers(blocked) == [["1", "blocked", ""], ["3", "4", "7"], ["4", "", ""]]
    asked = matrix([[0.25, 0.75], [1, 0]], "A", kind="weights", row_sums=True, column_sums=True, instead={(0, 1): "?"})
    assert numbers(asked) == [["0.250", "?", ""], ["1.000", "0.000", "1.000"], ["1.250", "", ""]]
    assert "0.75" not in asked.html + asked.text and asked.html.count("color-mix(in srgb,var(--w") == 2


@quick
@given(st.integers(1, 5), st.integers(1, 7), st.sampled_from(["plain", "scores", "weights"]), *[st.booleans()] * 3)
def test_text_has_the_words_of_the_table(num_rows, num_columns, kind, hatched, row_sums, fractions):
    rng = np.random.default_rng(num_rows * num_columns)
    values = rng.integers(-9, 9, size=(num_rows, num_columns)) / 7
    blocked = rng.random(values.shape) < 0.5 if hatched else None
    shown = matrix(values, "X", kind=kind, blocked=blocked, row_sums=row_sums, fractions=fractions)
    caption, *lines = shown.text.splitlines()
    assert caption == f"X {num_rows}×{num_columns}" and repr(shown) == shown.text
    assert [line.split() for line in lines] == [[word for word in row if word] for row in words(shown)]
    assert len({len(line) for line in lines}) == 1


def test_marks_outline_their_cells_and_the_chosen_row_and_column_are_marked_in_word_and_line():
    marks = {(0, 1): "factor", (1, 0): "second factor", (1, 1): "result"}
    outlines = [re.search(r"outline:[^;]*", style or "") for row in styles(matrix(np.ones((2, 2)), "X", marks=marks)) for style in row]  # fmt: skip
    assert outlines[0] is None and len({each[0] for each in outlines[1:]}) == 3
    shown = matrix(np.ones((3, 2)), "X", rows=["a", "b", "c"], chosen_row=1, chosen_column=0)
    assert [row[0] for row in words(shown)] == ["", "a", "▸ b", "c"] and words(shown)[0] == ["", "▾ 1", "2"]
    bordered = [["border-top" in style, "border-left" in style] for row in styles(shown) for style in row]
    assert bordered == [[False, True], [False, False], [True, True], [True, False], [False, True], [False, False]]


def test_places_name_each_cell_and_without_them_nothing_is_promised():
    places = Places("dot products", "touch", lambda i, j: f'click: row {i + 1} & "{j + 1}"')
    shown = matrix(np.ones((2, 3)), "X", places=places)
    cell = read(shown)[2][3]
    assert cell.get("class") == "touch at-dot_products r1 c2" and cell.get("title") == 'click: row 2 & "3"'
    assert [cell.get("class") for cell in (read(shown)[0][1], read(shown)[1][0])] == [None, None]
    assert without_places(shown.html) == matrix(np.ones((2, 3)), "X").html


def test_arguments_stay_as_they_are():
    values, blocked = np.array([[-0.0, np.nan], [np.inf, 2]]), np.eye(2, dtype=bool)
    values.flags.writeable = blocked.flags.writeable = False
    matrix(values, "X", kind="scores", blocked=blocked, marks={(0, 0): "factor"})


# --- tables of words, ribbons and running text -----------------------------------------------------------------------


def test_table_holds_every_word_under_its_head_and_breaks_lines_where_the_words_do():
    shown = table([["a", "b", "c"], ["d", "e", "f\ng"]], "words", ["second", "third"], corner="first")
    assert words(shown) == [["first", "second", "third"], ["a", "b", "c"], ["d", "e", "fg"]] and "f<br>g" in shown.html
    assert shown.text == "words\nfirst | second | third\na | b | c\nd | e | f g"


def test_table_keeps_markup_that_is_meant_and_names_and_outlines_its_entries():
    lines = [["a", "b", "c"], ["d", "e", Html("<b>2</b>", "two")]]
    places = Places("rules", "touch", lambda i, j: f"open {i} {j}")
    shown = table(lines, "words", ["x", "y"], places=places, marks={(1, 1): "result"})
    assert "<b>2</b>" in shown.html and shown.text.endswith("d | e | two")
    cell = read(shown)[2][1]
    assert cell.get("class") == "touch at-rules r1 c0" and cell.get("title") == "open 1 0"
    assert [["outline" in style for style in row] for row in styles(shown)] == [[False, False], [False, True]]


def test_ribbon_outlines_the_sizes_that_meet_or_do_not():
    shown = ribbon(
        [
            Product("Y = A V", [("A", (2, 3)), ("V", (3, 5))], ("Y", (2, 5))),
            Product("softmax", [("S", (7, 11))], ("A", (7, 11)), "of each row"),
            Product("no", [("Q", ("n", "d")), ("V", ("n", "d_v"))], None),
        ],
        "shapes",
    )
    assert words(shown)[1:] == [
        ["Y = A V", "A 2×3", "V 3×5", "Y 2×5"],
        ["softmax", "S 7×11", "of each row", "A 7×11"],
        ["no", "Q n×d", "V n×d_v", "✗ d and n do not meet"],
    ]
    assert re.findall(r'<b style="outline[^>]*>(\w+)</b>', shown.html) == ["3", "3", "d", "n"]


@pytest.mark.parametrize("lay", [beside, under, chain])
def test_laying_pictures_out_keeps_their_markup_and_text(lay):
    parts = matrix([[1]], "X"), matrix([[2]], "Y"), sentence("R&D <b>")
    shown = lay(*parts)
    assert all(part.html in shown.html for part in parts)
    assert shown.text == "\n\n".join(part.text for part in parts)


def test_running_text_has_each_word_over_its_number():
    shown = running(["a", "b"], [0.25, 0.75], "weights", chosen=1)
    assert shown.text == "weights: a 0.25 · ▸ b 0.75"


# --- matrices in few letters -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (3, "3"),
        ([], "[]"),
        (0.91023923, "0.9102"),
        ([[1, 0], [0, 1]], "[1 0]\n[0 1]"),
        ([1 / 6, 1 / 2], "[1/6 1/2]"),
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


def test_compact_outlines_what_is_marked_and_outlines_do_not_meet():
    shown, size = (
        compact([[1, 2], [3, 4]], marked=[[False, True], [False, False]]).html,
        13,
    )  # px, of letters in a table
    assert re.findall(r"<b [^>]*>([^<]*)</b>", shown) == ["2"]
    (outline,), (line,) = set(re.findall(r"outline:(\d+)px", shown)), re.findall(r"line-height:([\d.]+)", shown)
    assert "padding:0 " in shown and float(line) * size >= 1.2 * size + 2 * int(outline)


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
    assert fewest_decimals(values) == decimals and fewest_decimals(values, most=2) == min(decimals, 2)


# --- what is refused -------------------------------------------------------------------------------------------------

X = np.ones((2, 3))
WRONG_VALUES = [
    (lambda: matrix(np.ones((17, 2)), "A"), "A must be a matrix of at most 16 × 16 to be shown, got (17, 2)."),
    (lambda: matrix(np.ones(17), "A"), "A must be a matrix of at most 16 × 16 to be shown, got (1, 17)."),
    (lambda: matrix(np.ones((2, 3, 5)), "A"), "A must be a matrix of at most 16 × 16 to be shown, got (2, 3, 5)."),
    (lambda: matrix(np.ones((0, 2)), "A"), "A must be a matrix of at most 16 × 16 to be shown, got (0, 2)."),
    (lambda: matrix([[1, 2], [3]], "X"), "X must be a rectangular array: its rows have different lengths."),
    (lambda: matrix(X, "X", rows="ABC"), "rows of X must be 2 labels, got 3."),
    (lambda: matrix(X, "X", columns=["A"]), "columns of X must be 3 labels, got 1."),
    (lambda: matrix(X, "X", blocked=X.T > 0), "blocked must have the shape of X, (2, 3), got (3, 2)."),
    (lambda: matrix(X, "X", instead={(3, 0): "?"}), "instead must name cells of X, which is (2, 3), got (3, 0)."),
    (lambda: matrix(X, "X", kind="output"), 'kind must be "plain", "scores" or "weights", got \'output\'.'),
    (lambda: matrix(X, "X", kind="scores", limit=0), "limit must be above 0, got 0."),
    (lambda: matrix(X, "X", kind="scores", limit=np.nan), "limit must be a finite number, got nan."),
    (lambda: table([["a", "b", "c"]], "words", ["x"]), "a line of words must have 2 entries, got 3: a."),
    (lambda: compact([1, 2], marked=[True] * 3), "marked must have the shape of the values, (2,), got (3,)."),
]
WRONG_TYPES = [
    (lambda: matrix(None, "X"), "X must hold numbers to be shown, got None. Does the function that made it end with return?"),
    (lambda: matrix([["a"]], "X"), "X must hold real numbers to be shown, got <U1."),
    (lambda: matrix(np.ma.array([[1.0]], mask=True), "X"), "X must be a plain array to be shown, got a masked array…"),
    (lambda: matrix([[1.0]], 3.5), "name must be text, got float."),
    (lambda: compact([1j]), "values must hold real numbers to be shown, got complex128."),
    (lambda: fewest_decimals([1j]), "values must hold real numbers to be shown, got complex128."),
]  # fmt: skip


test_what_is_no_matrix_is_refused = refused(ValueError, WRONG_VALUES)
test_what_is_no_table_of_numbers_is_refused = refused(TypeError, WRONG_TYPES)

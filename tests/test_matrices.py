"""Matrices as tables: read back from the HTML, they hold the numbers, the names and enough contrast."""

import html.parser
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.matrices import (
    SHADES,
    Places,
    Product,
    beside,
    compact,
    exact_fractions,
    fewest_decimals,
    matrix,
    ribbon,
    sentence,
    under,
    without_places,
)
from helpers.pictures.colours import COLOURS

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
WORDS = ["I", "love", "dogs", "."]
NASTY = ["<script>alert(1)</script>", 'say "hi"', "R&D", "it's", "&lt;"]


def says(call, error, message):
    """The call must be refused with exactly this message."""
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


class Page(html.parser.HTMLParser):
    """Reads a table back: every cell as (tag, attributes, text). Tags must be closed in order."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.caption, self.rows = [], [], "", []
        self.feed(markup)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append([tag, dict(attributes), ""])

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if "caption" in self.open:
            self.caption += data
        elif "th" in self.open or "td" in self.open:
            self.rows[-1][-1][2] += data
        else:
            assert "p" in self.open, f"text outside of cells: {data!r}"

    def words(self):
        return [[text for _, _, text in row] for row in self.rows]

    def styles(self):
        """The declarations of each cell of the body, without its row header."""
        return [[declarations(attributes["style"]) for _, attributes, _ in row[1:]] for row in self.rows[1:]]


def declarations(style):
    """dict property -> value; of two for the same property the last one counts, as in a page."""
    assert re.fullmatch(r"([a-z-]+:[^:;]+;)+", style), style
    return dict(declaration.split(":") for declaration in style.rstrip(";").split(";"))


THEMES = {
    theme: {"p": page, "i": ink} | {short: getattr(COLOURS[name], theme) for name, short in SHADES.items()}
    for theme, page, ink in (("light", "#ffffff", "#000000"), ("dark", "#111111", "#ffffff"))
}
MIXTURES = {"m": 68, "h": 14}  # percent of the text's colour in muted words and in hatches


def mixed(one, other, percent):
    parts = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in (one, other)]
    return "#" + "".join(f"{round(percent / 100 * a + (1 - percent / 100) * b):02x}" for a, b in zip(*parts))


def resolved(value, theme):
    """The colour that a page of JupyterLab makes of a declared one: variables are looked up, mixtures are mixed."""
    page, ink = THEMES[theme]["p"], THEMES[theme]["i"]
    names = THEMES[theme] | {name: mixed(ink, page, percent) for name, percent in MIXTURES.items()}
    value = re.sub(r"var\(--(\w),[^)]*\)", lambda name: names[name[1]], value)
    mixture = re.fullmatch(r"color-mix\(in srgb,(#\w+) (\d+)%,(#\w+)\)", value)
    return mixed(mixture[1], mixture[3], int(mixture[2])) if mixture else value


def contrasts(style):
    """Contrast of text and ground in both themes, and where a page strips all mixtures and variables."""
    live, found = declarations(style), []
    for theme, colours in THEMES.items():
        hatched = "repeating-linear-gradient" in style
        declared = "var(--h,#ddd)" if hatched else live.get("background-color", colours["p"])
        found.append(contrast(resolved(live.get("color", colours["i"]), theme), resolved(declared, theme)))
    stripped = declarations("".join(f"{part};" for part in style.rstrip(";").split(";") if "var(" not in part))
    return [*found, contrast(stripped.get("color", "#000"), stripped.get("background-color", "#fff"))]


def luminance(colour):
    digits = colour.removeprefix("#")
    digits = "".join(2 * d for d in digits) if len(digits) == 3 else digits
    red, green, blue = (int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4))
    return sum(
        share * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
        for share, c in ((0.2126, red), (0.7152, green), (0.0722, blue))
    )


def contrast(one, other):
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def backgrounds(shown):
    """The ground of each cell on a light page; a cell without a shade has the page's own."""
    page = THEMES["light"]["p"]
    return [
        [resolved(style.get("background-color", page), "light") for style in row] for row in Page(shown.html).styles()
    ]


# --- what the table says ---------------------------------------------------------------------------------------------


def test_matrix_has_a_caption_with_name_and_shape():
    page = Page(matrix(np.ones((2, 3)), "scores").html)
    assert page.caption == "scores 2×3"
    assert page.tags[:2] == ["table", "caption"] and page.tags.count("table") == 1


def test_matrix_holds_the_numbers_between_its_labels():
    page = Page(matrix([[1, 0.5], [-0.25, 1e3]], "X", rows=["I", "love"], columns=["a", "b"], corner="query ↓").html)
    assert page.words() == [["query ↓", "a", "b"], ["I", "1.000", "0.500"], ["love", "-0.250", "1000.000"]]


def test_matrix_headers_have_their_scope():
    page = Page(matrix(np.ones((2, 3)), "X", row_sums=True).html)
    head, *body = [[(tag, attributes.get("scope")) for tag, attributes, _ in row] for row in page.rows]
    assert head == [("td", None), *[("th", "col")] * 4]
    assert body == [[("th", "row"), *[("td", None)] * 4]] * 2


def test_matrix_counts_from_1_where_no_labels_are_given():
    assert Page(matrix(np.ones((2, 3)), "X").html).words()[0] == ["", "1", "2", "3"]
    assert [row[0] for row in Page(matrix(np.ones((2, 3)), "X").html).words()] == ["", "1", "2"]


def test_matrix_of_a_vector_is_one_row():
    assert Page(matrix([3, 5, 7], "q").html).caption == "q 1×3"


def test_matrix_escapes_every_word_of_the_learner():
    shown = matrix(np.ones((5, 5)), NASTY[0], rows=NASTY, columns=NASTY, corner=NASTY[0])
    page = Page(shown.html)
    assert "script" not in page.tags and "<script" not in shown.html
    assert page.words()[0] == [NASTY[0], *NASTY] and [row[0] for row in page.words()[1:]] == NASTY
    assert page.caption == f"{NASTY[0]} 5×5"
    assert shown.text.splitlines()[0] == f"{NASTY[0]} 5×5"


def test_matrix_never_shows_minus_zero():
    shown = matrix([[-0.0, -1e-9, -0.0004], [-0.0005001, 0, -0.4]], "X")
    assert Page(shown.html).words()[1:] == [["1", "0.000", "0.000", "0.000"], ["2", "-0.001", "0.000", "-0.400"]]
    assert "-0.000" not in shown.html + shown.text
    assert Page(matrix([[-0.0, -0.4]], "X", decimals=0).html).words()[1] == ["1", "0", "0"]
    assert Page(matrix([[-0.0, -1e-12]], "X", fractions=True).html).words()[1] == ["1", "0", "0"]


@pytest.mark.parametrize("kind", ["plain", "scores", "weights"])
def test_matrix_shows_nan_and_infinity_as_what_they_are(kind):
    shown = matrix([[np.nan, np.inf, -np.inf, 1]], "X", kind=kind, row_sums=True)
    assert Page(shown.html).words()[1] == ["1", "NaN", "∞", "-∞", "1.000", "NaN"]
    assert shown.text.splitlines()[2].split() == ["1", "NaN", "∞", "-∞", "1.000", "NaN"]


def test_matrix_shades_infinite_scores_like_the_ends():
    low, high, *rest = backgrounds(matrix([[-np.inf, np.inf, -2, 2, 0]], "X", kind="scores"))[0]
    assert [low, high] == rest[:2] and len({low, high, rest[2]}) == 3


@pytest.mark.parametrize("decimals", [0, 2, 4])
def test_matrix_shows_as_many_decimals_as_asked(decimals):
    word = Page(matrix([[2 / 3]], "X", decimals=decimals).html).words()[1][1]
    assert word == {0: "1", 2: "0.67", 4: "0.6667"}[decimals]


@quick
@given(st.fractions(min_value=-50, max_value=50, max_denominator=99))
def test_matrix_shows_fractions_exactly(number):
    for values in ([[float(number)]], [[number]]):
        shown = matrix(values, "X", fractions=True)
        assert Fraction(Page(shown.html).words()[1][1]) == number
        assert shown.text.split()[-1] == str(number)


@pytest.mark.parametrize("number", [0.3334, 0.16667, 1 / 101, 3.14159])
def test_matrix_shows_no_fraction_that_is_only_near(number):
    assert Page(matrix([[number]], "X", fractions=True).html).words()[1][1] == f"{number:.3f}"


def test_matrix_row_sums_stand_under_sigma():
    shown = matrix([[1 / 6, 1 / 6, 3 / 6], [0.5, 0, 2]], "X", row_sums=True, fractions=True)
    assert [row[-1] for row in Page(shown.html).words()] == ["Σ", "5/6", "5/2"]


def test_matrix_puts_a_word_instead_of_a_number_and_leaves_out_its_shade_and_the_sum_of_its_row():
    shown = matrix([[0.25, 0.75], [1, 0]], "A", kind="weights", row_sums=True, instead={(0, 1): "?"})
    assert Page(shown.html).words()[1:] == [["1", "0.250", "?", ""], ["2", "1.000", "0.000", "1.000"]]
    assert "0.75" not in shown.html + shown.text and shown.text.splitlines()[2].split() == ["1", "0.250", "?"]
    assert shown.html.count("color-mix(in srgb,var(--w") == 2


@quick
@given(
    st.integers(1, 5),
    st.integers(1, 7),
    st.sampled_from(["plain", "scores", "weights"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_matrix_text_has_the_words_of_the_table(num_rows, num_columns, kind, hatched, row_sums, fractions):
    rng = np.random.default_rng(num_rows * num_columns)
    values = rng.integers(-9, 9, size=(num_rows, num_columns)) / 7
    blocked = rng.random(values.shape) < 0.5 if hatched else None
    shown = matrix(values, "X", kind=kind, blocked=blocked, row_sums=row_sums, fractions=fractions)
    caption, *lines = shown.text.splitlines()
    page = Page(shown.html)
    assert caption == page.caption and repr(shown) == shown.text
    assert [line.split() for line in lines] == [[word for word in row if word] for row in page.words()]
    assert len({len(line) for line in lines}) == 1


def test_html_is_displayed_as_markup_and_as_text():
    shown = matrix([[1]], "X")
    assert shown._repr_mimebundle_() == {"text/html": shown.html, "text/plain": shown.text}


def test_matrix_leaves_its_arguments_alone():
    values, blocked = np.array([[-0.0, np.nan], [np.inf, 2]]), np.eye(2, dtype=bool)
    kept = values.copy()
    values.flags.writeable = blocked.flags.writeable = False
    matrix(values, "X", kind="scores", blocked=blocked, marks={(0, 0): "factor"})
    np.testing.assert_array_equal(values, kept)


def test_matrix_of_16_by_16_is_shown():
    assert len(Page(matrix(np.ones((16, 16)), "X").html).words()) == 17


@pytest.mark.parametrize("shape", [(17, 2), (2, 17), (17,), (2, 3, 5), (0, 2), (0,)])
def test_matrix_refuses_what_is_too_large_or_no_matrix(shape):
    got = shape if len(shape) > 1 else (1, *shape)
    message = f"weights must be a matrix of at most 16 × 16 to be shown, got {got}."
    says(lambda: matrix(np.ones(shape), "weights"), ValueError, message)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([[1, 2], [3]], ValueError, "X must be a rectangular array: its rows have different lengths."),
        ([["a"]], TypeError, "X must hold real numbers to be shown, got <U1."),
        ([[1j]], TypeError, "X must hold real numbers to be shown, got complex128."),
    ],
)
def test_matrix_refuses_what_is_no_table_of_numbers(values, error, message):
    says(lambda: matrix(values, "X"), error, message)


def test_matrix_refuses_labels_of_the_wrong_length():
    says(lambda: matrix(np.ones((2, 3)), "X", rows="ABC"), ValueError, "rows of X must be 2 labels, got 3.")
    says(lambda: matrix(np.ones((2, 3)), "X", columns=["A"]), ValueError, "columns of X must be 3 labels, got 1.")


def test_matrix_refuses_blocked_cells_of_another_shape():
    message = "blocked must have the shape of X, (2, 3), got (3, 2)."
    says(lambda: matrix(np.ones((2, 3)), "X", blocked=np.ones((3, 2), bool)), ValueError, message)


def test_matrix_refuses_an_unknown_kind():
    message = 'kind must be "plain", "scores" or "weights", got \'output\'.'
    says(lambda: matrix([[1]], "X", kind="output"), ValueError, message)


# --- colours ---------------------------------------------------------------------------------------------------------


def test_luminance_of_known_colours():
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.005)  # the usual example of just too little


@pytest.mark.parametrize(("kind", "low", "high"), [("weights", 0, 1), ("scores", -1, 1)])
def test_each_of_the_256_shades_leaves_its_number_readable(kind, low, high):
    seen = set()
    for values in np.linspace(low, high, 256).reshape(16, 16):
        page = Page(matrix(values, "X", kind=kind, limit=1.0).html)
        for _, attributes, _ in page.rows[1][1:]:
            assert min(contrasts(attributes["style"])) >= 4.5
            seen.add(attributes["style"])
    assert len(seen) > 40  # a percent is the finest step


@pytest.mark.parametrize("options", [{}, {"row_sums": True, "chosen_row": 0, "blocked": [[True, False]]}])
def test_every_cell_and_header_leaves_its_text_readable(options):
    page = Page(matrix([[-1, 1]], "X", kind="scores", **options).html)
    for row in page.rows:
        for _, attributes, _ in row:
            assert min(contrasts(attributes["style"])) >= 4.5


def test_scores_are_white_at_zero_and_differ_in_sign():
    gold, white, teal = backgrounds(matrix([[-2, 0, 2]], "X", kind="scores"))[0]
    assert luminance(white) > 0.9 and max(luminance(gold), luminance(teal)) < 0.5
    assert int(gold[1:3], 16) > int(gold[5:7], 16) and int(teal[1:3], 16) < int(teal[5:7], 16)


def test_weights_are_darker_where_they_are_larger():
    shades = backgrounds(matrix(np.linspace(0, 1, 11), "X", kind="weights"))[0]
    assert np.all(np.diff([luminance(shade) for shade in shades]) < 0)


def test_scores_share_their_colours_where_they_share_the_limit():
    small = backgrounds(matrix([[1, 0]], "X", kind="scores", limit=4))[0][0]
    large = backgrounds(matrix([[1, 4]], "X", kind="scores", limit=4))[0][0]
    assert small == large != backgrounds(matrix([[1, 0]], "X", kind="scores"))[0][0]


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1.0, 1e308])
def test_scores_of_any_size_reach_both_ends_of_the_colours(size):
    shown = backgrounds(matrix([[-size, 0, size]], "X", kind="scores"))
    assert shown == backgrounds(matrix([[-1, 0, 1]], "X", kind="scores"))


def test_scores_that_are_all_zero_are_white():
    middle = backgrounds(matrix([[-1, 0, 1]], "X", kind="scores"))[0][1]
    assert backgrounds(matrix(np.zeros((2, 2)), "X", kind="scores")) == [[middle] * 2] * 2


@pytest.mark.parametrize("hair", [1e-12, -1e-12])
def test_values_that_differ_by_a_hair_have_the_same_colour(hair):
    shares = sorted({p / q for q in range(1, 31) for p in range(q + 1)})  # 1/6 lies on the edge between two shades
    for k in range(0, len(shares), 16):
        part = np.array(shares[k : k + 16])
        for kind in ("weights", "scores"):
            shown, moved = (backgrounds(matrix(x, "X", kind=kind, limit=1.0)) for x in (part, part + hair))
            assert shown == moved
        shown, moved = (backgrounds(matrix(-x, "X", kind="scores", limit=1.0)) for x in (part, part + hair))
        assert shown == moved


def test_blocked_cells_are_hatched_and_named():
    blocked = ~np.tri(4, dtype=bool)
    scores = np.where(blocked, -np.inf, 1.5)
    for values in (scores, np.full((4, 4), 1.5)):  # masked already, or not yet
        shown = matrix(values, "scores", kind="scores", rows=WORDS, columns=WORDS, blocked=blocked)
        page = Page(shown.html)
        words = [row[1:] for row in page.words()[1:]]
        assert words == [["blocked" if cell else "1.500" for cell in row] for row in blocked]
        hatched = [["repeating-linear-gradient" in str(style) for style in row] for row in page.styles()]
        assert hatched == blocked.tolist()
        assert shown.text.count("blocked") == 6


def test_blocked_weights_are_hatched_in_no_colour_of_the_maps():
    blocked = np.array([[False, True]])
    shown = matrix([[1, 0]], "weights", kind="weights", blocked=blocked)
    style = Page(shown.html).styles()[0]
    assert [("repeating-linear-gradient" in str(each)) for each in style] == [False, True]
    assert Page(shown.html).words()[1] == ["1", "1.000", "0.000"]
    maps = {
        colour
        for kind in ("weights", "scores")
        for values in np.linspace(-1, 1, 1024).reshape(64, 16)
        for colour in backgrounds(matrix(values, "X", kind=kind, limit=1.0))[0]
    }
    assert style[1]["background-color"] not in maps


def test_marks_outline_their_cells_only():
    marks = {(0, 1): "factor", (1, 0): "second factor", (1, 1): "result"}
    styles = Page(matrix(np.ones((2, 2)), "X", marks=marks).html).styles()
    outlines = [[style.get("outline") for style in row] for row in styles]
    assert outlines[0][0] is None
    assert len({outlines[0][1], outlines[1][0], outlines[1][1]}) == 3 and None not in outlines[1]


def test_chosen_row_is_marked_in_word_and_line():
    shown = matrix(np.ones((3, 2)), "X", rows=["a", "b", "c"], chosen_row=1, row_sums=True)
    page = Page(shown.html)
    assert [row[0] for row in page.words()] == ["", "a", "▸ b", "c"]
    assert [[("border-top" in style) for style in row] for row in page.styles()] == [
        [False] * 3,
        [True] * 3,
        [False] * 3,
    ]
    assert "▸ b" in shown.text


@pytest.mark.parametrize("kind", ["plain", "scores", "weights"])
def test_matrix_of_8_by_8_stays_small(kind):
    tokens = ["she", "was", "wearing", "a", "gold", "watch", "today", "."]
    values = np.random.default_rng(0).random((8, 8))
    options = {"rows": tokens, "columns": tokens, "corner": "query ↓ key →", "row_sums": True, "chosen_row": 3}
    shown = matrix(values, "attention weights", kind=kind, blocked=~np.tri(8, dtype=bool), **options)
    assert len(shown.html.encode()) <= 15 * 1024  # a shade is told for both themes and for pages that know neither


# --- strips, and pictures side by side -------------------------------------------------------------------------------


@pytest.mark.parametrize("lay", [beside, under])
def test_laying_pictures_out_keeps_their_markup_and_text(lay):
    parts = matrix([[1]], "X"), matrix([[2]], "Y"), sentence("R&D <b>")
    shown = lay(*parts)
    assert Page(shown.html).tags.count("table") == 2
    assert all(part.html in shown.html for part in parts)
    assert shown.text == "\n\n".join(part.text for part in parts)


def test_sentence_escapes_its_text():
    shown = sentence(NASTY[0])
    assert Page(shown.html).tags == ["p"] and "<script" not in shown.html and shown.text == NASTY[0]


def test_matrix_of_none_asks_for_a_return():
    with pytest.raises(TypeError, match=r"^output must hold numbers to be shown, got None\. Does the function"):
        matrix(None, "output")


# --- what must not be shown as if it were plain numbers --------------------------------------------------------------


def test_masked_arrays_are_refused_and_not_unmasked():
    hidden = np.ma.array([[1.0, 2.0]], mask=[[True, False]])
    for show in (lambda: matrix(hidden, "m"), lambda: compact(hidden)):
        with pytest.raises(TypeError, match=r"must be a plain array to be shown, got a masked array"):
            show()


@pytest.mark.parametrize("show", [compact, exact_fractions, fewest_decimals])
def test_imaginary_parts_are_not_dropped(show):
    with pytest.raises(TypeError, match="values must hold real numbers to be shown, got complex128"):
        show(np.array([1 + 2j]))


@pytest.mark.parametrize("limit", [-1, 0, float("nan")])
def test_a_limit_must_be_above_zero(limit):
    with pytest.raises(ValueError, match=r"limit must be (above 0|a finite number)"):
        matrix([[1.0]], "m", kind="scores", limit=limit)


def test_a_name_must_be_text():
    with pytest.raises(TypeError, match="name must be text, got float"):
        matrix([[1.0]], 3.5)


# --- places ----------------------------------------------------------------------------------------------------------


def test_places_name_each_cell_and_say_what_it_does():
    places = Places("dot products", "touch", lambda i, j: f'click: row {i + 1} & "{j + 1}"')
    page = Page(matrix(np.ones((2, 3)), "X", places=places).html)
    cell = page.rows[2][3][1]
    assert cell["class"] == "touch at-dot_products r1 c2" and cell["title"] == 'click: row 2 & "3"'
    assert "class" not in page.rows[0][1][1] and "class" not in page.rows[1][0][1]


def test_without_places_nothing_is_promised():
    shown = matrix(np.ones((2, 3)), "X", places=Places("x", "touch", lambda i, j: "click"))
    assert without_places(shown.html) == matrix(np.ones((2, 3)), "X").html


def test_compact_shows_what_is_not_finite():
    words = compact([[1.0, np.nan], [np.inf, 0.5]]).text
    assert "nan" in words.lower() and ("inf" in words or "∞" in words) and "0.5" in words


def test_weights_that_are_no_shares_have_another_colour_than_shares():
    inside, over, under = backgrounds(matrix([[1.0, 1.2, -0.1]], "w", kind="weights"))[0]
    assert inside != over == under
    assert backgrounds(matrix([[1.0 + 1e-12, -1e-12]], "w", kind="weights"))[0] == [inside, "#ffffff"]


def test_cells_may_be_shaded_by_other_numbers_than_they_show():
    shown = matrix([[3.0, 1.0]], "x", kind="scores", shaded=[[0.0, 2.0]], limit=2.0)
    assert backgrounds(shown) == backgrounds(matrix([[0.0, 2.0]], "x", kind="scores", limit=2.0))
    assert "3.000" in shown.html and "1.000" in shown.html


def test_no_sum_tells_a_number_that_is_hidden():
    scores = [[1, 2], [3, 4]]
    blocked = matrix(
        scores, "x", kind="scores", blocked=[[False, True], [False, False]], row_sums=True, column_sums=True
    )
    assert [line.split()[1:] for line in blocked.text.splitlines()[2:]] == [
        ["1.000", "blocked"],
        ["3.000", "4.000", "7.000"],
        ["4.000"],
    ]
    asked = matrix(scores, "x", instead={(0, 0): "?"}, column_sums=True)
    assert asked.text.splitlines()[-1].split() == ["Σ", "6.000"]


def test_vector_may_be_blocked_by_a_vector_and_words_stand_inside_alone():
    assert "blocked" in matrix([1, 2], "x", kind="scores", blocked=[True, False]).text
    with pytest.raises(ValueError, match=r"instead must name cells of x, which is \(1, 2\), got \(3, 0\)"):
        matrix([[1, 2]], "x", instead={(3, 0): "?"})


def test_ribbon_without_a_result_must_have_sizes_that_do_not_meet():
    with pytest.raises(ValueError, match="s must have a result, as its inner sizes meet"):
        ribbon([Product("s", [("Q", (2, 3)), ("K", (3, 2))], None)], "r")


def test_nothing_is_shown_as_empty_brackets():
    assert compact([]).text == "[]"

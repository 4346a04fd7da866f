"""The colours of matrices: text stays readable on each of them in both themes, and they order what they stand for."""

import re

import numpy as np
import pytest

from tests.contrast import contrast, luminance
from tests.test_matrices import numbers, read, styles
from workbench.matrices import matrix
from workbench.pictures.colours import COLOURS
from workbench.pictures.shades import SHADES

THEMES = {
    theme: {"p": page, "i": ink} | {short: getattr(COLOURS[name], theme) for name, short in SHADES.items()}
    for theme, page, ink in (("light", "#ffffff", "#000000"), ("dark", "#111111", "#ffffff"))
}
MIXTURES = {"m": 68, "h": 14}  # percent of the text's colour in muted words and in hatches


def declarations(style):
    """dict property -> value; of two for the same property the last one counts, as in a page."""
    assert re.fullmatch(r"([a-z-]+:[^:;]+;)*", style), style
    return dict(declaration.split(":") for declaration in style.split(";")[:-1])


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
    stripped = declarations("".join(f"{part};" for part in style.split(";")[:-1] if "var(" not in part))
    return [*found, contrast(stripped.get("color", "#000"), stripped.get("background-color", "#fff"))]


def grounds(shown):
    """The ground of each cell on a light page; a cell without a shade has the page's own."""
    page = THEMES["light"]["p"]
    return [
        [resolved(declarations(style).get("background-color", page), "light") for style in row] for row in styles(shown)
    ]


def scores(values, **options):
    return grounds(matrix(values, "X", kind="scores", **options))


def test_luminance_of_known_colours():
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.005)  # the usual example of just too little


@pytest.mark.parametrize(("kind", "low", "high"), [("weights", 0, 1), ("scores", -1, 1)])
def test_each_of_the_256_shades_leaves_its_number_readable(kind, low, high):
    seen = {
        style
        for values in np.linspace(low, high, 256).reshape(16, 16)
        for style in styles(matrix(values, "X", kind=kind, limit=1.0))[0]
    }
    assert len(seen) > 40 and min(min(contrasts(style)) for style in seen) >= 4.5  # a percent is the finest step


def test_every_cell_and_header_leaves_its_text_readable():
    shown = matrix([[-1, 1]], "X", kind="scores", row_sums=True, chosen_row=0, blocked=[[True, False]])
    assert min(min(contrasts(cell.get("style"))) for row in read(shown) for cell in row) >= 4.5


def test_scores_are_white_at_zero_differ_in_sign_and_share_their_colours_where_they_share_the_limit():
    gold, white, teal = scores([[-2, 0, 2]])[0]
    assert luminance(white) > 0.9 and max(luminance(gold), luminance(teal)) < 0.5
    assert int(gold[1:3], 16) > int(gold[5:7], 16) and int(teal[1:3], 16) < int(teal[5:7], 16)
    assert scores(np.zeros((2, 2))) == [[white] * 2] * 2
    assert scores([[1, 0]], limit=4)[0][0] == scores([[1, 4]], limit=4)[0][0] != scores([[1, 0]])[0][0]
    assert grounds(matrix([[3.0, 1.0]], "x", kind="scores", shaded=[[0.0, 2.0]], limit=2.0)) == scores([[0, 2]])


@pytest.mark.parametrize("size", [1e-320, 1.0, 1e308])
def test_scores_of_any_size_reach_both_ends_of_the_colours(size):
    ends = scores([[-1, 0, 1]])
    assert scores([[-size, 0, size]]) == ends and scores([[-np.inf, 0, np.inf, size]])[0][:3] == ends[0]


def test_weights_are_darker_where_they_are_larger_and_of_another_colour_where_they_are_no_shares():
    shades = grounds(matrix(np.linspace(0, 1, 11), "X", kind="weights"))[0]
    assert np.all(np.diff([luminance(shade) for shade in shades]) < 0)
    inside, over, under = grounds(matrix([[1.0, 1.2, -0.1]], "w", kind="weights"))[0]
    assert inside != over == under
    assert grounds(matrix([[1.0 + 1e-12, -1e-12]], "w", kind="weights"))[0] == [inside, "#ffffff"]


@pytest.mark.parametrize("hair", [1e-12, -1e-12])
def test_values_that_differ_by_a_hair_have_the_same_colour(hair):
    shares = np.array(sorted({p / q for q in range(1, 31) for p in range(q + 1)}))  # 1/6 lies between two shades
    for part in np.array_split(shares, len(shares) // 16 + 1):
        for kind, sign in (("weights", 1), ("scores", 1), ("scores", -1)):
            shown, moved = (grounds(matrix(sign * x, "X", kind=kind, limit=1.0)) for x in (part, part + hair))
            assert shown == moved


def test_blocked_cells_are_hatched_and_named_in_no_colour_of_the_maps():
    blocked = ~np.tri(4, dtype=bool)
    for values in (np.where(blocked, -np.inf, 1.5), np.full((4, 4), 1.5)):  # masked already, or not yet
        shown = matrix(values, "scores", kind="scores", blocked=blocked)
        assert numbers(shown) == [["blocked" if cell else "1.500" for cell in row] for row in blocked]
        assert [["repeating-linear-gradient" in style for style in row] for row in styles(shown)] == blocked.tolist()
    hatched = grounds(matrix([[1, 0]], "weights", kind="weights", blocked=[[False, True]]))[0][1]
    for kind in ("weights", "scores"):
        for values in np.linspace(-1, 1, 256).reshape(16, 16):
            assert hatched not in grounds(matrix(values, "X", kind=kind, limit=1.0))[0]


@pytest.mark.parametrize("kind", ["plain", "scores", "weights"])
def test_matrix_of_8_by_8_stays_small(kind):
    tokens = ["she", "was", "wearing", "a", "gold", "watch", "today", "."]
    options = {"rows": tokens, "columns": tokens, "corner": "query ↓ key →", "row_sums": True, "chosen_row": 3}
    values = np.random.default_rng(0).random((8, 8))
    shown = matrix(values, "attention weights", kind=kind, blocked=~np.tri(8, dtype=bool), **options)
    assert len(shown.html.encode()) <= 15 * 1024  # a shade is told for both themes and for pages that know neither

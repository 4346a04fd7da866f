"""The names of colours that a small GPT learns, and how they are shown."""

import re

import numpy as np
import pytest

from rooms.let_it_write import colour_names
from workbench.pictures.swatches import swatches


def test_every_line_is_a_name_and_a_colour_that_matplotlib_knows():
    pytest.importorskip("matplotlib")
    from matplotlib.colors import XKCD_COLORS, to_rgb

    lines = colour_names.lines()
    assert len(lines) == len(set(lines)) == 928
    for line in lines:
        name, colour = re.fullmatch(r"([a-z '/]+) (#[0-9a-f]{3})", line).groups()
        assert len(line) <= 22
        np.testing.assert_allclose(to_rgb(colour), to_rgb(XKCD_COLORS[f"xkcd:{name}"]), atol=1 / 30 + 1e-9)


def test_swatches_mark_what_is_new_and_stay_whole_without_a_colour():
    shown = swatches(["dark blue #006", "old <bro #804", "sunter #cc"], ["dark blue #005"])
    assert shown.text == "dark blue (#006), old <bro (#804, new), sunter #cc (no colour, new)."
    assert shown.html.count("font-weight:700") == 2 and "background:#006;" in shown.html and "dashed" in shown.html
    assert "old &lt;bro" in shown.html


def test_a_model_of_other_sizes_is_refused():
    with pytest.raises(ValueError, match="hold"):
        colour_names.load_model({"letters": np.zeros((3, 4))})

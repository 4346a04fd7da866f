"""The names of colours that a small GPT learns, and how they are shown."""

import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers import explorers
from helpers.learning.parameters import to_vector
from rooms.let_it_write import colour_names, names
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


def test_no_name_is_told_that_it_is_close_to_what_nobody_wants_to_hear():
    told = {colour_names.nearest(3 * np.array(colour)) for colour in np.ndindex(6, 6, 6)}
    assert len(told) > 100 and not [name for name in told if re.search("poo|puke|ugly|vomit|snot", name)]


def test_a_model_of_other_sizes_is_refused():
    with pytest.raises(ValueError, match="hold"):
        colour_names.load_model({"letters": np.zeros((3, 4))})


def test_a_model_of_ones_own_is_kept_found_again_and_goes_before_the_stored_one(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MY_MODEL", str(tmp_path / "my_model.py"))
    start = colour_names.model()
    assert colour_names.kept(start) is start
    assert colour_names.is_stored(colour_names.keep(start, 20)) and "from the stored model" in capsys.readouterr().out
    mine = start | {"logits": start["logits"] + np.float32(1)}
    assert colour_names.keep(mine, 300) is mine and "It is kept in my_colours.npz" in capsys.readouterr().out
    for found in (colour_names.keep(start, 20), colour_names.kept(start)):
        np.testing.assert_array_equal(found["logits"], mine["logits"])
        assert not colour_names.is_stored(found)
    assert "trained before" in capsys.readouterr().out
    monkeypatch.setenv("MY_MODEL", "")
    assert (
        colour_names.keep(mine, 300) is mine
        and colour_names.kept(start) is start
        and len(list(tmp_path.iterdir())) == 1
    )


def test_the_card_of_a_name_is_saved_as_a_picture_that_says_who_made_it():
    explorer = explorers.explore_colour_of_a_name()
    explorer.set(name='<Jürgen> & "Söhne"')
    (drawn,) = re.findall(r'href="data:image/svg\+xml;base64,([^"]*)"', explorer.html)
    card = ElementTree.fromstring(base64.b64decode(drawn).decode())
    words = [text.text for text in card.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == '<Jürgen> & "Söhne"' and words[2] == "made by a GPT of 41,904 numbers in NumPy"
    explorer.set(name="李明")
    assert "Save this card" not in explorer.html
    mine = colour_names.model() | {"logits": colour_names.model()["logits"] + np.float32(1)}
    assert "made by a GPT that I trained in NumPy" in explorers.explore_colour_of_a_name(mine).html
    assert len(to_vector(mine)) == names.NUMBERS

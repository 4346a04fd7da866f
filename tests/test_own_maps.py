"""A reader's own maps: what is taken, what is refused by a sentence, and what the wall of heads shows."""

import numpy as np
import pytest

from helpers import explorers
from helpers.pictures.heads import Wall, head_map
from tests import driving
from tests.test_tensors import Tensor

MAPS = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 3, 5))  # layers, heads, queries, keys


@pytest.mark.parametrize(
    ("weights", "shape"),
    [
        (MAPS, (2, 3)), (MAPS[0], (1, 3)), (MAPS[0, 1].tolist(), (1, 1)), (Tensor(MAPS), (2, 3)),
        (tuple(Tensor(layer[None], "torch.bfloat16") for layer in MAPS), (2, 3)),  # as models of transformers return them
    ],
)  # fmt: skip
def test_maps_of_every_shape_and_kind_are_shown(weights, shape):
    explorer = explorers.explore_attention(weights)
    assert explorer.shown["maps"].shape == (*shape, 5, 5)
    np.testing.assert_allclose(explorer.shown["row"], explorer.shown["maps"][0, 0, 4], atol=1e-6)


def test_maps_whose_columns_sum_to_1_are_turned_and_that_is_told():
    explorer = explorers.explore_attention(MAPS.swapaxes(-1, -2))
    assert explorer.text.endswith("The columns had a sum of 1, so the maps were turned.")
    np.testing.assert_allclose(explorer.shown["maps"], MAPS, atol=1e-6)


@pytest.mark.parametrize(
    ("weights", "tokens", "message"),
    [
        (MAPS * 2, None, "a sum of 1 in each row, or in each column, but row"),
        (MAPS - 1, None, "at least 0, got -.* before softmax"),
        (MAPS[..., :4], None, r"got shape \(2, 3, 5, 4\)"),
        (np.ones((2, 4, 3, 5, 5)) / 5, None, r"Of several texts choose one: weights\[:, 0\]"),
        (np.full((513, 513), 1 / 513), None, "at most 512 tokens"),
        (MAPS, ["a", "b"], "tokens must be 5, one for each row"),
    ],
)
def test_what_is_no_map_is_told(weights, tokens, message):
    with pytest.raises(ValueError, match=message):
        explorers.explore_attention(weights, tokens)


def test_a_click_on_a_head_or_on_a_word_shows_it():
    explorer = explorers.explore_attention(MAPS, ["a", "猫", "😀", "x\ud83d", "\n"])
    driving.point(explorer, "grid", 2, 1)
    driving.click(explorer, "tokens", 1)
    np.testing.assert_allclose(explorer.shown["row"], MAPS[1, 2, 1], atol=1e-6)
    assert explorer.text.startswith("Layer 2, head 3: “猫” looks most at ")
    assert (
        explorer.text.endswith("Half a letter is shown as �.")
        and "↵" in explorer.html
        and "\ud83d" not in explorer.html
    )


def test_long_maps_say_what_the_thumbnails_show():
    explorer = explorers.explore_attention(np.broadcast_to(np.eye(300), (12, 12, 300, 300)))
    assert explorer.text.endswith("Each thumbnail has room for 29 of 300 tokens.")


def test_a_wall_frames_what_is_chosen_and_crosses_out_what_is_off():
    wall = Wall(30, 9, counted_from=0)  # layers across
    assert wall.head_at(17, 4) == (17, 4) and Wall(6, 12).head_at(11, 3) == (3, 11)
    maps = np.full((30, 9, 4, 4), 0.25)
    shown = wall.draw(maps, (18, 6), off=[(17, 4)])
    assert shown.text.endswith("framed: layer 18, head 6. Switched off: layer 17, head 4.")
    assert shown.html.count("var(--wrong") == 2 and wall.draw(maps, (0, 0)).html.count("var(--wrong") == 0
    tiles = wall._mosaic(np.arange(270.0).reshape(30, 9, 1, 1) * np.tri(4))
    assert (
        tiles.shape == (9 * wall.cell, 30 * wall.cell) and (tiles == 1).sum() == 269 * 10 * 16
    )  # 4 pixels a side each


def test_a_large_map_has_its_words_and_a_place_for_each_row():
    shown = head_map(np.eye(3), ["a", "incomprehensibilities", "猫"], 1, "mine")
    assert "incompre" in shown.html and ">incomprehensibilities<" not in shown.html and "猫" in shown.html

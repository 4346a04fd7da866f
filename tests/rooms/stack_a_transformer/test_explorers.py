"""Known answers of the explorers of the stacks; tests/test_explorers.py holds them against recorded states."""

import numpy as np

from helpers import explorers, layers, positions, transformer
from helpers.attention import softmax
from rooms.stack_a_transformer import towers as room
from tests import driving


def heard(explorer):
    return (explorer.shown["moves"] > 1e-9).astype(int)


def test_encoder_and_decoder_are_a_square_a_rectangle_and_a_triangle_and_either_alone_is_one_of_them():
    explorer = explorers.explore_architecture()
    square, rectangle, empty = np.ones((4, 4)), np.ones((5, 4)), np.zeros((4, 5))
    np.testing.assert_array_equal(heard(explorer), np.block([[square, empty], [rectangle, np.tri(5)]]))
    explorer.set(kind="encoder alone")
    np.testing.assert_array_equal(heard(explorer), square)
    explorer.set(kind="decoder alone")
    np.testing.assert_array_equal(heard(explorer), np.tri(9))


def test_the_way_from_the_memory_is_cut_and_the_mask_lifted_by_clicks():
    explorer = explorers.explore_architecture()
    explorer._touched({"type": "click", "target": {"id": "at-memory"}})
    assert not heard(explorer)[4:, :4].any() and "✂" in explorer.html and "✗ another source gives the same output" in explorer.html
    explorer._touched({"type": "click", "target": {"id": "at-mask"}})
    assert heard(explorer)[4:, 4:].all() and "✗ what comes later moves a row" in explorer.html


def test_the_decoder_opens_broken_every_other_wiring_leaks_and_one_never_hears_the_source():
    explorer = explorers.explore_wrong_decoder()
    assert "✗ the token that it must give moves a row" in explorer.html
    leaks, deaf = {}, {}
    for recipe in driving.choices(explorer.controls["recipe"]):
        explorer.set(recipe=recipe)
        leaks[recipe] = "✗ the token that it must give moves a row" in explorer.html
        deaf[recipe] = "✗ another source gives the same output" in explorer.html
    assert [*leaks.values()] == [False, True, True, True, True]
    assert [*deaf.values()] == [False, False, False, False, True]


def test_the_rows_at_the_top_are_what_the_transformer_itself_gives():
    explorer, parameters = explorers.explore_architecture(), room.drawn_at_random()
    memory = transformer.encode(room.SOURCE, parameters, num_heads=2)
    explorer.set(opened="encoder: feed-forward")
    np.testing.assert_allclose(explorer.shown["rows"][-1], memory, rtol=0, atol=1e-12)
    explorer.set(opened="linear, softmax")
    logits = transformer.decode(room.WRITTEN, memory, parameters, num_heads=2)
    np.testing.assert_allclose(explorer.shown["rows"], softmax(logits)[None], rtol=0, atol=1e-12)
    assert explorer.shown["rows"].shape == (1, 5, 10)


def test_between_two_boxes_lies_what_the_box_between_them_does():
    explorer, parameters, rows = explorers.explore_architecture(), room.drawn_at_random(), {}
    for box in room.BOXES[:-1]:
        explorer.set(opened=box)
        rows[box] = explorer.shown["rows"]
    for tower, steps in (("encoder", ("self-attention",)), ("decoder", ("self-attention", "cross-attention"))):
        into = np.concatenate([rows[f"{tower}: embedding + positions"][1:], rows[f"{tower}: feed-forward"][:-1]])
        for k, layer in enumerate(parameters[tower]):
            x = rows[f"{tower}: {steps[-1]}"][k]
            thought = layers.layer_norm(
                x + layers.feed_forward(x, **layer["feed_forward"]), **layer["feed_forward_norm"]
            )
            np.testing.assert_allclose(rows[f"{tower}: feed-forward"][k], thought, rtol=0, atol=1e-12)
            for step in steps:
                assert np.abs(rows[f"{tower}: {step}"][k] - into[k]).min(axis=-1).max() > 0  # something was added
                np.testing.assert_allclose(rows[f"{tower}: {step}"][k].mean(axis=-1), 0, atol=1e-12)  # and normed


def test_the_waves_are_what_lies_between_the_two_pictures_of_the_embeddings():
    rows = explorers.explore_architecture().shown["rows"]
    np.testing.assert_allclose(rows[1] - rows[0], positions.sinusoidal_positional_encoding(4, 16), rtol=0, atol=1e-12)


def test_a_box_that_was_taken_away_gives_way_to_the_first_that_is_there():
    explorer = explorers.explore_architecture()
    explorer.set(opened="decoder: cross-attention", kind="encoder alone")
    assert explorer.shown["rows"].shape == (2, 4, 16) and "pick" in explorer.text
    explorer.set(kind="decoder alone")
    assert explorer.shown["rows"].shape == (2, 9, 16)

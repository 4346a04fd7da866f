"""Known answers of the explorers of the towers; tests/test_explorers.py holds them against recorded states."""

import numpy as np
import pytest

from helpers import attention, explorers, layers, transformer
from helpers.attention import softmax
from rooms.shared import french
from rooms.stack_a_transformer import explorers as room
from rooms.stack_a_transformer import translator
from rooms.stack_a_transformer.translator import ASK, HEARD, LOOK_BACK, MASK, READ, RETHINK, THINK

N, M = 4, 5
SQUARE, RECTANGLE, TRIANGLE = np.ones((N, N)), np.ones((M, N)), np.tri(M)
MAPS = {
    "nothing": (SQUARE, RECTANGLE, TRIANGLE),
    ASK: (SQUARE, np.zeros((8, N)), np.tri(8)),
    LOOK_BACK: (SQUARE, RECTANGLE, np.eye(M)),
    RETHINK: (SQUARE, RECTANGLE, TRIANGLE),
    READ: (np.eye(N), RECTANGLE, TRIANGLE),
    THINK: (SQUARE, RECTANGLE, TRIANGLE),
    MASK: (SQUARE, RECTANGLE, np.ones((M, M))),
}


@pytest.mark.parametrize("off", MAPS)
def test_each_part_that_is_off_empties_its_block_of_the_map_and_no_other(off):
    explorer = explorers.explore_towers()
    explorer.set(off=off, hearing=True)
    reads, hears, writes = MAPS[off]
    moves = explorer.shown["moves"] > HEARD
    np.testing.assert_array_equal(moves, np.block([[reads, np.zeros((N, len(writes)))], [hears, writes]]))


def test_a_click_switches_a_part_off_and_on_again_and_the_map_waits_for_its_switch():
    explorer = explorers.explore_towers()
    assert "who hears whom" not in explorer.html
    for part in room.PARTS:
        click = {"type": "click", "target": {"id": f"at-part.r{room.PARTS.index(part)}"}}
        explorer._touched(click)
        assert explorer.values["off"] == part and "who hears whom" not in explorer.html
        explorer._touched(click)
        assert explorer.values["off"] == "nothing"


def test_columns_that_are_there_stay_as_they_are_when_a_word_is_added():
    explorer = explorers.explore_towers()
    whole = explorer.shown["shares"]
    for words in range(1, M):
        explorer.set(words=words)
        np.testing.assert_allclose(explorer.shown["shares"], whole[:, :words], rtol=1e-9)
    explorer.set(words=room.ALL, off=MASK)
    whole = explorer.shown["shares"]
    explorer.set(words=1)
    assert np.abs(explorer.shown["shares"] - whole[:, :1]).max() > 0.1


def test_a_column_says_what_the_model_would_say_that_ends_there():
    """Against what the last norm and W_vocabulary make of the residual after each box."""
    model, texts = translator.load_model(), ["the red car turns".split()]
    written = [["<s>", *"la voiture rouge tourne".split()]]
    memory, says = translator.read(texts, written)
    tokens = [french.VOCABULARY.index(word) for word in written[0]]
    x, layer = transformer.embed(tokens, model["embedding"]), model["decoder"][0]

    def asks(step):
        return layers.layer_norm(x, **layer[f"{step}_norm"])

    def said():
        return softmax(layers.layer_norm(x, **model["decoder_norm"]) @ model["W_vocabulary"] + model["b_vocabulary"])

    look = {"mask": attention.causal_mask(5)}, {"context": memory[0]}
    np.testing.assert_allclose(says[0, 0], said(), atol=1e-12)
    for height, (step, how) in enumerate(zip(("self_attention", "cross_attention"), look), start=1):
        x = x + attention.multi_head_attention(asks(step), **layer[step], num_heads=2, **how).output
        np.testing.assert_allclose(says[height, 0], said(), atol=1e-12)
    x = x + layers.feed_forward(asks("feed_forward"), **layer["feed_forward"])
    np.testing.assert_allclose(says[3, 0], said(), atol=1e-12)


def test_a_box_that_is_off_adds_nothing_and_the_model_that_is_stored_stays_whole():
    model = translator.load_model()
    for box, (tower, step, *last) in translator._ADDS.items():
        off = translator.without(model, box)[tower][0][step]
        assert all(not off[name].any() and model[tower][0][step][name].any() for name in last)


def test_words_give_way_to_others_of_their_kind_and_a_lone_word_to_the_blank():
    assert translator.others("la") == ["le"] and translator.others("the") == ["<pad>"]
    assert translator.others("red") == ["black", "green", "white"] and len(translator.others("tourne")) == 5
    assert set(translator.others("rouge")) == {"noir", "noire", "vert", "verte", "blanc", "blanche"}

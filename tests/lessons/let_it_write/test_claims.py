"""What the text of this lesson says in numbers, computed on its own."""

import re

import numpy as np
import pytest

from helpers import decoder, explorers, language_model
from helpers.attention import softmax
from helpers.learning import small_models

UNREAD = small_models.prose()[-small_models.HELD_OUT :]
PIECES = [UNREAD[k : k + 49] for k in range(0, 7900, 49)]


@pytest.fixture(scope="module")
def read():
    """Probabilities of the letters that come next in text that the model has never read, and how far its heads look."""
    numbers = np.array([small_models.to_numbers(piece, small_models.LETTERS) for piece in PIECES])
    decoded = decoder.decode(numbers[:, :-1], small_models.load_model("letters"), num_heads=4)
    shares = np.take_along_axis(softmax(decoded.logits), numbers[:, 1:, None], axis=-1)[..., 0]
    return shares, [each.weights for each in decoded.attention]


def test_a_model_is_sure_of_the_end_of_a_word(read):
    found = {"first": [], "late": []}
    for piece, shares in zip(PIECES, read[0], strict=True):
        for k, share in enumerate(shares, start=1):
            before = len(piece[:k]) - len(piece[:k].rstrip("abcdefghijklmnopqrstuvwxyz"))
            if piece[k].isalpha() and (before == 0 or before >= 4):
                found["late" if before else "first"].append(share)
    assert [f"{np.mean(found[kind]):.0%}" for kind in ("first", "late")] == ["10%", "69%"]


def test_heads_look_back_six_letters(read):
    back = np.arange(48)[:, None] - np.arange(48)
    near = [(weights * (back < 6))[..., 20:, :].sum(-1).mean() for weights in read[1]]
    assert [f"{share:.0%}" for share in near] == ["98%", "88%"]


def test_a_loop_reads_what_it_read_one_round_before():
    texts = [("attention is " + "the same " * rounds)[-48:] for rounds in range(8)]
    assert texts[7] == texts[6] != texts[5]
    assert set(texts[6].replace("the same", "").strip()) <= {" ", "m", "e"}  # it begins within a word


def test_more_of_the_same_does_not_make_it_likelier():
    model = small_models.load_model("letters")

    def surprise(rounds):
        tokens = small_models.to_numbers("attention is " + "the same " * (rounds + 1), small_models.LETTERS)
        pieces = [tokens[max(k - 48, 0) : k + 1] for k in range(len(tokens) - 9, len(tokens))]
        logits = [decoder.decode(piece[:-1], model, num_heads=4).logits[-1] for piece in pieces]
        return -sum(np.log(softmax(row)[piece[-1]]) for row, piece in zip(logits, pieces, strict=True))

    assert surprise(0) < surprise(3) < surprise(2) and np.isclose(surprise(7), surprise(6))


@pytest.mark.parametrize(("temperature", "loops"), [(0.0, True), (0.2, False)])
def test_the_first_step_of_temperature_breaks_the_loop(temperature, loops):
    text = small_models.to_text(
        explorers.explore_writing(temperature=temperature).shown["tokens"], small_models.LETTERS
    )
    assert (text[13:] == "the same " * 8) == loops


@pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: requirements-model.txt")
def test_merges_of_the_model_of_lesson_22():
    fields = pytest.importorskip("gguf").GGUFReader(language_model.find()).fields["tokenizer.ggml.merges"]
    merges = [bytes(fields.parts[k]).decode() for k in fields.data]
    assert len(merges) == 48_900
    assert [merge for merge in merges if re.search("[A-Za-z]Ġ", merge.replace(" ", ""))] == []  # Ġ is a space

"""The models of lessons 14 and 16: what they learned, what they are trained on, and their files."""

import itertools
import json

import numpy as np
import pytest

from helpers import decoder
from helpers.learning import small_models
from helpers.learning.parameters import save, tree_leaves, tree_map

STORY = small_models.load_trainings()


@pytest.fixture(scope="module")
def copies():
    return small_models.load_model("symbols")


def test_trained_model_copies_at_least_99_percent_of_fresh_runs_and_a_random_one_hardly_any(copies):
    assert small_models.share_copied(copies, small_models.fresh_runs(seed=7)) >= 0.99
    assert small_models.share_copied(small_models.random_model("symbols"), small_models.fresh_runs()) < 0.1


def test_stored_scores_are_those_of_the_stored_model(copies):
    strings = small_models.fresh_runs()
    weights = [each.weights.mean(axis=0) for each in decoder.decode(strings, copies, num_heads=4).attention]
    loop = np.array([[np.mean([head[i, i - 10] for i in range(11, 22)]) for head in layer] for layer in weights])
    np.testing.assert_allclose(STORY["induction"][-1], loop, atol=2e-3)  # rounded to 16 bits, and in 64
    before = np.array([[np.mean([head[i, i - 1] for i in range(1, 22)]) for head in layer] for layer in weights])
    np.testing.assert_allclose(STORY["previous"][-1], before, atol=2e-3)
    assert (STORY["induction"][-1, 1] > 0.5).sum() >= 2 and STORY["induction"][-1, 0].max() < 0.2


def test_losses_fall_and_copying_begins():
    losses = STORY["symbol_losses"]
    assert losses.shape == (800,) and losses[:20].mean() > 3.0 and losses[300:].mean() < 1.4
    assert STORY["accuracy"][STORY["symbol_steps"] <= 80].max() < 0.2 < 0.9 < STORY["accuracy"][-1]


def test_model_that_writes_is_less_surprised_by_what_it_never_read_than_by_chance():
    model, numbers = (
        small_models.load_model("letters"),
        small_models.to_numbers(small_models.prose(), small_models.LETTERS),
    )
    held_out = np.array(numbers[-small_models.HELD_OUT :][: 49 * 160]).reshape(160, 49)
    loss = float(small_models.loss_of(model, held_out))
    assert (
        loss < 1.6 and abs(float(small_models.loss_of(small_models.random_model("letters"), held_out)) - np.log(32)) < 1
    )


def test_training_from_zero_repeats_the_first_losses():
    history = small_models.train("symbols", num_steps=3, progress=None)
    assert np.isclose(history.losses[0], STORY["symbol_losses"][0], rtol=1e-4)
    leaves = tree_leaves(history.parameters)
    assert {str(each.dtype) for each in leaves} == {"float32"} and sum(each.size for each in leaves) in (69_652, 71_200)


def test_prose_leaves_code_formulas_tables_and_links_out(tmp_path):
    cells = [
        "# **One** query\\n\\n| a | b |\\n",
        "Let $x_i$ *ask*; see [02](02_x.ipynb).\\n```python\\nx = 1\\n```",
        "It's N² `ok`?",
    ]
    content = {"cells": [{"cell_type": "markdown", "source": [each.replace("\\n", "\n")]} for each in cells]}
    content["cells"].append({"cell_type": "code", "source": ["y = 2"]})
    (tmp_path / "00_x.ipynb").write_text(json.dumps(content), encoding="utf-8")
    assert small_models.read_prose(tmp_path).split() == "one query let ask see . it's n ok?".split()
    assert set(small_models.prose()) <= set(small_models.LETTERS) and len(small_models.prose()) > 100_000


def test_batches_are_pieces_of_the_text_and_strings_that_repeat():
    text = "abc " * 30
    ((pieces,),) = itertools.islice(small_models.letter_batches(np.random.default_rng(0), text, size=4), 1)
    assert all(small_models.to_text(piece, small_models.LETTERS) in text for piece in pieces) and pieces.shape == (
        4,
        49,
    )
    ((strings,),) = itertools.islice(small_models.symbol_batches(np.random.default_rng(0), size=30), 1)
    periods = [next(p for p in range(1, 24) if (row[p:] == row[:-p]).all()) for row in strings]
    assert set(periods) <= set(small_models.PERIODS) and len(set(periods)) > 4


def test_files_of_other_sizes_and_unknown_kinds_are_refused(tmp_path, monkeypatch):
    save(tmp_path / "x.npz", tree_map(lambda x: x[:1].astype(np.float16), small_models.random_model("letters")))
    monkeypatch.setitem(small_models.PATHS, "letters", tmp_path / "x.npz")
    with pytest.raises(ValueError, match=r"x\.npz must hold .* as float16"):
        small_models.load_model("letters")
    with pytest.raises(ValueError, match='kind must be "letters" or "symbols", got \'words\''):
        small_models.random_model("words")
    with pytest.raises(ValueError, match="text must be written in the letters of the vocabulary"):
        small_models.to_numbers("A", small_models.LETTERS)

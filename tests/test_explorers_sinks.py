"""Known answers of the explorers of the sink, and what answers the hand."""

import numpy as np
import pytest

from helpers import explorers, language_model
from helpers.models import bert


def test_explore_sink_starts_with_the_ninths_of_the_lesson_and_a_click_raises_a_letter():
    explorer = explorers.explore_sink()
    np.testing.assert_allclose(9 * explorer.shown["with_sink"], [1, 1, 3, 1])
    assert explorer.shown["output"] == pytest.approx(10)
    explorer._touched({"type": "click", "target": {"className": "touch at-with_sink r0"}})
    assert explorer.controls["letter"].value == 0 and explorer.shown["scores"].tolist() == [1, 0, 0, 0]


def test_a_low_row_falls_silent_beside_a_sink_alone():
    explorer = explorers.explore_sink()
    explorer.set(shift=-5.0)
    assert explorer.shown["sum"] < 0.01 and explorer.shown["plain"].sum() == pytest.approx(1)


def test_explore_resting_finds_half_of_the_weight_on_cls_in_the_middle_layers():
    explorer = explorers.explore_resting()
    assert explorer.text.endswith(". The mean of all 72 heads is 44%; at equal shares it would be 5%.")
    assert explorer.shown["rest"].mean(axis=-1).round(2).tolist() == [0.17, 0.51, 0.56, 0.5, 0.61, 0.28]
    explorer._touched({"type": "click", "target": {"className": "touch at-rest r3 c1"}})
    assert explorer.controls["head"].value == (3, 1)
    for on, most in (("[SEP]", 0.1), ("sarah", 0.1)):
        explorer.set(on=on)
        assert explorer.shown["rest"][1:5].mean() < most


TEXT = "Sarah was walking in the park with her cat, Alex. She was wearing a beautiful gold watch."


@pytest.mark.skipif(language_model.find() is None, reason="needs requirements-model.txt")
def test_lesson_23_a_language_model_rests_on_its_first_token():
    model = language_model.load()
    weights = model.read(model.encode(TEXT)).weights[:, :, 1:, 0].mean(axis=(1, 2))  # later tokens on the first
    assert len(weights) == model.num_layers == 30 and model.num_heads == 9
    assert weights.mean() == pytest.approx(0.48, abs=0.005) and weights.max() == pytest.approx(0.89, abs=0.005)


@pytest.mark.skipif(bert.find_weights() is None, reason="needs requirements-model.txt")
def test_lesson_23_the_values_of_cls_are_short_where_heads_rest_on_it():
    model = bert.load_model()
    hidden = bert.read(model, TEXT).hidden
    for layer in range(1, 5):
        attention = model.layers[layer]["self_attention"]
        value = (hidden[layer] @ attention["W_value"] + attention["b_value"]).reshape(22, 12, 32)
        lengths = np.linalg.norm(value, axis=-1).mean(axis=-1)
        assert lengths[0] < 0.355 and 3.75 < lengths[1:].mean() < 3.95

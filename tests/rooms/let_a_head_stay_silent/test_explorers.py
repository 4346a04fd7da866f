"""Known answers of the explorers of the sink, and what answers the hand."""

import importlib.util
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers import attention, explorers, language_model
from helpers.models import bert
from rooms.shared import attention_maps, model_readings
from tests import driving
from tests.notebooks import ROOT
from workbench.pictures.svg import text_width


def test_explore_resting_finds_half_of_the_weight_on_cls_in_the_middle_layers():
    explorer = explorers.explore_resting()
    assert explorer.text.endswith(". The mean of all 72 heads is 44%; at equal shares it would be 5%.")
    assert explorer.shown["rest"].mean(axis=-1).round(2).tolist() == [0.17, 0.51, 0.56, 0.5, 0.61, 0.28]
    assert explorer.shown["length"].round(2).tolist() == [0.73, 0.18, 0.14, 0.35, 0.13, 0.35]
    assert explorer.shown["others"].round(1).tolist() == [2.7, 3.8, 3.8, 3.8, 3.9, 3.5]
    assert divmod(explorer.shown["rest"].argmax(), 12) == (4, 5) and explorer.shown["rest"].max().round(2) == 0.91
    driving.click(explorer, "rest", 3, 1)
    assert explorer.controls["head"].value == (3, 1)
    for on, most in (("[SEP]", 0.1), ("sarah", 0.1)):
        explorer.set(on=on)
        assert explorer.shown["rest"][1:5].mean() < most


def test_the_first_token_of_a_language_model_gets_much_weight_where_its_value_is_short():
    she = model_readings.load("She")
    weight = she.weights[:, :, 1:, 0].mean(axis=(1, 2))
    length = she.value_lengths[:, 0] / she.value_lengths[:, 1:].mean(axis=1)
    assert (1 + np.flatnonzero(length >= 0.5)).tolist() == [1, 2, 3, 11, 12]
    assert weight[length >= 0.5].max() < 0.185 < 0.24 < weight[length < 0.5].min()


TEXT = "Sarah was walking in the park with her cat, Alex. She was wearing a beautiful gold watch."


@pytest.mark.skipif(language_model.find() is None, reason="needs the extra model")
def test_a_language_model_rests_on_the_place_and_not_on_the_word():
    model, stored = language_model.load(), model_readings.load("She")
    whole, cut = model.read(stored.ids), model.read(stored.ids[5:])
    assert stored.tokens[5] == " park"
    assert whole.weights[:, :, 6:, 5].mean() == pytest.approx(0.03, abs=0.005)
    assert cut.weights[:, :, 1:, 0].mean() == pytest.approx(0.62, abs=0.005)
    lengths = [np.linalg.norm(value, axis=-1).mean(axis=0) for _, value in whole.cache]
    np.testing.assert_allclose(stored.value_lengths, lengths, rtol=1e-3)


@pytest.mark.skipif(bert.find_weights() is None, reason="needs the extra model")
def test_stored_lengths_of_values_are_those_of_the_encoder():
    model = bert.load_model()
    hidden = bert.read(model, TEXT).hidden
    for layer, lengths in enumerate(attention_maps.value_lengths()):
        attention = model.layers[layer]["self_attention"]
        value = (hidden[layer] @ attention["W_value"] + attention["b_value"]).reshape(22, 12, 32)
        np.testing.assert_allclose(np.linalg.norm(value, axis=-1).mean(axis=-1), lengths, rtol=1e-4)


@pytest.mark.everything
@pytest.mark.skipif(language_model.find() is None, reason="needs the extra model")
def test_a_model_whose_memory_loses_the_first_token_reads_on_badly():
    """What the second half of a text costs with the whole memory of the first, without its first token, and without its second."""
    spec = importlib.util.spec_from_file_location("measure_heads", ROOT / "data" / "made_by" / "measure_heads.py")
    measured = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measured)
    model, costs = language_model.load(), []
    for text in measured.PLAIN:
        ids = model.encode(text)
        half, costs = len(ids) // 2, [*costs, []]
        cache = model.read(ids[:half]).cache
        for out in ([], 0, 1):
            left = [tuple(np.delete(part, out, axis=1) for part in pair) for pair in cache]
            logits = model.read(ids[half:], cache=left).logits[:-1].astype(float)
            chances = attention.softmax(logits)[np.arange(len(logits)), ids[half + 1 :]]
            costs[-1].append(-np.log(chances).mean())
    costs = np.array(costs)
    assert [f"{cost:.2f}" for cost in costs.mean(axis=0)] == ["3.27", "6.11", "3.50"]
    assert len(costs) == 30 and (costs[:, 1] > costs[:, [0, 2]].T).all()


@pytest.mark.parametrize(("name", "values"), [("explore_resting", {"on": "[SEP]"}), ("explore_sink", {"sink": 1.5})])
def test_no_line_runs_through_a_number_or_stands_beside_it_like_a_minus(name, values):
    explorer = getattr(explorers, name)()
    explorer.set(**values)
    for drawing in re.findall(r"<svg\b.*?</svg>", explorer._view.value, re.DOTALL):
        shapes = list(ElementTree.fromstring(drawing).iter())
        lines = [[float(each.get(key)) for key in ("x1", "x2", "y1", "y2")] for each in shapes if each.get("x1")]
        numbers = [each for each in shapes if re.fullmatch(r"\d\.\d+", each.text or "")]
        for each in numbers:
            x, y, size = (float(each.get(key)) for key in ("x", "y", "font-size"))
            wide = text_width(each.text, size)
            left = x - wide * {"start": 0, "middle": 0.5}[each.get("text-anchor", "middle")]
            for x1, x2, y1, y2 in lines:
                beside, above = x2 < left - 4 or x1 > left + wide + 4, y2 < y - size or y1 > y + 3
                assert beside or above, (each.text, (x1, y1, x2, y2))

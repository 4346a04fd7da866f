"""Known answers of the explorers of models that are read, and what answers the hand."""

import numpy as np
import pytest

from helpers import explorers
from helpers.models import configurations
from helpers.sources import model_specimens

LAYERS = {  # kind of the layers, as the papers have them
    "SmolLM2-135M": ["whole"] * 30,
    "gpt-oss-120b": ["window", "whole"] * 18,
    "Qwen3-Next-80B-A3B": ["state", "state", "state", "whole"] * 12,
    "DeepSeek-V3": ["latent"] * 61,
}


@pytest.mark.parametrize("name", LAYERS)
def test_parameters_are_as_many_as_transformers_makes_room_for(name):
    assert sum(configurations.count_parameters(name)) == configurations.load(name)["parameters"]
    assert configurations.layer_kinds(name) == LAYERS[name]


def test_configurations_answer_a_click_on_a_layer_and_the_lesson_counts_right():
    explorer = explorers.explore_configurations()
    assert explorer.shown["next_token"].tolist() == [23_040, 36_864, 24_576, 70_272]
    explorer._touched({"type": "click", "target": {"className": "touch at-layers r2 c1"}})
    assert "state" in explorer.text and explorer.values["model"] == "Qwen3-Next-80B-A3B"
    with pytest.raises(ValueError, match="name must be one of 'SmolLM2-135M'"):
        configurations.load("GPT-9")


def test_each_bug_breaks_rules_of_its_own_and_a_right_model_none():
    broken = {
        words: model_specimens.gaps(model_specimens.model_of(parts)) > 0
        for words, parts in model_specimens.MISTAKES.items()
    }
    assert not model_specimens.gaps(model_specimens.model_of(model_specimens.RIGHT)).any()
    assert [list(np.flatnonzero(row) + 1) for row in broken.values()] == [[2], [3], [4], [1, 2], [5], [6]]


def test_model_hunt_is_won_by_five_clicks():
    explorer = explorers.explore_model_hunt()
    for number, bug in enumerate((2, 5, 0, 4, 1), 1):
        explorer.set(number=number)
        explorer._touched({"type": "click", "target": {"className": f"touch at-mistakes r{bug}"}})
        assert "Yes: " in explorer.text
    assert "Found so far: 5 of 5" in explorer.text

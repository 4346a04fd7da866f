"""Known answers of the explorers of models that are read, and what answers the hand."""

import json

import pytest

from helpers import explorers
from rooms.read_a_model import configurations, model_lines
from tests import driving, sentences

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
    for name, one_more in zip(LAYERS, (23_040, 36_864, 24_576, 70_272)):
        most = configurations.most_tokens(name)
        assert sum(configurations.kept_bytes(name, most)) - sum(configurations.kept_bytes(name, most - 1)) == one_more
    driving.click(explorer, "layers", 2, 1)
    assert "state" in explorer.text and explorer.values["model"] == "Qwen3-Next-80B-A3B"
    with pytest.raises(ValueError, match="name must be one of 'SmolLM2-135M'"):
        configurations.load("GPT-9")


def test_each_model_says_how_far_it_is_from_the_class_and_a_click_opens_an_addition():
    explorer = explorers.explore_model_lines()
    for name, configuration in model_lines.MODELS.items():
        explorer.set(model=name)
        added = model_lines.additions(configuration)
        assert explorer.shown["gap"] < 1e-4 and explorer.shown["without"].shape == (len(added), 2)
        assert f"class {model_lines.stored_class(name)} of transformers 5.24" in explorer.text
        for k, each in enumerate(added):
            driving.click(explorer, "additions", k, 0)
            assert each.words in explorer.text and explorer.shown["open"] == k


@pytest.mark.everything
def test_every_addition_of_every_model_is_told_right():
    assert sentences.complaints_in_all_states("explore_model_lines", addition=range(1, 10)) == []


def test_the_sentence_of_a_page_follows_the_page():
    pages = [
        json.dumps(page) for page in (*model_lines.MODELS.values(), *map(configurations.load, configurations.names()))
    ]
    assert sentences.complaints_in_all_states("explore_own_configuration", page=pages) == []


def test_a_page_is_read_and_a_wrong_one_is_told_in_a_sentence():
    explorer = explorers.explore_own_configuration()
    counts = {"Qwen3-0.6B": 596_049_920, "Llama 3.1 8B": 8_030_261_248, "Gemma 3 1B": 999_885_952}  # as published
    for name, count in counts.items():
        driving.buttons(explorer)[name].click()
        assert explorer.shown["parameters"].sum() == count
    driving.buttons(explorer)["one that contradicts itself"].click()
    assert "num_key_value_heads must divide num_attention_heads, got 12 for 32." in explorer._view.value
    assert explorer.shown["parameters"].sum() == counts["Gemma 3 1B"]
    for page, told in (
        ("", "a configuration must be JSON"),
        ("[1]", "a configuration must be a dict, got list."),
        ('{"model_type": "llama", "hidden_size": NaN}', "num_hidden_layers must be there"),
        ('{"model_type": "bert"}', "model_type must be one of llama"),
    ):
        explorer.set(page=page)
        assert told in explorer._view.value
    explorer.set(page=json.dumps(configurations.load("DeepSeek-V3")))
    assert "671,026,404,352 numbers" in explorer.text and explorer.shown["added"] == 4
    explorer.set(page='{"model_type": "llama4", "text_config": null}')
    assert "this page says null" in explorer._view.value

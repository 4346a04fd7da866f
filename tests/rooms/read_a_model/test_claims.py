"""What the text of this lesson says in numbers, played and computed on its own."""

import re

import numpy as np

from helpers import explorers
from rooms.read_a_model import config_json, configurations, model_lines


def test_the_three_large_models_have_128_to_512_experts_and_choose_4_to_10():
    said = [configurations.load(name) for name in configurations.names()[1:]]
    names = "num_local_experts", "num_experts", "n_routed_experts"
    assert [next(each[name] for name in names if each.get(name)) for each in said] == [128, 512, 256]
    assert [each["num_experts_per_tok"] for each in said] == [4, 10, 8]


def without(name):
    explorer = explorers.explore_model_lines()
    explorer.set(model=name)
    return dict(
        zip((each.words for each in model_lines.additions(model_lines.MODELS[name])), explorer.shown["without"])
    )


def test_what_is_lost_without_an_addition():
    assert [agree for _, agree in without("Llama 3.1").values()] == [7]
    assert without("OLMo 3")["slower turns, yarn, in whole layers alone"][1] == 13
    (told,) = model_lines.additions(model_lines.MODELS["Qwen3"])
    assert told.words.startswith("norms of queries and keys") and not told.fields


def test_the_code_stops_where_a_matrix_is_missing_or_has_another_shape():
    stops = [words for name in model_lines.MODELS for words, (gap, _) in without(name).items() if np.isinf(gap)]
    assert stops == [
        "experts, with biases and a clamped gate", "a norm behind each step, none before", "a gate beside each head's query",
        "experts, and one for all with a gate of its own", "states in place of attention",
        "experts whose share multiplies what goes in, and one for all", *2 * [
            "queries through a narrow place", "keys and values from a latent vector, and a turned part for all heads",
            "experts in groups, chosen with a bias, and one for all; none in the first layers",
        ],
    ]  # fmt: skip
    for name in model_lines.MODELS:
        for k, (words, (gap, _)) in enumerate(without(name).items()):
            if np.isinf(gap):
                error = model_lines.compare(name, (k,)).error
                assert re.search("is missing|shape|broadcast|mismatch|reshape", error), (words, error)


def test_as_many_kinds_of_pages_are_read_as_the_page_says_and_all_of_lesson_24():
    assert len(config_json.FILLED) == 15 and {"mixtral", "gpt_oss", "qwen3_moe", "deepseek_v3"} <= set(
        config_json.FILLED
    )
